import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asset } from '../library/Asset.ts';
import { retryWhileHeld } from '../library/FileCalls.ts';
import { FileWriter } from '../library/FileWriter.ts';
import type { RawAnswer } from '../service/Answer.ts';
import { maxBytesInMemory } from '../service/AnswerBody.ts';
import type { EndState, JobError, JobFacts } from './JobRecord.ts';
import type { AnswerEntry, JournalEntry, NamedResult } from './journalEntry.ts';
import { lineOf } from './journalEntry.ts';
import { keepInputs } from './keepInputs.ts';
import type { LeaseOptions } from './Lease.ts';
import { Lease } from './Lease.ts';
import { LeaseLost } from './LeaseLost.ts';
import type { LoggedJob } from './readJob.ts';
import { journalFileName, readJob } from './readJob.ts';

/** How often, and after how many milliseconds, a process retries to take back the lease for a paid answer. */
const reclaimAttempts = 20;
const reclaimPauseMs = 100;

/** A stored answer whose results are not all saved. */
export interface KeptAnswer {
  readonly raw: RawAnswer;
  /** Id of the service's job when this is the final answer to polling. */
  readonly videoId: string | undefined;
}

/** A file with unprocessed data from the service. */
export interface RawFile {
  /** Absolute path. */
  readonly path: string;
  /** An answer, the received part of one, a result of unknown type, or a file that an answer links to. */
  readonly what: 'answer' | 'partial' | 'result' | 'linked';
}

/**
 * The folder of one job, used by the one process that holds its lease. It holds the journal, the input images and the
 * service's answers. Each journal entry is flushed to disk before the job continues. The folder is private to the
 * extension, because prompts and signed URLs are in it until the results are saved.
 */
export class JobLog implements AsyncDisposable {
  readonly #path: string;
  readonly #leases: LeaseOptions;
  #lease: Lease | undefined;

  private constructor(path: string, lease: Lease | undefined, leases: LeaseOptions = {}) {
    this.#path = path;
    this.#lease = lease;
    this.#leases = leases;
  }

  /** Creates the folder of a new job. @throws errors of node:fs */
  static async create(path: string, leases: LeaseOptions = {}): Promise<JobLog> {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const log = await JobLog.take(path, leases);
    if (!log) throw new Error(`${path} is in use`);
    return log;
  }

  /** Returns the log of a job whose folder cannot be written. Its methods that write fail. */
  static withoutFolder(path: string): JobLog {
    return new JobLog(path, undefined, {});
  }

  /** @returns undefined when another process works on the job, or it is gone */
  static async take(path: string, leases: LeaseOptions = {}): Promise<JobLog | undefined> {
    const lease = await Lease.take(path, leases);
    return lease && new JobLog(path, lease, leases);
  }

  /** Reads the job from its journal. Returns undefined when it was never sent. */
  read(): Promise<LoggedJob | undefined> {
    return readJob(this.#path);
  }

  /** Copies the images of a request into the folder. @returns the request with the copies in their place */
  keepInputs(job: Pick<JobFacts, 'operation' | 'request'>): Promise<JobFacts['request']> {
    return keepInputs(job, this.#path);
  }

  /** Records that the request is about to be sent. Recreates a folder that was removed by accident. */
  async sending(job: JobFacts): Promise<void> {
    const made = await mkdir(this.#path, { recursive: true, mode: 0o700 });
    if (made !== undefined) this.#lease = (await Lease.take(this.#path, this.#leases)) ?? this.#lease;
    await this.#add({ event: 'sending', job });
    await syncFolder(this.#path);
    await syncFolder(join(this.#path, '..'));
  }

  /** Opens a new file for an answer. It is ignored until a journal entry names it. */
  openAnswer(): Promise<FileWriter> {
    return FileWriter.open(join(this.#path, `answer-${randomUUID()}`), 'wx+', 0o600);
  }

  /** Opens a new file for the answer to a poll, and removes those of earlier polls. */
  async openStatus(): Promise<FileWriter> {
    const named = (await this.read())?.answered?.file;
    for (const name of await this.#names('status-')) if (name !== named) await rm(join(this.#path, name));
    return FileWriter.open(join(this.#path, `status-${randomUUID()}`), 'wx+', 0o600);
  }

  async answered(raw: RawAnswer, videoId?: string): Promise<void> {
    await this.#reclaim();
    // The first answer, which named the service's job, stays on disk, so that polling can be resumed.
    await this.#add({ event: 'answered', videoId, ...(await this.#keepBody(raw)) });
  }

  /** Keeps the part of an answer that arrived before the connection was lost. */
  async partial(raw: RawAnswer): Promise<void> {
    await this.#reclaim();
    await this.#add({ event: 'partial', ...(await this.#keepBody(raw)) });
  }

  /** Removes what was received of a cancelled request's answer. */
  async discardAnswers(): Promise<void> {
    for (const name of await this.#names('answer-')) await rm(join(this.#path, name), { force: true });
  }

  /** Removes the file of an answer that is not final. */
  async discard({ body }: RawAnswer): Promise<void> {
    if (!(body instanceof Uint8Array)) await rm(body.path, { force: true });
  }

  /** Records the name that a result is about to get. @throws LeaseLost, or errors of node:fs when the folder is gone */
  async naming(index: number, named: NamedResult): Promise<void> {
    if (!(await this.isHeld())) throw new LeaseLost();
    await this.#add({ event: 'naming', index, named });
  }

  async saved(index: number, asset: Asset): Promise<void> {
    await this.#add({ event: 'saved', index, asset });
  }

  async ended(state: EndState, error: JobError | undefined, hasAnswer: boolean): Promise<void> {
    await this.#add({ event: 'ended', state, error, hasAnswer });
  }

  /** Keeps a result that could not be saved to its place. */
  async keep(index: number, data: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#writeWhole(this.#resultFile(index), data);
  }

  /** Keeps a result of unknown type. {@link kept} does not return it, since its URL may give the right result later. */
  async keepRaw(index: number, data: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#writeWhole(join(this.#path, `raw-${index}`), data);
  }

  /** Keeps a file that an unreadable answer links to. */
  async keepLinked(index: number, data: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#writeWhole(join(this.#path, `linked-${index}`), data);
  }

  /** Returns a kept result, which is opened when it is iterated; undefined when there is none. */
  async kept(index: number): Promise<AsyncIterable<Uint8Array> | undefined> {
    const file = this.#resultFile(index);
    if (!(await exists(file))) return undefined;
    return { [Symbol.asyncIterator]: () => createReadStream(file)[Symbol.asyncIterator]() };
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

  async #keptAnswer(entry: LoggedJob['answered']): Promise<KeptAnswer | undefined> {
    if (!entry) return undefined;
    const path = join(this.#path, entry.file);
    const body = entry.bytes > maxBytesInMemory ? { path, length: entry.bytes } : await readFile(path);
    return { raw: { ...entry.answer, body }, videoId: entry.videoId };
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
    return [{ path: join(this.#path, answered.file), what: 'answer' }, ...(await this.#files('linked', 'linked'))];
  }

  /** Whether this process still owns the job. Another one takes it over when this one looks dead. */
  async isHeld(): Promise<boolean> {
    return (await this.#lease?.renew()) ?? true;
  }

  async release(): Promise<void> {
    await this.#lease?.release();
  }

  /** Removes the job's folder. */
  async remove(): Promise<void> {
    try {
      // Remove the journal first: if this process ends here, the sweep removes a folder without one.
      await rm(join(this.#path, journalFileName), { force: true, maxRetries: 3 });
    } finally {
      await this.release();
    }
    await rm(this.#path, { recursive: true, force: true, maxRetries: 3 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  /**
   * Takes the lease back to store a paid answer, which the process that took the job over does not have.
   *
   * @throws LeaseLost when the other process keeps the lease for 2 s
   */
  async #reclaim(): Promise<void> {
    if (await this.isHeld()) return;
    for (let attempt = 0; attempt < reclaimAttempts; attempt++) {
      const lease = await Lease.take(this.#path, this.#leases);
      this.#lease = lease ?? this.#lease;
      if (lease) return;
      // Without an answer, the other process only records that the outcome is unknown, which is quick.
      await sleep(reclaimPauseMs);
    }
    throw new LeaseLost();
  }

  async #keepBody({ body, ...answer }: RawAnswer): Promise<AnswerEntry> {
    if (!(body instanceof Uint8Array)) {
      return { answer, file: body.path.slice(this.#path.length + 1), bytes: body.length };
    }
    await using writer = await this.openAnswer();
    await writer.write(Uint8Array.from(body));
    await writer.finish();
    await syncFolder(this.#path);
    return { answer, file: writer.path.slice(this.#path.length + 1), bytes: body.length };
  }

  async #add(entry: JournalEntry): Promise<void> {
    await using handle = await open(join(this.#path, journalFileName), 'a', 0o600);
    await handle.appendFile(lineOf(entry));
    await handle.sync();
  }

  async #files(prefix: string, what: RawFile['what']): Promise<readonly RawFile[]> {
    const names = (await this.#names(`${prefix}-`)).filter((name) => !name.endsWith('.part'));
    return names.sort().map((name) => ({ path: join(this.#path, name), what }));
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
      await retryWhileHeld(() => rename(temporary, file), { sleep });
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(this.#path);
  }

  async #names(prefix: string): Promise<readonly string[]> {
    const names = await readdir(this.#path).catch(() => []);
    return names.filter((name) => name.startsWith(prefix));
  }

  #resultFile(index: number): string {
    return join(this.#path, `result-${index}`);
  }
}

/** Flushes a folder, without which a new file's name may be lost. Windows neither needs nor supports it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
