import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Asset } from '../library/Asset.ts';
import type { Folder } from '../library/Folder.ts';
import { fileNameOf } from '../library/fileName.ts';
import { recordAsset } from '../library/recordAsset.ts';
import type { SavedFile } from '../library/saveMedia.ts';
import { saveMedia } from '../library/saveMedia.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { MediaRequest, OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { Answer, Media } from '../service/Answer.ts';
import type { MediaClient, Progress } from '../service/MediaClient.ts';

/** Where a job's files and their records go. */
export interface Place {
  readonly folder: Folder;
  /** The pattern of file names, e.g. `${prompt}`. */
  readonly fileName: string;
  readonly library: Folder;
  /** A saved file as the library names it: relative to the workspace folder, with forward slashes. */
  recordedName(name: string): string;
}

export interface JobInput {
  readonly operation: OperationId;
  readonly request: MediaRequest;
}

interface Job extends JobInput {
  readonly id: string;
  readonly createdAt: Date;
}

export type JobProgress = Progress | { readonly stage: 'saving'; readonly file: number; readonly files: number };

export interface JobOptions {
  readonly client: Pick<MediaClient, 'send' | 'download'>;
  /** Whether the sandbox answers; its assets are recorded as such. */
  readonly sandbox: boolean;
  readonly place: Place;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: JobProgress) => void;
}

/**
 * Runs one job: proves that its results can be saved, sends the request, saves and records what comes back.
 *
 * @returns an asset per file, in the order of the answer
 * @throws MediaError; of several results all are tried, and the first failure is thrown after the others are saved
 */
export async function runJob(input: JobInput, options: JobOptions): Promise<readonly Asset[]> {
  const job: Job = { ...input, id: randomUUID(), createdAt: new Date() };
  const { client, place, signal, onProgress } = options;
  await place.folder.check();
  await place.library.check();
  const answer = await client.send(job.operation, job.request, { signal, onProgress });
  const media = mediaOf(answer);
  const assets: Asset[] = [];
  const failures: unknown[] = [];
  for (const [index, item] of media.entries()) {
    try {
      const data = await open(item, job, options);
      onProgress?.({ stage: 'saving', file: index + 1, files: media.length });
      assets.push(await save(data, job, answer, options));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return assets;
}

function mediaOf(answer: Answer): readonly Media[] {
  if (answer.type === 'media') return answer.media;
  const told = answer.type === 'job' ? `it works on it as ${answer.id} (${answer.status ?? 'no status'})` : 'a text';
  throw new MediaError('noMedia', `The service accepted the request but sent no media: ${told}. It may bill it.`, {
    requestId: answer.requestId,
    mayBeBilled: true,
  });
}

async function open(media: Media, job: Job, { client, signal, onProgress }: JobOptions) {
  if ('url' in media) return client.download(job.operation, media.url, { signal, onProgress });
  return inOnePiece(media.bytes);
}

async function* inOnePiece(bytes: Uint8Array) {
  yield bytes;
}

async function save(
  data: AsyncIterable<Uint8Array>,
  job: Job,
  answer: Answer,
  { place, sandbox }: JobOptions,
): Promise<Asset> {
  const prompt = textOf(job.request, 'prompt') ?? textOf(job.request, 'input');
  const source = textOf(job.request, 'file') ?? '';
  const name = fileNameOf(place.fileName, {
    prompt: prompt ?? '',
    operation: job.operation,
    model: job.request.model,
    source: basename(source).replace(/\.[^.]*$/, ''),
    time: job.createdAt,
  });
  const { result: kind } = operations[job.operation];
  const file = await saveMedia(place.folder, name, kind, data);
  const facts = {
    kind,
    operation: job.operation,
    model: job.request.model,
    ...(prompt === undefined ? {} : { prompt }),
    mediaType: file.mediaType,
    bytes: file.bytes,
    sha256: file.sha256,
    createdAt: job.createdAt.toISOString(),
    jobId: job.id,
    ...videoIds(job, answer),
  } as const;
  await record(place, file, { ...facts, ...(sandbox ? { sandbox } : {}) });
  return { uri: place.folder.uriOf(file.name), ...facts };
}

async function record(place: Place, file: SavedFile, facts: Omit<Parameters<typeof recordAsset>[1], 'file'>) {
  try {
    await recordAsset(place.library, { file: place.recordedName(file.name), ...facts });
  } catch (error) {
    const sentence = `The result is saved as ${place.folder.uriOf(file.name)}, but the library cannot be written`;
    throw new MediaError('save', `${sentence}: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    });
  }
}

function videoIds(job: Job, answer: Answer) {
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
