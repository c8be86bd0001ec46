import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readCommandLine } from '../../src/cli/commandLine.ts';
import { runVerb } from '../../src/cli/runVerb.ts';
import { type Printable, printableText } from '../../src/foreign/escape.ts';
import { reasonOf } from '../../src/operations/MediaError.ts';
import { stateFolder } from '../../src/work/stateFolder.ts';
import { builtCommandLine } from './builtCommandLine.ts';
import { kill } from './startProcess.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A git repository in a temporary folder, in which the command line runs as from a shell. */
export class Repository implements AsyncDisposable {
  /** Absolute path. */
  readonly root: string;
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #script: string;

  private constructor(folder: string, service: string, script: string) {
    this.#script = script;
    this.#folder = folder;
    this.root = join(folder, 'project');
    this.#environment = {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_STATE_HOME: join(folder, 'state'),
      GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
      ...(process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot, USERPROFILE: folder } : {}),
      ...(service === ''
        ? {}
        : {
            UNIFIED_MEDIA_API_KEY: 'key-1',
            UNIFIED_MEDIA_IMAGE_BASE_URL: service,
            UNIFIED_MEDIA_AUDIO_BASE_URL: service,
            UNIFIED_MEDIA_VIDEO_BASE_URL: service,
          }),
    };
  }

  /**
   * @param service origin of all three hosts; empty sets none
   * @param parent absolute path of the folder for the project and the person's state
   */
  static async make(service: string, files: Files, parent = tmpdir()): Promise<Repository> {
    const folder = await mkdtemp(join(parent, 'repository-'));
    const repository = new Repository(folder, service, await builtCommandLine());
    await mkdir(repository.root);
    await repository.write(files);
    const identity = '[user]\n\tname = A\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n';
    await writeFile(join(repository.#folder, 'gitconfig'), identity);
    // All that the command line looks for. Most tests need no more of git, which may not be installed.
    await mkdir(join(repository.root, '.git'));
    return repository;
  }

  /** Clones a repository, as on another computer. @param words further arguments of `git clone` */
  static async clone(service: string, origin: string, ...words: readonly string[]): Promise<Repository> {
    const repository = await Repository.make(service, {});
    await rm(join(repository.root, '.git'), { recursive: true });
    await repository.git('clone', '-q', ...words, origin, '.');
    return repository;
  }

  async write(files: Files): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.root, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  }

  read(path: string): Promise<string> {
    return readFile(join(this.root, path), 'utf8');
  }

  /** Writes a manifest with these entries. */
  async declare(assets: object, more: object = {}): Promise<void> {
    await this.write({ 'media.jsonc': `${JSON.stringify({ ...more, assets }, undefined, 2)}\n` });
  }

  /** Absolute path of the person's folder of paid work. */
  get work(): string {
    return join(this.#folder, 'state', 'unified-media', 'work');
  }

  /**
   * Starts the command line as it ships, in a process of its own.
   *
   * @param cwd where it is started
   * @param output descriptor of the file that it prints to; a pipe by default
   */
  start(
    words: readonly string[],
    environment: NodeJS.ProcessEnv = {},
    cwd = this.root,
    output: number | 'pipe' = 'pipe',
  ): ChildProcess {
    return spawn(process.execPath, [this.#script, ...oneByOne(words)], {
      cwd,
      env: { ...this.#environment, ...environment },
      stdio: ['pipe', output, 'pipe'],
    });
  }

  /** Runs a verb in this process, which takes a fraction of the time that a process of its own needs to start. */
  async run(words: readonly string[], environment: NodeJS.ProcessEnv = {}, cwd = this.root): Promise<Outcome> {
    const output = { stdout: '', stderr: '' };
    const note = (line: Printable) => {
      output.stderr += `${line}\n`;
    };
    const all = { ...this.#environment, ...environment };
    try {
      const line = lineIn(cwd, oneByOne(words));
      assert(typeof line === 'object', 'no verb');
      const code = await runVerb(line, {
        environment: all,
        state: stateFolder(all),
        signal: new AbortController().signal,
        print: (line) => {
          output.stdout += `${line}\n`;
        },
        note,
      });
      return { code, ...output };
    } catch (error) {
      note(printableText(reasonOf(error)));
      return { code: 1, ...output };
    }
  }

  /** Kills apply, as a crash does, when it has got so far. */
  async crash(reached: Promise<unknown>, words = ['apply'], environment?: NodeJS.ProcessEnv): Promise<void> {
    const child = this.start(words, environment);
    const early = outcomeOf(child).then(({ stdout, stderr }) => {
      throw new Error(`it has ended before: ${stdout}${stderr}`);
    });
    await Promise.race([reached, early]);
    early.catch(() => undefined);
    await kill(child);
  }

  /** Runs git, which must succeed. */
  async git(...words: readonly string[]): Promise<string> {
    if (words[0] !== 'init' && words[0] !== 'clone' && !existsSync(join(this.root, '.git', 'HEAD')))
      await this.git('init', '-q');
    const child = spawn('git', words, { cwd: this.root, env: this.#environment });
    const { code, stdout, stderr } = await outcomeOf(child);
    if (code !== 0) throw new Error(`git ${words.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Reads a command line whose paths are relative to a folder. */
function lineIn(folder: string, words: readonly string[]) {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return readCommandLine(words);
  } finally {
    process.chdir(before);
  }
}

export async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const { stdout: out, stderr: errors } = child;
  if (!out || !errors) throw new Error('its output is not read');
  const [stdout, stderr, [code]] = await Promise.all([
    text(out),
    text(errors),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Lets apply send one request at a time, unless the words say otherwise, so that it is known which one is out. */
function oneByOne(words: readonly string[]): readonly string[] {
  return words[0] !== 'apply' || words.includes('--jobs') ? words : [...words, '--jobs', '1'];
}
