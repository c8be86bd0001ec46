import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { Library } from '../../src/library/Library.ts';
import type { MediaRequest, OperationId } from '../../src/operations/operations.ts';
import { operations } from '../../src/operations/operations.ts';
import type { NetworkSettings } from '../../src/service/createDispatcher.ts';
import { createDispatcher } from '../../src/service/createDispatcher.ts';
import { MediaClient } from '../../src/service/MediaClient.ts';
import type { JobFacts, PlaceReference } from '../../src/work/Job.ts';
import { JobList } from '../../src/work/Job.ts';
import type { JobInput } from '../../src/work/JobRunner.ts';
import { JobRunner } from '../../src/work/JobRunner.ts';
import { Store } from '../../src/work/Store.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { canaries } from './FaultServer.ts';

export interface FaultFolders {
  /** The workspace folder. */
  readonly root: string;
  readonly journal: string;
  /** A recording to send. */
  readonly recording: string;
}

export interface FaultRunnerOptions extends FaultFolders {
  readonly host: string;
  readonly timeoutSeconds?: number;
  readonly network?: NetworkSettings;
  folderAt?(path: string, root: string): LocalFolder;
  log?(line: string): void;
}

/** Creates a runner as the extension does, but with pauses that end at once. */
export function faultRunner({ host, root, journal, timeoutSeconds = 120, network, folderAt, log }: FaultRunnerOptions) {
  const dispatcher = createDispatcher(network);
  const jobs = new JobList();
  const sleep = async (_: number, signal?: AbortSignal) => {
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  };
  const runner = new JobRunner({
    jobs,
    store: new Store(journal),
    maxConcurrentJobs: () => 8,
    timeoutSeconds: () => timeoutSeconds,
    sleep,
    openClient: async () =>
      new MediaClient({
        configuration: {
          hosts: { image: host, audio: host, video: host },
          timeoutSeconds: { image: timeoutSeconds, audio: timeoutSeconds, video: timeoutSeconds },
        },
        key: () => canaries.key,
        dispatcher,
        sleep,
        silenceSeconds: timeoutSeconds,
        log,
      }),
    placeAt: ({ path }) => ({
      folder: folderAt?.(posix.join(root, path), root) ?? new LocalFolder(posix.join(root, path), root),
      library: new Library(new LocalFolder(posix.join(root, '.unified-media'), root)),
      recordedName: (name) => posix.join(path, name),
    }),
  });
  return { runner, jobs, [Symbol.asyncDispose]: () => dispatcher.destroy() };
}

export function faultJob(operation: OperationId, { root, recording }: FaultFolders): JobInput {
  const place: PlaceReference = {
    root: pathToFileURL(root).href,
    path: `media/${operations[operation].result}`,
    fileName: 'result',
    transcriptFormat: 'text',
  };
  const request: JobFacts['request'] = requestOf(operation, recording);
  return { operation, request, place, sandbox: false };
}

function requestOf(operation: OperationId, file: string): MediaRequest {
  const model = 'm';
  const { prompt } = canaries;
  const image = `data:image/png;base64,${pngBytes.toString('base64')}`;
  const requests: Readonly<Record<OperationId, MediaRequest>> = {
    generateImage: { model, prompt, n: 1, output_format: 'url' },
    editImage: { model, prompt, image_urls: [image], n: 1, output_format: 'url' },
    speak: { model, input: prompt, voice: 'alloy', response_format: 'mp3' },
    transcribe: { model, file },
    translate: { model, file },
    generateVideo: { model, prompt, output_format: 'url' },
    animateImage: { model, prompt, image_url: image, output_format: 'url' },
    remixVideo: { model, video_id: 'video-0', prompt, output_format: 'url' },
  };
  return requests[operation];
}
