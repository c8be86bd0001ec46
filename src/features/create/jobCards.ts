import { nameOf } from '../../foreign/nameOf.ts';
import { shortLine } from '../../foreign/plainText.ts';
import { type MediaError, type MediaErrorAction, messageForPerson } from '../../operations/MediaError.ts';
import { type OperationId, operations, wordsOf } from '../../operations/operations.ts';
import type { JobCard } from '../../webview/protocol/messages.ts';
import { isRunning, type Job, type JobProgress } from '../../work/Job.ts';
import { errorOf, mayBeBilledAgain } from '../../work/jobErrors.ts';

/** A request that was sent from the composer and is not a job yet. */
export interface Starting {
  readonly id: string;
  readonly operation: OperationId;
  readonly words: string;
  readonly model: string;
  readonly sandbox: boolean;
  readonly files: number;
  readonly createdAt: string;
}

/** Texts in the editor's language. */
export interface Wording {
  titleOf(id: OperationId): string;
  stageOf(job: Pick<Job, 'state' | 'progress'>): string;
  buttonOf(action: MediaErrorAction, error: MediaError): string;
  readonly starting: string;
  readonly usePrompt: string;
  readonly chooseModel: string;
  readonly dismiss: string;
}

/** Counts results, to place jobs among them. */
export interface Results {
  filesOf(jobId: string): number;
  newerThan(moment: string): number;
}

/** A job, and the creation time of its card. */
interface CardJob {
  readonly job: Job;
  readonly createdAt: string;
}

/** Returns what all parts of one text or recording have in common; a job that is no part stands for itself. */
export function runOf({ id, whole }: Pick<Job, 'id' | 'whole'>): string {
  return whole?.key ?? id;
}

/**
 * Returns the cards of running and failed jobs.
 *
 * @param isStillShown whether a job that no longer runs is still shown
 * @param requests the id of the sent request by the run of the job that it became
 */
export function jobCards(
  starting: readonly Starting[],
  jobs: readonly Job[],
  isStillShown: (job: Job) => boolean,
  requests: ReadonlyMap<string, string>,
  results: Results,
  wording: Wording,
): readonly JobCard[] {
  const shown = withoutParts(jobs.filter((job) => isRunning(job) || isStillShown(job)));
  return [
    ...starting.map((one) => startingCard(one, results, wording)),
    ...shown.flatMap((one) => cardOf(one, requests, results, wording) ?? []),
  ];
}

function startingCard(starting: Starting, results: Results, wording: Wording): JobCard {
  const { operation, words, ...facts } = starting;
  return {
    ...facts,
    run: facts.id,
    kind: operations[operation].result,
    title: wording.titleOf(operation),
    words: shortened(words),
    state: 'running',
    message: wording.starting,
    actions: [],
    position: results.newerThan(facts.createdAt),
  };
}

function cardOf(
  { job, createdAt }: CardJob,
  requests: ReadonlyMap<string, string>,
  results: Results,
  wording: Wording,
): JobCard | undefined {
  const { id, operation, request, hasAnswer } = job;
  // Some of the job's results may be in the library already, before those that are still to come.
  const saved = results.filesOf(id);
  const run = runOf(job);
  const facts = {
    id,
    run: requests.get(run) ?? run,
    kind: operations[operation].result,
    title: wording.titleOf(operation),
    words: shortened(cardWords(job)),
    model: request.model,
    sandbox: job.sandbox,
    createdAt,
    position: results.newerThan(createdAt) + saved,
  };
  if (isRunning(job) || job.state === 'done') {
    const files = filesOf(job) - saved;
    if (files <= 0) return undefined;
    const message = wording.stageOf(job.state === 'done' ? { state: 'saving', progress: undefined } : job);
    return { ...facts, files, state: 'running', message, actions: [], part: partOf(job.progress) };
  }
  if (!job.error) return undefined;
  const error = errorOf(id, job.error, hasAnswer);
  const actions = [
    ...error.actions.map((action) => ({ id: action as string, title: wording.buttonOf(action, error) })),
    ...composingActions(error, wordsOf(operation, request) !== undefined, wording),
    { id: 'dismiss', title: wording.dismiss },
  ];
  return { ...facts, files: 1, state: 'failed', message: messageForPerson(error), actions };
}

/** Services report an unknown model in many ways, so another model is offered for everything that they refuse. */
function composingActions({ kind }: MediaError, hasWords: boolean, wording: Wording): JobCard['actions'] {
  const other = { id: 'chooseModel', title: wording.chooseModel };
  if (kind === 'notFound') return [other];
  const prompt = hasWords ? [{ id: 'usePrompt', title: wording.usePrompt }] : [];
  return kind === 'badRequest' ? [...prompt, other] : prompt;
}

/** Keeps one job per text that is spoken in parts: a running one, or else one that may be billed again. */
function withoutParts(jobs: readonly Job[]): readonly CardJob[] {
  const shown = new Map<string, CardJob>();
  for (const job of jobs) {
    const key = job.whole ? JSON.stringify([job.sandbox, job.whole.request]) : job.id;
    const known = shown.get(key);
    const better = known && rankOf(known.job) >= rankOf(job) ? known.job : job;
    const createdAt = known && known.createdAt < job.createdAt ? known.createdAt : job.createdAt;
    shown.set(key, { job: better, createdAt });
  }
  return [...shown.values()];
}

function rankOf(job: Job): number {
  if (isRunning(job)) return 2;
  return mayBeBilledAgain(job) ? 1 : 0;
}

/** Returns the words that a person gave for a job. */
export function cardWords({ operation, request, whole }: Pick<Job, 'operation' | 'request' | 'whole'>): string {
  const asked = whole?.request ?? request;
  return wordsOf(operation, asked) ?? ('file' in asked ? nameOf(asked.file) : '');
}

function filesOf({ request }: Job): number {
  return 'n' in request ? request.n : 1;
}

function partOf(progress: JobProgress | undefined): number | undefined {
  if (!progress) return undefined;
  if ('total' in progress && progress.total) return Math.min(1, progress.bytes / progress.total);
  return progress.stage === 'waiting' && progress.progress !== undefined ? progress.progress / 100 : undefined;
}

/** Maximum length of a prompt in a list, in characters. */
const maxLength = 300;

/** Returns the beginning of a text, on one line. */
export function shortened(text: string): string {
  return shortLine(text, maxLength);
}
