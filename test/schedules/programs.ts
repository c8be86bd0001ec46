import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { hostOptions, workerEntryPoints } from '../../esbuild.mjs';
import { builtCommandLine } from '../support/builtCommandLine.ts';
import { keyHeader } from './CountingService.ts';
import { videoStatusPath } from './paidWork.ts';

interface Surroundings {
  /** Origin of the service. */
  readonly service: string;
  /** Identifies the program at the service. */
  readonly key: string;
  /** Value of `XDG_STATE_HOME`. */
  readonly home: string;
  /** Folder for temporary files. */
  readonly temporary: string;
  readonly cwd: string;
  /** How far the clock is ahead, in hours. */
  readonly hoursAhead: number;
  /** Whether no connection comes about. */
  readonly isOffline: boolean;
  /** Path of a file without which the disk makes no note of a request; undefined for a fast one. */
  readonly gate: string | undefined;
  /** Whether root may do no more than others. */
  readonly isRestricted: boolean;
  /** Whether requests have a key, by which the service knows repeated ones. */
  readonly sendsKeys: boolean;
}

let builtWindows: Promise<string> | undefined;

export async function startCommandLine(words: readonly string[], surroundings: Surroundings): Promise<ChildProcess> {
  return start(await builtCommandLine(), words, surroundings);
}

export async function startEditor(task: object, surroundings: Surroundings): Promise<ChildProcess> {
  return startWindow('editorProcess', task, surroundings);
}

export async function startAgent(task: object, surroundings: Surroundings): Promise<ChildProcess> {
  return startWindow('agentProcess', task, surroundings);
}

async function startWindow(name: string, task: object, surroundings: Surroundings): Promise<ChildProcess> {
  builtWindows ??= buildWindows();
  return start(join(await builtWindows, `${name}.mjs`), [JSON.stringify(task)], surroundings);
}

function start(
  script: string,
  words: readonly string[],
  { service, key, home, temporary, cwd, hoursAhead, isOffline, gate, isRestricted, sendsKeys }: Surroundings,
) {
  const machine = pathToFileURL(join(import.meta.dirname, 'machine.mjs')).href;
  const node = [process.execPath, script, ...words];
  const [program = '', ...values] = isRestricted
    ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', ...node]
    : node;
  return spawn(program, values, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: temporary,
      TEMP: temporary,
      XDG_STATE_HOME: home,
      NODE_OPTIONS: `--import=${machine}`,
      NODE_COMPILE_CACHE:
        process.env.NODE_COMPILE_CACHE ?? join(import.meta.dirname, '../../node_modules/.cache/compile'),
      SCHEDULE_CLOCK: String(hoursAhead * 3_600_000),
      ...(isOffline ? { SCHEDULE_OFFLINE: 'yes' } : {}),
      ...(gate ? { SCHEDULE_GATE: gate } : {}),
      ...(sendsKeys ? { UNIFIED_MEDIA_IDEMPOTENCY_HEADER: keyHeader } : {}),
      UNIFIED_MEDIA_API_KEY: key,
      UNIFIED_MEDIA_IMAGE_BASE_URL: service,
      UNIFIED_MEDIA_AUDIO_BASE_URL: service,
      UNIFIED_MEDIA_VIDEO_BASE_URL: service,
      UNIFIED_MEDIA_VIDEO_STATUS_PATH: videoStatusPath,
    },
  });
}

/** Bundles the windows of the editor, with the workers that read recordings and documents beside. @returns their folder */
async function buildWindows(): Promise<string> {
  const outdir = await mkdtemp(join(tmpdir(), 'editor-script-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    ...hostOptions,
    external: [],
    entryPoints: [
      ...['editorProcess', 'agentProcess'].map((out) => ({ in: join(import.meta.dirname, `${out}.ts`), out })),
      ...workerEntryPoints.filter(({ out }) => out === 'recordingWorker' || out === 'documentWorker'),
    ],
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
  });
  return outdir;
}
