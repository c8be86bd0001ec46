import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CreatedFile } from '../../src/files/Folder.ts';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { MediaError } from '../../src/operations/MediaError.ts';
import { type OperationId, operations } from '../../src/operations/operations.ts';
import type { NetworkSettings } from '../../src/service/createDispatcher.ts';
import type { Job } from '../../src/work/Job.ts';
import { wavBytes } from '../support/mediaBytes.ts';
import { startRecoverer } from '../support/startProcess.ts';
import { canaries, media, startFaultServer, type Treatment } from './FaultServer.ts';
import { type FaultFolders, faultJob, faultRunner } from './faultJob.ts';
import type { Ending, Fault } from './faults.ts';
import { openWay } from './openWay.ts';

export interface Outcome {
  readonly ends: Ending;
  /** Number of requests that reached the service. */
  readonly sent: number;
  /** Whether the paid result could be saved once the fault was over. */
  readonly recovered: boolean;
  /** Broken promises. */
  readonly problems: readonly string[];
}

/** Runs one operation into one fault, in its own folders, and checks every promise. */
export async function runFault(fault: Fault, operation: OperationId): Promise<Outcome> {
  const base = await mkdtemp(join(tmpdir(), 'fault-'));
  const folders = { root: join(base, 'workspace'), journal: join(base, 'journal'), recording: join(base, 'talk.wav') };
  try {
    await mkdir(folders.root);
    await writeFile(folders.recording, wavBytes);
    return await new FaultRun(fault, operation, folders).run();
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

const quiet = { onProgress: () => undefined, onNotice: () => undefined };

class FaultRun {
  readonly #fault: Fault;
  readonly #operation: OperationId;
  readonly #folders: FaultFolders;
  readonly #lines: string[] = [];
  readonly #problems: string[] = [];
  readonly #abort = new AbortController();
  #network: NetworkSettings | undefined;
  /** Set when the full disk has space again. */
  #hasSpace = false;

  constructor(fault: Fault, operation: OperationId, folders: FaultFolders) {
    this.#fault = fault;
    this.#operation = operation;
    this.#folders = folders;
  }

  async run(): Promise<Outcome> {
    const { get } = this.#fault;
    await using server = await startFaultServer({ operation: this.#operation, post: this.#post(), get });
    await this.#prepare();
    await using way = await openWay(this.#fault.way);
    const host = this.#fault.host ?? way.host ?? server.origin;
    this.#network = way.network;
    if (this.#fault.machine === 'killed') await this.#killWhenSent(host, server);
    await using window = this.#open(host);
    const job = await this.#finish(window);
    await this.#checkFiles(job.ends);
    const recovered = await this.#recoverResult(window, job.job, server.repair);
    const { sent } = server.counts;
    await this.#checkSecrets(job.message);
    this.#check(job.ends === this.#expected, `it ends in ${job.ends}, not ${this.#expected}: ${job.message}`);
    this.#check(sent === (this.#fault.sent ?? 1), `${sent} requests were sent, not ${this.#fault.sent ?? 1}`);
    this.#check(job.message.includes(this.#fault.words ?? ''), `the service's words are missing: ${job.message}`);
    return { ends: job.ends, sent, recovered, problems: [...this.#problems, ...server.problems] };
  }

  get #expected(): Ending {
    const { ends } = this.#fault;
    return typeof ends === 'string' ? ends : ends(operations[this.#operation].result);
  }

  #post(): Treatment | undefined {
    const { machine, post } = this.#fault;
    const { root, journal } = this.#folders;
    switch (machine) {
      case 'folder removed':
        return ({ answer }) => {
          rmSync(join(root, 'media'), { recursive: true });
          answer();
        };
      case 'journal lost':
        return ({ answer }) => {
          rmSync(journal, { recursive: true });
          answer();
        };
      case 'killed':
        return () => undefined;
      case 'cancelled':
        return () => this.#abort.abort();
      case 'two windows':
        return async ({ answer, origin }) => {
          await using other = await startRecoverer({ ...this.#folders, host: origin });
          const recovered = await other.recover();
          this.#check(recovered.length === 0, 'the other window took over a job that this window is running');
          answer();
        };
      default:
        return post;
    }
  }

  async #prepare(): Promise<void> {
    const { root, journal } = this.#folders;
    if (this.#fault.machine === 'read-only') await writeFile(join(root, 'media'), 'no folder');
    if (this.#fault.machine === 'no journal') await writeFile(journal, 'no folder');
  }

  #open(host: string) {
    return faultRunner({
      ...this.#folders,
      host,
      timeoutSeconds: this.#fault.timeoutSeconds,
      network: this.#network,
      log: (line) => this.#lines.push(line),
      folderAt: (path, root) =>
        this.#fault.machine === 'disk full'
          ? new FullFolder(path, root, () => this.#hasSpace)
          : new LocalFolder(path, root),
    });
  }

  async #killWhenSent(host: string, server: { readonly counts: { readonly sent: number } }): Promise<void> {
    const { root, journal, recording } = this.#folders;
    const script = join(import.meta.dirname, 'runUntilKilled.ts');
    const child = spawn(process.execPath, [script, host, root, journal, recording, this.#operation], {
      stdio: 'inherit',
    });
    while (server.counts.sent === 0 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async #finish({ runner, jobs }: ReturnType<typeof faultRunner>) {
    if (this.#fault.machine === 'killed') {
      const [job] = await runner.recover([pathToFileURL(this.#folders.root).href], new AbortController().signal);
      return {
        ends: (job?.state === 'done' ? 'saved' : job?.state) as Ending,
        message: job?.error?.message ?? '',
        job: jobs.all[0],
      };
    }
    try {
      const options = { ...quiet, signal: this.#abort.signal };
      await runner.run(faultJob(this.#operation, this.#folders), options);
      return { ends: 'saved' as const, message: '', job: jobs.all[0] };
    } catch (error) {
      if (!(error instanceof MediaError)) this.#problems.push(`it threw ${String(error)}`);
      const { kind, message } = error instanceof MediaError ? error : { kind: 'save' as const, message: String(error) };
      return { ends: kind, message, job: jobs.all[0] };
    }
  }

  /**
   * Checks that a saved job left one complete file and one record, and any other job left nothing in the workspace.
   */
  async #checkFiles(ends: Ending): Promise<void> {
    const { root } = this.#folders;
    const names = await readdir(join(root, 'media'), { recursive: true }).catch(() => []);
    const files = names.filter((name) => /\.\w+$/.test(name));
    const library = await readFile(join(root, '.unified-media/library.jsonl'), 'utf8').catch(() => '');
    const records = library.split('\n').filter((line) => line !== '').length;
    const expected = ends === 'saved' ? 1 : 0;
    this.#check(files.length === expected, `left behind: ${files.join(', ') || 'nothing'}`);
    this.#check(records === expected, `${records} records`);
    const kind = operations[this.#operation].result;
    if (ends !== 'saved' || kind === 'transcripts') return;
    const bytes = await readFile(join(root, 'media', files[0] ?? ''));
    this.#check(bytes.equals(media[kind]), 'the file is not the result');
  }

  /** Checks that a paid result that was not saved can be recovered after the fault without another request. */
  async #recoverResult(
    { runner }: ReturnType<typeof faultRunner>,
    job: Job | undefined,
    repair: () => void,
  ): Promise<boolean> {
    const isLocal = this.#fault.machine !== undefined || this.#fault.get !== undefined;
    if (!job || job.state === 'done' || !isLocal) return false;
    const { machine, sent } = this.#fault;
    const paid = sent !== 0 && machine !== 'killed' && machine !== 'cancelled';
    if (paid) this.#check(job.hasAnswer, 'the answer is lost');
    if (!job.hasAnswer) return false;
    repair();
    this.#hasSpace = true;
    await runner
      .downloadAgain(job.id, { ...quiet, signal: this.#abort.signal })
      .catch((error: unknown) => this.#problems.push(`not recovered: ${String(error)}`));
    await this.#checkFiles('saved');
    return true;
  }

  async #checkSecrets(message: string): Promise<void> {
    const { root } = this.#folders;
    const visible = [...this.#lines, message].join('\n');
    for (const [name, canary] of Object.entries(canaries)) {
      this.#check(!visible.includes(canary), `the ${name} is in the log or in the message`);
    }
    const files = await readdir(root, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      const text = await readFile(join(file.parentPath, file.name), 'latin1');
      for (const name of ['key', 'signature'] as const) {
        this.#check(!text.includes(canaries[name]), `the ${name} is in ${file.name}`);
      }
    }
  }

  #check(holds: boolean, problem: string): void {
    if (!holds) this.#problems.push(problem);
  }
}

/** A folder on a disk without space, with the error that a system reports. */
class FullFolder extends LocalFolder {
  readonly #hasSpace: () => boolean;

  constructor(path: string, root: string, hasSpace: () => boolean) {
    super(path, root);
    this.#hasSpace = hasSpace;
  }

  override async create(name: string, data: AsyncIterable<Uint8Array>): Promise<CreatedFile> {
    if (this.#hasSpace()) return super.create(name, data);
    for await (const _ of data) break;
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
}
