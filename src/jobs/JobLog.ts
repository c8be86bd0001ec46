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
import type { LoggedJob } from './readJob.ts';
import { journalFileName, readJob } from './readJob.ts';

/** How long a process waits for the lease of a job whose answer it has; the pause is in milliseconds. */
const reclaimAttempts = 20;
const reclaimPause = 100;

/** An answer that waits on disk. */
export interface KeptAnswer {
  readonly raw: RawAnswer;
  /** What the service called the job whose final answer this is. */
  readonly videoId: string | undefined;
}

/** Another process took the job over: this one seemed dead, such as while the machine slept. */
export class LeaseLost extends Error {
  constructor() {
    super('another window goes on with this job');
  }
}

/** Something that the service sent, as it came in. */
export interface RawFile {
  /** Absolute. */
  readonly path: string;
  /** An answer, as much of one as came in, one result of unknown type, or what an answer links to. */
  readonly what: 'answer' | 'partial' | 'result' | 'linked';
}

/**
 * The folder of one job, for the one process that holds its lease: the journal, the images that were sent, and what the
 * service sent. Each journal entry is on disk before work goes on. The folder is the extension's own: it holds prompts,
 * and answers with signed URLs until their results are saved.
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

  /** Makes the folder of a new job. @throws errors of node:fs */
  static async create(path: string, leases: LeaseOptions = {}): Promise<JobLog> {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const log = await JobLog.take(path, leases);
    if (!log) throw new Error(`${path} is in use`);
    return log;
  }

  /** For a job whose folder cannot be written: what its methods do to the folder fails. */
  static withoutFolder(path: string): JobLog {
    return new JobLog(path, undefined, {});
  }

  /** @returns undefined when another process works on the job, or it is gone */
  static async take(path: string, leases: LeaseOptions = {}): Promise<JobLog | undefined> {
    const lease = await Lease.take(path, leases);
    return lease && new JobLog(path, lease, leases);
  }

  /** The job as its journal tells it; undefined when it never got as far as being sent. */
  read(): Promise<LoggedJob | undefined> {
    return readJob(this.#path);
  }

  /** Copies the images of a request into the folder. @returns the request with the copies in their place */
  keepInputs(job: Pick<JobFacts, 'operation' | 'request'>): Promise<JobFacts['request']> {
    return keepInputs(job, this.#path);
  }

  /** Makes the folder anew where it was removed by accident. */
  async sending(job: JobFacts): Promise<void> {
    const made = await mkdir(this.#path, { recursive: true, mode: 0o700 });
    if (made !== undefined) this.#lease = (await Lease.take(this.#path, this.#leases)) ?? this.#lease;
    await this.#add({ event: 'sending', job });
    await syncFolder(this.#path);
    await syncFolder(join(this.#path, '..'));
  }

  /** Makes a file of its own for each answer that comes in; it counts when an entry names it. */
  openAnswer(): Promise<FileWriter> {
    return FileWriter.open(join(this.#path, `answer-${randomUUID()}`), 'wx+', 0o600);
  }

  /** The same for a poll; what an earlier poll left is removed. */
  async openStatus(): Promise<FileWriter> {
    const named = (await this.read())?.answered?.file;
    for (const name of await this.#names('status-')) if (name !== named) await rm(join(this.#path, name));
    return FileWriter.open(join(this.#path, `status-${randomUUID()}`), 'wx+', 0o600);
  }

  async answered(raw: RawAnswer, videoId?: string): Promise<void> {
    await this.#reclaim();
    // The answer that only named the service's job stays: with it the service can be asked again.
    await this.#add({ event: 'answered', videoId, ...(await this.#keepBody(raw)) });
  }

  /** Keeps as much of an answer as came in before the connection broke. */
  async partial(raw: RawAnswer): Promise<void> {
    await this.#reclaim();
    await this.#add({ event: 'partial', ...(await this.#keepBody(raw)) });
  }

  /** Removes what came in of an answer that nobody waits for any more. */
  async discardAnswers(): Promise<void> {
    for (const name of await this.#names('answer-')) await rm(join(this.#path, name), { force: true });
  }

  /** Removes the file of an answer that says nothing new. */
  async discard({ body }: RawAnswer): Promise<void> {
    if (!(body instanceof Uint8Array)) await rm(body.path, { force: true });
  }

  /** @throws LeaseLost, or errors of node:fs when the folder is gone */
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

  /** Keeps a result that cannot be saved where it belongs. */
  async keep(index: number, data: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#writeWhole(this.#resultFile(index), data);
  }

  /** Keeps a result of unknown type. It is not what {@link kept} gives back: its address may bring something else. */
  async keepRaw(index: number, data: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#writeWhole(join(this.#path, `raw-${index}`), data);
  }

  /** Keeps what an answer that is not understood links to. */
  async keepLinked(index: number, data: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#writeWhole(join(this.#path, `linked-${index}`), data);
  }

  /** A result that was kept; opened when it is read. */
  async kept(index: number): Promise<AsyncIterable<Uint8Array> | undefined> {
    const file = this.#resultFile(index);
    if (!(await exists(file))) return undefined;
    return { [Symbol.asyncIterator]: () => createReadStream(file)[Symbol.asyncIterator]() };
  }

  /** The answer that waits; undefined when there is none. */
  async answer(): Promise<KeptAnswer | undefined> {
    const job = await this.read();
    return job?.record.hasAnswer ? this.#keptAnswer(job.answered) : undefined;
  }

  /** The answer that named the service's job, where the one that waits is the state of that job. */
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

  /** What the service sent and is still here: results of unknown type, else the answer with what it links to, or as much as came. */
  async rawFiles(): Promise<readonly RawFile[]> {
    const results = await this.#files('raw', 'result');
    if (results.length > 0) return results;
    const answered = (await this.read())?.answered;
    if (!answered) return this.#files('answer', 'partial');
    return [{ path: join(this.#path, answered.file), what: 'answer' }, ...(await this.#files('linked', 'linked'))];
  }

  /** Whether no other process has taken the job, which it does when this one seems dead. */
  async isHeld(): Promise<boolean> {
    return (await this.#lease?.renew()) ?? true;
  }

  async release(): Promise<void> {
    await this.#lease?.release();
  }

  /** Removes all of it. */
  async remove(): Promise<void> {
    try {
      // Without the journal the rest is nobody's job, and swept away if this process ends here.
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
   * Takes the lease back for an answer that was paid for: whoever took the job over knows nothing of it.
   *
   * @throws LeaseLost when the other one stays at work for 2 s
   */
  async #reclaim(): Promise<void> {
    if (await this.isHeld()) return;
    for (let attempt = 0; attempt < reclaimAttempts; attempt++) {
      const lease = await Lease.take(this.#path, this.#leases);
      this.#lease = lease ?? this.#lease;
      if (lease) return;
      // Without an answer there is little to do for the other one: it writes that the outcome is unknown.
      await sleep(reclaimPause);
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

  /** Gives a file its name when all of it is on disk. */
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

/** The name of a new file is on disk only with its folder; Windows neither needs nor allows it. */
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
