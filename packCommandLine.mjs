// Makes the package of the command line from a build: `node packCommandLine.mjs FOLDER`. The extension has a package.json of
// its own, whose name no package of npm may have, so it is private.
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Name of the package in npm. Its scope is ours, so nobody else can publish under it. */
export const packageName = '@unified-media/cli';

/** What the command line loads from dist: its chunks, undici, entities, the worker threads and their codecs. */
const files = ['cli*.js', 'undici.js', 'entities.js', '*Worker.js', 'worker-*.js', '*.wasm', 'third-party-notices.txt'];

/**
 * @param {string} dist folder of a build
 * @param {string} folder is created. Of what an earlier run left in it, nothing gets into the package
 */
export function packCommandLine(dist, folder) {
  const { version, license, repository, bugs, engines, bin } = JSON.parse(readFileSync('package.json', 'utf8'));
  const description = 'Media of a project as code: plan, apply and check media.jsonc';
  const manifest = { name: packageName, version, description, license, repository, bugs };
  const runtime = { type: 'module', bin, engines: { node: engines.node }, files: ['dist'] };
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  mkdirSync(join(folder, 'dist'), { recursive: true });
  const text = JSON.stringify({ ...manifest, ...runtime, publishConfig: { access: 'public' } }, undefined, 2);
  writeFileSync(join(folder, 'package.json'), `${text}\n`);
  for (const file of ['README.md', 'LICENSE']) copyFileSync(file, join(folder, file));
  for (const file of globSync(files.map((pattern) => join(dist, pattern)))) {
    copyFileSync(file, join(folder, 'dist', basename(file)));
  }
}

if (process.argv[1]?.endsWith('packCommandLine.mjs')) packCommandLine('dist', process.argv[2] ?? 'out/cli');
