// `npm run thorough`: runs the unit tests that try random values or long texts with many of them. `npm run unit` tries a few.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { thoroughVariable } from '../support/thorough.ts';
import { root } from './versions.mjs';

const files = globSync('test/unit/**/*.test.ts', { cwd: root }).filter((file) =>
  /support\/(?:fastCheck|thorough)\.ts'/.test(readFileSync(file, 'utf8')),
);
const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
// The configuration of `npm run unit` would add all its files.
const options = ['--config', 'test/support/.mocharc.json', ...process.argv.slice(2), ...files];
const { status } = spawnSync(process.execPath, [mocha, ...options], {
  cwd: root,
  env: { ...process.env, [thoroughVariable]: '1' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
