import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Agreed } from '../../src/files/AgreedFile.ts';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import type { TranscriptFormat } from '../../src/transcripts/formatTranscript.ts';
import { type CutQuestion, type RecordingLimits, transcribeRecording } from '../../src/wholes/transcribeRecording.ts';
import { jobRunnerAt } from './jobRunner.ts';

export interface Transcribing extends Partial<Pick<RecordingLimits, 'soundOnly' | 'maxBytes'>> {
  readonly mayCut?: (question: CutQuestion) => Promise<boolean>;
  readonly chooseTrack?: RecordingLimits['chooseTrack'];
  readonly isAttended?: boolean;
  /** Origin of the service. */
  readonly host: string;
  /** The workspace folder. */
  readonly root: string;
  /** The extension's storage. */
  readonly storage: string;
  /** The recording. */
  readonly file: string;
  readonly transcriptFormat?: TranscriptFormat;
  /** Whether a person has agreed to send again what may be billed. */
  readonly again?: boolean;
  readonly agreed?: Agreed;
  readonly signal?: AbortSignal;
  /** Called after the recording is opened, before anything of it is read. */
  onOpened?(): void;
}

/** Transcribes a recording as the extension does, with a local folder as the workspace. */
export async function transcribeAt({ host, root, storage, file, ...wanted }: Transcribing) {
  const { onOpened, agreed, chooseTrack, isAttended = true, signal = new AbortController().signal } = wanted;
  const folderAt = (path: string, folderRoot: string) => {
    onOpened?.();
    return new LocalFolder(path, folderRoot);
  };
  await using window = jobRunnerAt(host, { root, journal: join(storage, 'work'), folderAt });
  const { soundOnly = true, maxBytes = 0, mayCut, transcriptFormat = 'markdown', again = false } = wanted;
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
  const notices: string[] = [];
  const limits = {
    soundOnly,
    maxBytes,
    chooseTrack,
    ...(mayCut ? { mayCut: (_: unknown, question: CutQuestion) => mayCut(question) } : {}),
  };
  const assets = await transcribeRecording(input, window.runner, limits, {
    signal,
    isAttended,
    again,
    agreed,
    onProgress: () => undefined,
    onNotice: (sentence) => void notices.push(sentence),
  });
  return { assets, jobsFound: found, jobsLeft: states(), notices };
}
