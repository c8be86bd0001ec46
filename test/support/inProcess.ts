// What tests run in a process of its own: node inProcess.ts <verb> '<options as JSON>'. Each verb loads what it needs.
import { once } from 'node:events';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { MediaError } from '../../src/operations/MediaError.ts';
import type { PlaceReference } from '../../src/work/Job.ts';
import type { DocumentOptions } from './narrateDocument.ts';
import type { Transcribing } from './transcribeAt.ts';

/** What the process of a window works on. */
export interface WindowOptions {
  readonly host: string;
  /** The workspace folder. */
  readonly root: string;
  readonly journal: string;
  readonly videoStatusPath?: string;
  /** How long a job may lack a heartbeat before it counts as abandoned, in milliseconds. */
  readonly silence?: number;
}

export interface JobOptions extends WindowOptions {
  readonly kind?: 'image' | 'video';
  /** Key of the request; it is then never paid for twice. */
  readonly key?: string;
  /** Changes to the place where the job saves. */
  readonly place?: Partial<PlaceReference>;
  /** Whether results that need another type are converted to JPEG. */
  readonly converts?: boolean;
  /** Stage at which the process kills itself. */
  readonly dieAt?: 'beforeLink' | 'afterLink';
}

/** When to die: before the block with an index is sent, or before or after a file is replaced. */
type Death = { readonly block: number } | { readonly replace: number; readonly when: 'before' | 'after' };

const verbs = {
  /** An agent in a window of its own: requests an image for each prompt of a message, all at once. */
  async agent({
    origin,
    folder,
    images,
  }: {
    readonly origin: string;
    readonly folder: string;
    readonly images: number;
  }) {
    const { openDesk } = await import('./agentDesk.ts');
    const { ask } = openDesk(origin, { folder, limit: { images } });
    answer(async (prompts) => {
      const results = (prompts as readonly string[]).map((prompt) => ask('media_generate_image', { prompt }));
      return (await Promise.all(results)).map(({ status, job_id }) => ({ status, job_id }));
    });
  },

  /** Waits for a message, then appends lines to a file. */
  async append(options: {
    readonly root: string;
    readonly writer: string;
    readonly lines: number;
    readonly bytes: number;
  }) {
    const { root, writer, lines, bytes } = options;
    const folder = new LocalFolder(root, root);
    process.send?.('ready');
    await once(process, 'message');
    for (let number = 0; number < lines; number++) {
      await folder.append('lines', `${JSON.stringify({ writer, number, text: writer.repeat(bytes) })}\n`);
    }
    process.disconnect();
  },

  /** Asks a host for an image and sends the outcome. */
  async generate(options: { readonly host: string; readonly systemCertificates: boolean; readonly proxy?: string }) {
    const { createDispatcher } = await import('../../src/service/createDispatcher.ts');
    const { clientOf, sendRequest } = await import('./clientOf.ts');
    const dispatcher = createDispatcher(options);
    const client = clientOf(options.host, dispatcher);
    const outcome = await sendRequest(client, 'generateImage', { model: 'm', prompt: 'a fox' }).then(
      ({ type }) => type,
      whenRefused,
    );
    process.send?.(outcome);
    await dispatcher.destroy();
  },

  /** Takes and holds the lease of a folder, checks it, or tells which process this is, whichever is asked for. */
  async lease({ folder, silence }: { readonly folder: string; readonly silence?: number }) {
    const { Lease, thisProcess } = await import('../../src/work/Lease.ts');
    let lease: Awaited<ReturnType<typeof Lease.take>>;
    answer(async (request) => {
      if (request === 'mark') return thisProcess();
      if (request === 'check') return lease?.check();
      lease = await Lease.take(folder, { silence });
      return lease !== undefined;
    });
  },

  /** Narrates a document until it is killed. */
  async narrate({ dieAt, ...options }: DocumentOptions & { readonly dieAt?: Death }) {
    const { narrateDocument } = await import('./narrateDocument.ts');
    let replaced = 0;
    class MortalFolder extends LocalFolder {
      override async replace(...parameters: Parameters<LocalFolder['replace']>): Promise<boolean> {
        const isLast = dieAt && 'replace' in dieAt && dieAt.replace === replaced++;
        if (isLast && dieAt.when === 'before') die();
        const isReplaced = await super.replace(...parameters);
        if (isLast) die();
        return isReplaced;
      }
    }
    await narrateDocument({
      ...options,
      folderAt: (path, root) => new MortalFolder(path, root),
      onBlock: (index) => {
        if (dieAt && 'block' in dieAt && dieAt.block === index) die();
      },
    });
  },

  /** Recovers on request, as another window does, and sends the states. */
  async recover({ host, ...options }: WindowOptions) {
    const { jobRunnerAt } = await import('./jobRunner.ts');
    const { recover } = jobRunnerAt(host, options);
    answer(async () => (await recover()).map(({ state }) => state));
  },

  /** Runs one job until it is killed. */
  async run({ host, kind, key, dieAt, place, converts = false, ...folders }: JobOptions) {
    const { imageJob, jobRunnerAt, videoJob } = await import('./jobRunner.ts');
    const { jpegFile } = await import('./pictureFiles.ts');
    /** Kills this process just before or after a file gets its final name. */
    class MortalFolder extends LocalFolder {
      override async moveIfAbsent(...parameters: Parameters<LocalFolder['moveIfAbsent']>): Promise<boolean> {
        if (dieAt === 'beforeLink') die();
        const isMoved = await super.moveIfAbsent(...parameters);
        if (dieAt === 'afterLink' && isMoved) die();
        return isMoved;
      }
    }
    const { runner } = jobRunnerAt(host, {
      ...folders,
      ...(converts ? { convert: async () => jpegFile } : {}),
      folderAt: (path, root) => new MortalFolder(path, root),
    });
    const job = kind === 'video' ? videoJob(folders.root) : imageJob(folders.root);
    const nothing = () => undefined;
    const options = { signal: new AbortController().signal, onProgress: nothing, onNotice: nothing };
    // Some jobs are meant to fail; their tests check the disk.
    await runner
      .run({ ...job, ...(key === undefined ? {} : { key }), place: { ...job.place, ...place } }, options)
      .catch(whenRefused);
  },

  /** Transcribes a recording in parts until it is killed. */
  async transcribe(options: Transcribing) {
    const { transcribeAt } = await import('./transcribeAt.ts');
    await transcribeAt(options);
  },
};

export type Verb = keyof typeof verbs;
export type OptionsOf<V extends Verb> = Parameters<(typeof verbs)[V]>[0];

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Answers each message, after one that it is ready. */
function answer(work: (message: unknown) => Promise<unknown>): void {
  process.on('message', async (message) => process.send?.(await work(message)));
  process.send?.('ready');
}

function whenRefused(error: unknown): string {
  if (!(error instanceof MediaError)) throw error;
  return `${error.kind}: ${error.message}`;
}

const [verb = '', options = ''] = process.argv.slice(2);
const work: Readonly<Record<string, (options: never) => Promise<void>>> = verbs;
await work[verb]?.(JSON.parse(options) as never);
