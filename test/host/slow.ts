// `npm run slow`: the unit tests that `npm run unit` leaves out because they take seconds (`*.slow.test.ts`), and those that
// try random values or long texts, here with many of them. `-- <words>` selects files by name.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { root } from './versions.mjs';

/** These files take the longest. They start first, so that both processes of Mocha end at about the same time. */
const longest = /paidOnce|linearTime|readRecording|schedules|transcribeRecording|signals/;

const words = process.argv.slice(2);
const files = globSync('test/unit/**/*.test.ts', { cwd: root })
  .filter((file) => file.endsWith('.slow.test.ts') || readFileSync(file, 'utf8').includes("support/fastCheck.ts'"))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort((one, other) => Number(longest.test(other)) - Number(longest.test(one)) || one.localeCompare(other));
if (files.length === 0) throw new Error(`No file of slow tests has “${words.join('” or “')}” in its name.`);
const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
// The configuration of `npm run unit` would add all its files.
const { status } = spawnSync(process.execPath, [mocha, '--config', 'test/support/.mocharc.json', ...files], {
  cwd: root,
  env: { ...process.env, UNIFIED_MEDIA_SLOW: '1' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
