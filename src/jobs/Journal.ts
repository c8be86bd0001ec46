import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asset } from '../library/Asset.ts';
import { FileWriter } from '../library/FileWriter.ts';
import type { RawAnswer } from '../service/Answer.ts';
import { mostBytesInMemory } from '../service/AnswerBody.ts';
import type { EndState, JobError, JobFacts, JobRecord } from './JobRecord.ts';

/** One line of a job's journal. */
type Entry =
  /** Before the request is sent; `process` runs it. */
  | { readonly event: 'sending'; readonly job: JobFacts; readonly process: number }
  /** The answer is in; its body lies beside the journal. */
  | { readonly event: 'answered'; readonly answer: Omit<RawAnswer, 'body'>; readonly videoId?: string | undefined }
  | { readonly event: 'saved'; readonly index: number; readonly asset: Asset }
  | { readonly event: 'ended'; readonly state: EndState; readonly error?: JobError | undefined };

/** An answer that waits on disk. */
export interface KeptAnswer {
  readonly raw: RawAnswer;
  /** What the service called the job whose final answer this is. */
  readonly videoId: string | undefined;
}

/** Longest silence of a process that still works on its jobs, in milliseconds. */
const silence = 60_000;

/**
 * The crash-safe log of jobs: a file for each, to which lines are added, each flushed to disk before work goes on.
 * It is the extension's own: it holds prompts, and answers with signed URLs until their results are saved.
 */
export class Journal {
  readonly #folder: string;

  /** @param folder absolute path; made when the first job is written */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async sending(job: JobFacts): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await this.#add(job.id, { event: 'sending', job, process: process.pid });
    await syncFolder(this.#folder);
  }

  /** Takes a large answer while it comes in; it counts when {@link answered} is told of it. */
  openAnswer(id: string): Promise<FileWriter> {
    return FileWriter.open(this.#answerFile(id), 'w+', 0o600);
  }

  /** @param videoId what the service called the job whose final answer this is */
  async answered(id: string, { body, ...answer }: RawAnswer, videoId?: string): Promise<void> {
    // A final answer replaces the one that only named the job, and never leaves half of either.
    if (body instanceof Uint8Array) await writeWhole(this.#answerFile(id), [body]);
    await syncFolder(this.#folder);
    await this.#add(id, { event: 'answered', answer, videoId });
  }

  /** Keeps a result that could not be saved where it belongs. */
  async keep(id: string, index: number, data: AsyncIterable<Uint8Array>): Promise<void> {
    await writeWhole(this.#resultFile(id, index), data);
  }

  /** A result that was kept. */
  async kept(id: string, index: number): Promise<AsyncIterable<Uint8Array> | undefined> {
    const file = this.#resultFile(id, index);
    return (await exists(file)) ? createReadStream(file) : undefined;
  }

  async saved(id: string, index: number, asset: Asset): Promise<void> {
    await this.#add(id, { event: 'saved', index, asset });
  }

  /** An answer is kept where something of it is not saved. */
  async ended(id: string, state: EndState, error: JobError | undefined, keepAnswer: boolean): Promise<void> {
    await this.#add(id, { event: 'ended', state, error });
    if (!keepAnswer) await rm(this.#answerFile(id), { force: true });
  }

  /** The answer that waits on disk. */
  async answer(id: string): Promise<KeptAnswer | undefined> {
    const entries = await this.#entries(id);
    const answered = entries.findLast((entry) => entry.event === 'answered');
    if (answered?.event !== 'answered') return undefined;
    try {
      const { answer, videoId } = answered;
      const path = this.#answerFile(id);
      const { size } = await stat(path);
      const body = size > mostBytesInMemory ? { path, length: size } : await readFile(path);
      return { raw: { ...answer, body }, videoId };
    } catch {
      return undefined;
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#file(id), { force: true });
    const files = await readdir(this.#folder).catch(() => []);
    const own = files.filter((file) => file.startsWith(`${id}.`));
    await Promise.all(own.map((file) => rm(join(this.#folder, file), { force: true })));
  }

  /** Tells other windows that this process still works on a job. */
  async touch(id: string): Promise<void> {
    const now = new Date();
    await utimes(this.#file(id), now, now);
  }

  /** All jobs that no other living process works on, oldest first. */
  async readAll(): Promise<readonly JobRecord[]> {
    const files = await readdir(this.#folder).catch(() => []);
    const ids = files.filter((file) => file.endsWith('.jsonl')).map((file) => file.slice(0, -'.jsonl'.length));
    const records = await Promise.all(ids.map((id) => this.#read(id)));
    return records.filter((record) => record !== undefined).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  async #read(id: string): Promise<JobRecord | undefined> {
    const entries = await this.#entries(id);
    const [first] = entries;
    if (first?.event !== 'sending') return undefined;
    const end = entries.findLast((entry) => entry.event === 'ended');
    if (end?.event !== 'ended' && (await this.#isOwned(id, first.process))) return undefined;
    const saved = entries.flatMap((entry) => (entry.event === 'saved' ? [[entry.index, entry.asset] as const] : []));
    const hasAnswer = (await exists(this.#answerFile(id))) && entries.some((entry) => entry.event === 'answered');
    return {
      ...first.job,
      assets: Object.fromEntries(saved),
      hasAnswer,
      ...(end?.event === 'ended'
        ? { state: end.state, error: end.error }
        : { state: hasAnswer ? ('downloading' as const) : ('waiting' as const) }),
    };
  }

  /** Whether another living process works on a job; its number alone may have been given to a stranger since. */
  async #isOwned(id: string, pid: number): Promise<boolean> {
    if (pid === process.pid || !isAlive(pid)) return false;
    const { mtimeMs } = await stat(this.#file(id));
    return Date.now() - mtimeMs < silence;
  }

  /** Whether the process that sent a job's request is still there, or a stranger has its number. */
  async hasLivingOwner(id: string): Promise<boolean> {
    const [first] = await this.#entries(id);
    return first?.event === 'sending' && first.process !== process.pid && isAlive(first.process);
  }

  async #entries(id: string): Promise<readonly Entry[]> {
    const text = await readFile(this.#file(id), 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as Entry];
      } catch {
        // A line that was cut by a crash: what it would have said has not happened.
        return [];
      }
    });
  }

  async #add(id: string, entry: Entry): Promise<void> {
    await using handle = await open(this.#file(id), 'a', 0o600);
    // The line break in front closes a line that a crash may have cut.
    await handle.appendFile(`\n${JSON.stringify(entry)}\n`);
    await handle.sync();
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.jsonl`);
  }

  #answerFile(id: string): string {
    return join(this.#folder, `${id}.answer`);
  }

  #resultFile(id: string, index: number): string {
    return join(this.#folder, `${id}.${index}.result`);
  }
}

/** Gives a file its name when all of it is on disk. */
async function writeWhole(file: string, data: AsyncIterable<Uint8Array> | readonly Uint8Array[]): Promise<void> {
  const temporary = `${file}.part`;
  {
    await using writer = await FileWriter.open(temporary, 'w+', 0o600);
    for await (const chunk of data) await writer.write(chunk);
    await writer.finish();
  }
  await rename(temporary, file);
}

/** A new file's name is on disk only with its folder; Windows neither needs nor allows it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
}
