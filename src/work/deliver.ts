import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { pathOfRoot } from '../files/canonicalRoot.ts';
import { type Folder, hasFile } from '../files/Folder.ts';
import { headOfFile } from '../files/readBytes.ts';
import { differsSentence, expectationsOf } from '../library/differences.ts';
import { fileNameOf, nameParts, transcriptName } from '../library/fileName.ts';
import type { Library } from '../library/Library.ts';
import type { Asset, BesideFile, LibraryRecord, RecordedMarks } from '../library/LibraryRecord.ts';
import { digitalSourceOf } from '../library/recordedMarks.ts';
import { usageOf, valuesOf } from '../library/recordFacts.ts';
import {
  type ConvertBytes,
  inOnePiece,
  nameNew,
  record,
  type SavedFile,
  saveBytes,
  saveMedia,
  temporaryName,
  withHash,
} from '../library/saveMedia.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { detectMediaType, headBytes, isSameType, type MediaType } from '../operations/mediaType.ts';
import { type AssetKind, extensionOf, type MediaRequest, operations, wordsOf } from '../operations/operations.ts';
import type { AnswerSource, Media, MediaAnswer, RawAnswer, TranscriptAnswer } from '../service/Answer.ts';
import { type AnswerBody, bytesOf } from '../service/AnswerBody.ts';
import type { MediaClient } from '../service/MediaClient.ts';
import { type FetchOptions, fetchResult } from './fetchResult.ts';
import type { JobFacts, JobProgress, PlaceReference } from './Job.ts';
import { isLeaseLost, LeaseLost } from './Lease.ts';
import { differencesIn } from './measureFile.ts';
import { transcriptFile } from './transcriptFile.ts';
import type { KeptAnswer, RawFile, Work } from './Work.ts';

// Every result is saved by `deliver`: to its output folder, where it is recorded, or, for one part of a longer text or
// recording, to the part's own work folder until the other parts are done.

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
}

/** Checks that files and their records can be written. Throws MediaError `save`. */
export async function checkPlace({ folder, library }: Place): Promise<void> {
  await folder.check();
  await library.check();
}

/**
 * Checks that the manifest that a result is for is still there. When its folder was renamed, or another branch is checked
 * out, a result that is saved where it was would be missing where it is, and be paid for again.
 *
 * @throws MediaError `save`
 */
export function checkManifest({ root, manifest }: Pick<PlaceReference, 'root' | 'manifest'>): void {
  const folder = pathOfRoot(root);
  if (manifest === undefined || folder === undefined || existsSync(join(folder, manifest))) return;
  const sentence = l10n.t(
    '{0} is no longer there: it was moved or removed, or another branch is checked out. Nothing that was paid for is lost. Start again once it is back, or where it was moved to.',
    manifest,
  );
  throw new MediaError('save', sentence, { field: 'manifest' });
}

/** Removes the temporary files that interrupted attempts of a job have left in its target folder. */
export async function removeAttempts({ folder }: Place, jobId: string): Promise<void> {
  const names = await folder.list();
  const left = names.filter((name) => name.startsWith(`.${jobId}-`) && name.endsWith('.part'));
  await Promise.all(left.map((name) => folder.remove(name)));
}

/** An attempt that also saves the results. */
export interface Delivery extends Attempt {
  readonly place: Place;
  readonly convert?: ConvertBytes;
  /** Results already saved, by their index in the answer. */
  readonly saved: Readonly<Record<number, Asset>>;
  /** Called with a sentence that says how the result differs from the request. */
  onNotice(sentence: string): void;
  /** Called when a file is on disk and recorded, before the next one is started. */
  onSaved(index: number, asset: Asset): Promise<void>;
}

/** One file to save. */
interface Result extends ResultFacts {
  open(): AsyncIterable<Uint8Array>;
}

/**
 * Saves and records the results in an answer.
 *
 * @throws MediaError the first failure, after all other results were saved; LeaseLost when another process has taken
 *   the job over
 */
export async function deliver({ answer, source }: FinalAnswer, options: Delivery): Promise<void> {
  const { job, work, saved } = options;
  const results = await resultsOf(answer, source, options);
  const { naming, firstResults } = (await work.read().catch(() => undefined)) ?? {};
  const failures: unknown[] = [];
  const notices = new Set<string>();
  const save: SaveResult = async (result, target, begun) => {
    const { index } = result;
    try {
      options.onProgress({ stage: 'saving', file: index + 1, files: Math.max(index + 1, results.length) });
      const data = (await work.kept(index)) ?? result.open();
      const asset = await saveAsset({ ...result, data }, job, answer, target, begun);
      if (asset.differs) notices.add(differsSentence(asset.differs));
      await options.onSaved(index, asset);
    } catch (error) {
      if (isLeaseLost(error)) throw new LeaseLost();
      const isUnsaved = error instanceof MediaError && error.kind === 'save' && !(error instanceof SavedBefore);
      const failure = isUnsaved ? await keepUnsaved(error, result, work, target) : error;
      if (failure instanceof SavedBefore) return 'savedBefore';
      failures.push(failure);
    }
    return undefined;
  };
  let isDone = false;
  if (firstResults !== undefined) {
    const count = Math.max(firstResults, results.length);
    await saveAnew(results, count, naming, options, save);
    // What is saved may be listed at an address that has expired.
    isDone = Object.keys(saved).length >= count;
  } else {
    for (const result of results) {
      if (saved[result.index]) continue;
      await save(result, options, naming?.get(result.index));
    }
  }
  for (const notice of notices) options.onNotice(notice);
  if (failures.length > 0 && !isDone) throw failures[0];
  checkComplete(answer, job);
  checkCount(Object.keys(saved).length, firstResults);
}

/** Saves or keeps a result. @returns `savedBefore` when the same is saved already */
type SaveResult = (result: Result, target: Target, begun?: SavedFile) => Promise<'savedBefore' | undefined>;

/**
 * Thrown before a result gets a name or is kept, because the same is saved. A MediaError, since {@link saveMedia} wraps
 * others.
 */
class SavedBefore extends MediaError {
  constructor() {
    super('save', 'the result is saved already');
  }
}

/**
 * Saves the results of a job that was asked again after it was done. Those that are neither saved nor kept come first,
 * so that the others are not downloaded again. The service may list them in another order, and then only their content
 * tells which of them are saved.
 *
 * @param count how many results there are; no more are saved or kept
 */
async function saveAnew(
  results: readonly Result[],
  count: number,
  naming: ReadonlyMap<number, SavedFile> | undefined,
  options: Delivery,
  save: SaveResult,
): Promise<void> {
  const { saved, work, place } = options;
  const had = new Set(await work.keptIndexes());
  // Those that an earlier attempt has left complete.
  for (const [index, begun] of naming ?? []) if (await hasFile(place.folder, begun.name, begun)) had.add(index);
  for (const index of had) {
    if (!saved[index]) await save({ index, open: () => inOnePiece(Buffer.alloc(0)) }, options, naming?.get(index));
  }
  for (const index of Object.keys(saved)) had.add(Number(index));
  const unmatched = Object.values(saved).map(({ sha256 }) => sha256);
  const isSaved = (sha256: string) => {
    const at = unmatched.indexOf(sha256);
    if (at >= 0) unmatched.splice(at, 1);
    return at >= 0;
  };
  const missing = results.filter(({ index }) => !had.has(index));
  const others = results.filter(({ index }) => had.has(index));
  let isReordered = results.length < count;
  for (const result of missing) {
    if (had.size >= count) return;
    if ((await save(result, { ...options, isSaved })) === 'savedBefore') isReordered = true;
    else if (await hasResult(result.index, options)) had.add(result.index);
  }
  // Content may differ at each download. Without a sign of another order, these are the saved ones.
  if (!isReordered) return;
  for (const result of others) {
    if (had.size >= count) return;
    let index = 0;
    while (had.has(index)) index++;
    await save({ ...result, index }, { ...options, isSaved });
    if (await hasResult(index, options)) had.add(index);
  }
}

async function hasResult(index: number, { saved, work }: Delivery): Promise<boolean> {
  return saved[index] !== undefined || (await work.kept(index)) !== undefined;
}

/** @throws MediaError `download` when fewer results are saved than the first final answer of a job named */
function checkCount(saved: number, named = 0): void {
  if (saved >= named) return;
  const sentence = l10n.t('The service now names fewer results than before: {0} of {1} are saved.', saved, named);
  throw new MediaError('download', sentence, { mayBeBilled: true });
}

/** @throws MediaError `unreadableAnswer` when a result that was asked for is in the answer, but cannot be read */
function checkComplete(answer: SavedAnswer, { request }: JobFacts): void {
  if (answer.type !== 'media' || !answer.unread) return;
  const asked = 'n' in request ? request.n : 1;
  const missing = Math.min(answer.unread, asked - answer.media.length);
  if (missing <= 0) return;
  const sentence = l10n.t('{0} of {1} results in the answer cannot be read.', missing, asked);
  throw new MediaError('unreadableAnswer', sentence, { requestId: answer.requestId, mayBeBilled: true });
}

/**
 * Keeps a result that could not be saved, because its URL may expire.
 *
 * @returns the error with what became of the result; SavedBefore when the same is saved already
 */
async function keepUnsaved(
  error: MediaError,
  { index, isLinked, open }: Result,
  work: Work,
  { isSaved }: Target,
): Promise<MediaError> {
  const withSentence = (sentence: string) =>
    new MediaError('save', `${error.message} ${sentence}`, { ...error, cause: error });
  try {
    // Data inside the answer is already kept with it.
    if (isLinked && !(await work.kept(index))) await work.keep(index, unlessSaved(open(), isSaved));
    return withSentence(l10n.t("The result is kept in the extension's storage."));
  } catch (reason) {
    if (reason instanceof SavedBefore) return reason;
    return withSentence(
      l10n.t(
        "It cannot be kept in the extension's storage either ({0}), and its address may expire.",
        reasonOf(reason),
      ),
    );
  }
}

/** @throws SavedBefore at the end of data that is saved already */
async function* unlessSaved(data: AsyncIterable<Uint8Array>, isSaved: Target['isSaved']) {
  const hashed = withHash(data);
  yield* hashed;
  if (isSaved?.(hashed.sha256())) throw new SavedBefore();
}

async function resultsOf(answer: SavedAnswer, source: AnswerSource, options: Delivery): Promise<readonly Result[]> {
  const { job } = options;
  if (answer.type === 'transcript') {
    const { text, type, times, notices } = await transcriptFile(job, answer, options.place);
    for (const notice of notices) options.onNotice(notice);
    return [{ index: 0, type, times, open: () => inOnePiece(Buffer.from(text)) }];
  }
  for (const notice of answer.notices ?? []) options.onNotice(notice);
  return answer.media.map((media, index) => ({
    index,
    open: () => open(media, source, options),
    isLinked: 'url' in media,
    announced: 'url' in media ? undefined : media.mediaType,
  }));
}

function open(media: Media, source: AnswerSource, options: Delivery) {
  if ('bytes' in media) return inOnePiece(media.bytes);
  if ('data' in media) return media.data;
  return fetchLink(media.url, source, options);
}

function fetchLink(url: string, source: AnswerSource, { job, client, signal, onProgress, sleep }: Attempt) {
  return fetchResult(
    (from, version) => client.download(job.operation, url, source, { signal, onProgress, from, version }),
    { signal, onProgress, sleep },
  );
}

/** What is known of a result before it is saved. */
export interface ResultFacts {
  /** Index in the answer. */
  readonly index: number;
  /** Type of a file that we wrote ourselves. */
  readonly type?: MediaType;
  /** Content of the `.vtt` file beside a transcript. */
  readonly times?: string;
  /** Whether it comes from a URL, which may work only once. */
  readonly isLinked?: boolean;
  /** Media type that the service announced. */
  readonly announced?: string;
  /** What became of the marks of the parts that it was joined from. */
  readonly marks?: RecordedMarks;
}

/** Where a file is saved; the rest comes from the attempt of its job, if there is one. */
interface Target extends Pick<Delivery, 'place'>, Partial<Pick<Delivery, 'work' | 'saved' | 'convert' | 'signal'>> {
  /** Whether a result with this hash, in hexadecimal, is saved and need not be saved again. */
  readonly isSaved?: (sha256: string) => boolean;
}

/** Saves one file of a job and records it. */
export async function saveAsset(
  result: ResultFacts & { readonly data: AsyncIterable<Uint8Array> },
  job: JobFacts,
  answer: Pick<SavedAnswer, 'id' | 'usage'>,
  target: Target,
  begun?: SavedFile,
): Promise<Asset> {
  const { place } = target;
  const prompt = wordsOf(job.operation, job.request);
  const { result: kind } = operations[job.operation];
  const isNamed = begun !== undefined && (await hasFile(place.folder, begun.name, begun));
  // Where hard links are not supported, a crash leaves an empty file with that name.
  if (begun && !isNamed && begun.bytes > 0 && (await place.folder.size(begun.name)) === 0) {
    await place.folder.remove(begun.name);
  }
  const { name: file, marks = {}, ...facts } = isNamed ? begun : await saveNew(result, job, prompt, target);
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
  if (job.whole || isRecorded) return asset;
  const values = valuesOf(job.operation, job.request);
  const asked = expected(values, kind, job, file);
  const differs = await differencesIn(asset, file, asked, { ...target, folder: place.folder });
  const proven: Asset = differs ? { ...asset, differs } : asset;
  const times = result.times === undefined ? undefined : await saveTimes(result.times, file, place);
  await record(place, file, proven, {
    inputs: job.inputs,
    ...values,
    ...(usage ? { usage } : {}),
    ...(job.sandbox ? { sandbox: true } : {}),
    times,
    ...(result.marks ?? marks),
  });
  return proven;
}

/** Returns what was asked of a file. If it has the type of its path, the type asked of the service does not matter. */
function expected(
  { values }: Pick<LibraryRecord, 'values'>,
  kind: AssetKind,
  { place: { exactName = '' } }: JobFacts,
  file: string,
) {
  const isTypeOfPath = isSameType(extensionOf(exactName), extensionOf(file));
  return expectationsOf(kind, values).filter(({ needsContent }) => needsContent || !isTypeOfPath);
}

/** Saves the times of a transcript beside it. After a crash it finds the file that it has saved before. */
function saveTimes(times: string, file: string, { folder }: Place): Promise<BesideFile> {
  return saveBytes(
    folder,
    Buffer.from(times),
    async (created) => ({
      name: await nameNew(folder, created, nameParts(file).name, 'vtt'),
      sha256: created.sha256,
    }),
    (reason) => l10n.t('The transcript was saved as {0}, but its times were not: {1}.', folder.uriOf(file), reason),
  );
}

function saveNew(
  { index, type, times, isLinked, announced, data }: ResultFacts & { readonly data: AsyncIterable<Uint8Array> },
  job: JobFacts,
  prompt: string | undefined,
  { place, work, saved = {}, convert, isSaved }: Target,
): Promise<SavedFile> {
  const origin = basename(fieldIn(job.request, 'file') ?? '').replace(/\.[^.]*$/, '');
  const { exactName, fileName } = job.place;
  const { result: kind } = operations[job.operation];
  // A part waits in its own folder for the others.
  const made = fileNameOf(job.whole ? 'part' : fileName, {
    // A transcript is named after its recording.
    prompt: prompt ?? origin,
    operation: job.operation,
    model: job.request.model,
    source: origin,
    time: new Date(job.createdAt),
  });
  // Checked on the finished name, because the pattern and the recording may come from an agent or a repository.
  const name = kind === 'transcripts' ? transcriptName(made) : made;
  const id = `${job.id}-${index}-${randomUUID().slice(0, 8)}`;
  return saveMedia(place.folder, data, {
    ...(exactName === undefined || job.whole ? { name } : { ...nameParts(exactName), convert }),
    kind,
    id,
    type,
    beside: times === undefined ? undefined : 'vtt',
    // Raw PCM is often sent as plain bytes.
    announced: fieldIn(job.request, 'response_format') === 'pcm' ? 'audio/pcm' : announced,
    sourceOf: () =>
      digitalSourceOf({ operation: job.operation, model: job.request.model, inputs: job.inputs }, place.library),
    onNaming: async (taken, facts) => {
      if (isSaved?.(facts.sha256)) throw new SavedBefore();
      await work?.naming(index, { name: taken, ...facts }).catch(async (error: unknown) => {
        // The job's folder is gone: removed by accident, or because another process has just saved the result.
        if (isLeaseLost(error) || (await isSavedByOther(job, saved, place))) throw new LeaseLost();
      });
    },
    onUnknownType: async (bytes) => work?.keepRaw(index, bytes),
    onUnnamed: work && isLinked ? (bytes) => work.keep(index, bytes) : undefined,
  }).catch(async (error: unknown) => {
    // The process that took the job over writes its own file.
    if (isLeaseLost(error) || error instanceof SavedBefore) {
      for (const left of [id, `${id}-converted`]) await place.folder.remove(temporaryName(left)).catch(() => undefined);
    }
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

/**
 * Copies the raw data that the service sent for a job into a folder. It is not recorded as an asset, because an answer
 * can hold signed URLs.
 *
 * @returns URIs of the files
 * @throws MediaError `save`
 */
export async function saveRawAnswer(
  { operation }: Pick<JobFacts, 'operation'>,
  files: readonly RawFile[],
  { folder }: Pick<Place, 'folder'>,
): Promise<readonly string[]> {
  await folder.check();
  const uris: string[] = [];
  for (const { path, what } of files) {
    const type = await typeOf(path);
    const { name } = await saveMedia(folder, createReadStream(path), {
      name: `${operation}-raw-${what}`,
      kind: operations[operation].result,
      id: `${randomUUID()}-0-raw`,
      type,
    });
    uris.push(folder.uriOf(name));
  }
  return uris;
}

async function typeOf(path: string): Promise<MediaType> {
  const head = await headOfFile(path, headBytes);
  const media = await detectMediaType(head);
  if (media) return media;
  const text = head.toString('utf8').trimStart();
  if (/^[[{]/.test(text)) return { mime: 'application/json', extension: 'json' };
  if (/<svg[\s>]/i.test(text)) return { mime: 'image/svg+xml', extension: 'svg' };
  return head.includes(0)
    ? { mime: 'application/octet-stream', extension: 'bin' }
    : { mime: 'text/plain', extension: 'txt' };
}

/** More links than this are documentation, not results. */
const maxLinks = 4;

/**
 * Downloads what an unreadable answer links to before the URLs expire. Skips what cannot be downloaded, since the
 * answer itself is kept anyway.
 */
export async function keepLinked(raw: RawAnswer, options: Attempt): Promise<void> {
  for (const [index, url] of linksIn(raw).entries()) {
    await options.work.keepLinked(index, fetchLink(url, raw.source, options)).catch(() => undefined);
  }
}

/** Returns the URLs in an answer that is small enough to be in memory. */
function linksIn({ body }: RawAnswer): readonly string[] {
  if (!(body instanceof Uint8Array)) return [];
  const text = new TextDecoder().decode(body).replaceAll('\\/', '/').replaceAll('\\u0026', '&');
  const links = new Set(text.match(/https?:\/\/[^\s"'<>\\]{1,4000}/g));
  return links.size > maxLinks ? [] : [...links];
}

/** The final answer and its source. */
export interface FinalAnswer {
  readonly answer: SavedAnswer;
  readonly source: AnswerSource;
}

/** An answer with results, not one that names a job of the service. */
export type SavedAnswer = MediaAnswer | TranscriptAnswer;

/** One attempt to get the results of an answer and to save them. */
export interface Attempt extends FetchOptions {
  readonly job: JobFacts;
  readonly work: Work;
  readonly client: Pick<MediaClient, 'read' | 'download' | 'status' | 'contentUrl'>;
  /** How long the service may report the same state, or be unreachable. */
  readonly unchangedSeconds: number;
  onProgress(progress: JobProgress): void;
  /** Lets the next job start while this one only polls. */
  release(): void;
  /** Keeps the final answer, before anything else happens to it. */
  keep(answer: KeptAnswer): Promise<unknown>;
  /** The same for an answer that says that the job failed. */
  keepRefusal(answer: KeptAnswer): Promise<unknown>;
}

export async function* bytesOfBody(body: AnswerBody): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield Uint8Array.from(body);
  else yield* bytesOf(body);
}
