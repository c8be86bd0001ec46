import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { hostOptions } from '../../esbuild.mjs';

let folder: string | undefined;

/** Returns the path of a script that runs jobs, as a bundle: it starts in half the processor time of the sources. */
export function bundledScript(name: 'runJobInProcess' | 'recoverInProcess'): string {
  folder ??= bundle();
  return join(folder, `${name}.mjs`);
}

function bundle(): string {
  const outdir = mkdtempSync(join(tmpdir(), 'job-scripts-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  buildSync({
    ...hostOptions,
    external: [],
    entryPoints: ['runJobInProcess.ts', 'recoverInProcess.ts'].map((name) => join(import.meta.dirname, name)),
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
  });
  return outdir;
}
