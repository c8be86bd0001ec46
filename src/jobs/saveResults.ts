import { basename, isAbsolute, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { Asset } from '../library/Asset.ts';
import type { Folder } from '../library/Folder.ts';
import { fileNameOf } from '../library/fileName.ts';
import { formatTranscript } from '../library/formatTranscript.ts';
import type { Library } from '../library/Library.ts';
import type { LibraryRecord } from '../library/LibraryRecord.ts';
import { saveMedia, temporaryName } from '../library/saveMedia.ts';
import { usageOf } from '../library/usageOf.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { MediaType } from '../operations/mediaType.ts';
import type { MediaRequest } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { AnswerSource, Media, MediaAnswer, TranscriptAnswer } from '../service/Answer.ts';
import type { MediaClient, Progress } from '../service/MediaClient.ts';
import type { FetchOptions } from './fetchResult.ts';
import { fetchResult } from './fetchResult.ts';
import type { JobFacts } from './JobRecord.ts';
import type { Journal } from './Journal.ts';

/** Where a job's files and their records go. */
export interface Place {
  readonly folder: Folder;
  readonly library: Library;
  /** A saved file as the library names it: relative to the workspace folder, with forward slashes. */
  recordedName(name: string): string;
}

/** Proves that files and their records can be written. Throws MediaError `save`. */
export async function checkPlace({ folder, library }: Place): Promise<void> {
  await folder.check();
  await library.check();
}

export type JobProgress =
  | Exclude<Progress, { readonly stage: 'waiting' }>
  /** `status` in the service's word and `progress` in percent, where it tells them. */
  | { readonly stage: 'waiting'; readonly status?: string | undefined; readonly progress?: number | undefined }
  | { readonly stage: 'saving'; readonly file: number; readonly files: number };

export interface SaveOptions {
  /** Who gave the answer. */
  readonly source: AnswerSource;
  readonly client: Pick<MediaClient, 'download'>;
  readonly place: Place;
  readonly signal: AbortSignal;
  readonly sleep?: FetchOptions['sleep'];
  /** Keeps results that cannot be saved where they belong. */
  readonly journal: Pick<Journal, 'keep' | 'kept'>;
  /** What is saved already, by its place in the answer. */
  readonly saved: Readonly<Record<number, Asset>>;
  onProgress(progress: JobProgress): void;
  /** Called with what is not as it was asked for, as a sentence. */
  onNotice(sentence: string): void;
  /** Called when a file is on disk and recorded, before the next is begun. */
  onSaved(index: number, asset: Asset): Promise<void>;
}

/** An answer that is no job of the service any more. */
export type SavedAnswer = MediaAnswer | TranscriptAnswer;

/** One file to save. */
interface Source extends SourceFacts {
  open(): AsyncIterable<Uint8Array>;
}

interface SourceFacts {
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
export async function saveResults(job: JobFacts, answer: SavedAnswer, options: SaveOptions): Promise<void> {
  const sources = sourcesOf(job, answer, options);
  const failures: unknown[] = [];
  for (const source of sources) {
    const { index } = source;
    if (options.saved[index]) continue;
    try {
      options.onProgress({ stage: 'saving', file: index + 1, files: sources.length });
      const data = (await options.journal.kept(job.id, index)) ?? source.open();
      await options.onSaved(index, await saveAsset({ ...source, data }, job, answer, options.place));
    } catch (error) {
      const isUnsaved = error instanceof MediaError && error.kind === 'save';
      failures.push(isUnsaved ? await kept(error, job, answer, source, options) : error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** A failure to save, with what became of the result: its address may expire before there is room for it. */
async function kept(
  error: MediaError,
  job: JobFacts,
  answer: SavedAnswer,
  { index, open }: Source,
  { journal }: SaveOptions,
): Promise<MediaError> {
  const media = answer.type === 'media' ? answer.media[index] : undefined;
  const told = (sentence: string) => new MediaError('save', `${error.message} ${sentence}`, { ...error, cause: error });
  try {
    // Data in the answer is kept with that.
    if (media && 'url' in media && !(await journal.kept(job.id, index))) await journal.keep(job.id, index, open());
    return told(l10n.t("The result is kept in the extension's storage."));
  } catch (reason) {
    return told(l10n.t('It cannot be kept for later either ({0}), and its address may expire.', reasonOf(reason)));
  }
}

function sourcesOf(job: JobFacts, answer: SavedAnswer, options: SaveOptions): readonly Source[] {
  if (answer.type === 'transcript') return [{ index: 0, ...transcriptOf(job, answer, options) }];
  return answer.media.map((media, index) => ({
    index,
    open: () => open(media, job, options),
    announced: 'url' in media ? undefined : media.mediaType,
  }));
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
    onNotice(
      l10n.t('The service sent no times, so the transcript is saved as {0} and not as {1}.', format, transcriptFormat),
    );
  }
  if (repeat) {
    const words = repeat.text.slice(0, 80);
    onNotice(l10n.t('One line stands {0} times in a row: “{1}”. Compare it.', repeat.times, words));
  }
  return { open: () => inOnePiece(Buffer.from(text)), type: { mime: mediaType, extension } };
}

/** From a folder of the workspace to a recording in the same workspace. */
function linkTo(file: string, root: string, path: string): string | undefined {
  if (!root.startsWith('file:')) return undefined;
  const inside = relative(fileURLToPath(root), file);
  if (inside.startsWith('..') || isAbsolute(inside)) return undefined;
  return posix.relative(path, inside.replaceAll('\\', '/'));
}

function open(media: Media, job: JobFacts, { client, source, signal, onProgress, sleep }: SaveOptions) {
  if ('bytes' in media) return inOnePiece(media.bytes);
  if ('data' in media) return media.data;
  const { url } = media;
  const from = (position: number) =>
    client.download(job.operation, url, source, { signal, onProgress, from: position });
  return fetchResult(from, { signal, onProgress, sleep });
}

async function* inOnePiece(bytes: Uint8Array) {
  yield bytes;
}

/** Saves one file of a job under its name and records it. */
export async function saveAsset(
  source: SourceFacts & { readonly data: AsyncIterable<Uint8Array> },
  job: JobFacts,
  answer: Pick<SavedAnswer, 'id' | 'usage'>,
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
  const id = `${job.id}-${source.index}`;
  // A crash may have left it.
  await place.folder.remove(temporaryName(id)).catch(() => undefined);
  const { name: file, ...facts } = await saveMedia(place.folder, source.data, {
    name,
    kind,
    id,
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
    ...videoIds(job, answer.id),
  };
  const usage = usageOf(answer.usage);
  // A part of a long text is no asset of its own.
  if (!job.whole)
    await record(place, file, asset, { ...(usage ? { usage } : {}), ...(job.sandbox ? { sandbox: true } : {}) });
  return asset;
}

type OwnFacts = Pick<LibraryRecord, 'sandbox' | 'usage'>;

async function record(place: Place, file: string, { uri, ...facts }: Asset, own: OwnFacts): Promise<void> {
  try {
    await place.library.append({ file: place.recordedName(file), ...facts, ...own });
  } catch (error) {
    throw new MediaError(
      'save',
      l10n.t('The result is saved as {0}, but the library cannot be written: {1}.', uri, reasonOf(error)),
      { cause: error },
    );
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
