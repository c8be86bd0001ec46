import * as vscode from 'vscode';
import { Click } from '../../editor/Caller.ts';
import { ageOf, describeProgress, jobTitle, jobWords, operationTitle } from '../../editor/describeJob.ts';
import { shortLine } from '../../foreign/plainText.ts';
import { isObject } from '../../foreign/shape.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { isEditableImage } from '../../operations/operations.ts';
import { isRunning, type Job, type JobList, traitsOf } from '../../work/Job.ts';
import { ifBilled } from '../../work/jobErrors.ts';

/** Minimum time between updates, in milliseconds. A running job reports every chunk. */
const updateInterval = 250;

/** The tree of jobs, those that need attention first. */
export class ActivityTree implements vscode.TreeDataProvider<JobItem>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<JobItem[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #jobs: JobList;
  readonly #listening: { dispose(): void };
  readonly #items = new Map<string, JobItem>();
  /** Ids of jobs that changed since the view's last update. */
  readonly #pending = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #order: string;

  constructor(jobs: JobList) {
    this.#jobs = jobs;
    this.#order = this.#ordered().join();
    this.#listening = jobs.onDidChange((id) => this.#note(id));
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listening.dispose();
    this.#changed.dispose();
  }

  getChildren(item?: JobItem): JobItem[] {
    return item ? [] : this.#ordered().map((id) => this.#itemOf(id));
  }

  getTreeItem(item: JobItem): vscode.TreeItem {
    return treeItemOf(item);
  }

  resolveTreeItem(treeItem: vscode.TreeItem, item: JobItem): vscode.TreeItem {
    treeItem.tooltip = tooltipOf(item);
    return treeItem;
  }

  /** Shows the ages of all jobs anew. */
  showAges(): void {
    this.#changed.fire([...this.#items.values()].filter(({ job }) => job));
  }

  #note(id: string): void {
    this.#pending.add(id);
    this.#timer ??= setTimeout(() => this.#flush(), updateInterval);
  }

  #flush(): void {
    this.#timer = undefined;
    const items = [...this.#pending].map((id) => this.#itemOf(id));
    this.#pending.clear();
    const order = this.#ordered().join();
    const isSame = order === this.#order;
    this.#order = order;
    for (const id of this.#items.keys()) if (!this.#jobs.get(id)) this.#items.delete(id);
    this.#changed.fire(isSame ? items : undefined);
  }

  /** By rank, then newest first. */
  #ordered(): readonly string[] {
    return [...this.#jobs.all].sort((a, b) => rankOf(a) - rankOf(b)).map(({ id }) => id);
  }

  #itemOf(id: string): JobItem {
    const item = this.#items.get(id) ?? new JobItem(id, this.#jobs);
    this.#items.set(id, item);
    return item;
  }
}

/** A job in the tree. Also the argument of the commands on jobs and on files. */
export class JobItem extends Click {
  readonly jobId: string;
  readonly #jobs: JobList;

  constructor(jobId: string, jobs: JobList) {
    super();
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
    ...(job.error ? [shortLine(job.error.message, 200)] : []),
  ];
  const treeItem = new vscode.TreeItem(label);
  treeItem.id = job.id;
  treeItem.description = facts.join(' · ');
  treeItem.accessibilityInformation = { label: [label, ...facts].join(', ') };
  treeItem.iconPath = iconOf(job);
  treeItem.contextValue = [
    ...traitsOf(job),
    ...(job.agent && isRunning(job) ? ['agent'] : []),
    ...(job.error ? ['error'] : []),
    ...(item.uris.length > 0 ? ['file'] : []),
    ...(item.uris.some(isEditableImage) ? ['picture'] : []),
  ].join(' ');
  return treeItem;
}

/** Names the agent that requested a job, and its purpose. */
function askedBy({ name, purpose }: NonNullable<Job['agent']>): string {
  const asked = vscode.l10n.t('requested by {0}', shortLine(name, 80));
  return purpose === undefined ? asked : `${asked}: ${shortLine(purpose, 200)}`;
}

export function stateOf(job: Pick<Job, 'state' | 'hasAnswer' | 'waitsForPerson' | 'sandbox'>): string {
  const { state, hasAnswer, waitsForPerson } = job;
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
      if (hasAnswer) return vscode.l10n.t('not finished at the last check');
      return ifBilled(job, vscode.l10n.t('outcome unknown, may be billed')) ?? vscode.l10n.t('outcome unknown');
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
    job.error && shortLine(job.error.message, 1000),
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

/** Describes what went wrong with a job, for the person or the service operator. Contains no key and no prompt. */
export function jobReport(job: Job): string {
  const { error } = job;
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    [vscode.l10n.t('Operation'), operationTitle(job)],
    [vscode.l10n.t('Model'), job.request.model],
    [vscode.l10n.t('Service'), job.sandbox ? vscode.l10n.t('sandbox') : undefined],
    [vscode.l10n.t('Requested'), job.createdAt],
    [vscode.l10n.t('State'), stateOf(job)],
    [vscode.l10n.t('Kind'), error?.kind],
    [vscode.l10n.t('Status'), error?.status],
    [vscode.l10n.t('Request ID'), error?.requestId],
    [vscode.l10n.t('Job'), job.id],
  ];
  const lines = facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const notes = job.hasAnswer ? [vscode.l10n.t('The answer is stored. Download Again saves it, at no cost.')] : [];
  return [error?.message ?? vscode.l10n.t('Nothing went wrong.'), ...notes, '', ...lines, ''].join('\n');
}

/** Opens the report of a job as a read-only document. */
export async function showJobReport(argument: unknown, scheme: string): Promise<void> {
  const jobId = isObject(argument) ? argument.jobId : undefined;
  if (typeof jobId !== 'string') {
    throw new MediaError('invalidInput', vscode.l10n.t('Show Error needs the ID of a job (jobId).'), {
      field: 'jobId',
    });
  }
  const title = vscode.l10n.t('Job Error');
  const uri = vscode.Uri.from({ scheme, path: `/${title}`, query: jobId });
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}
