import { randomUUID } from 'node:crypto';
import { type BigIntStats, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { canonicalRoot, isGone, pathOfRoot } from '../files/canonicalRoot.ts';
import { isSameFile } from '../files/FileCalls.ts';
import { hashOf } from '../files/sha256.ts';
import { reasonOf } from '../operations/MediaError.ts';
import { isRunning, type JobFacts, type JobRecord, type PlaceReference } from './Job.ts';
import { isKey, Journals, mayBePart, nextTurn } from './Journals.ts';
import { cannotKeep } from './jobErrors.ts';
import { Lease, type LeaseOptions, LeaseWatch, leaseSilence } from './Lease.ts';
import { type Noted, notedIn, notesOf } from './Notes.ts';
import { isRepeatable, type SentKey } from './repeatable.ts';
import { type Around, folderFor, manifestOf, notesAround, OwnRoots, type ResultFolder, rootNoting } from './roots.ts';
import { requestLength, StoreListing } from './StoreListing.ts';
import { stateOfWork, type WorkState, wasSent } from './stateOfWork.ts';
import { journalFileName, type LoggedWork, partIn, readWork, Work } from './Work.ts';

/** A work, and what is known of its request. */
interface KnownWork {
  readonly state: WorkState;
  readonly record: JobRecord;
}

/** What the store and the folders around a project hold at one moment; see {@link Store.list}. */
export type Listing = StoreListing<Noted>;

/** What a question about requests depends on. */
interface StateQuestion {
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
  /** When other work had a turn. Works are read without threads, and there may be thousands. */
  #turn = 0;

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

  /** Milliseconds without a heartbeat after which a work counts as abandoned. */
  get silence(): number {
    return this.#leases.silence;
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
    this.#turn = await nextTurn(this.#turn);
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
    this.#turn = await nextTurn(this.#turn);
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
  async stateOf(key: string, place: Around, asked: StateQuestion = {}): Promise<WorkState> {
    return this.#stateOf(key, place, asked);
  }

  /** Returns what is known of requests, by their keys; those of which nothing is known are missing. */
  async statesOf(
    keys: Iterable<string>,
    place: Around,
    { listing = this.list(), keyOrigin }: StateQuestion = {},
  ): Promise<ReadonlyMap<string, WorkState>> {
    const states = new Map<string, WorkState>();
    for (const key of keys) {
      const state = await this.#stateOf(key, place, { listing, keyOrigin });
      if (state !== 'none') states.set(key, state);
    }
    return states;
  }

  async #stateOf(key: string, place: Around, { listing: listed, keyOrigin }: StateQuestion): Promise<WorkState> {
    const listing = listed ?? this.list();
    // Notes first: a work is made before its notes, and removed after them.
    const noted = await listing.notesOn(key, place);
    // The work of one request is looked for, rather than the store listed.
    const mayBeThere = !listed || noted.some((note) => note.key === key);
    const isThere = mayBeThere || (await listing.worksOf(key)).includes(key);
    const state = isThere ? await this.#stateIn(this.folderOf(key)) : undefined;
    // Another computer or container has sent it.
    const known = state ?? ((await this.#isNoted(key, noted, listing)) ? 'unknown' : 'none');
    const asksKey = known === 'unknown' && keyOrigin !== undefined;
    return asksKey && isRepeatable(await this.#keySent(key, noted), keyOrigin) ? 'repeatable' : known;
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
  async keyAt(request: string, place: ResultFolder, listing = this.list()): Promise<string> {
    const isOfRequest = (key: string) => key.startsWith(request) && !key.includes('.') && isKey(key);
    const keys = (await listing.worksOf(request)).filter(isOfRequest);
    const noted = (await listing.notesOn(request, place)).map(({ key }) => key).filter(isOfRequest);
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
  async #likenessOf(key: string, place: ResultFolder, noted: readonly string[]): Promise<number> {
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
   * Removes the notes of a work.
   *
   * @param place where its result goes; the place that it was sent for may be another
   * @param work id of the work whose notes are removed; any in this place if absent, since those of another place still
   *   have to make somebody ask there
   */
  async withdraw(key: string, place: PlaceReference, work?: string): Promise<void> {
    const sentFor = work === undefined ? undefined : (await this.read(key).catch(() => undefined))?.place;
    const isElsewhere = sentFor !== undefined && (sentFor.root !== place.root || sentFor.path !== place.path);
    for (const one of isElsewhere ? [place, sentFor] : [place]) {
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

  /** Returns the keys of the works whose journals may match. */
  keysWhere(mayMatch: (journal: string) => boolean): Promise<readonly string[]> {
    return this.#journals.where(mayMatch);
  }

  async *#records(keys: readonly string[]) {
    for (const key of keys) {
      const read = await this.#readWork(this.folderOf(key));
      if (read && read !== 'torn') yield read.record;
    }
  }
}

/** Returns undefined if the folder is not there, or cannot be reached. */
async function statsOf({ root, path }: ResultFolder): Promise<BigIntStats | undefined> {
  const parent = pathOfRoot(root);
  return parent === undefined ? undefined : stat(join(parent, path), { bigint: true }).catch(() => undefined);
}

/** A job that is noted beside its project. */
type NotedJob = Pick<JobFacts, 'id' | 'key' | 'place' | 'whole' | 'idempotencyKey'>;

/** Notes that a part of a whole is sent, unless that is noted already. */
async function putWhole({ id, place, whole }: NotedJob): Promise<void> {
  if (whole?.note === undefined) return;
  const { note: key, maxCharacters, partBytes } = whole;
  const notes = notesOf(place.root);
  // Another part has mostly noted it before.
  if (notes && !(await notes.has(key))) await notes.put({ key, id, place, maxCharacters, partBytes });
}

function movedTo(root: string, record: JobRecord): JobRecord {
  const { place, whole } = record;
  return {
    ...record,
    place: { ...place, root },
    ...(whole ? { whole: { ...whole, place: { ...whole.place, root } } } : {}),
  };
}
