import * as vscode from 'vscode';
import type { Asset } from '../library/LibraryRecord.ts';
import type { Limits } from '../wholes/makeAssets.ts';
import type { RunOptions } from '../work/Attempt.ts';
import type { JobInput, JobRunner } from '../work/JobRunner.ts';
import type { Caller } from './Caller.ts';
import { type Lazy, lazy } from './lazy.ts';
import type { JobActions, ResumeAction } from './requests/JobActions.ts';
import type { DocumentNarrator } from './requests/narrateDocument.ts';
import type { RequestSender } from './requests/RequestSender.ts';
import type { Requested, RequestOptions, RequestOutcome, RunParts } from './requests/requests.ts';
import { entriesIn } from './workspaceFiles.ts';

/** Interval of the search for jobs whose window closed, in milliseconds. */
const recoverEvery = 20_000;
/**
 * Delay of a second search after start, in milliseconds: a closing window may hold its jobs a little longer than the
 * next one takes to open.
 */
const recoverAgainAfter = 5000;

/** The one way in to paid work: asks, sends and reports. What does so loads with the first request. */
export class Requests implements vscode.Disposable {
  readonly #sender: Lazy<RequestSender>;
  readonly #parts: RunParts;
  readonly #subscriptions: vscode.Disposable;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#sender = lazy(async () => new (await import('./requests/RequestSender.ts')).RequestSender(parts));
    // After activation, which reads nothing. In an untrusted workspace nothing is downloaded without being asked for.
    const recover = () => void (vscode.workspace.isTrusted && this.#recover());
    setImmediate(recover);
    const again = setTimeout(recover, recoverAgainAfter);
    const repeated = setInterval(recover, recoverEvery);
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidGrantWorkspaceTrust(recover),
      new vscode.Disposable(() => {
        clearTimeout(again);
        clearInterval(repeated);
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /**
   * Runs requests in parallel.
   *
   * @returns the outcome of each; undefined when the person dismissed a question
   * @throws MediaError when nothing was sent
   */
  async run(
    requests: readonly Requested[],
    caller: Caller,
    options: RequestOptions = {},
  ): Promise<readonly RequestOutcome[] | undefined> {
    return (await this.#sender()).run(requests, caller, options);
  }

  /**
   * Runs a request that an agent's gate has let through, without questions or notifications.
   *
   * @param id the job's id, when it was assigned before
   * @throws MediaError
   */
  async makeAssets(input: JobInput, options: RunOptions, id?: string): Promise<readonly Asset[]> {
    return (await this.#sender()).makeAssets(input, options, id);
  }

  /** Returns what the jobs of manifests run with. */
  async forManifests(): Promise<{ readonly runner: JobRunner; readonly limits: Limits }> {
    const { runner, limits } = await this.#sender();
    return { runner, limits };
  }

  /** Continues a job that has failed, or sends it again. See {@link JobActions.resume}. */
  async resume(
    action: ResumeAction,
    jobId: string,
    caller: Caller,
    isTold?: boolean,
  ): Promise<readonly Asset[] | undefined> {
    return (await this.jobActions()).resume(action, jobId, caller, isTold);
  }

  async jobActions(): Promise<JobActions> {
    return (await this.#sender()).jobs;
  }

  /** Returns what speaks the changes of documents. */
  async narrator(): Promise<DocumentNarrator> {
    return (await this.#sender()).narrator();
  }

  async #recover(): Promise<void> {
    const { storeFolder, log } = this.#parts;
    try {
      // Most windows have no jobs to resume and should load nothing for this.
      if (this.#sender.current() === undefined) {
        const entries = await entriesIn(vscode.Uri.file(storeFolder));
        if (!entries.some(([, type]) => type === vscode.FileType.Directory)) return;
      }
      await (await this.#sender()).recover();
    } catch (error) {
      log.error(`Interrupted jobs could not be read: ${String(error)}`);
    }
  }
}
