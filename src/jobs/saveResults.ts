import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Asset } from '../library/Asset.ts';
import type { Folder } from '../library/Folder.ts';
import { fileNameOf, nameParts } from '../library/fileName.ts';
import { hasFile } from '../library/hasFile.ts';
import type { Library } from '../library/Library.ts';
import type { LibraryRecord } from '../library/LibraryRecord.ts';
import type { ConvertBytes, SavedFile } from '../library/saveMedia.ts';
import { inOnePiece, saveMedia, temporaryName } from '../library/saveMedia.ts';
import { usageOf } from '../library/usageOf.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { MediaType } from '../operations/mediaType.ts';
import type { MediaRequest } from '../operations/operations.ts';
import { operations, wordsOf } from '../operations/operations.ts';
import type { AnswerSource, Media } from '../service/Answer.ts';
import type { MediaClient } from '../service/MediaClient.ts';
import type { Progress } from '../service/RequestOptions.ts';
import type { FinalAnswer, SavedAnswer } from './FinalAnswer.ts';
import type { FetchOptions, OpenResult } from './fetchResult.ts';
import { fetchResult } from './fetchResult.ts';
import type { JobLog } from './JobLog.ts';
import { LeaseLost } from './JobLog.ts';
import type { JobFacts } from './JobRecord.ts';
import type { NamedResult } from './journalEntry.ts';
import { transcriptFile } from './transcriptFile.ts';

/** Where a job's files and their records go. */
export interface Place {
  readonly folder: Folder;
  readonly library: Library;
  /** Returns a saved file's name in the library: its path in the workspace folder, with forward slashes. */
  recordedName(name: string): string;
  /**
   * Returns the link target for a local file in a Markdown document of this folder, not percent-encoded; undefined when
   * a relative path works.
   */
  linkTo?(file: string): Promise<string | undefined>;
  /**
   * Creates a marker file for an open job when the library is outside the workspace, so that VS Code activates for it.
   */
  announce?(jobId: string): Promise<void>;
  withdraw?(jobId: string): Promise<void>;
}

/** Checks that files and their records can be written. Throws MediaError `save`. */
export async function checkPlace({ folder, library }: Place): Promise<void> {
  await folder.check();
  await library.check();
}

export type JobProgress =
  | Exclude<Progress, { readonly stage: 'waiting' }>
  /** `status` as the service words it and `progress` in percent, if the service reports them. */
  | { readonly stage: 'waiting'; readonly status?: string | undefined; readonly progress?: number | undefined }
  | { readonly stage: 'saving'; readonly file: number; readonly files: number };

export interface SaveOptions {
  readonly client: Pick<MediaClient, 'download'>;
  readonly place: Place;
  readonly signal: AbortSignal;
  readonly sleep?: FetchOptions['sleep'];
  readonly convert?: ConvertBytes | undefined;
  /** Holds the state of earlier attempts, and keeps results that could not be saved to their place. */
  readonly log: Pick<JobLog, 'keep' | 'keepRaw' | 'kept' | 'naming' | 'read'>;
  /** Results already saved, by their index in the answer. */
  readonly saved: Readonly<Record<number, Asset>>;
  onProgress(progress: JobProgress): void;
  /** Called with a sentence that says how the result differs from the request. */
  onNotice(sentence: string): void;
  /** Called when a file is on disk and recorded, before the next one is started. */
  onSaved(index: number, asset: Asset): Promise<void>;
}

/** One file to save. */
interface Result extends ResultFacts {
  open(): AsyncIterable<Uint8Array>;
}

interface ResultFacts {
  /** Index in the answer. */
  readonly index: number;
  /** Type of a file that we wrote ourselves. */
  readonly type?: MediaType | undefined;
  /** Media type that the service announced. */
  readonly announced?: string | undefined;
}

/**
 * Saves and records the results in an answer.
 *
 * @throws MediaError the first failure, after all other results were saved; LeaseLost when another process has taken
 *   the job over
 */
export async function saveResults(job: JobFacts, { answer, source }: FinalAnswer, options: SaveOptions): Promise<void> {
  const results = await resultsOf(job, answer, source, options);
  const begun = (await options.log.read().catch(() => undefined))?.naming;
  const failures: unknown[] = [];
  for (const result of results) {
    const { index } = result;
    if (options.saved[index]) continue;
    try {
      options.onProgress({ stage: 'saving', file: index + 1, files: results.length });
      const data = (await options.log.kept(index)) ?? result.open();
      await options.onSaved(
        index,
        await saveAsset({ ...result, data }, job, answer, { ...options, begun: begun?.get(index) }),
      );
    } catch (error) {
      if (isLeaseLost(error)) throw new LeaseLost();
      const isUnsaved = error instanceof MediaError && error.kind === 'save';
      failures.push(isUnsaved ? await keepUnsaved(error, answer, result, options) : error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Removes the temporary files that interrupted attempts of a job have left in its target folder. */
export async function removeAttempts({ folder }: Place, jobId: string): Promise<void> {
  const names = await folder.list();
  const left = names.filter((name) => name.startsWith(`.${jobId}-`) && name.endsWith('.part'));
  await Promise.all(left.map((name) => folder.remove(name)));
}

function isLeaseLost(error: unknown): boolean {
  return error instanceof LeaseLost || (error instanceof Error && isLeaseLost(error.cause));
}

/**
 * Keeps a result that could not be saved, because its URL may expire.
 *
 * @returns the error with what became of the result
 */
async function keepUnsaved(
  error: MediaError,
  answer: SavedAnswer,
  { index, open }: Result,
  { log }: SaveOptions,
): Promise<MediaError> {
  const media = answer.type === 'media' ? answer.media[index] : undefined;
  const withSentence = (sentence: string) =>
    new MediaError('save', `${error.message} ${sentence}`, { ...error, cause: error });
  try {
    // Data inside the answer is already kept with it.
    if (media && 'url' in media && !(await log.kept(index))) await log.keep(index, open());
    return withSentence(l10n.t("The result is kept in the extension's storage."));
  } catch (reason) {
    return withSentence(
      l10n.t(
        "It cannot be kept in the extension's storage either ({0}), and its address may expire.",
        reasonOf(reason),
      ),
    );
  }
}

async function resultsOf(
  job: JobFacts,
  answer: SavedAnswer,
  source: AnswerSource,
  options: SaveOptions,
): Promise<readonly Result[]> {
  if (answer.type === 'transcript') {
    const { text, type, notices } = await transcriptFile(job, answer, options.place);
    for (const notice of notices) options.onNotice(notice);
    return [{ index: 0, type, open: () => inOnePiece(Buffer.from(text)) }];
  }
  return answer.media.map((media, index) => ({
    index,
    open: () => open(media, job, source, options),
    announced: 'url' in media ? undefined : media.mediaType,
  }));
}

function open(media: Media, job: JobFacts, source: AnswerSource, { client, signal, onProgress, sleep }: SaveOptions) {
  if ('bytes' in media) return inOnePiece(media.bytes);
  if ('data' in media) return media.data;
  const { url } = media;
  const from: OpenResult = (position, version) =>
    client.download(job.operation, url, source, { signal, onProgress, from: position, version });
  return fetchResult(from, { signal, onProgress, sleep });
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
