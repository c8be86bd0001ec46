import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { hasFile } from '../files/Folder.ts';
import { expectationsOf } from '../library/differences.ts';
import { fileNameOf, nameParts, transcriptName } from '../library/fileName.ts';
import type { Asset, BesideFile, LibraryRecord, RecordedMarks } from '../library/LibraryRecord.ts';
import { digitalSourceOf } from '../library/recordedMarks.ts';
import { usageOf, valuesOf } from '../library/recordFacts.ts';
import {
  type ConvertBytes,
  nameNew,
  record,
  type SavedFile,
  saveBytes,
  saveMedia,
  temporaryName,
} from '../library/saveMedia.ts';
import { MediaError } from '../operations/MediaError.ts';
import { isSameType, type MediaType } from '../operations/mediaType.ts';
import { type AssetKind, extensionOf, type MediaRequest, operations, wordsOf } from '../operations/operations.ts';
import type { MediaAnswer } from '../service/Answer.ts';
import type { Attempt } from './Attempt.ts';
import type { JobFacts } from './Job.ts';
import { isLeaseLost, LeaseLost } from './Lease.ts';
import { differencesIn } from './measureFile.ts';
import type { Place } from './Place.ts';

/** One file to save. */
export interface Result {
  /** Index in the answer. */
  readonly index: number;
  /** Opens the data; again, if they must be kept elsewhere. */
  open(): AsyncIterable<Uint8Array>;
  /** Opens what else the answer names for this result, if that turns out to be something else. */
  readonly others?: readonly (() => AsyncIterable<Uint8Array>)[];
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

/** Where and how a result is saved. */
export interface Target {
  readonly place: Place;
  readonly signal?: AbortSignal;
  readonly convert?: ConvertBytes;
  /** The attempt whose journal records each step; undefined for what is made of several works. */
  readonly attempt?: Attempt;
  /** The file that an earlier attempt was about to give its name. */
  readonly begun?: SavedFile;
  /** Whether a result with this hash, in hexadecimal, is saved and need not be saved again. */
  isSaved?(sha256: string): boolean;
}

/**
 * Thrown before a result gets a name or is kept, because the same is saved. A MediaError, since {@link saveMedia} wraps
 * others.
 */
export class SavedBefore extends MediaError {
  constructor() {
    super('save', 'the result is saved already');
  }
}

/** Saves one file of a job and records it. */
export async function saveAsset(
  result: Result,
  job: JobFacts,
  answer: Pick<MediaAnswer, 'id' | 'usage'>,
  target: Target,
): Promise<Asset> {
  const { place, signal, begun } = target;
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
  const differs = await differencesIn(asset, file, asked, { folder: place.folder, signal });
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
  { index, open, type, times, isLinked, announced }: Result,
  job: JobFacts,
  prompt: string | undefined,
  { place, attempt, convert, isSaved }: Target,
): Promise<SavedFile> {
  const work = attempt?.work;
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
  return saveMedia(place.folder, open(), {
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
        if (isLeaseLost(error) || (await isSavedByOther(job, attempt?.saved ?? {}, place))) throw new LeaseLost();
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
