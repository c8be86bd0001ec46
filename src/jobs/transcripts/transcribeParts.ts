import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Asset } from '../../library/Asset.ts';
import { inOnePiece } from '../../library/saveMedia.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { readRecording } from '../../recordings/readRecording.ts';
import type { SoundPart } from '../../recordings/tasks.ts';
import type { TranscriptAnswer } from '../../service/Answer.ts';
import { runPart } from '../runPart.ts';
import { saveAsset } from '../saveAsset.ts';
import { transcriptFile } from '../transcriptFile.ts';
import type { TranscriptPart } from './joinTranscripts.ts';
import { joinTranscripts } from './joinTranscripts.ts';
import type { RecordingWork } from './RecordingWork.ts';
import type { Sound } from './soundOf.ts';
import { reading } from './soundOf.ts';
import type { RecordingInput, TranscribeOptions } from './TranscribeOptions.ts';

/** A recording cut into parts of at most `partBytes`. */
export interface Cut {
  readonly partBytes: number;
  readonly parts: readonly SoundPart[];
}

/** Smaller parts would hold only words, not speech. */
const minPartBytes = 10_000;

/** Cuts a sound into files in the work folder. Returns undefined when it cannot be cut. */
export async function cutInto(
  partBytes: number,
  { file }: Sound,
  { folder }: RecordingWork,
  options: TranscribeOptions,
): Promise<Cut | undefined> {
  if (partBytes < minPartBytes) return undefined;
  const result = await readRecording({ type: 'cut', file, folder, partBytes }, reading(options));
  return result.type === 'parts' && result.parts.length > 1 ? { partBytes, parts: result.parts } : undefined;
}

interface PartsToSend {
  readonly sound: Sound;
  /** Key of the recording. */
  readonly key: string;
  readonly work: RecordingWork;
  readonly cut: Cut;
}

/**
 * Transcribes the parts and joins the transcripts. When a part fails, the finished ones are kept, and transcribing the
 * same recording again sends only the rest. When the service refuses a part as too large, halves the part size.
 */
export async function transcribeParts(
  input: RecordingInput,
  { sound, key, work, cut }: PartsToSend,
  options: TranscribeOptions,
): Promise<readonly Asset[]> {
  const { request, place, into } = input;
  const whole = { request, place, partBytes: cut.partBytes, ...(into ? { into } : {}) };
  const partOptions = { ...options, partsFolder: options.recordingsFolder, whole };
  const transcribe = async ({ file, start, end }: SoundPart) => {
    await work.renew();
    const name = `${key}-${cut.partBytes}-${milliseconds(start)}-${milliseconds(end)}`;
    const part = { ...input, request: { ...request, file } };
    return runPart(name, part, partOptions).catch((error: unknown) => silentPart(error, name, options));
  };
  try {
    const [first, ...others] = cut.parts;
    // The first part shows whether the service accepts this size.
    const done = first ? [await transcribe(first)] : [];
    const results = await Promise.allSettled(others.map(transcribe));
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason;
      done.push(result.value);
    }
    return await save(input, cut.parts, done, options);
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    const smaller =
      error.kind === 'tooLarge' ? await cutInto(Math.floor(cut.partBytes / 2), sound, work, options) : undefined;
    if (!smaller) throw withPartsKept(error);
    await dismissRefused(key, options);
    return transcribeParts(input, { sound, key, work, cut: smaller }, options);
  }
}

/** Removes refused parts from the list, since smaller ones replace them. */
async function dismissRefused(key: string, { jobs, runner }: TranscribeOptions): Promise<void> {
  const refused = jobs.all.filter(({ place, error }) => {
    return place.fileName.startsWith(`${key}-`) && error?.kind === 'tooLarge';
  });
  for (const { id } of refused) await runner.dismiss(id).catch(() => undefined);
}

/** Stores an empty transcript for a part without speech, so that it is not sent again. */
async function silentPart(error: unknown, name: string, options: TranscribeOptions): Promise<string> {
  if (!(error instanceof MediaError) || error.kind !== 'noMedia') throw error;
  const file = join(options.recordingsFolder, `${name}.json`);
  await writeFile(file, JSON.stringify({ text: '', segments: [] }));
  if (error.jobId !== undefined) await options.runner.dismiss(error.jobId).catch(() => undefined);
  return file;
}

async function save(
  input: RecordingInput,
  parts: readonly SoundPart[],
  files: readonly string[],
  { place, onNotice, onProgress }: TranscribeOptions,
): Promise<readonly Asset[]> {
  const transcripts: TranscriptPart[] = [];
  for (const [index, { start, end }] of parts.entries()) {
    transcripts.push({ start, end, answer: await readPart(files[index] ?? '') });
  }
  const answer = joinTranscripts(transcripts);
  if (answer.text === '') {
    const sentence = l10n.t('The service accepted the recording but sent no text; there may be no speech in it.');
    throw new MediaError('noMedia', sentence);
  }
  const job = { ...input, id: randomUUID(), createdAt: new Date().toISOString() };
  onProgress({ stage: 'saving', file: 1, files: 1 });
  const { text, type, notices } = await transcriptFile(job, answer, place);
  const missing = transcripts.filter(({ answer: { text: own } }) => own === '');
  if (missing.length > 0) {
    const times = missing.map(({ start, end }) => `${clock(start)} – ${clock(end)}`).join(', ');
    onNotice(l10n.t('The service sent no text for {0}. Check it against the recording.', times));
  }
  for (const notice of notices) onNotice(notice);
  const asset = await saveAsset({ data: inOnePiece(Buffer.from(text)), index: 0, type }, job, answer, { place });
  await Promise.all(files.map((file) => rm(file, { force: true })));
  return [asset];
}

/** Reads the transcript of a part, which `transcriptFile` has written. */
async function readPart(file: string): Promise<TranscriptAnswer> {
  const part = JSON.parse(await readFile(file, 'utf8')) as Partial<TranscriptAnswer>;
  return {
    type: 'transcript',
    text: part.text ?? '',
    subtitles: part.subtitles,
    segments: part.segments ?? [],
    language: part.language,
    duration: part.duration,
    usage: part.usage,
    id: undefined,
    requestId: undefined,
  };
}

/** Formats a position in the recording as minutes and seconds. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}

function withPartsKept(error: MediaError): MediaError {
  const sentence = l10n.t(
    '{0} The transcripts of the other parts are kept; you will not pay for them again.',
    error.message,
  );
  return new MediaError(error.kind, sentence, { ...error, cause: error });
}
