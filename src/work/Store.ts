import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import * as l10n from '@vscode/l10n';
import { canonicalRoot, isGone, pathOfRoot } from '../files/canonicalRoot.ts';
import { isSameFile } from '../files/FileCalls.ts';
import { hashOf } from '../files/sha256.ts';
import { reasonOf } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { JobFacts, JobRecord, PlaceReference, Whole } from './Job.ts';
import { isRunning, jobKeptMs } from './Job.ts';
import { isKey, Journals, mayBePart, valuesOf } from './Journals.ts';
import { cannotKeep, isUnusable } from './jobErrors.ts';
import type { LeaseOptions } from './Lease.ts';
import { Lease, LeaseWatch, leaseSilence } from './Lease.ts';
import type { Noted } from './Notes.ts';
import { notedIn, notesOf } from './Notes.ts';
import type { SentKey } from './repeatable.ts';
import { isRepeatable } from './repeatable.ts';
import { requestLength, StoreListing } from './StoreListing.ts';
import type { LoggedWork } from './Work.ts';
import { journalFileName, partIn, readWork, removalFileName, Work } from './Work.ts';

/**
 * What is known of a paid request: never sent, or certainly not billed (`none`); a living process works on it
 * (`running`); it was sent, and may have been billed (`unknown`), or else can be sent again under the same idempotency key
 * (`repeatable`); its answer is kept and only has to be saved (`answered`), or cannot be used (`unusable`); it is a part
 * whose result waits for the whole (`finished`).
 */
export type WorkState = 'none' | 'running' | 'unknown' | 'repeatable' | 'answered' | 'unusable' | 'finished';

/** A work, and what is known of its request. */
interface KnownWork {
  readonly state: WorkState;
  readonly record: JobRecord;
}

/** The folder that results go to. */
type Folder = Pick<PlaceReference, 'root' | 'path'>;

/** The root of a folder, and the folder itself where it is known. */
type Around = Pick<PlaceReference, 'root'> & Partial<Folder>;

/** What the store and the folders around a project hold at one moment; see {@link Store.list}. */
export type Listing = StoreListing<Noted>;

/** What a question about requests depends on. */
interface Asked {
  /** What was listed before, if many are asked for. */
  readonly listing?: Listing;
  /** Origin of the service, if it honours idempotency keys; without it, nothing is `repeatable`. */
  readonly keyOrigin?: string;
}

/** Returns a new key for an answer that is kept beside the work of its request. */
export function keyBeside(key: string): string {
  const [own = key] = key.split('.');
  return `${own}.${randomUUID()}`;
}

/**
 * The one store of paid work of a person, in `<folder>/<key>/`. Editor and command line share it, so neither pays again
 * for what the other has sent.
 */
export class Store {
  readonly #folder: string;
  readonly #journals: Journals;
  readonly #leases: LeaseOptions & { readonly silence: number };
  readonly #unreadable = new Map<string, string>();

  /**
   * @param folder absolute path in the person's state folder; created with the first work
   * @param silence milliseconds without a heartbeat after which a work counts as abandoned
   * @param checksOnce whether this process ends before it can see several heartbeats. The age of a lease then decides,
   *   since works from before a restart of the computer would otherwise look alive to each new process.
   */
  constructor(folder: string, silence = leaseSilence, checksOnce = false) {
    this.#folder = folder;
    this.#journals = new Journals(folder);
    this.#leases = checksOnce ? { silence } : { silence, watch: new LeaseWatch(silence) };
  }

  folderOf(key: string): string {
    return join(this.#folder, key);
  }

  /** The journals that were found to be unreadable, by their absolute paths, with the reasons. */
  get unreadable(): ReadonlyMap<string, string> {
    return this.#unreadable;
  }

  /** Reads a work. One that cannot be read must not hide the others: nobody knows what was sent for it. */
  async #readWork(folder: string): Promise<LoggedWork | 'torn' | undefined> {
    let reason = l10n.t('it is damaged, or another version wrote it');
    const read = await readWork(folder).catch((error: unknown) => {
      reason = reasonOf(error);
      return 'torn' as const;
    });
    const journal = join(folder, journalFileName);
    if (read === 'torn') this.#unreadable.set(journal, reason);
    else this.#unreadable.delete(journal);
    return read;
  }

  /**
   * Takes the lease of a work, whether or not anything was sent for it. A narration, a recording or a manifest takes
   * one of its own, so that two processes do not make the same thing.
   *
   * @returns undefined while another process works on it
   * @throws MediaError `save` when the folder cannot be written
   */
  open(key: string): Promise<Work | undefined> {
    // This process has seen no earlier heartbeats, so the lease's age decides, and then whether a heartbeat comes.
    return Work.take(this.folderOf(key), { silence: this.#leases.silence, confirms: true }, true).catch(cannotKeep);
  }

  /**
   * Takes the lease of a whole, as {@link open}, and removes the parts of one that was saved just before a crash.
   *
   * @param place where the whole is made
   */
  async openWhole(key: string, place: PlaceReference): Promise<Work | undefined> {
    const held = await this.open(key);
    if (held) await this.#removeSaved(held, rootsOf(place));
    return held;
  }

  /** Takes the lease of a work that exists. @returns undefined when another process works on it, or it is gone */
  take(key: string): Promise<Work | undefined> {
    return Work.take(this.folderOf(key), this.#leases);
  }

  /** Returns a work without its lease, to remove it when the folder cannot be written (full disk). */
  withoutLease(key: string): Work {
    return Work.withoutLease(this.folderOf(key));
  }

  /** Reads a work from disk. Returns undefined when nothing is known of it. @throws errors of node:fs */
  async read(key: string): Promise<JobRecord | undefined> {
    const read = await readWork(this.folderOf(key));
    return read === 'torn' ? undefined : read?.record;
  }

  /**
   * Lists what is in the store and around a project, each folder when it is first asked for. An evaluation of many
   * requests asks with one listing. What decides about sending a request never does: it looks at the disk itself.
   */
  list(): Listing {
    return new StoreListing(this.#journals, notedIn);
  }

  /**
   * Returns what is known of a request.
   *
   * @param place where its result goes: another computer may have left a note in its root, or in what is the root there
   */
  async stateOf(key: string, place: Around, asked: Asked = {}): Promise<WorkState> {
    return (await this.statesOf([key], place, asked)).get(key) ?? 'none';
  }

  /** Returns what is known of requests, by their keys; those of which nothing is known are missing. */
  async statesOf(
    keys: Iterable<string>,
    place: Around,
    { listing = this.list(), keyOrigin }: Asked = {},
  ): Promise<ReadonlyMap<string, WorkState>> {
    const roots = rootsOf(place);
    const states = new Map<string, WorkState>();
    for (const key of keys) {
      // Notes first: a work is made before its notes, and removed after them.
      const noted = await listing.notesOn(key, roots);
      const isThere = noted.some((note) => note.key === key) || (await listing.worksOf(key)).includes(key);
      const state = isThere ? await this.#stateIn(this.folderOf(key)) : undefined;
      // Another computer or container has sent it.
      const known = state ?? ((await this.#isNoted(key, noted, listing)) ? 'unknown' : 'none');
      const asksKey = known === 'unknown' && keyOrigin !== undefined;
      const isSafe = asksKey && isRepeatable(await this.#keySent(key, noted), keyOrigin);
      if (known !== 'none') states.set(key, isSafe ? 'repeatable' : known);
    }
    return states;
  }

  /**
   * Returns the idempotency key of a request whose outcome is unknown; undefined if it was sent without one, or several
   * computers have sent it under different keys.
   */
  async keySent(key: string, place: Around): Promise<SentKey | undefined> {
    return this.#keySent(key, await notesAround(place));
  }

  async #keySent(key: string, noted: readonly Noted[]): Promise<SentKey | undefined> {
    const record = await readWork(this.folderOf(key));
    if (record === 'torn') return undefined;
    if (record && stateOfWork(record.record) === 'unknown') return record.record.idempotencyKey;
    const all: (SentKey | undefined)[] = [];
    for (const one of await this.#notesOn(key, noted)) all.push(await one.notes.keyOf(one.key));
    const [first] = all;
    return all.every((one) => one?.value === first?.value) ? first : undefined;
  }

  /**
   * Returns the key of the work of a request that the same entry of several clones or packages may make: each has a work
   * of its own, and keeps it when its folder is renamed.
   *
   * @param request key of the request
   * @param place where the result goes; its path has no other results
   */
  async keyAt(request: string, place: Folder, listing = this.list()): Promise<string> {
    const isOfRequest = (key: string) => key.startsWith(request) && !key.includes('.') && isKey(key);
    const keys = (await listing.worksOf(request)).filter(isOfRequest);
    const noted = (await listing.notesOn(request, rootsOf(place))).map(({ key }) => key).filter(isOfRequest);
    let found = { key: '', likeness: 0 };
    for (const key of keys) {
      const likeness = await this.#likenessOf(key, place, noted);
      if (likeness > found.likeness) found = { key, likeness };
    }
    if (found.key !== '') return found.key;
    // Another computer may have sent it for this place.
    const other = noted.find((key) => !keys.includes(key));
    if (other !== undefined || !keys.includes(request)) return other ?? request;
    return request + hashOf(await folderFor(place)).slice(0, requestLength);
  }

  /**
   * Whether a request is still noted by others. Another process may have finished its work in the meantime. The note of a
   * whole is this computer's own if parts of it are here that were sent.
   */
  async #isNoted(key: string, noted: readonly Noted[], listing: Listing): Promise<boolean> {
    for (const one of await this.#notesOn(key, noted)) {
      if (await one.notes.has(one.key).catch(() => true)) return !(await this.partsOf(key, listing)).some(wasSent);
    }
    return false;
  }

  /**
   * Returns the notes on a request. Where another clone on this computer has the request, its work has another key here
   * than on a computer without that clone.
   */
  async #notesOn(key: string, noted: readonly Noted[]): Promise<readonly Noted[]> {
    const own = noted.filter((note) => note.key === key);
    const request = key.slice(0, requestLength);
    const others = key === request ? [] : noted.filter((note) => note.key === request);
    const clone = others.length > 0 ? (await this.read(request).catch(() => undefined))?.id : undefined;
    for (const note of others) {
      // A copy of the clone has its notes.
      if (clone === undefined || (await note.notes.workOf(request)) !== clone) own.push(note);
    }
    return own;
  }

  /** Returns how much speaks for it that a work is that of a place; 0 if it is that of another. */
  async #likenessOf(key: string, place: Folder, noted: readonly string[]): Promise<number> {
    const sentFor = (await this.read(key).catch(() => undefined))?.place;
    if (!sentFor) return 1;
    if ((await folderFor(sentFor)) === (await folderFor(place))) return 3;
    // The folder of the results was made before the request was sent, and moves when the one around it is renamed. Git
    // moves only the manifest.
    const manifest = manifestOf(sentFor);
    const old = manifest !== undefined && existsSync(manifest) ? await statsOf(sentFor) : undefined;
    const here = old && (await statsOf(place));
    if (old && !(here && isSameFile(old, here))) return 0;
    // A folder that was renamed has the note, as one that is reached by another path.
    const isSameRoot = (await canonicalRoot(sentFor.root)) === (await canonicalRoot(place.root));
    return noted.includes(key) && !isSameRoot ? 2 : 1;
  }

  /** Returns undefined when this computer has not sent the request, so that a note must be from another one. */
  async #stateIn(folder: string): Promise<WorkState | undefined> {
    const read = await this.#readWork(folder);
    if (read === 'torn') return 'unknown';
    if (!read) return undefined;
    const { record } = read;
    if (isRunning(record) && (await Lease.isHeld(folder, this.#leases))) return 'running';
    const state = stateOfWork(record);
    // The file of an unusable part was removed. Its note is still there, but is this computer's own.
    if (state === 'finished') return (await partIn(folder)) === undefined ? 'none' : state;
    return state === 'none' ? undefined : state;
  }

  /**
   * Returns the works of agents' requests that send the same, without those that a person has given up.
   *
   * @param contentKey as in {@link JobFacts.contentKey}
   * @param roots URIs of the folders that this window shows; works for other folders are left out
   */
  async sendingSame(contentKey: string, roots: readonly string[]): Promise<readonly KnownWork[]> {
    const found: KnownWork[] = [];
    const own = new OwnRoots(roots);
    const keys = await this.#journals.where((text, key) => !key.includes('.') && text.includes(`"${contentKey}"`));
    for await (const record of this.#records(keys)) {
      const { key, place } = record;
      // A folder that was renamed has its notes with it.
      const hasMoved = isGone(place.root) && (await rootNoting(key, roots)) !== undefined;
      if (record.contentKey !== contentKey || !(hasMoved || (await own.include(place.root)))) continue;
      found.push({ record, state: (await this.#stateIn(this.folderOf(key))) ?? 'none' });
    }
    return found;
  }

  /** Returns the works that are parts of a longer text or recording. */
  async parts(): Promise<readonly JobRecord[]> {
    return this.#partsAmong(await this.#journals.where(mayBePart));
  }

  /**
   * Returns the parts of one longer text or recording.
   *
   * @param key that of the whole, what comes before a dot in it, or that of its note
   */
  async partsOf(key: string, listing = this.list()): Promise<readonly JobRecord[]> {
    const parts = await this.#partsAmong(await listing.partsOf(key));
    return parts.filter(({ whole }) => whole?.note === key || whole?.key === key || whole?.key.startsWith(`${key}.`));
  }

  async #partsAmong(keys: readonly string[]): Promise<readonly JobRecord[]> {
    const records: JobRecord[] = [];
    for await (const record of this.#records(keys)) if (record.whole) records.push(record);
    return records;
  }

  /** Returns the path of a part's result; undefined while there is none. */
  partOf(key: string): Promise<string | undefined> {
    return partIn(this.folderOf(key));
  }

  /** Removes a part. */
  async removePart(key: string, place: PlaceReference): Promise<void> {
    // On a full disk no lease can be taken, but removing parts frees space.
    const work = await this.take(key).catch(() => this.withoutLease(key));
    if (work) await this.remove(work, { key, place });
  }

  /**
   * Removes a work, its own notes first: a note without a work would make us ask a person. Those of another computer,
   * which may have sent the request since, stay.
   */
  async remove(work: Work, { key, place }: Pick<JobFacts, 'key' | 'place'>): Promise<void> {
    if (await work.isHeld()) {
      await work.noteRemoval().catch(() => undefined);
      await this.withdraw(key, place, (await work.read())?.record.id);
    }
    await work.remove();
  }

  /**
   * Removes the parts that a saved whole was made of, and those of it that it no longer needs. Keeps the parts of other
   * wholes and places, what was paid for in the place of the sandbox, and requests that may be billed.
   *
   * @param held the work whose lease holds the whole
   * @param used keys of the parts that it was made of
   */
  async wholeSaved(held: Work, whole: Whole, used: Iterable<string> = []): Promise<void> {
    const roots = rootsOf(whole.place);
    const keys = new Set(used);
    const parts: Part[] = [];
    for (const part of await this.#removableParts()) {
      const isUsed = keys.has(part.key);
      if (isForAnother(part, whole) && !isUsed) continue;
      if (isPaid(part) && whole.sandbox) continue;
      if ((isUsed && hasMoved(part.whole.place)) || (await isPartOf(part, whole, roots))) parts.push(part);
    }
    // After a crash, the next process that opens or sweeps the whole continues the removal, of these alone.
    const saved = { ...whole, parts: parts.map(({ key, id }) => ({ key, id })) };
    await held.noteSaved(saved).catch(() => undefined);
    if (await this.#removeParts(parts, roots)) await held.forgetSaved();
    await this.#forgetUsed(whole.place, keys);
    if (whole.note !== undefined) await this.withdraw(whole.note, whole.place);
  }

  /** @returns false if parts stay, as {@link #removeParts} */
  async #removeSaved(held: Work, roots: readonly string[]): Promise<boolean> {
    const saved = await held.savedWhole();
    if (!saved) return true;
    const parts: Part[] = [];
    for (const part of await this.#removableParts()) {
      // Earlier versions did not list the parts.
      const isListed = saved.parts
        ? saved.parts.some(({ key, id }) => key === part.key && id === part.id)
        : !isForAnother(part, saved) && (await isPartOf(part, saved, roots));
      if (isListed) parts.push(part);
    }
    const areGone = await this.#removeParts(parts, roots);
    if (areGone) await held.forgetSaved();
    return areGone;
  }

  /** Removes this place's notes on parts that stay for another place, whose sound the saved whole now has. */
  async #forgetUsed(place: PlaceReference, used: ReadonlySet<string>): Promise<void> {
    for (const key of used) {
      const part = await this.read(key).catch(() => undefined);
      for (const id of part?.earlier ?? []) await this.withdraw(key, place, id);
    }
  }

  /**
   * Removes the parts of a whole that a process saved, but was killed before it could note that.
   *
   * @param place of the whole, a folder that is used for nothing else, such as that of the variants of one request
   */
  async removePartsFor(place: PlaceReference): Promise<void> {
    const name = posix.basename(place.path);
    const roots = rootsOf(place);
    const parts: Part[] = [];
    for (const part of await this.#removableParts()) {
      const isNamed = posix.basename(part.whole.place.path) === name;
      if (isNamed && (await isPartIn(part, place, roots))) parts.push(part);
    }
    await this.#removeParts(parts, roots);
  }

  /** Returns the parts that are finished or were refused for certain. */
  async #removableParts(): Promise<readonly Part[]> {
    const isRemovable = (part: JobRecord): part is Part => ['finished', 'none'].includes(stateOfWork(part));
    return (await this.parts()).filter(isRemovable);
  }

  /** @returns false if parts stay because their folder is gone, perhaps renamed to one that is not among the roots */
  async #removeParts(parts: readonly Part[], roots: readonly string[]): Promise<boolean> {
    let areGone = true;
    for (const part of parts) {
      const place = await this.#placeNow(part, roots);
      if (place) await this.removePart(part.key, place);
      else areGone = false;
    }
    // The parts of one whole have the same note.
    for (const part of new Map(parts.map((one) => [one.whole.note, one])).values()) await this.forgetWhole(part);
    return areGone;
  }

  /**
   * Removes the notes of a work.
   *
   * @param place where its result goes; the place that it was sent for may be another
   * @param work id of the work whose notes are removed; any in this place if absent, since those of another place still
   *   have to make somebody ask there
   */
  async withdraw(key: string, place: PlaceReference, work?: string): Promise<void> {
    const sentFor = work === undefined ? undefined : (await this.read(key).catch(() => undefined))?.place;
    for (const one of [place, sentFor ?? place]) {
      for (const noted of await this.#notesOn(key, await notesAround(one))) {
        await noted.notes.remove(noted.key, work).catch(() => undefined);
      }
    }
  }

  /**
   * Notes beside the project that a request is being sent.
   *
   * @returns false if another computer has noted it, perhaps at the same moment and in another root; nothing is noted then
   */
  async note(job: NotedJob): Promise<boolean> {
    const { id, key, place } = job;
    if ((await notesOf(place.root)?.put(job)) === false) return false;
    const noted = key === id ? [] : await this.#notesOn(key, await notesAround(place));
    for (const one of noted) {
      if ((await one.notes.workOf(one.key)) === id || !(await one.notes.has(one.key).catch(() => true))) continue;
      await this.withdraw(key, place, id);
      return false;
    }
    await putWhole(job);
    return true;
  }

  /**
   * Notes that a person has agreed to send a request again. The note stays if the service refuses it.
   *
   * @throws MediaError `save` with the path of a note that cannot be replaced: it would make us ask again and again
   */
  async noteAgain(job: NotedJob): Promise<void> {
    await notesOf(job.place.root)?.replace(job);
    await putWhole(job);
  }

  /**
   * Removes the note of the whole of a part that was refused or removed, unless other parts of it were sent, or another
   * computer has noted it.
   */
  async forgetWhole({ id, earlier = [], whole }: Pick<JobFacts, 'id' | 'earlier' | 'whole'>): Promise<void> {
    if (whole?.note === undefined) return;
    const others = await this.partsOf(whole.note);
    if (others.some(wasSent)) return;
    const ids = [id, ...earlier, ...others.flatMap((part) => [part.id, ...(part.earlier ?? [])])];
    for (const one of ids) await this.withdraw(whole.note, whole.place, one);
  }

  /** Removes the notes of others on a request that was answered after a person had agreed to send it again. */
  async withdrawOthers({ id, key, place }: NotedJob): Promise<void> {
    for (const { notes, key: noted } of await this.#notesOn(key, await notesAround(place))) {
      if ((await notes.workOf(noted)) !== id) await notes.remove(noted).catch(() => undefined);
    }
  }

  /**
   * Gives up a work that a person no longer wants, so that its request can be sent again. What the service sent for it
   * stays in a folder of its own.
   *
   * @returns the paths of what is kept of the answer
   */
  async giveUp(work: Work, record: JobRecord | undefined): Promise<readonly string[]> {
    const files = await work.rawFiles();
    if (files.length === 0) {
      await work.reset();
      return [];
    }
    const folder = await this.setAside(work, record);
    return files.map(({ path }) => join(folder, path.slice(work.folder.length + 1)));
  }

  /**
   * Moves what the service has sent for a request to a folder of its own, and releases the work.
   *
   * @param journal of the work from now on; undefined for none
   * @returns the path of the folder
   */
  async setAside(work: Work, record: JobRecord | undefined, journal?: string): Promise<string> {
    const folder = this.folderOf(keyBeside(basename(work.folder)));
    await work.ended('failed', record?.error, false).catch(() => undefined);
    await work.moveTo(folder, journal);
    return folder;
  }

  /**
   * Returns the works that no process owns, oldest first.
   *
   * @param roots URIs of the folders that this window shows
   * @param skips whether a job need not be read
   * @returns works for these roots, those started without a folder, and those for other roots whose answer has waited
   *   longer than a window needs to reload
   */
  async abandoned(roots: readonly string[], skips: (id: string) => boolean): Promise<readonly JobRecord[]> {
    const records: JobRecord[] = [];
    const noted = new Map<string, string>();
    for (const root of roots) for (const key of (await notesOf(root)?.list()) ?? []) noted.set(key, root);
    const own = new OwnRoots(roots);
    const keys = await this.#journals.where(async (text, key) => {
      // Any window may save an answer that has waited, and what was started without a folder.
      return noted.has(key) || /"event":"answered"|"isChosen":true/.test(text) || (await own.includeAny(text));
    });
    for await (const found of this.#records(keys)) {
      const folder = this.folderOf(found.key);
      const isDone = skips(found.id) || found.state === 'done' || (await Lease.isHeld(folder, this.#leases));
      if (isDone) continue;
      const moved = noted.get(found.key);
      // A folder that was renamed has its notes with it; a copy of a folder has them, too, but the first one exists.
      const hasMoved = moved !== undefined && isGone(found.place.root);
      const record = hasMoved ? movedTo(moved, found) : found;
      const isOwn = hasMoved || (await own.include(record.place.root));
      if (isOwn || record.place.isChosen || (await this.#hasWaited(record, folder))) records.push(record);
    }
    return records.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  /** Whether a paid answer has waited so long that the window of its own folder will not save it. */
  async #hasWaited({ state, place }: JobRecord, folder: string): Promise<boolean> {
    // A missing folder may be on a drive that is not connected: leave its job alone.
    const waits = state === 'downloading' && place.root.startsWith('file:') && !isGone(place.root);
    return waits && (await Lease.quietFor(folder)) >= this.#leases.silence;
  }

  /**
   * Removes the leftovers of works that ended before anything was sent, that were saved, or that are expired.
   *
   * @param roots URIs of the folders that this program works in, which may have had other names before
   */
  async sweep(roots: readonly string[]): Promise<void> {
    // A job of the sandbox that was killed is never billed either.
    const mayEnd = (text: string) => text.trim() === '' || /"event":"ended"|"sandbox":true/.test(text);
    for (const key of await this.#journals.where(mayEnd)) await this.#sweep(key, roots).catch(() => undefined);
  }

  async #sweep(key: string, roots: readonly string[]): Promise<void> {
    const folder = this.folderOf(key);
    const read = await readWork(folder);
    if (read === 'torn') return;
    if (read) return this.#sweepEnded(read.record, roots);
    if ((await Lease.quietFor(folder)) < this.#leases.silence) return;
    const work = await this.take(key);
    if (!work) return;
    if (await this.#removeSaved(work, roots)) await work.remove();
    else await work.release();
  }

  /** Removes a work that is expired, or that was saved by a process that was killed before it could remove it. */
  async #sweepEnded(ended: JobRecord, roots: readonly string[]): Promise<void> {
    const isSaved = ended.state === 'done' && !ended.whole;
    if (!isSaved && !isExpired(ended)) return;
    const place = await this.#placeNow(ended, roots);
    const work = place && (await this.take(ended.key));
    if (work) await this.remove(work, { key: ended.key, place });
  }

  /**
   * Returns where the notes of a work are now.
   *
   * @param roots URIs of folders, one of which may be that of the work under a new name
   * @returns undefined while its folder is gone, and none of the roots has its note
   */
  async #placeNow({ key, place, sandbox, createdAt }: JobRecord, roots: readonly string[]) {
    const isNoted = !sandbox && !place.isChosen;
    if (!isNoted || !isGone(place.root)) return place;
    const root = await rootNoting(key, roots);
    if (root !== undefined) return { ...place, root };
    // After a month the folder counts as removed.
    const isRemoved = Date.now() - Date.parse(createdAt) > jobKeptMs;
    return isRemoved || existsSync(join(this.folderOf(key), removalFileName)) ? place : undefined;
  }

  async *#records(keys: readonly string[]) {
    for (const key of keys) {
      const read = await this.#readWork(this.folderOf(key));
      if (read && read !== 'torn') yield read.record;
    }
  }
}

/** Returns what is known of a request from its record, when no process works on it. */
export function stateOfWork(record: JobRecord): WorkState {
  const { state, hasAnswer, error, sandbox } = record;
  if (state === 'done') return 'finished';
  if (hasAnswer) return error && isUnusable(error) ? 'unusable' : 'answered';
  // The sandbox is free, and knows nothing of earlier requests.
  if (sandbox) return 'none';
  return isRunning(record) || state === 'unknown' || error?.mayBeBilled ? 'unknown' : 'none';
}

/**
 * Whether a work is so old that it is removed. Neither a paid result that is not saved nor a request that may be billed
 * is ever forgotten.
 */
export function isExpired(record: JobRecord): boolean {
  return stateOfWork(record) === 'none' && Date.now() - Date.parse(record.createdAt) > jobKeptMs;
}

/** Whether a request was sent, and was not certainly refused. */
function wasSent(record: JobRecord): boolean {
  return stateOfWork(record) !== 'none';
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

/** Returns the absolute path of the manifest that a request was sent for, if it was sent for one on this computer's disks. */
function manifestOf({ root, manifest }: PlaceReference): string | undefined {
  const path = pathOfRoot(root);
  return path === undefined || manifest === undefined ? undefined : join(path, manifest);
}

/** Folders whose works a program looks after, however their URIs are written. */
class OwnRoots {
  readonly #own: Promise<readonly string[]>;
  readonly #names = new Map<string, Promise<string>>();

  constructor(roots: readonly string[]) {
    this.#own = Promise.all(roots.map((root) => canonicalRoot(root)));
  }

  async include(root: string): Promise<boolean> {
    const name = this.#names.get(root) ?? canonicalRoot(root);
    this.#names.set(root, name);
    return (await this.#own).includes(await name);
  }

  /** Whether the text of a journal may be that of a work for one of them. */
  async includeAny(text: string): Promise<boolean> {
    for (const root of valuesOf(text, 'root')) if (await this.include(root)) return true;
    return false;
  }
}

/** Returns the root that has the note of a request. */
async function rootNoting(key: string, roots: readonly string[]): Promise<string | undefined> {
  for (const root of roots) if (await notesOf(root)?.has(key)) return root;
  return undefined;
}

/** Returns the absolute path of a place, which neither `git init` in a folder above nor a link on the way changes. */
async function folderFor({ root, path }: Folder): Promise<string> {
  const base = pathOfRoot(root);
  if (base === undefined) return join(await canonicalRoot(root), path);
  let [folder, rest] = [join(base, path), ''];
  // Links are resolved as far as the path exists.
  for (; !existsSync(folder) && folder !== dirname(folder); folder = dirname(folder))
    rest = join(basename(folder), rest);
  return join(await canonicalRoot(pathToFileURL(folder).href), rest);
}

/** Whether two texts are spoken in the same way. */
export function isSpokenAlike(one: Pick<Whole, 'request'>, other: Pick<Whole, 'request'>): boolean {
  return isDeepStrictEqual(speakerOf(one), speakerOf(other));
}

/** Returns how a text is spoken; undefined for a recording. Fields that are undefined are left out, as in the journal. */
function speakerOf({ request }: Pick<Whole, 'request'>): unknown {
  return 'input' in request ? parseJson(JSON.stringify({ ...request, input: undefined })) : undefined;
}

/** Returns the path of a spoken document. */
function documentOf({ request }: Whole): string | undefined {
  return 'input' in request ? request.input : undefined;
}

/** Returns undefined if the folder is not there, or cannot be reached. */
async function statsOf({ root, path }: Folder): Promise<BigIntStats | undefined> {
  const parent = pathOfRoot(root);
  return parent === undefined ? undefined : stat(join(parent, path), { bigint: true }).catch(() => undefined);
}

/**
 * Returns the folders that can be the root of a place: `git init` in a folder above moves it there, and a window may
 * show a folder above or below.
 */
function rootsOf({ root, path = '' }: Around): readonly string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const below = names.map((_, index) => [root, ...names.slice(0, index + 1).map(encodeURIComponent)].join('/'));
  return [root, ...below, ...foldersAbove(root)];
}

function foldersAbove(root: string): readonly string[] {
  const path = pathOfRoot(root);
  if (path === undefined || dirname(path) === path) return [];
  const above = pathToFileURL(dirname(path)).href;
  return [above, ...foldersAbove(above)];
}

/** A job that is noted beside its project. */
type NotedJob = Pick<JobFacts, 'id' | 'key' | 'place' | 'whole' | 'idempotencyKey'>;

/** Notes that a part of a whole is sent, unless that is noted already. */
async function putWhole({ id, place, whole }: NotedJob): Promise<void> {
  if (whole?.note === undefined) return;
  const { note: key, maxCharacters, partBytes } = whole;
  await notesOf(place.root)?.put({ key, id, place, maxCharacters, partBytes });
}

/** Returns the notes in all folders that can be the root of a place. */
async function notesAround(place: Around): Promise<readonly Noted[]> {
  return (await Promise.all(rootsOf(place).map(notedIn))).flat();
}

function movedTo(root: string, record: JobRecord): JobRecord {
  const { place, whole } = record;
  return {
    ...record,
    place: { ...place, root },
    ...(whole ? { whole: { ...whole, place: { ...whole.place, root } } } : {}),
  };
}
