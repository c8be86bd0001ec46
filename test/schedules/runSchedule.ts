import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../../src/operations/parseJson.ts';
import type { Accepted } from './CountingService.ts';
import { CountingService } from './CountingService.ts';
import type { EditorResult } from './editorProcess.ts';
import { hoursBeforeSweep, mayStayInProject, mayStayInState, mayStayInTemporary, probe, yesFlag } from './paidWork.ts';
import type { Schedule, Step } from './Schedule.ts';
import type { Start } from './World.ts';
import { editorResultOf, World } from './World.ts';
import type { WorkName } from './works.ts';
import { ownerOf, pathsOf } from './works.ts';

export interface ScheduleResult {
  /** What breaks the promise, each with its kind first. */
  readonly problems: readonly string[];
  /** Output of the programs. */
  readonly log: readonly string[];
  readonly accepted: number;
  /** How many programs were ended early. */
  readonly ended: number;
}

/** Runs a schedule and checks the promise. @returns undefined when this machine cannot mount the disk it needs */
export async function runSchedule(schedule: Schedule): Promise<ScheduleResult | undefined> {
  await using service = await CountingService.start(schedule.byUrl);
  service.faults = schedule.faults;
  await using world = await World.make(schedule, service);
  if (!world) return undefined;
  const play = new Play(schedule, service, world);
  await play.disturb();
  await play.settle();
  if (play.problems.length > 0) await world.logState();
  return { problems: play.problems, log: world.log, accepted: service.accepted.length, ended: play.ended };
}

interface Report {
  readonly path: string;
  readonly outcome: string;
  readonly sentence: string;
}

/** One schedule being played: first the disturbed part, then the end, at which everything has to come right. */
class Play {
  ended = 0;
  readonly #problems: string[] = [];
  readonly #schedule: Schedule;
  readonly #service: CountingService;
  readonly #world: World;
  readonly #hasEditor: boolean;
  #pictures = 0;
  /** Owners that the command line or the editor has named to the person before asking for a yes. */
  readonly #named = new Set<string>();
  readonly #done = new Set<string>();
  /** Requests that a window of the editor has shown to the person as failed or unknown. */
  readonly #shown: string[] = [];

  constructor(schedule: Schedule, service: CountingService, world: World) {
    this.#schedule = schedule;
    this.#service = service;
    this.#world = world;
    this.#hasEditor =
      schedule.steps.some((step) => step.type === 'run' && step.runs.some(({ program }) => program === 'editor')) ||
      this.#has('notes') ||
      this.#has('call') ||
      this.#has('plain');
  }

  get problems(): readonly string[] {
    return [...this.#world.problems, ...this.#problems];
  }

  #has(work: WorkName): boolean {
    return this.#schedule.works.includes(work);
  }

  /** Runs the steps of the schedule. */
  async disturb(): Promise<void> {
    for (const step of this.#schedule.steps) await this.#step(step);
    await this.#world.freeDisk();
    this.#service.faults = new Map();
    this.#service.downloads = undefined;
  }

  async #step(step: Step): Promise<void> {
    switch (step.type) {
      case 'run': {
        this.#service.downloads = step.downloads;
        const outcomes = await Promise.all(
          step.runs.map(async ({ program, delay, byLink, ending }) => {
            await sleep(delay);
            return this.#world.run(program, { byLink, ending, ...(program === 'editor' ? this.#ownWorks(true) : {}) });
          }),
        );
        for (const outcome of outcomes) this.#note(editorResultOf(outcome));
        this.ended += outcomes.filter(({ isEnded }) => isEnded).length;
        return this.#world.freeDisk();
      }
      case 'rename':
        return this.#world.rename(step.to);
      case 'git init':
        return this.#world.initGit();
      case 'clock':
        return this.#world.passHours(step.hours);
    }
  }

  #ownWorks(makesPicture = false): Start {
    const prompt = makesPicture && this.#has('plain') ? `plain ${++this.#pictures}` : undefined;
    return { task: { ...(prompt ? { prompt } : {}), narrates: this.#has('notes'), transcribes: this.#has('call') } };
  }

  /** Lets everything come right: first without a yes, then with one; then sweeps. */
  async settle(): Promise<void> {
    const shown = await this.#editor();
    for (const one of shown?.shown ?? []) this.#named.add(ownerOf(one.request));
    const left = await this.#applyUntilStable();
    for (const { path, outcome, sentence } of left) {
      if (sentence.includes(yesFlag)) this.#named.add(path);
      else this.#problem('not named', `${path}: ${outcome}, "${sentence}" does not say what to do`);
    }
    this.#checkPaidOnce();
    const before = this.#service.accepted.length;
    await this.#agree(left, shown);
    this.#checkAgreed(before);
    await this.#checkNothingLeft();
    this.#checkSaved(await this.#world.contents());
  }

  async #editor(more: Start['task'] = {}): Promise<EditorResult | undefined> {
    if (!this.#hasEditor) return undefined;
    const outcome = await this.#world.run('editor', { task: { ...this.#ownWorks().task, ...more } });
    const result = editorResultOf(outcome);
    for (const work of result?.done ?? []) this.#done.add(work);
    this.#note(result);
    return result;
  }

  #note(result: EditorResult | undefined): void {
    for (const { request } of result?.shown ?? []) this.#shown.push(request);
  }

  /** Applies without a yes until another run changes nothing. @returns what is not fresh */
  async #applyUntilStable(): Promise<readonly Report[]> {
    let left: readonly Report[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      left = await this.#apply([]);
      if (left.every(({ sentence }) => sentence.includes(yesFlag))) break;
    }
    return left;
  }

  /** @returns the entries that it did not make */
  async #apply(words: readonly string[]): Promise<readonly Report[]> {
    const { stdout, stderr } = await this.#world.run('apply', { words });
    const reports = parseJson<{ readonly entries?: readonly Report[] }>(stdout)?.entries;
    if (!reports)
      return pathsOf(this.#schedule.works).map((path) => ({ path, outcome: 'no report', sentence: stderr.trim() }));
    return reports.filter(({ outcome }) => outcome !== 'made');
  }

  /** A person agrees to pay again for what was named. */
  async #agree(named: readonly Report[], shown: EditorResult | undefined): Promise<void> {
    let left = named;
    for (let attempt = 0; attempt < 3 && left.length > 0; attempt++) left = await this.#apply([yesFlag]);
    for (const { path, outcome, sentence } of left) this.#problem('never fresh', `${path}: ${outcome}, ${sentence}`);
    const own = [this.#has('notes') && 'notes', this.#has('call') && 'call'].filter((work) => work !== false);
    const missing = own.filter((work) => !this.#done.has(work));
    if (missing.length === 0) return;
    for (const work of missing) {
      const isNamed =
        this.#named.has(work) ||
        shown?.failures.some((failure) => failure.startsWith(`${work}: `) && failure.includes(yesFlag));
      if (isNamed) this.#named.add(work);
      if (!isNamed)
        this.#problem('not named', `${work}: ${shown?.failures.join('; ') || 'the editor did not finish it'}`);
    }
    const after = await this.#editor({ again: true });
    for (const work of own) {
      if (!this.#done.has(work)) this.#problem('never fresh', `${work}: ${after?.failures.join('; ') ?? 'no result'}`);
    }
  }

  #problem(kind: string, sentence: string): void {
    this.#problems.push(`${kind}: ${sentence}`);
  }

  /** (1) Before a yes, each content was accepted at most once. */
  #checkPaidOnce(): void {
    for (const [content, all] of contentsOf(this.#service.accepted)) {
      if (all.length > 1) this.#problem('paid twice', `${short(content)}: ${all.map(described).join(', ')}`);
    }
  }

  /** (1) With a yes, only that is paid again which was named, and of that only what no program had. */
  #checkAgreed(before: number): void {
    for (const again of this.#service.accepted.slice(before)) {
      const earlier = this.#service.accepted.slice(0, before).filter(({ content }) => content === again.content);
      if (earlier.length === 0) continue;
      if (!this.#named.has(again.owner))
        this.#problem(
          'paid twice',
          `${short(again.content)}, which was not named: ${earlier.map(described).join(', ')}`,
        );
      else if (earlier.some(({ isKept }) => isKept))
        this.#problem('lost', `${short(again.content)} was paid again though a program had its answer`);
    }
  }

  /** (2) Each paid content has ended in a file, or the person was told. */
  #checkSaved(files: readonly Buffer[]): void {
    for (const [content, all] of contentsOf(this.#service.accepted)) {
      const isSaved = all.some(({ marks }) => marks.every((mark) => files.some((file) => file.includes(mark))));
      if (isSaved) continue;
      const prompt = content.slice(content.indexOf('plain'));
      const isShown = all[0]?.owner === 'plain' && this.#shown.some((request) => request.includes(prompt));
      if (!isShown) this.#problem('lost', `${short(content)} is in no file: ${all.map(described).join(', ')}`);
    }
  }

  /** (3) After the sweep nothing is left. */
  async #checkNothingLeft(): Promise<void> {
    const world = this.#world;
    await world.passHours(hoursBeforeSweep);
    await this.#editor({ applies: false, tidies: true, narrates: false, transcribes: false });
    const left = await this.#apply([]);
    for (const { path, sentence } of left) this.#problem('never fresh', `${path} after the sweep: ${sentence}`);
    const temporary = (await world.temporaryFiles()).filter((path) => !isAllowed(path, mayStayInTemporary));
    const found = temporary.map((path) => `temporary: ${path}`);
    for (const path of await world.filesIn(world.state)) {
      const isRubbish = !isAllowed(path, mayStayInState) || (await isHeldLease(join(world.state, path)));
      if (isRubbish) found.push(`state: ${path}`);
    }
    for (const path of await world.filesIn(world.above)) {
      const inside = path.split(`.unified-media${sep}`)[1];
      const isMade =
        inside === undefined
          ? probe.test(path) || !/\.part$|lease-\d+$/.test(path)
          : isAllowed(inside, mayStayInProject);
      if (!isMade || (await isHeldLease(join(world.above, path)))) found.push(`project: ${path}`);
    }
    // The names of the rest follow from the first.
    for (const path of found.slice(0, 5)) this.#problem('left behind', path);
  }
}

function contentsOf(accepted: readonly Accepted[]): ReadonlyMap<string, readonly Accepted[]> {
  return Map.groupBy(accepted, ({ content }) => content);
}

function described({ program, answer, isKept }: Accepted): string {
  return `by ${program} (answer ${answer}${isKept ? ', kept' : ''})`;
}

function short(content: string): string {
  return content.length > 60 ? `${content.slice(0, 60)}…` : content;
}

function isAllowed(path: string, allowed: readonly RegExp[]): boolean {
  return allowed.some((pattern) => pattern.test(path.split(sep).join('/')));
}

async function isHeldLease(file: string): Promise<boolean> {
  return /lease-\d+$/.test(file) && !(await readFile(file, 'utf8')).includes('isReleased');
}
