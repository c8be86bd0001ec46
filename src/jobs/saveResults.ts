import { basename } from 'node:path';
import type { Asset } from '../library/Asset.ts';
import type { Folder } from '../library/Folder.ts';
import { fileNameOf } from '../library/fileName.ts';
import { recordAsset } from '../library/recordAsset.ts';
import { saveMedia } from '../library/saveMedia.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { MediaRequest } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { Answer, Media } from '../service/Answer.ts';
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
  /** Called when a file is on disk and recorded, before the next is begun. */
  onSaved(index: number, asset: Asset): Promise<void>;
}

/**
 * Saves and records what an answer holds.
 *
 * @throws MediaError; all results are tried, and the first failure is thrown after the others are saved
 */
export async function saveResults(job: JobFacts, answer: Answer, options: SaveOptions): Promise<void> {
  const media = mediaOf(answer);
  const failures: unknown[] = [];
  for (const [index, item] of media.entries()) {
    if (options.saved[index]) continue;
    try {
      const data = open(item, job, options);
      options.onProgress({ stage: 'saving', file: index + 1, files: media.length });
      const source = { data, index, announced: 'bytes' in item ? item.mediaType : undefined };
      await options.onSaved(index, await save(source, job, answer, options.place));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

function mediaOf(answer: Answer): readonly Media[] {
  if (answer.type === 'media') return answer.media;
  const told = answer.type === 'job' ? `it works on it as ${answer.id} (${answer.status ?? 'no status'})` : 'a text';
  throw new MediaError('noMedia', `The service accepted the request but sent no media: ${told}. It may bill it.`, {
    requestId: answer.requestId,
    mayBeBilled: true,
  });
}

function open(media: Media, job: JobFacts, { client, signal, onProgress, sleep }: SaveOptions) {
  if ('url' in media) {
    const { url } = media;
    return fetchResult((from) => client.download(job.operation, url, { signal, onProgress, from }), {
      signal,
      onProgress,
      sleep,
    });
  }
  return inOnePiece(media.bytes);
}

async function* inOnePiece(bytes: Uint8Array) {
  yield bytes;
}

interface Source {
  readonly data: AsyncIterable<Uint8Array>;
  /** Its place in the answer. */
  readonly index: number;
  readonly announced: string | undefined;
}

async function save(source: Source, job: JobFacts, answer: Answer, place: Place): Promise<Asset> {
  const prompt = textOf(job.request, 'prompt') ?? textOf(job.request, 'input');
  const name = fileNameOf(job.place.fileName, {
    prompt: prompt ?? '',
    operation: job.operation,
    model: job.request.model,
    source: basename(textOf(job.request, 'file') ?? '').replace(/\.[^.]*$/, ''),
    time: new Date(job.createdAt),
  });
  const { result: kind } = operations[job.operation];
  const { name: file, ...facts } = await saveMedia(place.folder, source.data, {
    name,
    kind,
    id: `${job.id}-${source.index}`,
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
    ...videoIds(job, answer),
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

function videoIds(job: JobFacts, answer: Answer) {
  if (operations[job.operation].result !== 'videos') return {};
  const parentVideoId = textOf(job.request, 'video_id');
  return {
    ...(answer.id === undefined ? {} : { videoId: answer.id }),
    ...(parentVideoId === undefined ? {} : { parentVideoId }),
  };
}

function textOf(request: MediaRequest, name: string): string | undefined {
  const value = new Map<string, unknown>(Object.entries(request)).get(name);
  return typeof value === 'string' ? value : undefined;
}
