import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Asset } from '../library/Asset.ts';
import { fileNameOf, nameParts } from '../library/fileName.ts';
import { hasFile } from '../library/hasFile.ts';
import type { LibraryRecord } from '../library/LibraryRecord.ts';
import type { ConvertBytes, SavedFile } from '../library/saveMedia.ts';
import { saveMedia, temporaryName } from '../library/saveMedia.ts';
import { usageOf } from '../library/usageOf.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { MediaType } from '../operations/mediaType.ts';
import type { MediaRequest } from '../operations/operations.ts';
import { operations, wordsOf } from '../operations/operations.ts';
import type { SavedAnswer } from './FinalAnswer.ts';
import type { JobLog } from './JobLog.ts';
import type { JobFacts } from './JobRecord.ts';
import type { NamedResult } from './journalEntry.ts';
import { isLeaseLost, LeaseLost } from './LeaseLost.ts';
import type { Place } from './Place.ts';

/** What is known of a result before it is saved. */
export interface ResultFacts {
  /** Index in the answer. */
  readonly index: number;
  /** Type of a file that we wrote ourselves. */
  readonly type?: MediaType | undefined;
  /** Media type that the service announced. */
  readonly announced?: string | undefined;
}

export interface SaveAssetOptions {
  readonly place: Place;
  /** Records the name before the file gets it, so that after a crash the file is not saved twice. */
  readonly log?: Pick<JobLog, 'naming' | 'keepRaw'>;
  /** Results of the job that this process has saved. */
  readonly saved?: Readonly<Record<number, Asset>>;
  /** The name that an earlier attempt was about to give to the complete result. */
  readonly begun?: NamedResult | undefined;
  readonly convert?: ConvertBytes | undefined;
}

/** Saves one file of a job and records it. */
export async function saveAsset(
  result: ResultFacts & { readonly data: AsyncIterable<Uint8Array> },
  job: JobFacts,
  answer: Pick<SavedAnswer, 'id' | 'usage'>,
  options: SaveAssetOptions,
): Promise<Asset> {
  const { place, begun } = options;
  const prompt = wordsOf(job.request);
  const { result: kind } = operations[job.operation];
  const isNamed = begun !== undefined && (await hasFile(place.folder, begun.name, begun));
  // Where hard links are not supported, a crash leaves an empty file with that name.
  if (begun && !isNamed && begun.bytes > 0 && (await place.folder.size(begun.name)) === 0) {
    await place.folder.remove(begun.name);
  }
  const { name: file, ...facts } = isNamed ? begun : await saveNew(result, job, prompt, options);
  const asset: Asset = {
    uri: place.folder.uriOf(file),
    kind,
    operation: job.operation,
    model: job.request.model,
    ...(prompt === undefined ? {} : { prompt }),
    ...facts,
    createdAt: job.createdAt,
    jobId: job.id,
    ...videoIds(job, answer.id),
  };
  const usage = usageOf(answer.usage);
  const isRecorded = isNamed && (await place.library.has({ ...asset, file: place.recordedName(file) }));
  // A part of a longer text or recording is not an asset of its own.
  if (!job.whole && !isRecorded)
    await record(place, file, asset, { ...(usage ? { usage } : {}), ...(job.sandbox ? { sandbox: true } : {}) });
  return asset;
}

function saveNew(
  { index, type, announced, data }: ResultFacts & { readonly data: AsyncIterable<Uint8Array> },
  job: JobFacts,
  prompt: string | undefined,
  { place, log, saved = {}, convert }: SaveAssetOptions,
): Promise<SavedFile> {
  const origin = basename(fieldIn(job.request, 'file') ?? '').replace(/\.[^.]*$/, '');
  const { exactName, fileName } = job.place;
  const name = fileNameOf(fileName, {
    // A transcript is named after its recording.
    prompt: prompt ?? origin,
    operation: job.operation,
    model: job.request.model,
    source: origin,
    time: new Date(job.createdAt),
  });
  const id = `${job.id}-${index}-${randomUUID().slice(0, 8)}`;
  return saveMedia(place.folder, data, {
    ...(exactName === undefined ? { name } : { ...nameParts(exactName), convert }),
    kind: operations[job.operation].result,
    id,
    type,
    announced,
    onNaming: async (taken, facts) => {
      await log?.naming(index, { name: taken, ...facts }).catch(async (error: unknown) => {
        // The job's folder is gone: removed by accident, or because another process has just saved the result.
        if (isLeaseLost(error) || (await isSavedByOther(job, saved, place))) throw new LeaseLost();
      });
    },
    onUnknownType: async (bytes) => log?.keepRaw(index, bytes),
  }).catch(async (error: unknown) => {
    // The process that took the job over writes its own file.
    if (isLeaseLost(error)) await place.folder.remove(temporaryName(id)).catch(() => undefined);
    throw error;
  });
}

/** Whether the library has results of a job that this process did not save. */
export async function isSavedByOther(
  { id, operation }: JobFacts,
  saved: Readonly<Record<number, Asset>>,
  { library }: Place,
): Promise<boolean> {
  const own = new Set(Object.values(saved).map(({ sha256 }) => sha256));
  const entries = await library.entries(operations[operation].result);
  return entries.some(({ jobId, sha256 }) => jobId === id && !own.has(sha256 ?? ''));
}

type OwnFacts = Pick<LibraryRecord, 'sandbox' | 'usage'>;

async function record(place: Place, file: string, { uri, ...facts }: Asset, own: OwnFacts): Promise<void> {
  try {
    await place.library.append({ file: place.recordedName(file), ...facts, ...own });
  } catch (error) {
    throw new MediaError(
      'save',
      l10n.t('The result was saved as {0}, but could not be added to the library: {1}.', uri, reasonOf(error)),
      { cause: error },
    );
  }
}

function videoIds(job: JobFacts, videoId: string | undefined) {
  if (operations[job.operation].result !== 'videos') return {};
  const parentVideoId = fieldIn(job.request, 'video_id');
  return {
    ...(videoId === undefined ? {} : { videoId }),
    ...(parentVideoId === undefined ? {} : { parentVideoId }),
  };
}

function fieldIn(request: MediaRequest, name: string): string | undefined {
  const value = new Map<string, unknown>(Object.entries(request)).get(name);
  return typeof value === 'string' ? value : undefined;
}
