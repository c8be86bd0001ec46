import { randomUUID } from 'node:crypto';
import type { RunProgress } from '../jobs/JobRun.ts';
import { MediaError } from '../operations/MediaError.ts';
import { AgentCall } from './AgentCall.ts';
import type { AgentCaller, AgentHost } from './AgentHost.ts';
import type { AgentEnd } from './AgentLedger.ts';
import { difference, fits } from './Amounts.ts';
import { answerFreely, findJob } from './answerFreely.ts';
import { describeDone, describeFailure, describeUnfinished } from './describeJob.ts';
import type { PaidCall } from './PaidCall.ts';
import { hashOf, prepareCall } from './prepareCall.ts';
import type { ToolInput } from './readInput.ts';
import { invalid, numberIn, readInput, textIn } from './readInput.ts';
import type { Preview, ToolAnswer, ToolResult } from './ToolResult.ts';
import type { AgentTool } from './tools.ts';

export interface AskOptions {
  /** The caller's: when it is aborted, the caller has left. */
  readonly signal: AbortSignal;
  /** Whether the job ends with its caller, and is waited for to its end. */
  readonly stays: boolean;
  onProgress?(progress: RunProgress): void;
}

/** Whether a call would be sent without a question of our own. */
export interface Outlook {
  readonly call: PaidCall;
  readonly isWithinBudget: boolean;
  readonly left: ReturnType<typeof difference>;
}

/** Ended calls that are remembered, for who asks by id. */
const maxEnded = 200;
const maxPreviews = 4;
const maxPreviewBytes = 1024 * 1024;

const closed = {
  restricted:
    'This workspace is in Restricted Mode, so agents cannot make media in it. Ask the person to trust it first.',
  turnedOff: 'The person has turned off media for agents (unifiedMedia.agents.enabled). Do without new media.',
} as const;

/** Where agents ask for media: every tool, whatever it is asked by, goes through here. */
export class AgentDesk {
  readonly #host: AgentHost;
  readonly #preview: (path: string) => Promise<Preview | undefined>;
  readonly #calls = new Map<string, AgentCall>();
  readonly #listeners = new Set<() => void>();

  /** @param preview makes a small picture of an image file; undefined for what cannot be decoded */
  constructor(host: AgentHost, preview: (path: string) => Promise<Preview | undefined>) {
    this.#host = host;
    this.#preview = preview;
  }

  /** Answers a call of a tool. What goes wrong is in the result; this never rejects. */
  async ask(tool: AgentTool, raw: unknown, caller: AgentCaller, options: AskOptions): Promise<ToolAnswer> {
    let result: ToolResult;
    let input: ToolInput = {};
    try {
      this.#checkOpen();
      input = readInput(tool, raw);
      result = tool.operation
        ? await this.#pay(tool, input, caller, options)
        : await this.#answer(tool, input, options);
    } catch (error) {
      result = describeFailure(error);
    }
    this.#host.log(
      `Agent ${caller.name}: ${tool.referenceName} → ${result.status}${result.error ? ` (${result.error.kind})` : ''}`,
    );
    return this.#withPreviews(await this.#withBudget(tool, result), input.include_preview === true);
  }

  /** What a call would do; reads and changes nothing. @throws MediaError for what cannot be sent */
  async outlook(tool: AgentTool, raw: unknown): Promise<Outlook | undefined> {
    this.#checkOpen();
    if (!tool.operation) return undefined;
    const call = await prepareCall(tool.operation, readInput(tool, raw), this.#host);
    const limit = this.#host.limit();
    const spent = await this.#host.journal.spent();
    return {
      call,
      isWithinBudget: fits(limit, spent, call.amounts),
      left: difference(limit, spent),
    };
  }

  /** Calls that have not ended, oldest first. */
  get open(): readonly AgentCall[] {
    return [...this.#calls.values()].filter(({ isEnded }) => !isEnded);
  }

  /** Called when a call has begun or ended. */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  #checkOpen(): void {
    const reason = this.#host.closedBecause();
    if (reason !== undefined) throw new MediaError('forbidden', closed[reason]);
  }

  #answer(tool: AgentTool, input: ToolInput, { signal }: AskOptions): Promise<ToolResult> {
    return answerFreely(tool, input, {
      host: this.#host,
      call: (id) => this.#calls.get(id),
      signal,
    });
  }

  async #pay(
    tool: AgentTool,
    input: ToolInput,
    caller: AgentCaller,
    { signal, stays, onProgress }: AskOptions,
  ): Promise<ToolResult> {
    if (!tool.operation) throw invalid('input', `${tool.referenceName} makes nothing.`);
    const prepared = await prepareCall(tool.operation, input, this.#host);
    // The caller may have left meanwhile, before anything was sent.
    if (signal.aborted && stays) throw new MediaError('cancelled', 'Cancelled. Nothing was sent.');
    const call = new AgentCall(randomUUID(), caller, prepared);
    if (onProgress) call.onProgress(onProgress);
    this.#remember(call);
    const leave = () => call.cancel();
    if (stays) signal.addEventListener('abort', leave, { once: true });
    try {
      void this.#carryOut(call, textIn(input, 'request_id')).then((result) => {
        call.finish(result);
        this.#tell();
      });
      return await (stays ? call.end : call.wait(numberIn(input, 'wait_seconds'), signal));
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Books a call, asks the person where the budget does not cover it, and runs it. Never rejects. */
  async #carryOut(call: AgentCall, requestId: string | undefined): Promise<ToolResult> {
    const { journal } = this.#host;
    const facts = { job_id: call.id, model: call.call.request.model, sandbox: call.call.sandbox };
    try {
      await this.#host.confirmBudget(() => call.start(true));
      const limit = this.#host.limit();
      const booking = {
        id: call.id,
        input: call.call.fingerprint,
        ...(requestId === undefined ? {} : { requestKey: hashOf([call.caller.kind, call.caller.name, requestId]) }),
        // The sandbox is free.
        amounts: call.call.sandbox ? difference(call.call.amounts, call.call.amounts) : call.call.amounts,
        limit,
      };
      const outcome = await journal.book(booking);
      switch (outcome.kind) {
        case 'mismatch':
          throw invalid('request_id', '"request_id" was used for another request. Give this one an id of its own.');
        case 'joined':
          call.start(false);
          return await this.#join(outcome.id, call);
        case 'booked':
          return await this.#run(call);
        case 'over': {
          const same = this.#askedFor(call);
          call.start(true);
          if (same) return await this.#join(same.id, call);
          call.isCommitted = true;
          const refusal = await this.#askPerson(call, limit);
          if (refusal) return { ...facts, ...refusal };
          const again = await journal.book({ ...booking, approved: true });
          return again.kind === 'joined' ? await this.#join(again.id, call) : await this.#run(call);
        }
      }
    } catch (error) {
      return describeFailure(error, facts);
    }
  }

  /** The same request, for which the person is being asked already, or has just been. */
  #askedFor({ id, call }: AgentCall): AgentCall | undefined {
    return this.open.find((one) => one.id !== id && one.isCommitted && one.call.fingerprint === call.fingerprint);
  }

  /** @returns why the request is not sent; undefined when the person agreed */
  async #askPerson(call: AgentCall, limit: Outlook['left']): Promise<Pick<ToolResult, 'status' | 'next'> | undefined> {
    const left = difference(limit, await this.#host.journal.spent());
    const answer = await this.#host.ask({ id: call.id, caller: call.caller, call: call.call, left }, call.signal);
    call.start(false);
    if (call.signal.aborted) throw new MediaError('cancelled', 'Cancelled. Nothing was sent.');
    if (answer === 'yes') return undefined;
    if (answer === 'no') {
      return { status: 'declined', next: 'The person declined. Nothing was sent. Stop, and do not ask for it again.' };
    }
    return {
      status: 'over_budget',
      next: 'The budget for agents does not cover this, and nobody could be asked, so it was declined. Nothing was sent. Ask the person to raise “unifiedMedia.agents.budget”.',
    };
  }

  async #run(call: AgentCall): Promise<ToolResult> {
    const host = this.#host;
    const { operation, request, place, sandbox, purpose, title } = call.call;
    const notices: string[] = [];
    call.start(false);
    const agent = { name: call.caller.name, ...(purpose === undefined ? {} : { purpose }), call: call.id };
    try {
      const assets = await host.run(
        { operation, request, place, sandbox, agent },
        {
          signal: call.signal,
          onNotice: (sentence) => void notices.push(sentence),
          onProgress: (progress) => call.report(progress),
        },
        call.id,
      );
      await this.#ended(
        call.id,
        'done',
        assets.map(({ jobId }) => jobId),
      );
      const { model } = request;
      const usage = host.jobs.get(call.id)?.usage;
      const done = await describeDone({ id: call.id, model, sandbox, assets, usage, title }, host);
      return notices.length > 0 ? { ...done, next: `${notices.join(' ')} ${done.next}` } : done;
    } catch (error) {
      const job = host.jobs.get(call.id);
      const result = job
        ? describeUnfinished(job, call.id)
        : describeFailure(error, { job_id: call.id, model: request.model, sandbox });
      // Of a long text the parts before the one that failed are paid for.
      const hasParts = host.jobs.all.some((one) => one.id !== call.id && one.agent?.call === call.id);
      const end = endOf(result);
      await this.#ended(call.id, hasParts && end === 'refused' ? 'failed' : end);
      return result;
    }
  }

  /** What was made is told also when the disk is full. */
  async #ended(id: string, end: AgentEnd, jobs: readonly string[] = []): Promise<void> {
    await this.#host.journal.ended(id, end, jobs).catch((error: unknown) => {
      this.#host.log(`The end of an agent's request could not be written down: ${String(error)}`);
    });
  }

  /** Waits for the request that stands for this one. */
  async #join(id: string, call: AgentCall): Promise<ToolResult> {
    const other = this.#calls.get(id);
    return other && other.id !== call.id ? other.wait(undefined, call.signal) : findJob(id, this.#host, call.signal);
  }

  async #withBudget(tool: AgentTool, result: ToolResult): Promise<ToolResult> {
    if (!tool.operation && tool.id !== 'getOptions') return result;
    try {
      const left = difference(this.#host.limit(), await this.#host.journal.spent());
      return { ...result, budget: { left } };
    } catch {
      return result;
    }
  }

  async #withPreviews(result: ToolResult, isWanted: boolean): Promise<ToolAnswer> {
    if (!isWanted || !result.files || !this.#host.wantsPreviews()) return { result, previews: [] };
    const previews: Preview[] = [];
    const files = [];
    let bytes = 0;
    for (const file of result.files) {
      const isDrawn = previews.length < maxPreviews && file.media_type.startsWith('image/');
      const preview = isDrawn ? await this.#preview(file.path).catch(() => undefined) : undefined;
      bytes += preview?.bytes.length ?? 0;
      if (preview && bytes <= maxPreviewBytes) {
        previews.push(preview);
        files.push({ ...file, preview: { width: preview.width, height: preview.height } });
      } else files.push(file);
    }
    return { result: { ...result, files }, previews };
  }

  #remember(call: AgentCall): void {
    this.#calls.set(call.id, call);
    const ended = [...this.#calls.values()].filter(({ isEnded }) => isEnded);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - maxEnded))) this.#calls.delete(id);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** What was certainly not paid for is given back. */
function endOf({ status, error }: ToolResult): AgentEnd {
  if (error?.charged === 'no') return 'refused';
  if (status === 'unknown' || status === 'cancelled' || status === 'done') return status;
  return 'failed';
}
