// A window in which an agent calls a tool: node agentProcess.mjs '<AgentProcessTask as JSON>'. Recovers, lets the person
// send again what is unknown, lets the agent call, and prints what became of it.

import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ToolResult } from '../../src/agents/ToolResult.ts';
import { makeAssets } from '../../src/wholes/makeAssets.ts';
import { inputAgain } from '../../src/work/JobRunner.ts';
import { sweep } from '../../src/work/sweep.ts';
import { openDesk } from '../support/agentDesk.ts';
import { type ShownJob, shownJob } from './paidWork.ts';
import type { AgentTask } from './Step.ts';
import { agentText } from './works.ts';

export interface AgentProcessTask {
  readonly host: string;
  readonly key: string;
  /** Absolute path of the folder for the agent's workspace and budget. */
  readonly folder: string;
  /** The store of paid work. */
  readonly storage: string;
  readonly call: AgentTask | undefined;
  /** Whether the person sends again what is unknown, before the agent calls. */
  readonly again: boolean;
  /** Whether the person clears the list at the end. */
  readonly tidies: boolean;
}

export interface AgentResult {
  readonly result: ToolResult | undefined;
  readonly shown: readonly ShownJob[];
}

const inputs = {
  media_generate_image: { model: 'm', prompt: 'agent picture' },
  media_speak: { model: 'm', voice: 'alloy', text: agentText },
} as const;

const task = JSON.parse(process.argv[2] ?? '{}') as AgentProcessTask;
const { host, folder, storage, key, call } = task;
await using desk = openDesk(host, { folder, store: storage, key });
const { runner, jobs } = desk;
const root = pathToFileURL(desk.root).href;
const options = { signal: new AbortController().signal, onNotice: () => undefined, onProgress: () => undefined };
const limits = { speechMaxCharacters: desk.host.speechMaxCharacters(), soundOnly: false, maxBytes: 0 };
await runner.recover([root], options.signal);
if (task.again) {
  for (const { id, state } of jobs.all) {
    if (state !== 'unknown') continue;
    const again = runner.runAgain(id, (job) =>
      makeAssets(inputAgain(job), runner, limits, { ...options, again: true }),
    );
    await again.catch(() => undefined);
  }
}
const result = call && (await resultOf(call));
const shown = jobs.all.filter(({ state }) => state !== 'done').map(shownJob);
if (task.tidies) {
  for (const { id, state } of jobs.all) if (state !== 'done') await runner.dismiss(id);
  await sweep(runner.store, [root]);
}
process.stdout.write(JSON.stringify({ result, shown } satisfies AgentResult));

/** Calls a tool, and asks what became of it until it has ended. */
async function resultOf({ tool, id }: AgentTask): Promise<ToolResult> {
  let result = await desk.ask(tool, { ...inputs[tool], ...(id ? { request_id: id } : {}) });
  while (result.status === 'running') {
    await sleep(20);
    result = await desk.ask('media_get_job', { job_id: result.job_id });
  }
  return result;
}
