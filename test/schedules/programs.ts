import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { hostOptions, workerEntryPoints } from '../../esbuild.mjs';
import { builtCommandLine } from '../support/builtCommandLine.ts';
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
}

let builtEditor: Promise<string> | undefined;

export async function startCommandLine(words: readonly string[], surroundings: Surroundings): Promise<ChildProcess> {
  return start(await builtCommandLine(), words, surroundings);
}

export async function startEditor(task: object, surroundings: Surroundings): Promise<ChildProcess> {
  builtEditor ??= buildEditor();
  return start(await builtEditor, [JSON.stringify(task)], surroundings);
}

function start(
  script: string,
  words: readonly string[],
  { service, key, home, temporary, cwd, hoursAhead }: Surroundings,
) {
  const machine = pathToFileURL(join(import.meta.dirname, 'machine.mjs')).href;
  return spawn(process.execPath, [script, ...words], {
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
      UNIFIED_MEDIA_API_KEY: key,
      UNIFIED_MEDIA_IMAGE_BASE_URL: service,
      UNIFIED_MEDIA_AUDIO_BASE_URL: service,
      UNIFIED_MEDIA_VIDEO_BASE_URL: service,
      UNIFIED_MEDIA_VIDEO_STATUS_PATH: videoStatusPath,
    },
  });
}

/** Bundles the editor's process, with the workers that read recordings and documents beside it. @returns its path */
async function buildEditor(): Promise<string> {
  const outdir = await mkdtemp(join(tmpdir(), 'editor-script-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    ...hostOptions,
    external: [],
    entryPoints: [
      { in: join(import.meta.dirname, 'editorProcess.ts'), out: 'editorProcess' },
      ...workerEntryPoints.filter(({ out }) => out === 'recordingWorker' || out === 'documentWorker'),
    ],
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
  });
  return join(outdir, 'editorProcess.mjs');
}
