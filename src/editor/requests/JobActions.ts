import * as vscode from 'vscode';
import type { Agreed } from '../../files/AgreedFile.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { RunOptions } from '../../work/Attempt.ts';
import {
  type DocumentToken,
  isRunning,
  type Job,
  type JobFacts,
  type JobRecord,
  type PlaceReference,
} from '../../work/Job.ts';
import { isRepeatedOnce, type JobRunner } from '../../work/JobRunner.ts';
import { ifBilled, mayBeBilledAgain } from '../../work/jobErrors.ts';
import { saveRawAnswer } from '../../work/rawAnswer.ts';
import { stateOfWork } from '../../work/stateOfWork.ts';
import { billedAgain, maySend } from '../askAbout.ts';
import { askInDialog, focusPage } from '../askInDialog.ts';
import type { Caller } from '../Caller.ts';
import { deliverTranscript, removeToken } from '../deliverTranscript.ts';
import { jobTitle, operationTitle } from '../describeJob.ts';
import { offerToOpen } from '../offerSaved.ts';
import { tryToShow } from '../runCommand.ts';
import type { RunParts } from './requests.ts';
import { showPartKept, showSaved, withJobProgress } from './showRun.ts';

export type ResumeAction = 'runAgain' | 'downloadAgain' | 'saveElsewhere';

/** What can be done with running and finished jobs. Each throws MediaError `invalidInput` for an unknown id. */
export class JobActions {
  readonly #runner: JobRunner;
  readonly #runAgain: (job: JobRecord, options: RunOptions) => Promise<readonly Asset[]>;
  readonly #parts: RunParts;

  constructor(
    runner: JobRunner,
    runAgain: (job: JobRecord, options: RunOptions) => Promise<readonly Asset[]>,
    parts: RunParts,
  ) {
    this.#runner = runner;
    this.#runAgain = runAgain;
    this.#parts = parts;
  }

  /** @returns whether the job was cancelled */
  async cancel(jobId: string): Promise<boolean> {
    return this.#runner.cancel((await this.#job(jobId)).id);
  }

  /**
   * Sends the request of a job again as a new job, or saves results that were paid for but not saved yet.
   *
   * @param isTold whether the person has already been told what it may cost
   */
  async resume(
    action: ResumeAction,
    jobId: string,
    caller: Caller,
    isTold = caller === 'view',
  ): Promise<readonly Asset[] | undefined> {
    const job = await this.#job(jobId);
    if (action === 'runAgain') return this.#sendAgain(job, caller, isTold);
    if (action === 'downloadAgain') return this.#downloadAgain(job, caller);
    const place = await this.#choosePlace();
    return place && this.#shown(job, caller, (options) => this.#runner.downloadAgain(job.id, options, place));
  }

  async #sendAgain(job: Job, caller: Caller, isTold: boolean): Promise<readonly Asset[] | undefined> {
    if (isRunning(job)) throw new MediaError('invalidInput', vscode.l10n.t('This job is still running.'));
    const asks = caller !== 'program' && !isTold;
    const isRepeat = isRepeatedOnce(job, this.#runner.keyOriginFor({ operation: job.operation }));
    // The other parts of a text or recording may not have been sent yet.
    const agreed = asks && !(isRepeat && !job.whole) ? await this.#mayRunAgain(job, isRepeat) : { files: undefined };
    if (!agreed) return undefined;
    return this.#runner.runAgain(job.id, (current) =>
      this.#shown(current, caller, (options) => this.#runAgain(current, { ...options, agreed: agreed.files })),
    );
  }

  /**
   * @param isRepeat whether the request is sent again under its idempotency key
   * @returns the recording that the person has agreed to send; undefined if they declined
   */
  async #mayRunAgain(job: Job, isRepeat: boolean): Promise<{ readonly files: Agreed } | undefined> {
    const isBilledAgain = mayBeBilledAgain(job) && !isRepeat;
    const billing = isBilledAgain ? billedAgain() : vscode.l10n.t('The service may bill this request.');
    const title = vscode.l10n.t('Run this job again? {0}', jobTitle(job));
    const requests = [job.whole ? { ...job, ...job.whole } : job];
    const question = { title, billing, requests, send: vscode.l10n.t('Run Again') };
    const agreed = await maySend(question, this.#parts.settings);
    // What cannot be read now must not be sent later.
    return agreed && { files: agreed[0] ?? ('file' in job.request ? [] : undefined) };
  }

  async #downloadAgain(job: Job, caller: Caller): Promise<readonly Asset[]> {
    const download = (options: RunOptions) => this.#runner.downloadAgain(job.id, options);
    if (!job.whole) return this.#shown(job, caller, download);
    const parts = await withJobProgress(operationTitle(job), caller, download);
    if (caller !== 'program') void tryToShow(this.#parts.log, showPartKept(job));
    return parts;
  }

  /**
   * Copies the raw answer of a job that could not be read or was cut off.
   *
   * @returns URIs of the files; undefined when the person chose no folder
   */
  async saveRawAnswer(jobId: string, caller: Caller): Promise<readonly string[] | undefined> {
    const job = await this.#job(jobId);
    const { places, log } = this.#parts;
    const place = caller === 'person' ? await this.#choosePlace() : job.place;
    if (!place) return undefined;
    const uris = await this.#runner.withRawFiles(job.id, (files) => saveRawAnswer(job, files, places.placeAt(place)));
    if (caller === 'person') void tryToShow(log, offerToOpen(uris));
    return uris;
  }

  /**
   * Removes a finished job from the list.
   *
   * @returns false when the person keeps it, because its result would be lost, or its request could be sent again unasked
   */
  async dismiss(jobId: string, caller: Caller): Promise<boolean> {
    const job = await this.#job(jobId);
    const warning = caller === 'person' && warningOf(job);
    if (warning && !(await mayDismiss(job, warning))) return false;
    await this.#runner.dismiss(job.id);
    const { jobs, log } = this.#parts;
    const into = tokenOf(job);
    if (!into || job.state === 'done') return true;
    // Other parts of the same recording may still be transcribed.
    const isAwaited = jobs.all.some((one) => one.state !== 'done' && tokenOf(one)?.text === into.text);
    if (!isAwaited) await tryToShow(log, removeToken(into, log));
    return true;
  }

  /** Asks for a folder, and gives the focus back to the view at once, because saving may take long. */
  async #choosePlace(): Promise<PlaceReference | undefined> {
    const place = await this.#parts.places.chooseReference();
    focusPage.getStore()?.();
    return place;
  }

  async #shown(
    job: JobFacts,
    caller: Caller,
    work: (options: RunOptions) => Promise<readonly Asset[]>,
  ): Promise<readonly Asset[]> {
    const assets = await withJobProgress(operationTitle(job), caller, work);
    if (caller !== 'program') await this.#parts.lastUsed.worked(job.operation, job.sandbox, job.request.model);
    const into = tokenOf(job);
    if (into) await tryToShow(this.#parts.log, deliverTranscript(assets, into, this.#parts));
    else await showSaved(assets, caller, this.#parts);
    return assets;
  }

  async #job(jobId: string): Promise<Job> {
    await this.#runner.refresh(jobId);
    const job = this.#parts.jobs.get(jobId);
    if (job) return job;
    const sentence = vscode.l10n.t('There is no job {0} (jobId).', jobId);
    throw new MediaError('invalidInput', sentence, { field: 'jobId' });
  }
}

/** Returns what the transcript of a job, or of the whole it is a part of, replaces. */
function tokenOf({ into, whole }: JobFacts): DocumentToken | undefined {
  return into ?? whole?.into;
}

/** Returns what a person should know before a job is dismissed, if anything. */
function warningOf(job: Job): string | undefined {
  if (job.hasAnswer) {
    const paid = vscode.l10n.t(
      'Its result was paid for but not saved. Once dismissed, it can no longer be downloaded.',
    );
    const free = vscode.l10n.t('Its result is not saved. Once dismissed, it can no longer be downloaded.');
    return ifBilled(job, paid) ?? free;
  }
  // Only the work of a request with a key keeps a manifest or an agent from sending it again.
  return job.key !== job.id && stateOfWork(job) === 'unknown' ? billedAgain() : undefined;
}

async function mayDismiss(job: Job, warning: string): Promise<boolean> {
  const dismiss = vscode.l10n.t('Dismiss');
  const question = vscode.l10n.t('Dismiss this job? {0}', jobTitle(job));
  return (await askInDialog(question, warning, dismiss)) === dismiss;
}
