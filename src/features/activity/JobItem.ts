import * as vscode from 'vscode';
import { ageOf } from '../../editor/ageOf.ts';
import { describeProgress } from '../../editor/describeProgress.ts';
import { oneLine } from '../../editor/displayText.ts';
import { jobTitle, jobWords, operationTitle } from '../../editor/jobTitle.ts';
import { isEditableImage } from '../../operations/fileExtensions.ts';
import type { Job, JobList } from '../../work/Job.ts';
import { isRunning } from '../../work/Job.ts';

/** A job in the tree. Also the argument of the commands on jobs and on files. */
export class JobItem {
  readonly jobId: string;
  readonly byPerson = true;
  readonly #jobs: JobList;

  constructor(jobId: string, jobs: JobList) {
    this.jobId = jobId;
    this.#jobs = jobs;
  }

  get job(): Job | undefined {
    return this.#jobs.get(this.jobId);
  }

  get uris(): readonly string[] {
    return Object.values(this.job?.assets ?? {}).map(({ uri }) => uri);
  }

  /** The title of a single file when it is inserted into a document. */
  get title(): string | undefined {
    const [asset, ...others] = Object.values(this.job?.assets ?? {});
    return others.length === 0 ? asset?.prompt : undefined;
  }
}

/** Sort order: jobs that need attention come first. */
export function rankOf(job: Job): number {
  if (isRunning(job)) return job.state === 'queued' ? 1 : 0;
  return { unknown: 2, failed: 2, cancelled: 3, done: 4 }[job.state as 'unknown' | 'failed' | 'cancelled' | 'done'];
}

export function treeItemOf(item: JobItem): vscode.TreeItem {
  const { job } = item;
  if (!job) return new vscode.TreeItem('');
  // In a narrow list the prompt distinguishes the jobs, and the state says what to do.
  const label = jobWords(job) || operationTitle(job);
  const facts = [
    job.progress ? describeProgress(job.progress) : stateOf(job),
    operationTitle(job),
    ...(job.agent ? [askedBy(job.agent)] : []),
    ...(job.sandbox ? [vscode.l10n.t('sandbox')] : []),
    ...(isRunning(job) ? [] : [ageOf(job.createdAt)]),
    ...(job.error ? [oneLine(job.error.message, 200)] : []),
  ];
  const treeItem = new vscode.TreeItem(label);
  treeItem.id = job.id;
  treeItem.description = facts.join(' · ');
  treeItem.accessibilityInformation = { label: [label, ...facts].join(', ') };
  treeItem.iconPath = iconOf(job);
  treeItem.contextValue = [
    job.waitsForPerson ? 'waits' : isRunning(job) ? 'running' : job.state === 'done' ? 'done' : 'ended',
    ...(job.agent && isRunning(job) ? ['agent'] : []),
    ...(job.hasAnswer && !isRunning(job) ? ['answer'] : []),
    ...(job.hasRawAnswer && !isRunning(job) ? ['raw'] : []),
    ...(job.error ? ['error'] : []),
    ...(item.uris.length > 0 ? ['file'] : []),
    ...(item.uris.some(isEditableImage) ? ['picture'] : []),
  ].join(' ');
  return treeItem;
}

/** Names the agent that requested a job, and its purpose. */
function askedBy({ name, purpose }: NonNullable<Job['agent']>): string {
  const asked = vscode.l10n.t('requested by {0}', oneLine(name));
  return purpose === undefined ? asked : `${asked}: ${oneLine(purpose, 200)}`;
}

export function stateOf({
  state,
  hasAnswer,
  waitsForPerson,
}: Pick<Job, 'state' | 'hasAnswer' | 'waitsForPerson'>): string {
  if (waitsForPerson) return vscode.l10n.t('waiting for your answer');
  switch (state) {
    case 'queued':
      return vscode.l10n.t('queued');
    case 'sending':
    case 'waiting':
    case 'downloading':
    case 'saving':
      return vscode.l10n.t('running');
    case 'done':
      return vscode.l10n.t('done');
    case 'failed':
      return vscode.l10n.t('failed');
    case 'cancelled':
      return vscode.l10n.t('cancelled');
    case 'unknown':
      return hasAnswer
        ? vscode.l10n.t('not finished at the last check')
        : vscode.l10n.t('outcome unknown, may be billed');
  }
}

/** Plain text: links in prompts and service messages must not run or load anything. */
export function tooltipOf(item: JobItem): string {
  const { job } = item;
  if (!job) return '';
  const date = new Date(job.createdAt).toLocaleString(vscode.env.language);
  return [
    jobTitle(job),
    `${job.request.model} · ${date}`,
    job.agent && askedBy(job.agent),
    stateOf(job),
    job.error && oneLine(job.error.message, 1000),
  ]
    .filter(Boolean)
    .join('\n');
}

function iconOf({ state }: Job): vscode.ThemeIcon {
  switch (state) {
    case 'queued':
      return new vscode.ThemeIcon('clock');
    case 'done':
      return new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed'));
    case 'failed':
      return new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
    case 'cancelled':
      return new vscode.ThemeIcon('circle-slash');
    case 'unknown':
      return new vscode.ThemeIcon('question', new vscode.ThemeColor('list.warningForeground'));
    default:
      return new vscode.ThemeIcon('sync~spin');
  }
}
