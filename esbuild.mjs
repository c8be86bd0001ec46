// Builds dist/. extension.js and its static imports hold what activation needs; each dynamic import() becomes a chunk.
import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { build, context } from 'esbuild';

const production = process.argv.includes('--production');

/** Maximum sizes of a production build, in kB: what activation loads, all code and data, and the package. */
const budgets = { firstLoad: 68, all: 6200, vsix: 2600 };

/** Options shared with the bundle of the integration tests. @type {import('esbuild').BuildOptions} */
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
  loader: { '.wasm': 'copy' },
  // Its default entry is a UMD module whose calls of require fail in a bundle.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  logLevel: 'warning',
};

/**
 * Keeps what is loaded first in as few files as possible, since VS Code and Node need about half a millisecond for each, or
 * more. Every module that is loaded later gets an import of the whole entry point, so that esbuild does not split the
 * first load into shared chunks. Default exports would be lost, but there are none.
 *
 * @param {string} entryPoint
 * @returns {import('esbuild').Plugin}
 */
const firstLoadInOne = (entryPoint) => ({
  name: 'first-load-in-one',
  setup({ onLoad, onResolve }) {
    const namespace = 'loaded-later';
    onResolve({ filter: /^\..*\.ts$/ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: relative('.', resolve(resolveDir, path)), namespace } : undefined,
    );
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `import './${entryPoint}'; export * from ${JSON.stringify(`./${path}`)};`,
      resolveDir: resolve('.'),
    }));
  },
});

/** Leaves undici and the names of entities to files that the extension and the command line share. @type {import('esbuild').Plugin} */
const sharedFiles = {
  name: 'shared-files',
  setup({ onResolve }) {
    onResolve({ filter: /\/(?:undici|entities)\.ts$/ }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: `./${basename(path, '.ts')}.js`, external: true },
    );
  },
};

const codecs = ['jpegDecoder', 'jpegEncoder', 'webpDecoder', 'webpEncoder'];

/** The worker threads, the codecs that they load, undici and entities: separate files beside the code that loads them. */
export const workerEntryPoints = [
  { in: 'src/service/undici.ts', out: 'undici' },
  { in: 'src/documents/entities.ts', out: 'entities' },
  { in: 'src/sandbox/sandboxWorker.ts', out: 'sandboxWorker' },
  { in: 'src/images/imageWorker.ts', out: 'imageWorker' },
  { in: 'src/sound/recordingWorker.ts', out: 'recordingWorker' },
  { in: 'src/reading/documentWorker.ts', out: 'documentWorker' },
  ...codecs.map((name) => ({ in: `src/images/codecs/${name}.wasm`, out: name })),
];

/** @type {import('esbuild').BuildOptions & { metafile: true }} */
export const extension = {
  ...hostOptions,
  entryPoints: [{ in: 'src/extension.ts', out: 'extension' }],
  outdir: 'dist',
  splitting: true,
  plugins: [firstLoadInOne('src/extension.ts'), sharedFiles],
  chunkNames: '[name]-[hash]',
  minify: production,
  sourcemap: production ? false : 'linked',
  metafile: true,
};

/**
 * Built separately, because code shared with the extension would become one more file for activation to load.
 *
 * @type {import('esbuild').BuildOptions & { metafile: true }}
 */
export const workers = {
  ...hostOptions,
  entryPoints: workerEntryPoints,
  outdir: 'dist',
  splitting: true,
  chunkNames: 'worker-[name]-[hash]',
  minify: production,
  sourcemap: production ? false : 'linked',
  metafile: true,
};

/**
 * The command line, for Node 20 and later. It shares the workers with the extension, but no chunks, because its chunks
 * must not import VS Code.
 *
 * @type {import('esbuild').BuildOptions & { metafile: true }}
 */
export const commandLine = {
  ...hostOptions,
  external: [],
  // Most runs are of verbs for manifests, so theirs is the first load.
  plugins: [firstLoadInOne('src/cli/runVerb.ts'), sharedFiles],
  target: 'node20',
  // Chunks begin with the shebang line too, which is harmless.
  banner: { js: `#!/usr/bin/env node\n${hostOptions.banner?.js}` },
  entryPoints: [{ in: 'src/cli.ts', out: 'cli' }],
  outdir: 'dist',
  splitting: true,
  chunkNames: 'cli-[name]-[hash]',
  minify: production,
  sourcemap: production ? false : 'linked',
  metafile: true,
};

/** The Create view, the image editor, the player and the times of Markdown's preview, each in one file. @type {import('esbuild').BuildOptions & { metafile: true }} */
const webview = {
  bundle: true,
  platform: 'browser',
  format: 'esm',
  // The Chromium of the oldest VS Code that package.json allows.
  target: 'chrome138',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  entryPoints: [
    { in: 'src/webview/main.tsx', out: 'main' },
    { in: 'src/webview/imageEditor/imageEditor.tsx', out: 'imageEditor' },
    { in: 'src/webview/player/player.tsx', out: 'player' },
    { in: 'src/webview/player/previewTimes.ts', out: 'previewTimes' },
  ],
  outdir: 'dist/webview',
  loader: { '.svg': 'text' },
  minify: production,
  sourcemap: production ? false : 'linked',
  logLevel: 'warning',
  metafile: true,
};

if (process.argv.includes('--watch')) {
  copyLame();
  for (const options of [extension, workers, commandLine, webview]) {
    const watcher = await context({ ...options, logLevel: 'info' });
    await watcher.watch();
  }
} else if (process.argv[1]?.endsWith('esbuild.mjs')) {
  rmSync('dist', { recursive: true, force: true });
  copyLame();
  const built = await Promise.all([extension, workers, commandLine, webview].map((options) => build(options)));
  const metafile = {
    inputs: Object.assign({}, ...built.map(({ metafile: { inputs } }) => inputs)),
    outputs: Object.assign({}, ...built.map(({ metafile: { outputs } }) => outputs)),
  };
  writeFileSync('dist/third-party-notices.txt', notices(metafile));
  printSizes(metafile);
  checkBudgets(metafile);
}

/** The mp3 encoder stays a file of its own, which the LGPL wants to be replaceable. */
function copyLame() {
  mkdirSync('dist', { recursive: true });
  copyFileSync('node_modules/wasm-media-encoders/wasm/mp3.wasm', 'dist/lame-mp3.wasm');
}

/**
 * Returns the licence that a package names, also in the list of older packages.
 *
 * @param {string} name
 * @param {{ readonly license?: string, readonly licenses?: readonly { readonly type: string }[] }} manifest
 */
export function licenseOf(name, { license, licenses = [] }) {
  const named = license ?? licenses.map(({ type }) => type).join(' OR ');
  if (!named)
    throw new Error(`${name} names no licence: it cannot be bundled before somebody has read on which terms.`);
  return named;
}

/** Returns the licences of everything that is bundled, as they require. @param {import('esbuild').Metafile} metafile */
function notices(metafile) {
  const inputs = Object.keys(metafile.inputs);
  const packages = inputs.flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  const sections = [...new Set(packages)].sort().map((folder) => {
    const { name, version, ...manifest } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    const license = licenseOf(name, manifest);
    const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
    const texts = files.sort().map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim());
    return [`${name} ${version} (${license})`, ...(texts.length > 0 ? texts : [`License: ${license}`])].join('\n\n');
  });
  const others = [
    'src/images/codecs/codecs.LICENSE.txt',
    'src/sandbox/picture/glyphs.LICENSE.txt',
    'src/sandbox/speech/lame.LICENSE.txt',
  ].map((file) => readFileSync(file, 'utf8').trim());
  return `Unified Media contains the following software and data.\n\n${[...sections, ...others].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** @param {import('esbuild').Metafile} metafile */
function printSizes(metafile) {
  const files = Object.keys(metafile.outputs).filter((file) => !file.endsWith('.map'));
  const sizes = files.map((file) => /** @type {const} */ ([file, kilobytes(metafile, [file])]));
  for (const [file, size] of sizes.sort(([, a], [, b]) => a - b))
    console.log(`${size.toFixed(1).padStart(8)} kB  ${file}`);
}

/** @param {import('esbuild').Metafile} metafile */
function checkBudgets(metafile) {
  const { firstLoad, all } = weights(metafile);
  for (const [name, size, max] of /** @type {const} */ ([
    ['first load', firstLoad, budgets.firstLoad],
    ['all of it', all, budgets.all],
    ['as a .vsix, about', packageSize(), budgets.vsix],
  ])) {
    console.log(`${size.toFixed(1).padStart(8)} kB  ${name}${production ? `, of ${max}` : ''}`);
    // Only the production build is installed; the development build is larger.
    if (!production || size <= max) continue;
    console.error('The build exceeds this budget: load the code on first use, or leave it out.');
    process.exitCode = 1;
  }
}

/** Returns the size of the package in kB, accurate to one percent: each file compressed, as in a ZIP. */
function packageSize() {
  // Each line that starts with `!` names files to pack.
  const patterns = readFileSync('.vscodeignore', 'utf8')
    .split(/\r?\n/)
    .filter((line) => line.startsWith('!'));
  const files = globSync(patterns.map((line) => line.slice(1)));
  return files.reduce((sum, file) => sum + deflateRawSync(readFileSync(file)).length + 2 * file.length + 112, 0) / 1000;
}

/** Returns the size of a build in kB. @param {import('esbuild').Metafile} metafile */
export function weights(metafile) {
  const files = Object.keys(metafile.outputs).filter((file) => !file.endsWith('.map'));
  return {
    firstLoad: kilobytes(metafile, firstLoadFiles(metafile)),
    all: kilobytes(metafile, files),
  };
}

/** Returns the files of a build that activation loads. @param {import('esbuild').Metafile} metafile */
export function firstLoadFiles(metafile) {
  return withImports(metafile, 'dist/extension.js');
}

/** @param {import('esbuild').Metafile} metafile @param {readonly string[]} files */
function kilobytes(metafile, files) {
  return files.reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0) / 1000;
}

/**
 * Returns a file and all its static imports, each once.
 *
 * @param {import('esbuild').Metafile} metafile
 * @param {string} file
 * @param {readonly string[]} known
 * @returns {readonly string[]}
 */
export function withImports(metafile, file, known = []) {
  if (known.includes(file)) return known;
  const imports = metafile.outputs[file]?.imports ?? [];
  const own = imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
  return own.reduce(
    (files, { path }) => withImports(metafile, path, files),
    /** @type {readonly string[]} */ ([...known, file]),
  );
}
