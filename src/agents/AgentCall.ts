import { setTimeout as sleep } from 'node:timers/promises';
import { hashOf } from '../library/sha256.ts';
import type { RunProgress } from '../work/JobRun.ts';
import type { AgentCaller } from './AgentHost.ts';
import { running } from './describeJob.ts';
import type { PaidCall } from './PaidCall.ts';
import type { ToolResult } from './ToolResult.ts';

/** A paid request of an agent, from its booking to its result. It continues after its caller has disconnected. */
export class AgentCall {
  /** Also the id of the job that runs it. */
  readonly id: string;
  readonly caller: AgentCaller;
  readonly call: PaidCall;
  /** Hash of the caller and its `request_id`. */
  readonly requestKey: string | undefined;
  /** Key of the paid work in the store: what is sent with its inputs by content, and the `request_id`. */
  readonly key: string;
  readonly #abort = new AbortController();
  readonly #listeners = new Set<(progress: RunProgress) => void>();
  readonly #end = Promise.withResolvers<ToolResult>();
  readonly #started = Promise.withResolvers<void>();
  #isAsking = false;
  /** Whether the user is being asked about this request or has agreed; an identical request then waits for it. */
  isCommitted = false;
  isEnded = false;

  constructor(id: string, caller: AgentCaller, call: PaidCall, requestId: string | undefined) {
    this.id = id;
    this.caller = caller;
    this.call = call;
    this.requestKey = requestId === undefined ? undefined : hashOf([caller.kind, caller.name, requestId]);
    this.key = hashOf([call.fingerprint, this.requestKey]);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The final result; never rejects. */
  get end(): Promise<ToolResult> {
    return this.#end.promise;
  }

  /** Records whether the user is being asked. Until this is known, {@link wait} waits even with 0 seconds. */
  start(isAsking: boolean): void {
    this.#isAsking = isAsking;
    this.#started.resolve();
  }

  cancel(): void {
    this.#abort.abort();
  }

  finish(result: ToolResult): void {
    this.isEnded = true;
    this.start(false);
    this.#listeners.clear();
    this.#end.resolve(result);
  }

  report(progress: RunProgress): void {
    for (const listener of this.#listeners) listener(progress);
  }

  onProgress(listener: (progress: RunProgress) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Waits for the final result. Returns the current status when the time is over.
   *
   * @param seconds undefined to wait without a limit
   * @param signal aborted when the caller disconnects, which ends the wait but not the request
   */
  async wait(seconds: number | undefined, signal: AbortSignal): Promise<ToolResult> {
    const finished = new AbortController();
    const either = AbortSignal.any([signal, finished.signal]);
    const limit = seconds === undefined ? untilAborted(either) : sleep(seconds * 1000, undefined, { signal: either });
    try {
      const timeout = Promise.all([this.#started.promise, limit.catch(() => undefined)]);
      return await Promise.race([this.end, timeout.then(() => this.#now())]);
    } finally {
      finished.abort();
    }
  }

  #now(): ToolResult {
    const facts = { job_id: this.id, model: this.call.request.model, sandbox: this.call.sandbox };
    if (!this.#isAsking) return { ...facts, ...running };
    return {
      ...facts,
      status: 'waiting_for_person',
      next: 'VS Code is asking the user for approval. Nothing is sent before the answer. Call media_get_job with this job_id.',
    };
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
