import { readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Folder } from '../../src/files/Folder.ts';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { Library } from '../../src/library/Library.ts';
import type { ConvertBytes } from '../../src/library/saveMedia.ts';
import { operations } from '../../src/operations/operations.ts';
import { createDispatcher } from '../../src/service/createDispatcher.ts';
import { MediaClient } from '../../src/service/MediaClient.ts';
import { keyOriginOf } from '../../src/service/ServiceConfiguration.ts';
import { JobList, type JobRecord, type PlaceReference } from '../../src/work/Job.ts';
import { type JobInput, JobRunner } from '../../src/work/JobRunner.ts';
import type { Place } from '../../src/work/Place.ts';
import { Store } from '../../src/work/Store.ts';

export interface RunnerOptions {
  /** The workspace folder. */
  readonly root: string;
  readonly journal: string;
  /** A folder of the workspace; default as the extension makes it. */
  folderAt?(path: string, root: string): Folder;
  readonly imageStatusPath?: string;
  readonly videoStatusPath?: string;
  /** None by default. */
  readonly idempotencyHeader?: string;
  /** How long a polled job may report the same state. */
  readonly timeoutSeconds?: number;
  /** Called with each pause, in milliseconds; they pass at once. */
  onSleep?(milliseconds: number): void;
  /** Milliseconds without a heartbeat after which a job has no owner. */
  readonly silence?: number;
  readonly convert?: ConvertBytes;
  /** Default: true. */
  readonly marksGenerated?: boolean;
}

/** Creates a runner as the extension does, with a local folder in the place of a workspace. */
export function jobRunnerAt(
  host: string,
  {
    journal,
    imageStatusPath,
    videoStatusPath,
    idempotencyHeader,
    timeoutSeconds = 3600,
    silence,
    onSleep,
    convert,
    marksGenerated = true,
    ...folders
  }: RunnerOptions,
  maxConcurrentJobs = 3,
  key = 'key-1',
) {
  const folderAt = folders.folderAt ?? ((path, root) => new LocalFolder(path, root));
  const dispatcher = createDispatcher();
  const jobs = new JobList();
  // Takes one turn of the event loop, so that a test can act in between.
  const sleep = (milliseconds: number, signal?: AbortSignal) => {
    onSleep?.(milliseconds);
    return immediate(undefined, { signal });
  };
  const configuration = {
    hosts: { image: host, audio: host, video: host },
    imageStatusPath,
    videoStatusPath,
    idempotencyHeader,
    timeoutSeconds: { image: 300, audio: 300, video: 300 },
  };
  const openClient = async () =>
    new MediaClient({
      configuration,
      key: () => key,
      dispatcher,
      sleep,
    });
  const placeAt = ({ root: uri, path }: PlaceReference): Place => {
    const root = fileURLToPath(uri);
    return {
      folder: folderAt(posix.join(root, path), root),
      library: new Library(new LocalFolder(posix.join(root, '.unified-media'), root)),
      recordedName: (name) => posix.join(path, name),
    };
  };
  const runner = new JobRunner({
    jobs,
    store: new Store(journal, silence),
    maxConcurrentJobs: () => maxConcurrentJobs,
    timeoutSeconds: () => timeoutSeconds,
    keyOrigin: (operation) => keyOriginOf(configuration, operations[operation].area),
    convert,
    marksGenerated: () => marksGenerated,
    sleep,
    openClient,
    placeAt,
  });
  return {
    runner,
    jobs,
    openClient,
    placeAt,
    /** Recovers jobs as a window on the folder does. */
    recover: (onEnded?: (job: JobRecord) => void, signal = new AbortController().signal) =>
      runner.recover([pathToFileURL(folders.root).href], signal, onEnded),
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

/** The folders of the works that a store holds. */
export async function jobsIn(store: string): Promise<readonly string[]> {
  return (await readdir(store).catch(() => [])).map((key) => join(store, key));
}

export function imageJob(root: string, n = 1): JobInput {
  return {
    operation: 'generateImage',
    request: { model: 'm', prompt: 'a fox', n, output_format: 'url' },
    place: {
      root: pathToFileURL(root).href,
      path: 'media/images',
      fileName: '${prompt}',
      transcriptFormat: 'markdown',
    },
    sandbox: false,
  };
}

export function videoJob(root: string): JobInput {
  return {
    operation: 'generateVideo',
    request: { model: 'm', prompt: 'a fox', output_format: 'url' },
    place: {
      root: pathToFileURL(root).href,
      path: 'media/videos',
      fileName: '${prompt}',
      transcriptFormat: 'markdown',
    },
    sandbox: false,
  };
}
