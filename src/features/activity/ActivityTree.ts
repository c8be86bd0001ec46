import * as vscode from 'vscode';
import type { JobList } from '../../work/Job.ts';
import { JobItem, rankOf, tooltipOf, treeItemOf } from './JobItem.ts';

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
