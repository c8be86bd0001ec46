// The folder of one paid request. It holds a journal with one line per step, a lease, the inputs, the service's answers
// and the results that wait to be saved. Each step is flushed to disk before it is taken, but `saved` with the next one:
//
//   none ─ sending ─► sent ─ answered ─► answered ─ saved ─► ended, and the folder is removed
//                       └─ ended: refused for certain, or unknown, which is never sent again without a person's yes
//
// A result gets its name in steps that survive a crash: the journal notes the next name, the complete temporary file is
// linked to it, the record is appended, and the journal notes that the result is saved. After a crash in between, the
// file with that name and hash is the result.

import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import {
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agreed } from '../files/AgreedFile.ts';
import { hasCode, retryWhileHeld, syncFolder } from '../files/FileCalls.ts';
import { FileWriter } from '../files/LocalFolder.ts';
import { replaceText } from '../files/readText.ts';
import type { Asset } from '../library/LibraryRecord.ts';
import { inOnePiece, type SavedFile } from '../library/saveMedia.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { RawAnswer } from '../service/Answer.ts';
import { type AnswerFile, maxBytesInMemory } from '../service/AnswerBody.ts';
import type { EndState, JobError, JobFacts, JobRecord, Whole } from './Job.ts';
import { isJournalEntry, isWhole } from './journalShape.ts';
import { type InputsOf, type KeptInputs, keepInputs } from './keepInputs.ts';
import { Lease, LeaseLost, type LeaseOptions } from './Lease.ts';

/** How often, and after how many milliseconds, a process retries to take back the lease for a paid answer. */
const reclaimAttempts = 20;
const reclaimPauseMs = 100;

export const journalFileName = 'journal.jsonl';
/** Reserves space for the answer before the request is sent; freed when the answer arrives. */
const reserveFileName = 'reserve';
const reservedBytes = 64 * 1024;
/** Exists while a work is removed. */
export const removalFileName = 'removing';
/** Records which recording or narration was saved while its parts are still being removed. */
const savedFileName = 'saved.json';
/** Name of the result of a part, which waits here until the whole is saved. */
const partName = 'part';

/** A stored answer whose results are not all saved. */
export interface KeptAnswer {
  readonly raw: RawAnswer;
  /** Id of the service's job when this is the final answer to polling. */
  readonly videoId: string | undefined;
  /** Number of results in the final answer to polling. */
  readonly results?: number;
}

/** A file with unprocessed data from the service. */
export interface RawFile {
  /** Absolute path. */
  readonly path: string;
  /** An answer, the received part of one, a result of unknown type, or a file that an answer links to. */
  readonly what: 'answer' | 'partial' | 'result' | 'linked';
}

/** A whole that is saved, and its parts, which are being removed. */
export interface SavedWhole extends Whole {
  /** The works of the parts; earlier versions did not list them. */
  readonly parts?: readonly Pick<JobFacts, 'key' | 'id'>[];
}

/** An answer whose body is in a file beside the journal. */
interface AnswerEntry {
  readonly answer: Omit<RawAnswer, 'body'>;
  /** Name of the body's file, and its size when it is complete. */
  readonly file: string;
  readonly bytes: number;
}

/** One line of the journal. */
type JournalEntry =
  /** The request is about to be sent. */
  | { readonly event: 'sending'; readonly job: JobFacts }
  /** The answer was received. `videoId` is the id of the service's job when this is the final answer to polling. */
  | ({ readonly event: 'answered' } & Partial<Pick<KeptAnswer, 'videoId' | 'results'>> & AnswerEntry)
  /** The connection was lost after this part of the answer. */
  | ({ readonly event: 'partial' } & AnswerEntry)
  /** The result is complete in a temporary file and is about to get this name. */
  | { readonly event: 'naming'; readonly index: number; readonly named: SavedFile }
  | { readonly event: 'saved'; readonly index: number; readonly asset: Asset }
  /** `hasAnswer` is true when results of the answer still have to be saved. */
  | {
      readonly event: 'ended';
      readonly state: EndState;
      readonly error?: JobError;
      readonly hasAnswer: boolean;
    };

type EntryOf<E extends JournalEntry['event']> = Extract<JournalEntry, { readonly event: E }>;

/** A work as read from its folder. */
export interface LoggedWork {
  readonly record: JobRecord;
  /** The latest answer, if it is complete. */
  readonly answered: EntryOf<'answered'> | undefined;
  /** The first answer; its file may be missing or incomplete. */
  readonly firstAnswered: EntryOf<'answered'> | undefined;
  /** Number of results in the first final answer to polling; undefined while that is the latest answer. */
  readonly firstResults: number | undefined;
  /** The latest name that each result was about to get, by its index in the answer. */
  readonly naming: ReadonlyMap<number, SavedFile>;
}

/**
 * Reads the folder of a work.
 *
 * @returns undefined when nothing was sent; `torn` when the journal is damaged or of another shape, so that nobody knows
 * @throws errors of node:fs when the journal cannot be read
 */
export async function readWork(folder: string): Promise<LoggedWork | 'torn' | undefined> {
  const journal = await readJournal(folder);
  if (journal === undefined) {
    // An empty journal beside an answer has lost its lines. Without a journal, the work was being removed.
    return existsSync(join(folder, journalFileName)) && holdsRawAnswer(folder) ? 'torn' : undefined;
  }
  if (journal === 'torn') return 'torn';
  const { sending, entries } = journal;
  const all = <E extends JournalEntry['event']>(event: E) =>
    entries.filter((entry): entry is EntryOf<E> => entry.event === event);
  const answers = all('answered');
  const answered = answers.at(-1);
  // An answer reopens a job: it may arrive after another process has recorded the job as ended.
  const end = entries
    .slice(answered === undefined ? 0 : entries.indexOf(answered))
    .findLast((entry): entry is EntryOf<'ended'> => entry.event === 'ended');
  const isWhole = answered !== undefined && sizeOf(join(folder, answered.file)) === answered.bytes;
  const hasAnswer = isWhole && end?.hasAnswer !== false;
  // An answer that arrived but could not be written was still paid for.
  const isLost = end?.hasAnswer === true && !isWhole;
  return {
    record: {
      ...sending.job,
      key: basename(folder),
      assets: Object.fromEntries(all('saved').map(({ index, asset }) => [index, asset])),
      hasAnswer,
      hasRawAnswer: holdsRawAnswer(folder),
      ...(end
        ? { state: isLost ? ('unknown' as const) : end.state, error: end.error }
        : { state: hasAnswer ? ('downloading' as const) : ('waiting' as const) }),
    },
    answered: isWhole ? answered : undefined,
    firstAnswered: answers[0],
    firstResults: answers.slice(0, -1).find(({ results }) => results !== undefined)?.results,
    naming: new Map(all('naming').map(({ index, named }) => [index, named])),
  };
}

/**
 * Reads the journal of a work.
 *
 * @returns undefined when it has no lines; `torn` when it is damaged or of another shape
 */
async function readJournal(folder: string) {
  const text = readIfThere(join(folder, journalFileName));
  if (text.trim() === '') return undefined;
  // Skip a line that a crash has cut, since its step was not taken.
  const entries = text.split('\n').flatMap((line) => (line === '' ? [] : (parseJson<JournalEntry>(line) ?? [])));
  const sending = entries.find((entry): entry is EntryOf<'sending'> => entry.event === 'sending');
  return sending && entries.every(isJournalEntry) ? { sending, entries } : ('torn' as const);
}

/** The folder of a work, used by the one process that holds its lease. Only its owner can read it. */
export class Work implements AsyncDisposable {
  /** Absolute path. */
  readonly folder: string;
  readonly #leases: LeaseOptions;
  #lease: Lease | undefined;
  #jobId: string | undefined;

  private constructor(folder: string, lease: Lease | undefined, leases: LeaseOptions) {
    this.folder = folder;
    this.#lease = lease;
    this.#leases = leases;
  }

  /**
   * Takes the lease of a work.
   *
   * @param creates whether to create the folder if it is missing
   * @returns undefined when another process works on it, or it is gone
   * @throws errors of node:fs
   */
  static async take(folder: string, leases: LeaseOptions, creates = false): Promise<Work | undefined> {
    if (creates) await mkdir(folder, { recursive: true, mode: 0o700 });
    const lease = await Lease.take(folder, leases);
    return lease && new Work(folder, lease, leases);
  }

  /** Returns a work whose folder cannot be written. Its methods that write fail. */
  static withoutLease(folder: string): Work {
    return new Work(folder, undefined, {});
  }

  /** Limits the work to a job: once the folder holds another job, nothing more is written to it or removed from it. */
  limitTo(jobId: string): void {
    this.#jobId = jobId;
  }

  /** Returns undefined when nothing was sent, or the journal cannot be read. */
  async read(): Promise<LoggedWork | undefined> {
    const read = await readWork(this.folder);
    return read === 'torn' ? undefined : read;
  }

  /** Copies the files of a request into the folder, if they are as agreed. @returns the request with the copies */
  keepInputs(job: InputsOf, agreed?: Agreed): Promise<KeptInputs> {
    return keepInputs(job, this.folder, agreed);
  }

  /** Removes the copy of a recording, which can be gigabytes, once nothing more is sent. */
  async removeRecording(): Promise<void> {
    if ((await this.#names('recording-')).length === 0) return;
    await this.#checkHeld();
    await this.#removeRecordings();
  }

  async #removeRecordings(): Promise<void> {
    const options = { force: true, recursive: true, maxRetries: 3 };
    await Promise.all((await this.#names('recording-')).map((name) => rm(join(this.folder, name), options)));
  }

  /**
   * Records that the request is about to be sent. Recreates a folder that was removed by accident. The journal of an
   * earlier attempt is replaced in one step, so that its outcome is known until then.
   *
   * @returns the ids of the jobs of earlier attempts
   */
  async sending(facts: JobFacts): Promise<readonly string[]> {
    const made = await mkdir(this.folder, { recursive: true, mode: 0o700 });
    if (made !== undefined) this.#lease = (await Lease.take(this.folder, this.#leases)) ?? this.#lease;
    const before = await readWork(this.folder);
    const { id: earlierId, earlier = [] } = before && before !== 'torn' ? before.record : {};
    const ids = earlierId === undefined ? earlier : [...earlier, earlierId];
    const job = ids.length === 0 ? facts : { ...facts, earlier: ids };
    // The lease decides whose folder this is as long as the journal is that of the earlier attempt.
    this.#jobId = before ? undefined : job.id;
    await this.#checkHeld();
    await this.#reserve();
    const entry: JournalEntry = { event: 'sending', job };
    if (before) await this.#writeWhole(join(this.folder, journalFileName), inOnePiece(Buffer.from(lineOf(entry))));
    else await this.#add(entry, this.folder, join(this.folder, '..'));
    this.limitTo(job.id);
    if (before) {
      await this.#removeLeftovers();
      await Promise.all([syncFolder(this.folder), syncFolder(join(this.folder, '..'))]);
    }
    return ids;
  }

  /** Removes what an earlier attempt has left beside its journal; what the service sent for it was moved away. */
  async #removeLeftovers(): Promise<void> {
    for (const name of await readdir(this.folder)) {
      if (/^(answer|status|result|raw|linked)-/.test(name) || name === removalFileName)
        await rm(join(this.folder, name), { force: true, maxRetries: 3 });
    }
  }

  /** Opens a new file for an answer. It is ignored until a journal entry names it. */
  async openAnswer(): Promise<FileWriter> {
    if (await this.isHeld()) await this.#freeReserve();
    return this.#newAnswer();
  }

  #newAnswer(): Promise<FileWriter> {
    return FileWriter.open(join(this.folder, `answer-${randomUUID()}`), 'wx+', 0o600);
  }

  /** Opens a new file for the answer to a poll, and removes those of earlier polls. */
  async openStatus(): Promise<FileWriter> {
    const named = (await this.read())?.answered?.file;
    const earlier = (await this.isHeld()) ? await this.#names('status-') : [];
    for (const name of earlier) if (name !== named) await rm(join(this.folder, name));
    return FileWriter.open(join(this.folder, `status-${randomUUID()}`), 'wx+', 0o600);
  }

  async answered(raw: RawAnswer, videoId?: string, results?: number): Promise<void> {
    await this.#reclaim();
    // The first answer, which named the service's job, stays on disk, so that polling can be resumed.
    await this.#add({ event: 'answered', videoId, results, ...(await this.#keepBody(raw)) }, this.folder);
  }

  /** Keeps the part of an answer that arrived before the connection was lost. */
  async partial(raw: RawAnswer): Promise<void> {
    await this.#reclaim();
    await this.#add({ event: 'partial', ...(await this.#keepBody(raw)) }, this.folder);
  }

  /** Removes what was received of a cancelled request's answer. */
  async discardAnswers(): Promise<void> {
    await this.#checkHeld();
    for (const name of await this.#names('answer-')) await rm(join(this.folder, name), { force: true });
  }

  /** Removes the file of an answer that is not final. */
  async discard({ body }: RawAnswer): Promise<void> {
    if (!(body instanceof Uint8Array)) await rm(body.path, { force: true });
  }

  /** Records the name that a result is about to get. @throws LeaseLost, or errors of node:fs when the folder is gone */
  async naming(index: number, named: SavedFile): Promise<void> {
    await this.#add({ event: 'naming', index, named });
  }

  /**
   * Records that a result has its name and its record. The next step flushes it to disk: if the computer stops before, the
   * name that was noted and the file's hash say the same.
   */
  async saved(index: number, asset: Asset): Promise<void> {
    await this.#checkHeld();
    await using handle = await this.#openJournal();
    await handle.appendFile(lineOf({ event: 'saved', index, asset }));
  }

  async ended(state: EndState, error: JobError | undefined, hasAnswer: boolean): Promise<void> {
    await this.#checkHeld();
    await this.#freeReserve();
    await this.#append({ event: 'ended', state, error, hasAnswer });
  }

  /** Keeps a result that could not be saved to its place. */
  async keep(index: number, data: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#writeWhole(this.#resultFile(index), data);
  }

  /** Keeps a result of unknown type. {@link kept} does not return it, since its URL may give the right result later. */
  async keepRaw(index: number, data: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#writeWhole(join(this.folder, `raw-${index}`), data);
  }

  /** Keeps a file that an unreadable answer links to. */
  async keepLinked(index: number, data: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#writeWhole(join(this.folder, `linked-${index}`), data);
  }

  /** Keeps the result of a part that we wrote ourselves. */
  async keepPart(extension: string, data: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#writeWhole(join(this.folder, `${partName}.${extension}`), data);
  }

  /** Keeps the result of a part as unprocessed data, since the whole cannot use it. */
  async refusePart(error: JobError): Promise<void> {
    await this.ended('failed', error, false);
    const part = await partIn(this.folder);
    if (part !== undefined) await retryWhileHeld(() => rename(part, join(this.folder, 'raw-0')));
  }

  /** Records, in the folder whose lease holds a whole, that the whole is saved. */
  async noteSaved(whole: SavedWhole): Promise<void> {
    await this.#writeWhole(join(this.folder, savedFileName), inOnePiece(Buffer.from(JSON.stringify(whole))));
  }

  /** Returns the saved whole whose parts may not all be removed; undefined if there is none. */
  async savedWhole(): Promise<SavedWhole | undefined> {
    const whole = parseJson<SavedWhole>(readIfThere(join(this.folder, savedFileName)));
    return isWhole(whole) ? whole : undefined;
  }

  /** Marks the work as no longer needed, before its notes beside the project are removed. */
  async noteRemoval(): Promise<void> {
    await writeFile(join(this.folder, removalFileName), '', { mode: 0o600 });
  }

  async forgetSaved(): Promise<void> {
    await rm(join(this.folder, savedFileName), { force: true, maxRetries: 3 });
  }

  /** Returns a kept result, which is opened when it is iterated; undefined when there is none. */
  async kept(index: number): Promise<AsyncIterable<Uint8Array> | undefined> {
    const file = this.#resultFile(index);
    if (!existsSync(file)) return undefined;
    return { [Symbol.asyncIterator]: () => createReadStream(file)[Symbol.asyncIterator]() };
  }

  /** Returns the indexes of the kept results. */
  async keptIndexes(): Promise<readonly number[]> {
    const names = await this.#names('result-');
    return names.map((name) => Number(name.slice('result-'.length))).filter(Number.isInteger);
  }

  /** Returns the answer whose results are not all saved; undefined when there is none. */
  async answer(): Promise<KeptAnswer | undefined> {
    const job = await this.read();
    return job?.record.hasAnswer ? this.#keptAnswer(job.answered) : undefined;
  }

  /** Returns the answer that named the service's job, if the latest one is a status of that job. */
  async jobAnswer(): Promise<KeptAnswer | undefined> {
    const job = await this.read();
    return job?.answered?.videoId === undefined ? undefined : this.#keptAnswer(job.firstAnswered);
  }

  async #keptAnswer(entry: LoggedWork['answered']): Promise<KeptAnswer | undefined> {
    if (!entry) return undefined;
    const path = join(this.folder, entry.file);
    const body = entry.bytes > maxBytesInMemory ? { path, length: entry.bytes } : await readFile(path);
    return { raw: { ...entry.answer, body }, videoId: entry.videoId, results: entry.results };
  }

  /**
   * Returns what is kept of the service's data: results of unknown type, otherwise the answer and the files it links
   * to, otherwise the received part of the answer.
   */
  async rawFiles(): Promise<readonly RawFile[]> {
    const results = await this.#files('raw', 'result');
    if (results.length > 0) return results;
    const answered = (await this.read())?.answered;
    if (!answered) return this.#files('answer', 'partial');
    return [{ path: join(this.folder, answered.file), what: 'answer' }, ...(await this.#files('linked', 'linked'))];
  }

  /** Whether this process still owns the work. Another one takes it over when this one looks dead. */
  async isHeld(): Promise<boolean> {
    if (!((await this.#lease?.check()) ?? true)) return false;
    if (this.#jobId === undefined) return true;
    return ((await this.#jobInside()) ?? this.#jobId) === this.#jobId;
  }

  async release(): Promise<void> {
    await this.#lease?.release();
  }

  /** Removes everything but the result of a part and the journal, once the part is saved. */
  async finishPart(): Promise<void> {
    await this.ended('done', undefined, false);
    const names = await readdir(this.folder);
    const left = names.filter((name) => !isPartFile(name) && name !== journalFileName && !name.startsWith('lease-'));
    await Promise.all(left.map((name) => rm(join(this.folder, name), { force: true, recursive: true })));
  }

  /** Empties the folder, so that its request can be sent as if for the first time. The lease and the inputs stay. */
  async reset(): Promise<void> {
    const names = (await readdir(this.folder)).filter((name) => !/^(lease|input)-/.test(name));
    const options = { force: true, recursive: true, maxRetries: 3 };
    await Promise.all(names.map((name) => rm(join(this.folder, name), options)));
  }

  /**
   * Moves the kept data from the service to another folder, which must not exist. The inputs stay for Run Again.
   *
   * @param journal what the journal is here from now on; undefined for none
   */
  async moveTo(folder: string, journal?: string): Promise<void> {
    await this.release();
    await retryWhileHeld(() => rename(this.folder, folder));
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    if (journal !== undefined) await replaceText(join(this.folder, journalFileName), journal, { mode: 0o600 });
    for (const name of await readdir(folder)) {
      if (name.startsWith('input-')) await rename(join(folder, name), join(this.folder, name));
    }
  }

  /** Returns the text of the journal; empty if there is none. */
  journal(): string {
    return readIfThere(join(this.folder, journalFileName));
  }

  /** Removes the folder, unless another process has taken it over, or an earlier attempt is still in its journal. */
  async remove(): Promise<void> {
    if (!(await this.isHeld())) {
      const isOwn = (await this.#lease?.check()) ?? false;
      if (isOwn) await this.#removeRecordings().catch(() => undefined);
      return this.release();
    }
    try {
      // Remove the journal first: if this process ends here, the sweep removes a folder without one.
      await rm(join(this.folder, journalFileName), { force: true, maxRetries: 3 });
    } finally {
      await this.release();
    }
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  /** @throws LeaseLost when another process owns the work, for the same request or for another */
  async #checkHeld(): Promise<void> {
    if (!(await this.isHeld())) throw new LeaseLost();
  }

  /** Returns the id of the job that the folder holds. */
  async #jobInside(): Promise<string | undefined> {
    const journal = await readJournal(this.folder).catch(() => undefined);
    return journal === 'torn' ? undefined : journal?.sending.job.id;
  }

  /**
   * Takes the lease back to store a paid answer, which the process that took the job over does not have.
   *
   * @throws LeaseLost when the other process keeps the lease for 2 s, or has sent a request of its own
   */
  async #reclaim(): Promise<void> {
    if (await this.isHeld()) return;
    for (let attempt = 0; attempt < reclaimAttempts; attempt++) {
      if ((await this.#jobInside()) !== this.#jobId) break;
      const lease = await Lease.take(this.folder, this.#leases);
      this.#lease = lease ?? this.#lease;
      if (lease) return;
      // Without an answer, the other process only records that the outcome is unknown, which is quick.
      await sleep(reclaimPauseMs);
    }
    throw new LeaseLost();
  }

  async #reserve(): Promise<void> {
    await using handle = await open(join(this.folder, reserveFileName), 'w', 0o600);
    await handle.writeFile(new Uint8Array(reservedBytes));
    await handle.sync();
  }

  async #freeReserve(): Promise<void> {
    await rm(join(this.folder, reserveFileName), { force: true }).catch(() => undefined);
  }

  async #keepBody({ body, ...answer }: RawAnswer): Promise<AnswerEntry> {
    if (!(body instanceof Uint8Array)) return { answer, file: await this.#keepFile(body), bytes: body.length };
    await this.#freeReserve();
    await using writer = await this.#newAnswer();
    await writer.write(Uint8Array.from(body));
    await writer.finish();
    return { answer, file: writer.path.slice(this.folder.length + 1), bytes: body.length };
  }

  /** Returns the name of an answer's file. That of a late answer is in the folder of the work that was lost. */
  async #keepFile({ path, length }: AnswerFile): Promise<string> {
    const name = basename(path);
    const file = join(this.folder, name);
    if (sizeOf(file) !== length) {
      await link(path, file).catch(() => copyFile(path, file));
      await using handle = await open(file, 'r+');
      await handle.sync();
      if (sizeOf(file) !== length) throw new Error('the file of the answer is incomplete');
    }
    return name;
  }

  async #add(entry: JournalEntry, ...folders: readonly string[]): Promise<void> {
    await this.#checkHeld();
    await this.#append(entry, ...folders);
  }

  /** @param folders folders with new names, which are flushed together with the journal: the disk writes them at once */
  async #append(entry: JournalEntry, ...folders: readonly string[]): Promise<void> {
    await using handle = await this.#openJournal();
    await handle.appendFile(lineOf(entry));
    await Promise.all([handle.sync(), ...folders.map((folder) => syncFolder(folder))]);
  }

  #openJournal(): Promise<FileHandle> {
    return open(join(this.folder, journalFileName), 'a', 0o600);
  }

  async #files(prefix: string, what: RawFile['what']): Promise<readonly RawFile[]> {
    const names = (await this.#names(`${prefix}-`)).filter((name) => !name.endsWith('.part'));
    return names.sort().map((name) => ({ path: join(this.folder, name), what }));
  }

  /** Writes a temporary file and renames it when it is complete on disk. */
  async #writeWhole(file: string, data: AsyncIterable<Uint8Array>): Promise<void> {
    const temporary = `${file}.${randomUUID()}.part`;
    try {
      {
        await using writer = await FileWriter.open(temporary, 'wx+', 0o600);
        for await (const chunk of data) await writer.write(chunk);
        await writer.finish();
      }
      await this.#checkHeld();
      await retryWhileHeld(() => rename(temporary, file));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(this.folder);
  }

  async #names(prefix: string): Promise<readonly string[]> {
    return namesIn(this.folder).filter((name) => name.startsWith(prefix));
  }

  #resultFile(index: number): string {
    return join(this.folder, `result-${index}`);
  }
}

/** The leading line break ends a line that a crash may have cut. */
function lineOf(entry: JournalEntry): string {
  return `\n${JSON.stringify(entry)}\n`;
}

/**
 * Returns the path of a part's result in the folder of its work; undefined while there is none. An empty file, which a
 * crash has left, is none.
 */
export async function partIn(folder: string): Promise<string | undefined> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (isPartFile(name) && (sizeOf(path) ?? 0) > 0) return path;
  }
  return undefined;
}

function isPartFile(name: string): boolean {
  return /^part(-\d+)?\.[a-z0-9]+$/.test(name);
}

// The folder of a work is small. Calls that wait for a thread keep the event loop busy for longer than these, and a paid
// request takes hundreds.

/** Returns the text of a file; empty if it is missing. @throws errors of node:fs */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return '';
    throw error;
  }
}

function holdsRawAnswer(folder: string): boolean {
  const names = namesIn(folder).filter((name) => /^(answer|status|raw)-/.test(name));
  return names.some((name) => sizeOf(join(folder, name)) !== 0);
}

/** Returns the names in a folder; none if it cannot be read. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns the size of a file in bytes; undefined if it cannot be found. */
function sizeOf(file: string): number | undefined {
  try {
    return statSync(file).size;
  } catch {
    return undefined;
  }
}
