// Prints the milliseconds that loading the first job's code takes, beyond what activation has loaded.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { hostOptions } from '../../esbuild.mjs';
import { root } from '../host/versions.mjs';

const folder = await mkdtemp(join(tmpdir(), 'first-job-'));
try {
  await build({
    ...hostOptions,
    absWorkingDir: root,
    minify: true,
    stdin: {
      contents: `export * from './src/work/JobRunner.ts';
        export * from './src/work/Store.ts';
        export * from './src/service/MediaClient.ts';
        export * from './src/service/createDispatcher.ts';`,
      resolveDir: root,
    },
    outfile: join(folder, 'firstJob.mjs'),
  });
  const start = performance.now();
  await import(pathToFileURL(join(folder, 'firstJob.mjs')).href);
  console.log(performance.now() - start);
} finally {
  await rm(folder, { recursive: true });
}
