// Builds dist/: extension.js holds what activation needs, every dynamic import() becomes a chunk of its own.
import { rmSync } from 'node:fs';
import { build, context } from 'esbuild';

const production = process.argv.includes('--production');

/** Options that the integration tests' bundle shares. @satisfies {import('esbuild').BuildOptions} */
export const hostOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  external: ['vscode'],
  // CommonJS libraries inside an ES module still call require.
  banner: {
    js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
  },
  logLevel: 'warning',
};

/** @satisfies {import('esbuild').BuildOptions} */
const extension = {
  ...hostOptions,
  entryPoints: ['src/extension.ts'],
  outdir: 'dist',
  splitting: true,
  chunkNames: '[name]-[hash]',
  minify: production,
  sourcemap: production ? false : 'linked',
  metafile: true,
};

if (process.argv.includes('--watch')) {
  const watcher = await context({ ...extension, logLevel: 'info' });
  await watcher.watch();
} else if (process.argv[1]?.endsWith('esbuild.mjs')) {
  rmSync('dist', { recursive: true, force: true });
  const result = await build(extension);
  for (const [file, { bytes }] of Object.entries(result.metafile.outputs)) {
    if (file.endsWith('.js')) console.log(`${(bytes / 1000).toFixed(1).padStart(8)} kB  ${file}`);
  }
}
