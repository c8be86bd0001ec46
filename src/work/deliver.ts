import * as l10n from '@vscode/l10n';
import { hasFile } from '../files/Folder.ts';
import { differsSentence } from '../library/differences.ts';
import type { Asset } from '../library/LibraryRecord.ts';
import { inOnePiece, type SavedFile, withHash } from '../library/saveMedia.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { AnswerSource, Media } from '../service/Answer.ts';
import type { Attempt, JobClient } from './Attempt.ts';
import type { JobFacts } from './Job.ts';
import { isLeaseLost, LeaseLost } from './Lease.ts';
import type { Place } from './Place.ts';
import type { FinalAnswer, SavedAnswer } from './pollJob.ts';
import { type Result, SavedBefore, saveAsset, type Target } from './saveAsset.ts';
import { transcriptFile } from './transcriptFile.ts';
import type { Work } from './Work.ts';

/**
 * Saves and records the results in an answer.
 *
 * @throws MediaError the first failure, after all other results were saved; LeaseLost when another process has taken
 *   the job over
 */
export async function deliver({ answer, raw }: FinalAnswer, client: JobClient, attempt: Attempt): Promise<void> {
  const { job, work, saved, place, options, parts } = attempt;
  const results = await resultsOf(answer, raw.source, place, client, attempt);
  const { naming, firstResults } = (await work.read().catch(() => undefined)) ?? {};
  const failures: unknown[] = [];
  const notices = new Set<string>();
  const save: SaveResult = async (result, how = {}) => {
    const { index } = result;
    try {
      options.onProgress({ stage: 'saving', file: index + 1, files: Math.max(index + 1, results.length) });
      const kept = await work.kept(index);
      const target = { place, signal: options.signal, convert: parts.convert, attempt, ...how };
      const openings = kept ? [() => kept] : [result.open, ...(result.others ?? [])];
      const asset = await fitting(openings, (open) => saveAsset({ ...result, open }, job, answer, target));
      if (asset.differs) notices.add(differsSentence(asset.differs));
      await attempt.keepSaved(index, asset);
    } catch (error) {
      if (isLeaseLost(error)) throw new LeaseLost();
      const isUnsaved = error instanceof MediaError && error.kind === 'save' && !(error instanceof SavedBefore);
      const failure = isUnsaved ? await keepUnsaved(error, result, work, how.isSaved) : error;
      if (failure instanceof SavedBefore) return 'savedBefore';
      failures.push(failure);
    }
    return undefined;
  };
  let isDone = false;
  if (firstResults !== undefined) {
    const count = Math.max(firstResults, results.length);
    await saveAnew(results, count, naming, attempt, save);
    // What is saved may be listed at an address that has expired.
    isDone = Object.keys(saved).length >= count;
  } else {
    for (const result of results) {
      if (saved[result.index]) continue;
      await save(result, { begun: naming?.get(result.index) });
    }
  }
  for (const notice of notices) options.onNotice(notice);
  if (failures.length > 0 && !isDone) throw failures[0];
  checkComplete(answer, job);
  checkCount(Object.keys(saved).length, firstResults);
}

/**
 * Saves the first of several downloads that is of the expected kind.
 *
 * @throws the first failure
 */
async function fitting<Opening>(openings: readonly Opening[], save: (one: Opening) => Promise<Asset>): Promise<Asset> {
  const failures: unknown[] = [];
  for (const one of openings) {
    try {
      return await save(one);
    } catch (error) {
      failures.push(error);
      if (!(error instanceof MediaError && error.kind === 'download')) break;
    }
  }
  throw failures[0];
}

/** Saves or keeps a result. @returns `savedBefore` when the same is saved already */
type SaveResult = (result: Result, how?: Pick<Target, 'begun' | 'isSaved'>) => Promise<'savedBefore' | undefined>;

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
  attempt: Attempt,
  save: SaveResult,
): Promise<void> {
  const { saved, work, place } = attempt;
  const had = new Set(await work.keptIndexes());
  // Those that an earlier attempt has left complete.
  for (const [index, begun] of naming ?? []) if (await hasFile(place.folder, begun.name, begun)) had.add(index);
  for (const index of had) {
    if (saved[index]) continue;
    await save({ index, open: () => inOnePiece(Buffer.alloc(0)) }, { begun: naming?.get(index) });
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
    if ((await save(result, { isSaved })) === 'savedBefore') isReordered = true;
    else if (await hasResult(result.index, attempt)) had.add(result.index);
  }
  // Content may differ at each download. Without a sign of another order, these are the saved ones.
  if (!isReordered) return;
  for (const result of others) {
    if (had.size >= count) return;
    let index = 0;
    while (had.has(index)) index++;
    await save({ ...result, index }, { isSaved });
    if (await hasResult(index, attempt)) had.add(index);
  }
}

async function hasResult(index: number, { saved, work }: Attempt): Promise<boolean> {
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
  isSaved: Target['isSaved'],
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

async function resultsOf(
  answer: SavedAnswer,
  source: AnswerSource,
  place: Place,
  client: JobClient,
  attempt: Attempt,
): Promise<readonly Result[]> {
  if (answer.type === 'transcript') {
    const { text, type, times, notices } = await transcriptFile(attempt.job, answer, place);
    for (const notice of notices) attempt.options.onNotice(notice);
    return [{ index: 0, type, times, open: () => inOnePiece(Buffer.from(text)) }];
  }
  const fetch = (url: string) => attempt.fetch(url, source, client);
  const open = (media: Media) => {
    if ('bytes' in media) return inOnePiece(media.bytes);
    return 'data' in media ? media.data : fetch(media.url);
  };
  for (const notice of answer.notices ?? []) attempt.options.onNotice(notice);
  return answer.media.map((media, index) => ({
    index,
    open: () => open(media),
    others: 'url' in media ? media.others?.map((url) => () => fetch(url)) : undefined,
    isLinked: 'url' in media,
    announced: 'url' in media ? undefined : media.mediaType,
  }));
}
