import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  lutimes,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseJson } from '../../src/operations/parseJson.ts';
import type { Disk } from '../support/mountDisk.ts';
import { mountDisk } from '../support/mountDisk.ts';
import type { Outcome } from '../support/repository.ts';
import { outcomeOf } from '../support/repository.ts';
import type { CountingService } from './CountingService.ts';
import type { EditorResult, EditorTask } from './editorProcess.ts';
import { stateFolders } from './paidWork.ts';
import { startCommandLine, startEditor } from './programs.ts';
import type { Ending, Program, Schedule } from './Schedule.ts';
import { filesOf, partBytes } from './works.ts';

/** A program that hangs is a finding; the slowest takes a few seconds on a busy machine. */
const longestMs = 60_000;
/** A program that does not end after a signal is killed, as a build server does. */
const graceMs = 3000;

export interface ProgramOutcome extends Outcome {
  readonly name: string;
  /** Whether something ended it. */
  readonly isEnded: boolean;
}

export interface Start {
  readonly words?: readonly string[];
  readonly task?: Partial<EditorTask>;
  readonly byLink?: boolean;
  readonly ending?: Ending | undefined;
}

/** The machine of one schedule: a project, the state of its programs, a clock and a disk. */
export class World implements AsyncDisposable {
  /** Output of all programs, for a failure. */
  readonly log: string[] = [];
  readonly problems: string[] = [];
  readonly #service: CountingService;
  readonly #folder: string;
  readonly #disk: Disk | undefined;
  readonly #state: string;
  #project: string;
  #link: Promise<string> | undefined;
  #hoursAhead = 0;
  #programs = 0;
  #filling: Promise<void> = Promise.resolve();

  private constructor(service: CountingService, folder: string, disk: Disk | undefined, schedule: Schedule) {
    this.#service = service;
    this.#folder = folder;
    this.#disk = disk;
    this.#state = schedule.disk === 'state' && disk ? join(disk.path, 'state') : join(folder, 'state');
    this.#project = join(folder, 'above', 'project');
  }

  /** @returns undefined when the schedule needs a disk that cannot be mounted here */
  static async make(schedule: Schedule, service: CountingService): Promise<World | undefined> {
    const disk = schedule.disk && mountDisk('size=40m');
    if (disk && !disk.isReal) {
      disk[Symbol.dispose]();
      return undefined;
    }
    const holdsAll = disk && schedule.disk === 'state and project';
    const folder = await realpath(holdsAll ? disk.path : await mkdtemp(join(tmpdir(), 'schedule-')));
    const world = new World(service, folder, disk, schedule);
    await mkdir(world.#project, { recursive: true });
    for (const path of [world.#state, world.#temporary]) await mkdir(path, { recursive: true });
    for (const [name, content] of Object.entries(filesOf(schedule.works))) {
      await writeFile(join(world.#project, name), content);
      // Whole seconds survive a change of the clock.
      const time = Math.floor(Date.now() / 1000) - 60;
      await utimes(join(world.#project, name), time, time);
    }
    return world;
  }

  get project(): string {
    return this.#project;
  }

  get state(): string {
    return this.#state;
  }

  get above(): string {
    return join(this.#folder, 'above');
  }

  get #temporary(): string {
    return join(this.#folder, 'temporary');
  }

  /** Returns a link to the project. It is made for the first program that needs one, since not every system has links. */
  #linkToProject(): Promise<string> {
    const link = join(this.above, 'link');
    this.#link ??= symlink(basename(this.#project), link).then(() => link);
    return this.#link;
  }

  /** Runs a program until it ends, by itself or by `ending`. */
  async run(program: Program, { words = [], task = {}, byLink = false, ending }: Start): Promise<ProgramOutcome> {
    const name = `${program}-${++this.#programs}`;
    const root = byLink ? await this.#linkToProject() : this.#project;
    const surroundings = {
      service: this.#service.origin,
      key: name,
      home: stateFolders.home(this.#state),
      temporary: this.#temporary,
      cwd: this.above,
      hoursAhead: this.#hoursAhead,
    };
    const child =
      program === 'apply'
        ? await startCommandLine(['apply', '--json', '--manifest', join(root, 'media.jsonc'), ...words], surroundings)
        : await startEditor(this.#editorTask(root, name, task), surroundings);
    const running = new RunningProgram(child, this.#service, name, () => this.fillDisk());
    const outcome = await running.until(ending);
    if (!running.isEnded) this.#service.keepWhole(name);
    this.log.push(
      `--- ${name} ${words.join(' ')} → ${outcome.code ?? child.signalCode}\n${outcome.stdout}${outcome.stderr}`,
    );
    if (running.hangs) this.problems.push(`hung: ${name} did not end within ${longestMs / 1000} s`);
    if (/(^|\\n)\s+at .*:\d+/m.test(outcome.stderr + outcome.stdout))
      this.problems.push(`crashed: ${name}: ${outcome.stderr.slice(0, 300)}`);
    return { ...outcome, name, isEnded: running.isEnded };
  }

  #editorTask(root: string, key: string, task: Partial<EditorTask>): EditorTask {
    return {
      host: this.#service.origin,
      key,
      root,
      rootUri: uriInCode(root),
      storage: stateFolders.editor(this.#state),
      maxBytes: partBytes,
      prompt: undefined,
      narrates: false,
      transcribes: false,
      applies: true,
      again: false,
      tidies: false,
      ...task,
    };
  }

  async rename(to: string): Promise<void> {
    const project = join(this.above, to);
    await rename(this.#project, project);
    this.#project = project;
    if (this.#link) await rm(await this.#link);
    this.#link = undefined;
  }

  async initGit(): Promise<void> {
    await mkdir(join(this.above, '.git'), { recursive: true });
  }

  /** Sets the clock. Files keep the time that they had; see machine.mjs. */
  async passHours(hours: number): Promise<void> {
    this.#hoursAhead += hours;
    for (const folder of new Set([this.#folder, this.#state])) {
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (entry.isSymbolicLink()) continue;
        const { atimeMs, mtimeMs } = await stat(path);
        await lutimes(path, atimeMs / 1000 - hours * 3600, mtimeMs / 1000 - hours * 3600);
      }
    }
  }

  fillDisk(): Promise<void> {
    this.#filling = this.#fillDisk();
    return this.#filling;
  }

  async #fillDisk(): Promise<void> {
    this.#service.isDiskFull = true;
    const filler = await open(this.#filler, 'w');
    const chunk = Buffer.alloc(2 ** 20);
    try {
      // Smaller and smaller pieces, until not a byte fits.
      for (let size = chunk.length; size >= 1; ) {
        await filler.write(chunk, 0, size).catch(() => {
          size = Math.floor(size / 16);
        });
      }
    } finally {
      await filler.close();
    }
  }

  async freeDisk(): Promise<void> {
    await this.#filling;
    if (this.#disk) await rm(this.#filler, { force: true });
    this.#service.isDiskFull = false;
  }

  get #filler(): string {
    return join(this.#disk?.path ?? this.#folder, 'filler');
  }

  /** Returns the files of a folder as paths relative to it. */
  async filesIn(folder: string): Promise<readonly string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  }

  /** Files that programs have left where the system keeps temporary files. */
  temporaryFiles(): Promise<readonly string[]> {
    return this.filesIn(this.#temporary);
  }

  /** Logs what programs have left, for a failure. */
  async logState(): Promise<void> {
    const { state, above } = this;
    for (const folder of [state, above]) {
      for (const path of await this.filesIn(folder)) {
        this.log.push(`--- ${path}`);
        const isText = /journal\.jsonl$|lease-\d+$|jobs\//.test(path);
        if (isText) this.log.push((await readFile(join(folder, path), 'utf8')).trim());
      }
    }
  }

  /** Returns the content of all files that programs can have made in the project and above. */
  async contents(): Promise<readonly Buffer[]> {
    const files = await this.filesIn(this.above);
    return Promise.all(files.map((file) => readFile(join(this.above, file))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disk?.[Symbol.dispose]();
    if (existsSync(this.#folder)) await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A started program, and what ends it. */
class RunningProgram {
  isEnded = false;
  hangs = false;
  readonly #child: ChildProcess;
  readonly #service: CountingService;
  readonly #name: string;
  readonly #fillDisk: () => Promise<void>;

  constructor(child: ChildProcess, service: CountingService, name: string, fillDisk: () => Promise<void>) {
    this.#child = child;
    this.#service = service;
    this.#name = name;
    this.#fillDisk = fillDisk;
  }

  async until(ending: Ending | undefined): Promise<Outcome> {
    const outcome = outcomeOf(this.#child);
    const hanging = setTimeout(() => {
      this.hangs = true;
      this.#child.kill('SIGKILL');
    }, longestMs);
    const disarm = ending && this.#arm(ending);
    try {
      return await outcome;
    } finally {
      clearTimeout(hanging);
      disarm?.();
    }
  }

  /** @returns a function that takes the ending back */
  #arm({ how, at, delay }: Ending): () => void {
    const happen = how === 'fill the disk' ? this.#fillDisk : () => this.#end(how);
    if (typeof at === 'number') {
      const timer = setTimeout(() => void happen(), at);
      return () => clearTimeout(timer);
    }
    let isTakenBack = false;
    const takeBack = this.#service.at(at.stage, this.#name, at.nth, async () => {
      await new Promise((resolve) => setTimeout(resolve, delay));
      if (!isTakenBack) await happen();
    });
    return () => {
      isTakenBack = true;
      takeBack();
    };
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    this.isEnded = true;
    const exit = once(child, 'exit');
    child.kill(signal);
    const killer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await exit;
    clearTimeout(killer);
  }
}

/** @returns undefined when the window was closed before it was done */
export function editorResultOf({ stdout }: Outcome): EditorResult | undefined {
  return parseJson<EditorResult>(stdout);
}

/** Returns a folder's URI as VS Code writes it, which encodes more than Node does. */
function uriInCode(path: string): string {
  const segments = pathToFileURL(path)
    .pathname.split('/')
    .map((segment) => decodeURIComponent(segment));
  const encode = (segment: string) =>
    encodeURIComponent(segment).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return `file://${segments.map(encode).join('/')}`;
}
