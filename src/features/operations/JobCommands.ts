import * as vscode from 'vscode';
import { deliverTranscript } from '../../editor/deliverTranscript.ts';
import { jobTitle, operationTitle } from '../../editor/jobTitle.ts';
import { mayBillAgain } from '../../editor/mayBillAgain.ts';
import { offerToOpen } from '../../editor/openAssets.ts';
import type { Caller } from '../../editor/runCommand.ts';
import { runCommand, tryToShow } from '../../editor/runCommand.ts';
import type { Asset } from '../../library/Asset.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { saveRawAnswer } from '../../work/deliver.ts';
import type { Job, JobFacts } from '../../work/Job.ts';
import { isRunning } from '../../work/Job.ts';
import type { RunOptions } from '../../work/JobRun.ts';
import type { JobRunner } from '../../work/JobRunner.ts';
import type { OperationDependencies } from './OperationDependencies.ts';
import { showSaved } from './showAssets.ts';
import { showPartKept } from './showPartKept.ts';
import { withJobProgress } from './withJobProgress.ts';

/** The argument of the job commands: `{jobId}` from a program, an item of a view or a button from a person. */
interface JobArgument {
  readonly jobId: string;
  /** Whether a person sees failures. */
  readonly byPerson?: boolean;
  /** Whether the person has already been told what it may cost. */
  readonly confirmed?: boolean;
  /** Whether the Create view shows progress and outcome. */
  readonly inView?: boolean;
}

type RunAgain = (job: JobFacts, options: RunOptions) => Promise<readonly Asset[]>;

/** The commands on running and finished jobs. Without an argument they ask for the job. */
export class JobCommands {
  readonly #runner: JobRunner;
  readonly #runAgain: RunAgain;
  readonly #dependencies: OperationDependencies;

  constructor(runner: JobRunner, runAgain: RunAgain, dependencies: OperationDependencies) {
    this.#runner = runner;
    this.#runAgain = runAgain;
    this.#dependencies = dependencies;
  }

  /** @returns whether a job was cancelled */
  cancel(argument: unknown): Promise<boolean | undefined> {
    return this.#with(argument, isRunning, async ({ id }) => this.#runner.cancel(id));
  }

  /** Sends the request of a job again, as a new job. */
  runAgain(argument: unknown): Promise<readonly Asset[] | undefined> {
    const canRun = (job: Job) => !isRunning(job) && job.state !== 'done';
    return this.#with(argument, canRun, async (job, asked) => {
      const { byPerson, confirmed } = asked;
      if (isRunning(job)) throw new MediaError('invalidInput', vscode.l10n.t('This job is still running.'));
      if (byPerson && !confirmed && !(await mayRunAgain(job))) return undefined;
      return this.#runner.runAgain(job.id, (current) =>
        this.#shown(current, asked, (options) => this.#runAgain(current, options)),
      );
    });
  }

  /** Saves results that were paid for but not saved yet. */
  downloadAgain(argument: unknown): Promise<readonly Asset[] | undefined> {
    return this.#with(argument, waits, async (job, asked) => {
      const download = (options: RunOptions) => this.#runner.downloadAgain(job.id, options);
      if (!job.whole) return this.#shown(job, asked, download);
      const parts = await withJobProgress(operationTitle(job), callerOf(asked), download);
      if (asked.byPerson) void tryToShow(this.#dependencies.log, showPartKept(job));
      return parts;
    });
  }

  /** Like {@link downloadAgain}, into another folder. */
  saveElsewhere(argument: unknown): Promise<readonly Asset[] | undefined> {
    return this.#with(argument, waits, async (job, asked) => {
      const place = await this.#dependencies.places.chooseReference();
      return place && this.#shown(job, asked, (options) => this.#runner.downloadAgain(job.id, options, place));
    });
  }

  /**
   * Copies the raw answer of a job that could not be read or was cut off.
   *
   * @returns URIs of the files
   */
  saveRawAnswer(argument: unknown): Promise<readonly string[] | undefined> {
    const isKept = (job: Job) => !isRunning(job) && job.hasRawAnswer === true;
    return this.#with(argument, isKept, async (job, { byPerson }) => {
      const { places, log } = this.#dependencies;
      const place = byPerson ? await places.chooseReference() : job.place;
      if (!place) return undefined;
      const uris = await this.#runner.withRawFiles(job.id, (files) => saveRawAnswer(job, files, places.placeAt(place)));
      if (byPerson) void tryToShow(log, offerToOpen(uris));
      return uris;
    });
  }

  /** Removes a finished job from the list. */
  dismiss(argument: unknown): Promise<boolean | undefined> {
    return this.#with(
      argument,
      (job) => !isRunning(job),
      async (job, { byPerson, confirmed }) => {
        if (byPerson && !confirmed && job.hasAnswer && !(await mayThrowAway(job))) return false;
        await this.#runner.dismiss(job.id);
        return true;
      },
    );
  }

  async #shown(job: JobFacts, argument: JobArgument, work: (options: RunOptions) => Promise<readonly Asset[]>) {
    const caller = callerOf(argument);
    const assets = await withJobProgress(operationTitle(job), caller, work);
    const into = job.into ?? job.whole?.into;
    if (into) await tryToShow(this.#dependencies.log, deliverTranscript(assets, into, this.#dependencies));
    else await showSaved(assets, caller, this.#dependencies);
    return assets;
  }

  #with<T>(
    argument: unknown,
    fits: (job: Job) => boolean,
    work: (job: Job, argument: JobArgument) => Promise<T>,
  ): Promise<T | undefined> {
    const given = isJobArgument(argument) ? argument : undefined;
    return runCommand(given ? callerOf(given) : 'person', this.#dependencies, async () => {
      const { jobs } = this.#dependencies;
      const picked = given?.jobId ?? (await pickJob(jobs.all.filter(fits)))?.id;
      if (picked !== undefined) await this.#runner.refresh(picked);
      const job = picked === undefined ? undefined : jobs.get(picked);
      if (given && !job) {
        const sentence = vscode.l10n.t('There is no job {0} (jobId).', given.jobId);
        throw new MediaError('invalidInput', sentence, { field: 'jobId' });
      }
      return job && work(job, given ?? { jobId: job.id, byPerson: true });
    });
  }
}

function isJobArgument(argument: unknown): argument is JobArgument {
  return typeof argument === 'object' && argument !== null && 'jobId' in argument && typeof argument.jobId === 'string';
}

function callerOf({ byPerson, inView }: JobArgument): Caller {
  if (inView) return 'view';
  return byPerson ? 'person' : 'program';
}

function waits({ hasAnswer }: Job): boolean {
  return hasAnswer;
}

async function pickJob(jobs: readonly Job[]): Promise<Job | undefined> {
  if (jobs.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no job that this command applies to.'));
    return undefined;
  }
  const items = jobs.map((job) => ({
    label: jobTitle(job),
    description: new Date(job.createdAt).toLocaleString(),
    ...(job.error ? { detail: job.error.message } : {}),
    job,
  }));
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Choose a job') });
  return chosen?.job;
}

async function mayRunAgain(job: Job): Promise<boolean> {
  const question = vscode.l10n.t('Run this job again? {0}', jobTitle(job));
  const run = vscode.l10n.t('Run Again');
  if (job.hasAnswer || job.error?.mayBeBilled) return mayBillAgain(question, run);
  const detail = vscode.l10n.t('The service may bill this request.');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, run)) === run;
}

async function mayThrowAway(job: Job): Promise<boolean> {
  const dismiss = vscode.l10n.t('Dismiss');
  const detail = vscode.l10n.t(
    'Its result was paid for but not saved. Once dismissed, it can no longer be downloaded.',
  );
  const question = vscode.l10n.t('Dismiss this job? {0}', jobTitle(job));
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, dismiss)) === dismiss;
}
