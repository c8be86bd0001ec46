import { setTimeout as sleep } from 'node:timers/promises';
import type { RunProgress } from '../jobs/JobRun.ts';
import type { AgentCaller } from './AgentHost.ts';
import { running } from './describeJob.ts';
import type { PaidCall } from './PaidCall.ts';
import type { ToolResult } from './ToolResult.ts';

/** One request of an agent, from the booking to its end. It goes on when the caller has left. */
export class AgentCall {
  /** Also that of the job that runs it. */
  readonly id: string;
  readonly caller: AgentCaller;
  readonly call: PaidCall;
  readonly #abort = new AbortController();
  readonly #listeners = new Set<(progress: RunProgress) => void>();
  readonly #end = Promise.withResolvers<ToolResult>();
  readonly #started = Promise.withResolvers<void>();
  #isAsking = false;
  /** Whether the person is asked about this very request, or has agreed: the same request can wait for this one. */
  isCommitted = false;
  isEnded = false;

  constructor(id: string, caller: AgentCaller, call: PaidCall) {
    this.id = id;
    this.caller = caller;
    this.call = call;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What it comes to; never rejects. */
  get end(): Promise<ToolResult> {
    return this.#end.promise;
  }

  /** From here on it is known whether the person is asked; before, a caller that does not want to wait still waits. */
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
   * Waits for the end.
   *
   * @param seconds undefined to wait as long as it takes
   * @param signal the caller's: when it leaves, nobody waits any more
   */
  async wait(seconds: number | undefined, signal: AbortSignal): Promise<ToolResult> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const pause = seconds === undefined ? untilAborted(either) : sleep(seconds * 1000, undefined, { signal: either });
    try {
      const left = Promise.all([this.#started.promise, pause.catch(() => undefined)]);
      return await Promise.race([this.end, left.then(() => this.#now())]);
    } finally {
      over.abort();
    }
  }

  #now(): ToolResult {
    const facts = { job_id: this.id, model: this.call.request.model, sandbox: this.call.sandbox };
    if (!this.#isAsking) return { ...facts, ...running };
    return {
      ...facts,
      status: 'waiting_for_person',
      next: 'The person is asked in VS Code; nothing is sent before the answer. Call media_get_job with this job_id.',
    };
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
