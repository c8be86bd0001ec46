import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
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
import { type Disk, mountDisk } from '../support/mountDisk.ts';
import { type Outcome, outcomeOf } from '../support/repository.ts';
import type { AgentProcessTask } from './agentProcess.ts';
import { type CountingService, wrongKey } from './CountingService.ts';
import type { EditorResult, EditorTask } from './editorProcess.ts';
import { maxCharacters, stateFolders, yesFlag } from './paidWork.ts';
import { startAgent, startCommandLine, startEditor } from './programs.ts';
import type { Schedule } from './Schedule.ts';
import type { Ending, Program, Run, Seat } from './Step.ts';
import { type Changed, filesOf, otherFilesOf, partBytes, pathsOf, type WorkName } from './works.ts';

/** A program that hangs is a finding; the slowest takes a few seconds on a busy machine. */
const longestMs = 60_000;
/** A program that does not end after a signal is killed, as a build server does. */
const graceMs = 3000;

/** How many requests apply has out at a time without `--jobs`. */
const defaultJobs = 3;

/** Id of a user who runs no program here. */
const somebody = 65_534;

export interface ProgramOutcome extends Outcome {
  readonly name: string;
  /** Whether something ended it. */
  readonly isEnded: boolean;
}

export interface Start extends Partial<Omit<Run, 'program' | 'delay'>> {
  readonly task?: Partial<EditorTask>;
  /** Whether the person clears the list of an agent's window at the end. */
  readonly tidies?: boolean;
}

/** A program as it was started. */
export interface Started extends Start {
  /** The folder for which it pays. */
  readonly place: Place;
  /** Whether a person agreed to pay again for what is unknown. */
  readonly isAgreed: boolean;
}

/** What is paid for one of them is not paid for another. */
export type Place = 'project' | 'clone' | 'agent';

/** The machine of one schedule: a project, the state of its programs, a clock and a disk. */
export class World implements AsyncDisposable {
  /** Output of all programs, for a failure. */
  readonly log: string[] = [];
  readonly problems: string[] = [];
  readonly started = new Map<string, Started>();
  readonly #schedule: Schedule;
  readonly #service: CountingService;
  readonly #folder: string;
  readonly #disk: Disk | undefined;
  readonly #state: string;
  #project: string;
  #places: Readonly<Record<Seat, Place>>;
  /** Whether programs may not remove what belongs to somebody else, though they run as root. */
  #isRestricted = false;
  /** The times of files that were replaced have to differ. */
  #replaced = 0;
  #link: Promise<string> | undefined;
  #hoursAhead = 0;
  /** Whether the second one is gone, or the first. */
  #isAlone = false;
  #programs = 0;
  #filling: Promise<void> = Promise.resolve();

  private constructor(service: CountingService, folder: string, disk: Disk | undefined, schedule: Schedule) {
    this.#schedule = schedule;
    this.#service = service;
    this.#folder = folder;
    this.#disk = disk;
    this.#places = { first: 'project', second: schedule.story.second === 'clone' ? 'clone' : 'project' };
    this.#state = schedule.disk === 'state' && disk ? join(disk.path, 'state') : join(folder, 'state');
    this.#project = join(folder, 'above', 'project');
  }

  /** @returns undefined when the schedule needs a disk that cannot be mounted here, or somebody else */
  static async make(schedule: Schedule, service: CountingService): Promise<World | undefined> {
    const needsOthers = schedule.steps.some(({ type }) => type === 'keep notes');
    if (needsOthers && (process.platform !== 'linux' || process.getuid?.() !== 0)) return undefined;
    const disk = schedule.disk && mountDisk('size=40m');
    if (disk && !disk.isReal) {
      disk[Symbol.dispose]();
      return undefined;
    }
    const holdsAll = disk && schedule.disk === 'state and project';
    const folder = await realpath(holdsAll ? disk.path : await mkdtemp(join(tmpdir(), 'schedule-')));
    const world = new World(service, folder, disk, schedule);
    for (const path of [world.#state, world.#temporary]) await mkdir(path, { recursive: true });
    const projects = schedule.story.second === 'clone' ? [world.#project, world.#clone] : [world.#project];
    for (const project of projects) {
      await mkdir(project, { recursive: true });
      for (const [name, content] of Object.entries(filesOf(schedule.works))) {
        await writeFile(join(project, name), content);
        // Whole seconds survive a change of the clock.
        const time = Math.floor(Date.now() / 1000) - 60;
        await utimes(join(project, name), time, time);
      }
    }
    return world;
  }

  get project(): string {
    return this.#project;
  }

  /** State folders, of each computer one. */
  get states(): readonly string[] {
    return [...new Set(this.seats.map((seat) => this.#stateOf(seat)))];
  }

  /** Where programs can run. */
  get seats(): readonly Seat[] {
    return this.#schedule.story.second && !this.#isAlone ? ['first', 'second'] : ['first'];
  }

  placeOf(seat: Seat): Place {
    return this.#places[seat];
  }

  get #clone(): string {
    return join(this.above, 'clone');
  }

  #stateOf(seat: Seat): string {
    const isOther = seat === 'second' && this.#schedule.story.second === 'computer';
    return isOther ? join(this.#folder, 'other state') : this.#state;
  }

  #projectOf(seat: Seat): string {
    return this.#places[seat] === 'clone' ? this.#clone : this.#project;
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
  async run(program: Program, start: Start): Promise<ProgramOutcome> {
    const { words = [], jobs = defaultJobs, ending, seat = 'first', access, fault, change } = start;
    const name = `${access === 'wrong key' ? wrongKey : ''}${program}-${++this.#programs}`;
    const isAgreed = words.includes(yesFlag) || start.task?.again === true;
    const place = program === 'agent' ? 'agent' : this.placeOf(seat);
    this.started.set(name, { ...start, seat, place, isAgreed });
    if (program === 'apply') this.#service.atOnce.set(name, jobs);
    if (fault) this.#service.disturb(name, fault.nth, fault.fault);
    const takeBack = change && this.#service.at('arrived', name, change.nth, () => this.change(change.what, seat));
    const running = new RunningProgram(await this.#start(program, name, start), this.#service, name, () =>
      this.fillDisk(),
    );
    const outcome = await running.until(ending);
    takeBack?.();
    if (change) await this.changeBack(seat);
    if (!running.isEnded) this.#service.keepWhole(name);
    this.log.push(
      `--- ${name} ${words.join(' ')} → ${outcome.code ?? running.signal}\n${outcome.stdout}${outcome.stderr}`,
    );
    if (running.hangs) this.problems.push(`hung: ${name} did not end within ${longestMs / 1000} s`);
    if (/(^|\\n)\s+at .*:\d+/m.test(outcome.stderr + outcome.stdout))
      this.problems.push(`crashed: ${name}: ${outcome.stderr.slice(0, 300)}`);
    return { ...outcome, name, isEnded: running.isEnded };
  }

  async #start(program: Program, key: string, start: Start): Promise<ChildProcess> {
    const { words = [], jobs = defaultJobs, task = {}, byLink = false, seat = 'first' } = start;
    const root = byLink ? await this.#linkToProject() : this.#projectOf(seat);
    const state = this.#stateOf(seat);
    const surroundings = {
      service: this.#service.origin,
      key,
      home: stateFolders.home(state),
      temporary: this.#temporary,
      cwd: this.above,
      hoursAhead: this.#hoursAhead,
      isOffline: start.access === 'offline',
      gate: start.isSlow ? this.#gate : undefined,
      isRestricted: this.#isRestricted,
      sendsKeys: this.#schedule.story.honoursKeys === true,
    };
    switch (program) {
      case 'apply':
        return startCommandLine(
          ['apply', '--json', '--jobs', String(jobs), '--manifest', join(root, 'media.jsonc'), ...words],
          surroundings,
        );
      case 'editor':
        return startEditor(this.#editorTask(root, key, state, task), surroundings);
      case 'agent':
        return startAgent(this.#agentTask(key, state, start), surroundings);
    }
  }

  #editorTask(root: string, key: string, state: string, task: Partial<EditorTask>): EditorTask {
    return {
      host: this.#service.origin,
      key,
      root,
      rootUri: uriInCode(root),
      storage: stateFolders.editor(state),
      maxBytes: partBytes,
      maxCharacters: this.#schedule.story.maxCharacters ?? maxCharacters,
      prompt: undefined,
      narrates: false,
      transcribes: false,
      applies: true,
      again: false,
      tidies: false,
      ...task,
    };
  }

  #agentTask(key: string, state: string, { call, words = [], tidies = false }: Start): AgentProcessTask {
    return {
      host: this.#service.origin,
      key,
      folder: join(this.above, 'agent'),
      storage: stateFolders.editor(state),
      call,
      again: words.includes(yesFlag),
      tidies,
    };
  }

  /** Lets slow disks make notes. */
  openGate(): Promise<void> {
    return writeFile(this.#gate, '');
  }

  get #gate(): string {
    return join(this.#folder, 'gate');
  }

  /** Replaces what a work is made from. */
  async change(what: Changed, seat: Seat = 'first'): Promise<void> {
    await this.#write(otherFilesOf(what, this.#schedule.works), seat);
  }

  /** Puts back what was replaced. */
  async changeBack(seat: Seat = 'first'): Promise<void> {
    await this.#write(filesOf(this.#schedule.works), seat);
  }

  async #write(files: Readonly<Record<string, string | Buffer>>, seat: Seat): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.#projectOf(seat), name);
      const bytes = Buffer.from(content);
      if ((await readFile(path)).equals(bytes)) continue;
      await writeFile(path, bytes);
      const time = Math.floor(Date.now() / 1000) - 50 + ++this.#replaced - this.#hoursAhead * 3600;
      await utimes(path, time, time);
    }
  }

  /** Deletes what was made for a work. @returns the paths that were there */
  async deleteMade(work: WorkName): Promise<readonly string[]> {
    const paths = pathsOf([work]).filter((path) => existsSync(join(this.#project, path)));
    for (const path of paths) await rm(join(this.#project, path));
    return paths;
  }

  /** Deletes the folder of the first. From now on it works in the clone. */
  async removeProject(): Promise<void> {
    await rm(this.#project, { recursive: true });
    this.#project = this.#clone;
    this.#places = { first: 'clone', second: 'clone' };
    this.#isAlone = true;
  }

  /** Whether the folder of the first was deleted: what belongs to it waits until it expires. */
  get isRemoved(): boolean {
    return this.#places.first === 'clone';
  }

  /** Removes the second computer. Its notes belong to somebody else, and no other may remove them. */
  async keepNotes(): Promise<void> {
    await rm(this.#stateOf('second'), { recursive: true, force: true });
    this.#isAlone = true;
    this.#isRestricted = true;
    if (!existsSync(this.#notes)) return;
    for (const name of await readdir(this.#notes)) await chown(join(this.#notes, name), somebody, somebody);
    await chown(this.#notes, somebody, somebody);
    // As in a folder for temporary files, everybody may create files, and remove only their own.
    await chmod(this.#notes, 0o1777);
  }

  /** A person removes the notes of somebody else. */
  async removeNotes(): Promise<void> {
    await rm(this.#notes, { recursive: true, force: true });
  }

  get #notes(): string {
    return join(this.#project, '.unified-media', 'jobs');
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
    if (!this.#disk) throw new Error('only a small disk may be filled');
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
    for (const folder of [...this.states, this.above]) {
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

  get signal(): NodeJS.Signals | null {
    return this.#child.signalCode;
  }

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
