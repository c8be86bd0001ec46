import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { cp, glob, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killProcessTree } from '../host/processTree.ts';
import type { Mutant } from './Mutant.ts';
import { mutate } from './Mutant.ts';

/** The outcome of a test run. */
export type TestRun =
  | { readonly outcome: 'passed'; readonly milliseconds: number }
  /** `noticedBy`: the first failing test, or that the run exceeded its time limit. */
  | { readonly outcome: 'failed'; readonly noticedBy: string }
  /** The tests could not run. */
  | { readonly outcome: 'broken'; readonly reason: string };

interface Report {
  readonly failures: readonly { readonly fullTitle: string }[];
  readonly stats: { readonly passes: number };
}

const project = join(import.meta.dirname, '../..');
/** Large or generated folders; `node_modules` is linked instead. */
const leftOut = ['.git', '.vscode-test', 'dist', 'node_modules', 'out'];

/** A temporary copy of the project for running tests, so that the project itself stays unchanged. */
export class WorkingCopy {
  readonly #path: string;
  #child: ChildProcess | undefined;

  private constructor(path: string) {
    this.#path = path;
  }

  static async create(): Promise<WorkingCopy> {
    const path = await mkdtemp(join(tmpdir(), 'mutants-'));
    await cp(project, path, { recursive: true, filter: (source) => !leftOut.includes(basename(source)) });
    // Without privileges, Windows can only link folders, and only as junctions.
    await symlink(join(project, 'node_modules'), join(path, 'node_modules'), 'junction');
    return new WorkingCopy(path);
  }

  /**
   * Applies a mutant, runs its tests, and restores the file. @throws Error when the mutant's text does not occur
   * exactly once
   */
  async runMutant(mutant: Mutant, limit: number): Promise<TestRun> {
    const file = join(this.#path, mutant.file);
    const source = await readFile(file, 'utf8');
    await writeFile(file, mutate(source, mutant));
    try {
      return await this.run(mutant.tests, limit);
    } finally {
      await writeFile(file, source);
    }
  }

  /** @param patterns as in {@link Mutant.tests} @param limit milliseconds */
  async run(patterns: readonly string[], limit: number): Promise<TestRun> {
    const files: string[] = [];
    for (const pattern of patterns) {
      const found: string[] = [];
      for await (const file of glob(`test/unit/${pattern}{,.slow}.test.ts`, { cwd: this.#path })) found.push(file);
      if (found.length === 0) return { outcome: 'broken', reason: `no test file is test/unit/${pattern}.test.ts` };
      files.push(...found.sort());
    }
    return this.#run(files, limit);
  }

  /** Stops the running tests and removes the copy. Synchronous, so that `process.on('exit')` can call it. */
  dispose(): void {
    if (this.#child) killProcessTree(this.#child);
    rmSync(this.#path, { recursive: true, force: true, maxRetries: 3 });
  }

  async #run(files: readonly string[], limit: number): Promise<TestRun> {
    const report = join(this.#path, 'report.json');
    await rm(report, { force: true });
    const options = ['--config', 'test/mutants/.mocharc.json', '--reporter', 'json', '--reporter-option'];
    const child = spawn(
      process.execPath,
      ['node_modules/mocha/bin/mocha.js', ...options, `output=${report}`, ...files],
      // Its own process group, so that processes that the tests started are killed with them.
      { cwd: this.#path, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#child = child;
    const errors: string[] = [];
    child.stderr.on('data', (data: Buffer) => errors.push(data.toString()));
    const started = performance.now();
    const over = new AbortController();
    const isOver = await Promise.race([
      once(child, 'close').then(() => true),
      sleep(limit, false, { signal: over.signal }),
    ]);
    over.abort();
    killProcessTree(child);
    this.#child = undefined;
    if (!isOver) return { outcome: 'failed', noticedBy: `not finished within ${Math.round(limit / 1000)} s` };
    const milliseconds = performance.now() - started;
    const text = await readFile(report, 'utf8').catch(() => undefined);
    if (text === undefined) return { outcome: 'broken', reason: errors.join('').trim().slice(-600) };
    const { failures, stats } = JSON.parse(text) as Report;
    if (failures[0]) return { outcome: 'failed', noticedBy: failures[0].fullTitle };
    if (stats.passes === 0) return { outcome: 'broken', reason: 'no test ran' };
    return { outcome: 'passed', milliseconds };
  }
}
