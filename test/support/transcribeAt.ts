import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TranscribeOptions } from '../../src/jobs/transcripts/TranscribeOptions.ts';
import { transcribeRecording } from '../../src/jobs/transcripts/transcribeRecording.ts';
import type { TranscriptFormat } from '../../src/library/formatTranscript.ts';
import { Library } from '../../src/library/Library.ts';
import { LocalFolder } from '../../src/library/LocalFolder.ts';
import { jobRunnerAt } from './jobRunner.ts';

export interface Transcribing extends Partial<Pick<TranscribeOptions, 'soundOnly' | 'maxBytes' | 'mayCut'>> {
  /** Origin of the service. */
  readonly host: string;
  /** The workspace folder. */
  readonly root: string;
  /** The extension's storage. */
  readonly storage: string;
  /** The recording. */
  readonly file: string;
  readonly transcriptFormat?: TranscriptFormat;
  readonly partBytes?: number;
  /** Called after this window has looked for the jobs of others. */
  readonly beforeRun?: () => Promise<unknown>;
}

/** Transcribes a recording as the extension does, with a local folder as the workspace. */
export async function transcribeAt({ host, root, storage, file, ...wanted }: Transcribing) {
  await using window = jobRunnerAt(host, { root: storage, journal: join(storage, 'jobs') });
  const { soundOnly = true, maxBytes = 0, mayCut, transcriptFormat = 'markdown', partBytes } = wanted;
  const place = {
    root: pathToFileURL(root).href,
    path: 'media/transcripts',
    fileName: '${prompt}',
    transcriptFormat,
  } as const;
  const input = { operation: 'transcribe', request: { model: 'm', file }, place, sandbox: false } as const;
  // Recovers first, as a new window does.
  await window.runner.recover([place.root], new AbortController().signal);
  const states = () => window.jobs.all.map(({ state, whole }) => `${state}${whole ? ' part' : ''}`);
  const found = states();
  await wanted.beforeRun?.();
  const notices: string[] = [];
  const assets = await transcribeRecording(partBytes === undefined ? input : { ...input, partBytes }, {
    runner: window.runner,
    jobs: window.jobs,
    place: {
      folder: new LocalFolder(join(root, 'media/transcripts'), root),
      library: new Library(new LocalFolder(join(root, '.unified-media'), root)),
      recordedName: (name) => `media/transcripts/${name}`,
    },
    recordingsFolder: join(storage, 'recordings'),
    soundOnly,
    maxBytes,
    mayCut,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onNotice: (sentence) => void notices.push(sentence),
  });
  return { assets, jobsFound: found, jobsLeft: states(), notices };
}
