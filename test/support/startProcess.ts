import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { hostOptions } from '../../esbuild.mjs';
import type { ToolResult } from '../../src/agents/ToolResult.ts';
import type { JobOptions, OptionsOf, Verb, WindowOptions } from './inProcess.ts';

/** Returns the words that make Node run a verb of `inProcess.ts`. */
export function wordsOf<V extends Verb>(verb: V, options: OptionsOf<V>): readonly [string, string, string] {
  return [join(import.meta.dirname, 'inProcess.ts'), verb, JSON.stringify(options)];
}

/** Starts a verb of `inProcess.ts` in a process of its own. */
export function startProcess<V extends Verb>(verb: V, options: OptionsOf<V>, more: ForkOptions = {}): ChildProcess {
  const [script, ...words] = wordsOf(verb, options);
  return fork(script, words, more);
}

/** Sends a message and returns the answer to it. */
export async function ask(child: ChildProcess, message: string | readonly string[]): Promise<unknown> {
  const answer = once(child, 'message');
  child.send(message);
  return (await answer)[0] as unknown;
}

/** Kills a process, as a crash does. */
export async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Starts a process that runs one job, as a window does. */
export function spawnJob(options: JobOptions): ChildProcess {
  return fork(bundled(), ['run', JSON.stringify(options)]);
}

/** Starts another window in its own process; it recovers jobs on request. */
export async function startRecoverer(options: WindowOptions) {
  const child = fork(bundled(), ['recover', JSON.stringify(options)]);
  await once(child, 'message');
  return {
    /** Recovers. @returns the states of the recovered jobs */
    recover: async () => (await ask(child, 'recover')) as readonly string[],
    [Symbol.asyncDispose]: () => kill(child),
  };
}

/** Opens a window with an agent in a process of its own. */
export async function openAgentWindow(origin: string, folder: string, images: number) {
  const child = startProcess('agent', { origin, folder, images });
  await once(child, 'message');
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) await kill(child);
  };
  return {
    /** Requests images at once. */
    ask: async (prompts: readonly string[]) =>
      (await ask(child, prompts)) as readonly Pick<ToolResult, 'status' | 'job_id'>[],
    kill: end,
    [Symbol.asyncDispose]: end,
  };
}

let bundle: string | undefined;

/** Returns the path of `inProcess.ts` as a bundle: what runs jobs starts in half the processor time of the sources. */
function bundled(): string {
  bundle ??= build();
  return bundle;
}

function build(): string {
  const outdir = mkdtempSync(join(tmpdir(), 'job-scripts-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  buildSync({
    ...hostOptions,
    external: [],
    entryPoints: [join(import.meta.dirname, 'inProcess.ts')],
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
  });
  return join(outdir, 'inProcess.mjs');
}
