import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashOf } from '../files/sha256.ts';
import { difference, fits, noAmounts } from '../operations/amounts.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { RunProgress } from '../work/Attempt.ts';
import type { Job } from '../work/Job.ts';
import { isUnknownOutcome } from '../work/jobErrors.ts';
import type { AgentEnd } from './AgentBudget.ts';
import { findJob } from './freeTools.ts';
import {
  type AgentCaller,
  type AgentHost,
  type AskReason,
  checkAddresses,
  type EarlierWork,
  type PaidCall,
  prepareCall,
} from './prepareCall.ts';
import {
  describeDone,
  describeFailure,
  describeUnfinished,
  describeWork,
  type Preview,
  running,
  type ToolAnswer,
  type ToolResult,
} from './ToolResult.ts';
import { invalid, numberIn, readInput, type ToolInput, textIn } from './toolInput.ts';
import { type AgentTool, withDeclared } from './tools.ts';

export interface AskOptions {
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Whether the call waits for the end of the job, and cancels it when the caller disconnects. */
  readonly endsWithCaller: boolean;
  onProgress?(progress: RunProgress): void;
}

/** What a call would send, and whether the budget covers it so that the user is not asked. */
export interface Outlook {
  readonly call: PaidCall;
  readonly isWithinBudget: boolean;
  readonly left: ReturnType<typeof difference>;
}

/** How many finished calls are kept in memory for `media_get_job`. */
const maxEnded = 200;
/** How many calls that chat has shown are kept in memory. */
const maxShown = 200;
/** How many calls of one agent may wait for the person, and how many of all agents. */
const maxWaiting = { ofAgent: 3, ofAll: 20 } as const;
/** How many images have a preview where the agent asks for previews. Each takes the context of the agent's model. */
const maxPreviews = 4;

const closed = {
  restricted:
    'This workspace is in Restricted Mode, so agents cannot create media in it. Ask the user to trust the workspace first.',
  turnedOff: 'The user has turned off media for agents (unifiedMedia.agents.enabled). Continue without new media.',
} as const;

/** Runs all tools for agents, for VS Code's chat and for MCP alike. */
export class AgentDesk {
  readonly #host: AgentHost;
  readonly #preview: (path: string) => Promise<Preview | undefined>;
  readonly #calls = new Map<string, AgentCall>();
  readonly #listeners = new Set<() => void>();
  /** Hashes of what chat was given to show, by tool and input, oldest first; undefined if there was nothing to show. */
  readonly #shown = new Map<string, string | undefined>();

  /** @param preview creates a preview of an image file; undefined if the file cannot be decoded */
  constructor(host: AgentHost, preview: (path: string) => Promise<Preview | undefined>) {
    this.#host = host;
    this.#preview = preview;
  }

  /** Runs a tool. Failures are part of the result; this never rejects. */
  async ask(tool: AgentTool, raw: unknown, caller: AgentCaller, options: AskOptions): Promise<ToolAnswer> {
    let result: ToolResult;
    let input: ToolInput = {};
    try {
      this.#checkOpen();
      input = readInput(withDeclared(tool, this.#host), raw);
      const { signal } = options;
      result = tool.free
        ? await tool.free.answer(input, { host: this.#host, call: (id) => this.#calls.get(id), signal })
        : await this.#pay(tool, input, caller, options);
    } catch (error) {
      result = describeFailure(error);
    }
    this.#host.log(
      `Agent ${caller.name}: ${tool.referenceName} → ${result.status}${result.error ? ` (${result.error.kind})` : ''}`,
    );
    return this.#withPreviews(await this.#withBudget(tool, result), previewsFor(tool, input));
  }

  /**
   * Returns what a call would send. Chat shows it if the budget covers it. When chat then makes the call and it would send
   * anything else, the user is asked again.
   *
   * @throws MediaError if it cannot be sent
   */
  async outlook(tool: AgentTool, raw: unknown): Promise<Outlook | undefined> {
    this.#checkOpen();
    if (!tool.operation) return undefined;
    const input = readInput(withDeclared(tool, this.#host), raw);
    const name = hashOf([tool.id, input]);
    let content: string | undefined;
    try {
      const call = await prepareCall(tool.operation, input, this.#host);
      const limit = this.#host.limit();
      const spent = await this.#host.budget.spent();
      const isWithinBudget = reasonToAsk(call) === undefined && fits(limit, spent, call.amounts);
      if (isWithinBudget) content = contentOf(call);
      return { call, isWithinBudget, left: difference(limit, spent) };
    } finally {
      this.#shown.delete(name);
      this.#shown.set(name, content);
      for (const oldest of [...this.#shown.keys()].slice(0, -maxShown)) this.#shown.delete(oldest);
    }
  }

  /** The unfinished calls, oldest first. */
  get open(): readonly AgentCall[] {
    return [...this.#calls.values()].filter(({ isEnded }) => !isEnded);
  }

  /** Registers a listener that is called when a call starts or ends. */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  #checkOpen(): void {
    const reason = this.#host.closedBecause();
    if (reason !== undefined) throw new MediaError('forbidden', closed[reason]);
  }

  async #pay(
    tool: AgentTool,
    input: ToolInput,
    caller: AgentCaller,
    { signal, endsWithCaller, onProgress }: AskOptions,
  ): Promise<ToolResult> {
    if (!tool.operation) throw invalid('input', `${tool.referenceName} is not a paid tool.`);
    const prepared = await prepareCall(tool.operation, input, this.#host);
    if (signal.aborted && endsWithCaller) throw new MediaError('cancelled', 'Cancelled. Nothing was sent.');
    const call = new AgentCall(randomUUID(), caller, prepared, textIn(input, 'request_id'));
    const name = hashOf([tool.id, input]);
    // The sandbox is free, and a person who edits the input in chat sees what they send.
    const isShown = prepared.sandbox || !this.#shown.has(name) || this.#shown.get(name) === contentOf(prepared);
    call.isShown = caller.kind !== 'chat' || isShown;
    if (onProgress) call.onProgress(onProgress);
    this.#remember(call);
    const cancel = () => call.cancel();
    if (endsWithCaller) signal.addEventListener('abort', cancel, { once: true });
    try {
      void this.#bookAndRun(call).then((result) => {
        call.finish(result);
        this.#notify();
      });
      return await (endsWithCaller ? call.end : call.wait(numberIn(input, 'wait_seconds'), signal));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /**
   * Books a call, asks the user if the budget does not cover it, and runs it. Never rejects.
   *
   * A request that was sent before and is not finished is neither booked nor asked about nor sent.
   */
  async #bookAndRun(call: AgentCall): Promise<ToolResult> {
    const { budget } = this.#host;
    const facts = { job_id: call.id, model: call.call.request.model, sandbox: call.call.sandbox };
    try {
      const earlier = (await this.#follow(await this.#host.workOf(call.key), call)) ?? (await this.#heldBy(call.call));
      if (earlier) return earlier;
      await this.#host.confirmBudget(() => this.#line(call));
      call.isAsking = false;
      const limit = this.#host.limit();
      const booking = {
        id: call.id,
        key: call.key,
        requestKey: call.requestKey,
        // The sandbox is free.
        amounts: call.call.sandbox ? noAmounts : call.call.amounts,
        limit,
      };
      const outcome = await budget.book(booking);
      switch (outcome.kind) {
        case 'mismatch':
          throw usedBefore();
        case 'joined':
          return await this.#join(outcome.id, call);
        case 'booked': {
          const refusal = await this.#askWithinBudget(call, limit);
          return refusal ? { ...facts, ...refusal } : await this.#run(call);
        }
        case 'over': {
          const same = this.#committedTwin(call);
          this.#line(call);
          if (same) return await same.wait(undefined, call.signal);
          call.isCommitted = true;
          const refusal = await this.#askUser(call, limit, 'budget');
          if (refusal) return { ...facts, ...refusal };
          const again = await budget.book({ ...booking, approved: true });
          if (again.kind === 'mismatch') throw usedBefore();
          return again.kind === 'joined' ? await this.#join(again.id, call) : await this.#run(call);
        }
      }
    } catch (error) {
      return error instanceof FullLine ? { ...facts, ...error.answer } : describeFailure(error, facts);
    }
  }

  /**
   * Returns the result of an earlier request that sends the same, with whichever `request_id` or file name, and that only a
   * person sends again: its outcome is unknown, or its answer is paid for but not saved.
   */
  async #heldBy({ fingerprint, contentKey }: PaidCall): Promise<ToolResult | undefined> {
    const host = this.#host;
    const known = (await host.worksSending(contentKey)).find(isHeld);
    if (known) return describeWork(known);
    // Earlier versions wrote no content key.
    for (const key of await host.budget.keysOf((requestKey) => hashOf([fingerprint, requestKey]))) {
      const work = await host.workOf(key);
      if (isHeld(work)) return describeWork(work);
    }
    return undefined;
  }

  /** Returns an identical request about which the user is being asked or to which they have agreed. */
  #committedTwin({ id, key }: AgentCall): AgentCall | undefined {
    return this.open.find((one) => one.id !== id && one.isCommitted && one.key === key);
  }

  /** Asks about an address, or what chat has not shown, within the budget. Gives the booking back unless the user agrees. */
  async #askWithinBudget(call: AgentCall, limit: Outlook['left']): Promise<ToolResult | undefined> {
    if (reasonToAsk(call.call) === undefined && call.isShown) return undefined;
    let isRefused = true;
    try {
      this.#line(call);
      const refusal = await this.#askUser(call, limit, 'notShown');
      isRefused = refusal !== undefined;
      return refusal;
    } finally {
      if (isRefused) await this.#ended(call.id, 'refused');
    }
  }

  /** Adds a call to those that wait for the user. @throws FullLine if too many wait already */
  #line(call: AgentCall): void {
    const waiting = this.open.filter((one) => one !== call && one.isAsking);
    const { kind, name } = call.caller;
    const own = waiting.filter(({ caller }) => caller.kind === kind && caller.name === name);
    if (own.length >= maxWaiting.ofAgent) throw new FullLine(`${own.length} of your requests`);
    if (waiting.length >= maxWaiting.ofAll) throw new FullLine(`${waiting.length} requests of agents`);
    call.start(true);
  }

  /** @returns why the request is not sent; undefined if the user agreed */
  async #askUser(
    call: AgentCall,
    limit: Outlook['left'],
    other: 'budget' | 'notShown',
  ): Promise<ToolResult | undefined> {
    const left = difference(limit, await this.#host.budget.spent());
    const reason = reasonToAsk(call.call) ?? other;
    const question = { id: call.id, reason, caller: call.caller, call: call.call, left } as const;
    const answer = await this.#host.ask(question, call.signal);
    call.start(false);
    if (call.signal.aborted) throw new MediaError('cancelled', 'Cancelled. Nothing was sent.');
    if (answer === 'yes') {
      await checkAddresses(call.call.addresses, this.#host);
      // Another request that sends the same may have failed during the question.
      return this.#heldBy(call.call);
    }
    if (answer === 'no') {
      return { status: 'declined', next: 'The user declined. Nothing was sent. Stop, and do not request it again.' };
    }
    return unasked[reason];
  }

  async #run(call: AgentCall): Promise<ToolResult> {
    const host = this.#host;
    const { operation, request, place, sandbox, contentKey, purpose, title } = call.call;
    const notices: string[] = [];
    call.start(false);
    const agent = { name: call.caller.name, purpose, call: call.id };
    try {
      const assets = await host.run(
        { key: call.key, operation, request, place, sandbox, agent, contentKey },
        {
          signal: call.signal,
          agreed: call.call.sends,
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
      const parts = host.jobs.all.filter((one) => one.id !== call.id && one.agent?.call === call.id);
      const other = job || parts.length > 0 ? undefined : await host.workOf(call.key).catch(() => undefined);
      // Another program, which shares the store but not the budget, has sent the same request or taken this job over.
      const isOwn = other?.record?.id === call.id;
      if (other && !isOwn && describeWork(other)) await this.#ended(call.id, 'refused');
      const followed = other && (await this.#follow(other, call));
      if (followed && !isOwn) return followed;
      const isUnsent = isUnknownOutcome(error);
      const result =
        followed ??
        (job && !isUnsent
          ? describeUnfinished(job, call.id)
          : describeFailure(error, { job_id: call.id, model: request.model, sandbox }, chargedFor(parts)));
      await this.#ended(call.id, isUnsent && chargedFor(parts) === 'no' ? 'refused' : endOf(result));
      return result;
    }
  }

  /** Records the end of a job. A failure is only logged, so that the agent gets its result even if the disk is full. */
  async #ended(id: string, end: AgentEnd, jobs: readonly string[] = []): Promise<void> {
    await this.#host.budget.ended(id, end, jobs).catch((error: unknown) => {
      this.#host.log(`The end of an agent's request could not be saved: ${String(error)}`);
    });
  }

  /** Returns the result of an earlier work of the same request, after it has ended; undefined if there is none. */
  async #follow(work: EarlierWork, call: AgentCall): Promise<ToolResult | undefined> {
    const found = describeWork(work);
    return found?.status === 'running' && work.record ? this.#join(work.record.id, call) : found;
  }

  /** Waits for the earlier call that this one joins. */
  async #join(id: string, call: AgentCall): Promise<ToolResult> {
    call.start(false);
    const other = this.#calls.get(id);
    return other && other !== call
      ? other.wait(undefined, call.signal)
      : findJob(id, this.#host, call.signal, call.key);
  }

  async #withBudget(tool: AgentTool, result: ToolResult): Promise<ToolResult> {
    if (tool.id === 'findAssets') return result;
    try {
      const left = difference(this.#host.limit(), await this.#host.budget.spent());
      return { ...result, budget: { left } };
    } catch {
      return result;
    }
  }

  /** @param count how many images have a preview */
  async #withPreviews(result: ToolResult, count: number): Promise<ToolAnswer> {
    if (count === 0 || !result.files || !this.#host.wantsPreviews()) return { result, previews: [] };
    const previews: Preview[] = [];
    const files = [];
    for (const file of result.files) {
      const canPreview = previews.length < count && file.media_type.startsWith('image/');
      const preview = canPreview ? await this.#preview(file.path).catch(() => undefined) : undefined;
      if (preview) {
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
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Returns how many images of an answer have a preview. */
function previewsFor({ inputSchema }: AgentTool, input: ToolInput): number {
  if (!Object.hasOwn(inputSchema.properties, 'include_preview')) return 0;
  if (input.include_preview === undefined) return 1;
  return input.include_preview === true ? maxPreviews : 0;
}

/** Returns why the user is asked about a request, whatever the budget covers. */
function reasonToAsk({ addresses, unlimited }: PaidCall): AskReason | undefined {
  if (addresses.length > 0) return 'address';
  return unlimited.length > 0 ? 'unlimited' : undefined;
}

/** Why a request is not sent when no question can be shown. */
const unasked: Readonly<Record<AskReason, Pick<ToolResult, 'status' | 'next'>>> = {
  address: {
    status: 'declined',
    next: 'The user is asked about every address, and VS Code could not ask. Nothing was sent. Save the image in the workspace and give its path.',
  },
  unlimited: {
    status: 'declined',
    next: 'The user is asked about every whole number without a maximum in "fields", and VS Code could not ask. Nothing was sent. Leave the number out.',
  },
  budget: {
    status: 'over_budget',
    next: 'The budget for agents does not cover this, and VS Code could not ask the user. Nothing was sent. Ask the user to raise “unifiedMedia.agents.budget”.',
  },
  notShown: {
    status: 'declined',
    next: 'The user was not shown what would be sent now, and VS Code could not ask. Nothing was sent. Call the tool again.',
  },
};

/** So many calls wait for the user that another one is not asked about. */
class FullLine extends Error {
  readonly answer: Pick<ToolResult, 'status' | 'next'>;

  constructor(waiting: string) {
    super('too many calls wait for the user');
    this.answer = {
      status: 'over_budget',
      next: `The user is not asked about this, because ${waiting} already wait for an answer. Nothing was sent. Call the tool again after the user has answered.`,
    };
  }
}

/** Whether only a person sends a request again. */
function isHeld({ state, record }: EarlierWork): boolean {
  // Until a person's second attempt is answered, the outcome of the first is unknown.
  if (state === 'unknown' || (state === 'running' && record?.isRepeated)) return true;
  // The answer of a part is used when its whole is made.
  return !record?.whole && (state === 'answered' || state === 'unusable');
}

/** Hash of what the user agrees to: a request with its inputs by content, its amounts and who gets it. */
function contentOf({ fingerprint, amounts, service }: PaidCall): string {
  return hashOf([fingerprint, amounts, service]);
}

function usedBefore(): MediaError {
  return invalid('request_id', '"request_id" was already used for a different request. Use a new one.');
}

/** Returns how a call ended for the budget: `refused`, which is certainly not billed, is not counted. */
function endOf({ status, error }: ToolResult): AgentEnd {
  if (error?.charged === 'no') return 'refused';
  if (status === 'unknown' || status === 'cancelled' || status === 'done') return status;
  return 'failed';
}

/** Returns whether parts of a long text or recording were charged. */
function chargedFor(parts: readonly Job[]): 'yes' | 'unknown' | 'no' {
  if (parts.some(({ state, hasAnswer }) => state === 'done' || hasAnswer)) return 'yes';
  return parts.some(({ error }) => error?.mayBeBilled) ? 'unknown' : 'no';
}

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
  /** Whether it waits for the user's answer. */
  isAsking = false;
  /** Whether the user is being asked about this request or has agreed; an identical request then waits for it. */
  isCommitted = false;
  /** Whether no question is needed within the budget: chat has shown just this, or the caller is not chat. */
  isShown = true;
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
    this.isAsking = isAsking;
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
    if (!this.isAsking) return { ...facts, ...running };
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
