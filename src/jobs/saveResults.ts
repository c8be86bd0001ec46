import { basename, isAbsolute, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Asset } from '../library/Asset.ts';
import type { Folder } from '../library/Folder.ts';
import { fileNameOf } from '../library/fileName.ts';
import { formatTranscript } from '../library/formatTranscript.ts';
import { recordAsset } from '../library/recordAsset.ts';
import { saveMedia } from '../library/saveMedia.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { MediaType } from '../operations/mediaType.ts';
import type { MediaRequest } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { Answer, Media, TranscriptAnswer } from '../service/Answer.ts';
import type { MediaClient, Progress } from '../service/MediaClient.ts';
import type { FetchOptions } from './fetchResult.ts';
import { fetchResult } from './fetchResult.ts';
import type { JobFacts } from './JobRecord.ts';

/** Where a job's files and their records go. */
export interface Place {
  readonly folder: Folder;
  readonly library: Folder;
  /** A saved file as the library names it: relative to the workspace folder, with forward slashes. */
  recordedName(name: string): string;
}

export type JobProgress = Progress | { readonly stage: 'saving'; readonly file: number; readonly files: number };

export interface SaveOptions {
  readonly client: Pick<MediaClient, 'download'>;
  readonly place: Place;
  readonly signal: AbortSignal;
  readonly sleep?: FetchOptions['sleep'];
  /** What is saved already, by its place in the answer. */
  readonly saved: Readonly<Record<number, Asset>>;
  onProgress(progress: JobProgress): void;
  /** Called with what is not as it was asked for, as a sentence. */
  onNotice(sentence: string): void;
  /** Called when a file is on disk and recorded, before the next is begun. */
  onSaved(index: number, asset: Asset): Promise<void>;
}

/** One file to save. */
export interface Source {
  readonly data: AsyncIterable<Uint8Array>;
  /** Its place in the answer. */
  readonly index: number;
  /** Of text that we wrote ourselves. */
  readonly type?: MediaType | undefined;
  /** What the service calls it. */
  readonly announced?: string | undefined;
}

/**
 * Saves and records what an answer holds.
 *
 * @throws MediaError; all results are tried, and the first failure is thrown after the others are saved
 */
export async function saveResults(job: JobFacts, answer: Answer, options: SaveOptions): Promise<void> {
  const sources = sourcesOf(job, answer, options);
  const failures: unknown[] = [];
  for (const source of sources) {
    const { index } = source;
    if (options.saved[index]) continue;
    try {
      options.onProgress({ stage: 'saving', file: index + 1, files: sources.length });
      await options.onSaved(index, await saveAsset(source, job, answer.id, options.place));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

function sourcesOf(job: JobFacts, answer: Answer, options: SaveOptions): readonly Source[] {
  switch (answer.type) {
    case 'media':
      return answer.media.map((media, index) => ({
        index,
        data: open(media, job, options),
        announced: 'url' in media ? undefined : media.mediaType,
      }));
    case 'transcript':
      return [{ index: 0, ...transcriptOf(job, answer, options) }];
    case 'job': {
      const told = `it works on it as ${answer.id} (${answer.status ?? 'no status'})`;
      throw new MediaError('noMedia', `The service accepted the request but sent no media: ${told}. It may bill it.`, {
        requestId: answer.requestId,
        mayBeBilled: true,
      });
    }
  }
}

function transcriptOf(job: JobFacts, answer: TranscriptAnswer, { onNotice }: SaveOptions) {
  const { root, path, transcriptFormat } = job.place;
  const file = textOf(job.request, 'file') ?? '';
  const link = linkTo(file, root, path);
  const { format, extension, mediaType, text, repeat } = formatTranscript(answer, transcriptFormat, {
    source: basename(file),
    ...(link === undefined ? {} : { link }),
    model: job.request.model,
    operation: job.operation,
    date: new Date(job.createdAt),
    ...(job.sandbox ? { sandbox: true } : {}),
  });
  if (format !== transcriptFormat) {
    onNotice(`The service sent no times, so the transcript is saved as ${format} and not as ${transcriptFormat}.`);
  }
  if (repeat) onNotice(`One line stands ${repeat.times} times in a row: “${repeat.text.slice(0, 80)}”. Compare it.`);
  return { data: inOnePiece(Buffer.from(text)), type: { mime: mediaType, extension } };
}

/** From a folder of the workspace to a recording in the same workspace. */
function linkTo(file: string, root: string, path: string): string | undefined {
  if (!root.startsWith('file:')) return undefined;
  const inside = relative(fileURLToPath(root), file);
  if (inside.startsWith('..') || isAbsolute(inside)) return undefined;
  return posix.relative(path, inside.replaceAll('\\', '/'));
}

function open(media: Media, job: JobFacts, { client, signal, onProgress, sleep }: SaveOptions) {
  if ('bytes' in media) return inOnePiece(media.bytes);
  if ('data' in media) return media.data;
  const { url } = media;
  const from = (position: number) => client.download(job.operation, url, { signal, onProgress, from: position });
  return fetchResult(from, { signal, onProgress, sleep });
}

async function* inOnePiece(bytes: Uint8Array) {
  yield bytes;
}

/** Saves one file of a job under its name and records it. */
export async function saveAsset(
  source: Source,
  job: JobFacts,
  videoId: string | undefined,
  place: Place,
): Promise<Asset> {
  const prompt = textOf(job.request, 'prompt') ?? textOf(job.request, 'input');
  const origin = basename(textOf(job.request, 'file') ?? '').replace(/\.[^.]*$/, '');
  const name = fileNameOf(job.place.fileName, {
    // A transcript is named after its recording.
    prompt: prompt ?? origin,
    operation: job.operation,
    model: job.request.model,
    source: origin,
    time: new Date(job.createdAt),
  });
  const { result: kind } = operations[job.operation];
  const { name: file, ...facts } = await saveMedia(place.folder, source.data, {
    name,
    kind,
    id: `${job.id}-${source.index}`,
    type: source.type,
    announced: source.announced,
  });
  const asset: Asset = {
    uri: place.folder.uriOf(file),
    kind,
    operation: job.operation,
    model: job.request.model,
    ...(prompt === undefined ? {} : { prompt }),
    ...facts,
    createdAt: job.createdAt,
    jobId: job.id,
    ...videoIds(job, videoId),
  };
  await record(place, file, asset, job.sandbox);
  return asset;
}

async function record(place: Place, file: string, { uri, ...facts }: Asset, sandbox: boolean): Promise<void> {
  try {
    const line = { file: place.recordedName(file), ...facts, ...(sandbox ? { sandbox } : {}) };
    await recordAsset(place.library, line);
  } catch (error) {
    const reason = reasonOf(error);
    throw new MediaError('save', `The result is saved as ${uri}, but the library cannot be written: ${reason}.`, {
      cause: error,
    });
  }
}

function videoIds(job: JobFacts, videoId: string | undefined) {
  if (operations[job.operation].result !== 'videos') return {};
  const parentVideoId = textOf(job.request, 'video_id');
  return {
    ...(videoId === undefined ? {} : { videoId }),
    ...(parentVideoId === undefined ? {} : { parentVideoId }),
  };
}

function textOf(request: MediaRequest, name: string): string | undefined {
  const value = new Map<string, unknown>(Object.entries(request)).get(name);
  return typeof value === 'string' ? value : undefined;
}
