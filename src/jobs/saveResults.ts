import * as l10n from '@vscode/l10n';
import type { Asset } from '../library/Asset.ts';
import type { ConvertBytes } from '../library/saveMedia.ts';
import { inOnePiece } from '../library/saveMedia.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { AnswerSource, Media } from '../service/Answer.ts';
import type { MediaClient } from '../service/MediaClient.ts';
import type { Progress } from '../service/RequestOptions.ts';
import type { FinalAnswer, SavedAnswer } from './FinalAnswer.ts';
import type { FetchOptions, OpenResult } from './fetchResult.ts';
import { fetchResult } from './fetchResult.ts';
import type { JobLog } from './JobLog.ts';
import type { JobFacts } from './JobRecord.ts';
import { isLeaseLost, LeaseLost } from './LeaseLost.ts';
import type { Place } from './Place.ts';
import type { ResultFacts } from './saveAsset.ts';
import { saveAsset } from './saveAsset.ts';
import { transcriptFile } from './transcriptFile.ts';

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
