import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { LibraryEntry } from '../library/LibraryRecord.ts';
import type { OperationId } from '../operations/operations.ts';
import { operationIds, operations } from '../operations/operations.ts';
import type { AgentCall } from './AgentCall.ts';
import type { AgentHost } from './AgentHost.ts';
import { describeAsset, describeDone, describeUnfinished, describeWork, running } from './describeJob.ts';
import type { RootedEntry } from './prepareCall.ts';
import { entryPath } from './prepareCall.ts';
import type { ToolInput } from './readInput.ts';
import { invalid, numberIn, textIn } from './readInput.ts';
import type { ToolResult } from './ToolResult.ts';
import type { AgentTool } from './tools.ts';
import { agentFields, agentTranscriptFormats } from './tools.ts';

export interface FreeOptions {
  readonly host: AgentHost;
  /** Returns a call that this window runs or ran. */
  call(id: string): AgentCall | undefined;
  readonly signal: AbortSignal;
}

/** How often the state of another window's job is polled, in milliseconds. */
const pollInterval = 500;

/** Runs a tool that costs nothing. @throws MediaError */
export async function answerFreeTool(tool: AgentTool, input: ToolInput, options: FreeOptions): Promise<ToolResult> {
  switch (tool.id) {
    case 'getJob':
      return getJob(textIn(input, 'job_id') ?? '', numberIn(input, 'wait_seconds') ?? 0, options);
    case 'cancelJob':
      return cancelJob(textIn(input, 'job_id') ?? '', options);
    case 'findAssets':
      return findAssets(input, options.host);
    default:
      return getOptions(options.host);
  }
}

async function getJob(id: string, seconds: number, { host, call, signal }: FreeOptions): Promise<ToolResult> {
  const own = call(id);
  if (own) return own.wait(seconds, signal);
  return findJob(id, host, AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]));
}

async function cancelJob(id: string, { host, call }: FreeOptions): Promise<ToolResult> {
  const own = call(id);
  if (own && !own.isEnded) {
    own.cancel();
    return own.end;
  }
  const now = own ? await own.end : await stateOf(id, host);
  if (now.status !== 'running') return { ...now, next: 'The job had already ended, so nothing was cancelled.' };
  return {
    ...now,
    next: 'The job runs in another window, and only that window can cancel it. Ask the user to cancel it there.',
  };
}

/**
 * Waits for a job of another or an earlier window. Returns its current state when the signal is aborted.
 *
 * @param key of its work, if the caller knows it
 */
export async function findJob(id: string, host: AgentHost, signal: AbortSignal, key?: string): Promise<ToolResult> {
  for (;;) {
    const result = await stateOf(id, host, key);
    if (result.status !== 'running' || signal.aborted) return result;
    await sleep(pollInterval, undefined, { signal }).catch(() => undefined);
  }
}

/** @throws MediaError `invalidInput` for an unknown job */
async function stateOf(id: string, host: AgentHost, known?: string): Promise<ToolResult> {
  const job = host.jobs.get(id);
  if (job && job.state !== 'done') return describeUnfinished(job, id);
  const booking = await host.budget.booking(id);
  const key = known ?? booking?.key;
  const work = key === undefined ? undefined : await host.workOf(key);
  const unfinished = work?.record?.id === id ? describeWork(work) : undefined;
  if (unfinished) return unfinished;
  const saved = await savedBy([id, ...(booking?.jobs ?? [])], host);
  const [first] = saved;
  if (first) {
    const { model, sandbox = false, usage } = first.entry;
    const assets = saved.flatMap((one) => assetOfEntry(one));
    return describeDone({ id, model, sandbox, assets, usage }, host);
  }
  if (known === undefined && booking?.outcome !== 'booked') {
    throw invalid(
      'job_id',
      `There is no job ${id} in this window's folders. Call media_find_assets to list what was saved.`,
    );
  }
  if (booking?.isOpen) return { job_id: id, ...running };
  const status = booking?.end === 'cancelled' || booking?.end === 'failed' ? booking.end : 'unknown';
  return {
    job_id: id,
    status,
    next: 'The job ended, but its result is not known here. Do not start it again. Ask the user to check the Activity view.',
  };
}

async function savedBy(jobs: readonly string[], host: AgentHost): Promise<readonly RootedEntry[]> {
  const found: RootedEntry[] = [];
  for (const { path: root } of host.roots()) {
    const entries = await host.entriesIn(root);
    found.push(...entries.filter(({ jobId }) => jobs.includes(jobId)).map((entry) => ({ root, entry })));
  }
  return found;
}

function assetOfEntry({ root, entry }: RootedEntry) {
  const path = entryPath({ root, entry });
  if (path === undefined) return [];
  const { kind, jobId, prompt, mediaType = '', bytes = 0 } = entry;
  return [
    { uri: pathToFileURL(path).href, kind, jobId, mediaType, bytes, ...(prompt === undefined ? {} : { prompt }) },
  ];
}

async function findAssets(input: ToolInput, host: AgentHost): Promise<ToolResult> {
  const words = (textIn(input, 'query') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const kind = textIn(input, 'kind');
  const limit = numberIn(input, 'limit') ?? 10;
  const matches = ({ kind: own, prompt = '', file = '', model }: LibraryEntry) => {
    const text = `${prompt} ${file} ${model}`.toLowerCase();
    return (kind === undefined || own === kind) && words.every((word) => text.includes(word));
  };
  const found: (RootedEntry & { readonly path: string })[] = [];
  for (const { path: root } of host.roots()) {
    for (const entry of (await host.entriesIn(root)).toReversed()) {
      const path = entryPath({ root, entry });
      // Skip files that were deleted.
      if (path !== undefined && matches(entry) && (await isThere(path))) {
        found.push({ root, entry, path });
      }
      if (found.length >= limit * host.roots().length) break;
    }
  }
  const newest = found.sort((a, b) => b.entry.createdAt.localeCompare(a.entry.createdAt)).slice(0, limit);
  const files = await Promise.all(newest.map((one) => describeEntry(one, host)));
  return {
    status: 'done',
    files: files.flat(),
    next: files.length > 0 ? 'Reuse one of these if it fits, instead of creating a new one.' : 'No saved media match.',
  };
}

async function describeEntry(found: RootedEntry, host: AgentHost) {
  const { entry } = found;
  const described = await Promise.all(assetOfEntry(found).map((asset) => describeAsset(asset, entry.prompt, host)));
  return described.map((file) => ({
    ...file,
    asset_id: entry.id,
    model: entry.model,
    created_at: entry.createdAt,
    ...(entry.prompt === undefined ? {} : { prompt: entry.prompt.slice(0, 300) }),
  }));
}

function getOptions(host: AgentHost): ToolResult {
  const sandbox = host.usesSandbox();
  const choices = (id: OperationId, name: string) => {
    const field = agentFields(id).find((one) => one.name === name)?.field;
    return field?.type === 'choice' ? field.options : [];
  };
  return {
    status: 'done',
    sandbox,
    options: {
      service: sandbox ? 'sandbox' : 'remote',
      models: Object.fromEntries(operationIds.map((id) => [operations[id].id, host.models(id)])),
      voices: choices('speak', 'voice'),
      audio_formats: choices('speak', 'response_format'),
      transcript_formats: Object.keys(agentTranscriptFormats),
    },
    next: 'The first model of each list is the default.',
  };
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );
}
