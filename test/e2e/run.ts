// `npm run journeys`: runs journeys of a person by clicks through the main uses of the extension. `npm run e2e`: runs the other
// e2e tests. `-- <words>` selects files by name, `-- -g "words"` tests. SCREENSHOTS=1 takes the screenshots.
//
// A busy machine makes VS Code lose a click or close a menu now and then. If one or two files fail, they run once more,
// alone. Tests that pass only then are listed as flaky: each one is a defect of the test or the extension.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type Failure, failuresVariable } from './FailureReporter.ts';

/** More failed files than this are not the machine's fault. */
const maxFlakyFiles = 2;

/** These files take the longest. They start first, so that both processes end at about the same time. */
const longest = /createAppearance|connect|firstHour/;

const { values, positionals: words } = parseArgs({
  options: { journeys: { type: 'boolean', default: false }, grep: { type: 'string', short: 'g' } },
  allowPositionals: true,
});
const files = globSync(`test/e2e/${values.journeys ? 'journeys/' : ''}*.test.ts`)
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort((one, other) => Number(longest.test(other)) - Number(longest.test(one)) || one.localeCompare(other));
if (files.length === 0) throw new Error(`No file of e2e tests has “${words.join('” or “')}” in its name.`);

const folder = mkdtempSync(join(tmpdir(), 'unified-media-e2e-'));
const failuresFile = join(folder, 'failures.jsonl');
try {
  process.exitCode = await runTests();
} finally {
  rmSync(folder, { recursive: true });
}

/** @returns the exit code */
async function runTests(): Promise<number> {
  const code = await mocha(files);
  const failures = readFailures();
  const failed = new Set(failures.map(({ file }) => file));
  if (code === 0 || failed.size === 0 || failed.size > maxFlakyFiles || failed.has(undefined)) return code;
  process.stdout.write('\n  Running the files with failures once more, alone.\n\n');
  const codeAlone = await mocha(['--no-parallel', ...[...failed].filter((file) => file !== undefined)], '  alone: ');
  if (codeAlone !== 0) return codeAlone;
  process.stdout.write(`\n  ${failures.length} flaky\n${failures.map(({ title }) => `    ~ ${title}\n`).join('')}`);
  return 0;
}

/** Runs Mocha and prints its output, each line after a prefix. @returns its exit code */
async function mocha(options: readonly string[], prefix = ''): Promise<number> {
  const command = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
  const common = ['--config', 'test/e2e/.mocharc.json', '--reporter', 'test/e2e/FailureReporter.ts'];
  const grep = values.grep === undefined ? [] : ['--grep', values.grep];
  const child = spawn(process.execPath, [command, ...common, ...grep, ...options], {
    env: { ...process.env, [failuresVariable]: failuresFile },
    stdio: ['ignore', prefix ? 'pipe' : 'inherit', 'inherit'],
  });
  const stop = () => child.kill('SIGTERM');
  process.once('SIGTERM', stop);
  const ended = once(child, 'close');
  if (child.stdout) for await (const line of createInterface(child.stdout)) process.stdout.write(`${prefix}${line}\n`);
  const [code] = await ended;
  process.off('SIGTERM', stop);
  return typeof code === 'number' ? code : 1;
}

function readFailures(): readonly Failure[] {
  if (!existsSync(failuresFile)) return [];
  const lines = readFileSync(failuresFile, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Failure);
}
