import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import pLimit from 'p-limit';
import { canonicalRoot, isGone } from '../files/canonicalRoot.ts';
import { isSpokenAlike } from './isSpokenAlike.ts';
import { type JobRecord, jobKeptMs, type PlaceReference, type Whole } from './Job.ts';
import { folderFor, manifestOf, rootNoting, rootsOf } from './roots.ts';
import type { Store } from './Store.ts';
import { stateOfWork } from './stateOfWork.ts';
import { removalFileName, type Work } from './Work.ts';

/**
 * Takes the lease of a whole, as {@link Store.open}, and removes the parts of one that was saved just before a crash.
 *
 * @param place where the whole is made
 */
export async function openWhole(store: Store, key: string, place: PlaceReference): Promise<Work | undefined> {
  const held = await store.open(key);
  if (held) await removeSaved(store, held, rootsOf(place));
  return held;
}

/**
 * Removes the parts that a saved whole was made of, and those of it that it no longer needs. Keeps the parts of other
 * wholes and places, what was paid for in the place of the sandbox, and requests that may be billed.
 *
 * @param held the work whose lease holds the whole
 * @param used keys of the parts that it was made of
 */
export async function wholeSaved(store: Store, held: Work, whole: Whole, used: Iterable<string> = []): Promise<void> {
  const roots = rootsOf(whole.place);
  const keys = new Set(used);
  const parts: Part[] = [];
  for (const part of await removableParts(store)) {
    const isUsed = keys.has(part.key);
    if (isForAnother(part, whole) && !isUsed) continue;
    if (isPaid(part) && whole.sandbox) continue;
    if ((isUsed && hasMoved(part.whole.place)) || (await isPartOf(part, whole, roots))) parts.push(part);
  }
  // After a crash, the next process that opens or sweeps the whole continues the removal, of these alone.
  const saved = { ...whole, parts: parts.map(({ key, id }) => ({ key, id })) };
  await held.noteSaved(saved).catch(() => undefined);
  if (await removeParts(store, parts, roots)) await held.forgetSaved();
  await forgetUsed(store, whole.place, keys);
  if (whole.note !== undefined) await store.withdraw(whole.note, whole.place);
}

/** @returns false if parts stay, as {@link removeParts} */
export async function removeSaved(store: Store, held: Work, roots: readonly string[]): Promise<boolean> {
  const saved = await held.savedWhole();
  if (!saved) return true;
  const parts: Part[] = [];
  for (const part of await removableParts(store)) {
    // Earlier versions did not list the parts.
    const isListed = saved.parts
      ? saved.parts.some(({ key, id }) => key === part.key && id === part.id)
      : !isForAnother(part, saved) && (await isPartOf(part, saved, roots));
    if (isListed) parts.push(part);
  }
  const areGone = await removeParts(store, parts, roots);
  if (areGone) await held.forgetSaved();
  return areGone;
}

/** Removes this place's notes on parts that stay for another place, whose sound the saved whole now has. */
async function forgetUsed(store: Store, place: PlaceReference, used: ReadonlySet<string>): Promise<void> {
  for (const key of used) {
    const part = await store.read(key).catch(() => undefined);
    for (const id of part?.earlier ?? []) await store.withdraw(key, place, id);
  }
}

/**
 * Removes the parts of a whole that a process saved, but was killed before it could note that.
 *
 * @param place of the whole, a folder that is used for nothing else, such as that of the variants of one request
 */
export async function removePartsFor(store: Store, place: PlaceReference): Promise<void> {
  const name = posix.basename(place.path);
  const roots = rootsOf(place);
  const parts: Part[] = [];
  for (const part of await removableParts(store)) {
    const isNamed = posix.basename(part.whole.place.path) === name;
    if (isNamed && (await isPartIn(part, place, roots))) parts.push(part);
  }
  await removeParts(store, parts, roots);
}

/** Returns the parts that are finished or were refused for certain. */
async function removableParts(store: Store): Promise<readonly Part[]> {
  const isRemovable = (part: JobRecord): part is Part => ['finished', 'none'].includes(stateOfWork(part));
  return (await store.parts()).filter(isRemovable);
}

/** Removing a part mostly waits for the disk. */
const removedAtOnce = 8;

/** @returns false if parts stay because their folder is gone, perhaps renamed to one that is not among the roots */
async function removeParts(store: Store, parts: readonly Part[], roots: readonly string[]): Promise<boolean> {
  let areGone = true;
  const inTurn = pLimit(removedAtOnce);
  const remove = async (part: Part) => {
    const place = await placeNow(store, part, roots);
    if (place) await store.removePart(part.key, place);
    else areGone = false;
  };
  const removed = await Promise.allSettled(parts.map((part) => inTurn(remove, part)));
  const failed = removed.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  // The parts of one whole have the same note.
  for (const part of new Map(parts.map((one) => [one.whole.note, one])).values()) await store.forgetWhole(part);
  return areGone;
}

/**
 * Returns where the notes of a work are now.
 *
 * @param roots URIs of folders, one of which may be that of the work under a new name
 * @returns undefined while its folder is gone, and none of the roots has its note
 */
export async function placeNow(store: Store, { key, place, sandbox, createdAt }: JobRecord, roots: readonly string[]) {
  const isNoted = !sandbox && !place.isChosen;
  if (!isNoted || !isGone(place.root)) return place;
  const root = await rootNoting(key, roots);
  if (root !== undefined) return { ...place, root };
  // After a month the folder counts as removed.
  const isRemoved = Date.now() - Date.parse(createdAt) > jobKeptMs;
  return isRemoved || existsSync(join(store.folderOf(key), removalFileName)) ? place : undefined;
}

type Part = JobRecord & { readonly whole: Whole };

/** Whether a part was paid for and waits for its whole. */
function isPaid(part: Part): boolean {
  return stateOfWork(part) === 'finished' && !part.sandbox;
}

/** Whether a part was paid for, but for another voice or format of a whole. */
function isForAnother(part: Part, whole: Whole): boolean {
  return isPaid(part) && !isSpokenAlike(part.whole, whole);
}

/** Whether a part is of a whole, of any voice and format. */
async function isPartOf(part: Part, whole: Whole, roots: readonly string[]): Promise<boolean> {
  const { whole: own } = part;
  const isNamed = own.entry !== undefined || own.document !== undefined;
  if (own.key === whole.key) {
    // The key of a text or a recording is the same in every project, each of which keeps its own parts.
    return isNamed || (await isSameProject(own.place, whole.place)) || (await isPartIn(part, whole.place, roots));
  }
  const isSame = own.entry === whole.entry && documentOf(own) === documentOf(whole);
  return isNamed && isSame && (await isPartIn(part, whole.place, roots));
}

async function isSameProject(one: PlaceReference, other: PlaceReference): Promise<boolean> {
  return one.manifest === other.manifest && (await canonicalRoot(one.root)) === (await canonicalRoot(other.root));
}

/**
 * Whether the whole of a part is made at a place. A folder that is gone may have been renamed to one of the roots, which
 * then has the note of the part; else it may be on a drive that is not connected.
 */
async function isPartIn({ key, whole, sandbox }: Part, place: PlaceReference, roots: readonly string[]) {
  if ((await folderFor(whole.place)) === (await folderFor(place))) return true;
  return isGone(whole.place.root) && (sandbox || (await rootNoting(key, roots)) !== undefined);
}

/** Whether a manifest is no longer where it was in its repository: the folder around it was renamed. */
function hasMoved(place: PlaceReference): boolean {
  const manifest = manifestOf(place);
  return manifest !== undefined && !isGone(place.root) && !existsSync(manifest);
}

/** Returns the path of a spoken document. */
function documentOf({ request }: Whole): string | undefined {
  return 'input' in request ? request.input : undefined;
}
