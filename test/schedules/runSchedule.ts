import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseJson } from '../../src/operations/parseJson.ts';
import type { AgentResult } from './agentProcess.ts';
import { CountingService } from './CountingService.ts';
import { checkPaid, checkSaved } from './checkPaid.ts';
import type { EditorResult } from './editorProcess.ts';
import {
  hoursBeforeSweep,
  mayStayInProject,
  mayStayInState,
  mayStayInTemporary,
  mayWait,
  nameOfNote,
  probe,
  yesFlag,
} from './paidWork.ts';
import type { Schedule } from './Schedule.ts';
import type { Run, Seat, Step } from './Step.ts';
import { editorResultOf, type Place, type Start, World } from './World.ts';
import { ownerOf, pathsOf, type WorkName } from './works.ts';

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
  service.honoursKeys = schedule.story.honoursKeys === true;
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
  /** Owners that the command line or the editor has named to the person before asking for a yes, with their places. */
  readonly #named = new Set<string>();
  /** How many requests were accepted when a person deleted the file of an owner. */
  readonly #deleted = new Map<string, number>();
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
        const outcomes = await Promise.all(step.runs.map((run) => this.#run(run)));
        this.ended += outcomes.filter(({ isEnded }) => isEnded).length;
        return this.#world.freeDisk();
      }
      case 'rename':
        return this.#world.rename(step.to);
      case 'git init':
        return this.#world.initGit();
      case 'clock':
        return this.#world.passHours(step.hours);
      case 'change':
        return this.#world.change(step.what);
      case 'change back':
        return this.#world.changeBack();
      case 'delete':
        for (const path of await this.#world.deleteMade(step.work))
          this.#deleted.set(nameIn(this.#world.placeOf('first'), path), this.#service.accepted.length);
        return;
      case 'remove':
        return this.#world.removeProject();
      case 'keep notes':
        return this.#world.keepNotes();
    }
  }

  async #run({ program, delay, ...run }: Run) {
    await sleep(delay);
    const isOwn = program === 'editor' && run.seat !== 'second';
    const outcome = await this.#world.run(program, { ...run, ...(isOwn ? this.#ownWorks(true) : {}) });
    if (!run.isSlow) await this.#world.openGate();
    if (program === 'agent') this.#noteAgent(outcome);
    else this.#note(editorResultOf(outcome));
    return outcome;
  }

  #noteAgent({ stdout, name }: { readonly stdout: string; readonly name: string }): void {
    const { result, shown = [] } = parseJson<AgentResult>(stdout) ?? {};
    for (const { request } of shown) this.#shown.push(request);
    const isPaid = this.#service.accepted.some(({ program }) => program === name);
    if (isPaid && result?.error?.charged === 'no')
      this.#problem('told wrong', `${name}: charged "no" after a request was accepted; "${result.next}"`);
  }

  #ownWorks(makesPicture = false): Start {
    const prompt = makesPicture && this.#has('plain') ? `plain ${++this.#pictures}` : undefined;
    return { task: { ...(prompt ? { prompt } : {}), narrates: this.#has('notes'), transcribes: this.#has('call') } };
  }

  /** Lets everything come right: first without a yes, then with one; then sweeps. */
  async settle(): Promise<void> {
    const world = this.#world;
    const shown = await this.#editor();
    for (const one of shown?.shown ?? []) this.#named.add(nameIn(world.placeOf('first'), ownerOf(one.request)));
    const left = new Map<Seat, readonly Report[]>();
    for (const seat of world.seats) left.set(seat, await this.#applyUntilStable(seat));
    const isShared = world.seats.length > 1 && world.placeOf('first') === world.placeOf('second');
    // The first computer sees what the other one has saved.
    if (isShared) left.set('first', await this.#applyUntilStable('first')).delete('second');
    for (const [seat, reports] of left) this.#checkNamed(reports, world.placeOf(seat));
    const before = this.#service.accepted.length;
    for (const [seat, reports] of left) await this.#agree(reports, seat);
    await this.#agreeInEditor(shown);
    await this.#checkNothingLeft();
    const paid = { accepted: this.#service.accepted, started: world.started, before };
    for (const { kind, sentence } of checkPaid({ ...paid, named: this.#named, deleted: this.#deleted }))
      this.#problem(kind, sentence);
    for (const sentence of checkSaved(this.#service.accepted, await world.contents(), this.#shown))
      this.#problem('lost', sentence);
  }

  #checkNamed(reports: readonly Report[], place: Place): void {
    for (const { path, outcome, sentence } of reports) {
      if (!sentence.includes(yesFlag))
        this.#problem('not named', `${path}: ${outcome}, "${sentence}" does not say what to do`);
      else if (this.#schedule.story.honoursKeys) this.#problem('asked', `${path}: "${sentence}"`);
      else this.#named.add(nameIn(place, path));
    }
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
  async #applyUntilStable(seat: Seat): Promise<readonly Report[]> {
    let left: readonly Report[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      left = await this.#apply([], seat);
      if (left.every(({ sentence }) => sentence.includes(yesFlag))) break;
    }
    return left;
  }

  /** @returns the entries that it did not make */
  async #apply(words: readonly string[], seat: Seat): Promise<readonly Report[]> {
    const { stdout, stderr } = await this.#world.run('apply', { words, seat });
    const reports = parseJson<{ readonly entries?: readonly Report[] }>(stdout)?.entries;
    if (!reports)
      return pathsOf(this.#schedule.works).map((path) => ({ path, outcome: 'no report', sentence: stderr.trim() }));
    return reports.filter(({ outcome }) => outcome !== 'made');
  }

  /** A person agrees to pay again for what was named. */
  async #agree(named: readonly Report[], seat: Seat): Promise<void> {
    let left = named;
    for (let attempt = 0; attempt < 3 && left.length > 0; attempt++) {
      left = await this.#apply([yesFlag], seat);
      if (left.some(({ sentence }) => nameOfNote.test(sentence))) await this.#world.removeNotes();
    }
    for (const { path, outcome, sentence } of left) this.#problem('never fresh', `${path}: ${outcome}, ${sentence}`);
  }

  async #agreeInEditor(shown: EditorResult | undefined): Promise<void> {
    const own = [this.#has('notes') && 'notes', this.#has('call') && 'call'].filter((work) => work !== false);
    const missing = own.filter((work) => !this.#done.has(work));
    if (missing.length === 0) return;
    for (const work of missing) {
      const name = nameIn(this.#world.placeOf('first'), work);
      const isNamed =
        this.#named.has(name) ||
        shown?.failures.some((failure) => failure.startsWith(`${work}: `) && failure.includes(yesFlag));
      if (isNamed) this.#named.add(name);
      else this.#problem('not named', `${work}: ${shown?.failures.join('; ') || 'the editor did not finish it'}`);
    }
    const after = await this.#editor({ again: true });
    for (const work of own) {
      if (!this.#done.has(work)) this.#problem('never fresh', `${work}: ${after?.failures.join('; ') ?? 'no result'}`);
    }
  }

  #problem(kind: string, sentence: string): void {
    this.#problems.push(`${kind}: ${sentence}`);
  }

  /** (3) After the sweep nothing is left. */
  async #checkNothingLeft(): Promise<void> {
    const world = this.#world;
    await world.passHours(hoursBeforeSweep);
    await this.#editor({ applies: false, tidies: true, narrates: false, transcribes: false });
    for (const seat of world.seats) {
      for (const { path, sentence } of await this.#apply([], seat))
        this.#problem('never fresh', `${path} after the sweep: ${sentence}`);
    }
    if (this.#schedule.story.name === 'agent') this.#noteAgent(await world.run('agent', { tidies: true }));
    const { second, maxCharacters, name } = this.#schedule.story;
    const hasOthers = second === 'computer' || maxCharacters !== undefined || name === 'agent' || world.isRemoved;
    const mayStay = hasOthers ? mayWait : [];
    const temporary = (await world.temporaryFiles()).filter((path) => !isAllowed(path, mayStayInTemporary));
    const found = temporary.map((path) => `temporary: ${path}`);
    for (const state of world.states) {
      for (const path of await world.filesIn(state)) {
        const isRubbish = !isAllowed(path, [...mayStayInState, ...mayStay]) || (await isHeldLease(join(state, path)));
        if (isRubbish && !(await isRefused(join(state, dirname(path))))) found.push(`state: ${path}`);
      }
    }
    for (const path of await world.filesIn(world.above)) {
      const inside = path.split(`.unified-media${sep}`)[1];
      const isMade =
        inside === undefined
          ? probe.test(path) || !/\.part$|lease-\d+$/.test(path)
          : isAllowed(inside, [...mayStayInProject, ...mayStay]);
      if (!isMade || (await isHeldLease(join(world.above, path)))) found.push(`project: ${path}`);
    }
    // The names of the rest follow from the first.
    for (const path of found.slice(0, 5)) this.#problem('left behind', path);
  }
}

/** The name of an owner of requests in a place. */
function nameIn(place: Place, owner: string): string {
  return `${place}: ${owner}`;
}

function isAllowed(path: string, allowed: readonly RegExp[]): boolean {
  return allowed.some((pattern) => pattern.test(path.split(sep).join('/')));
}

/** Whether a work was refused in a folder that has been renamed since: nobody can clear it, so it goes after 30 days. */
async function isRefused(work: string): Promise<boolean> {
  const journal = await readFile(join(work, 'journal.jsonl'), 'utf8').catch(() => '');
  const [, root] = /"root":"(file:[^"]+)"/.exec(journal) ?? [];
  const isFree = /"mayBeBilled":false[^\n]*$/.test(journal.trimEnd());
  return isFree && root !== undefined && !existsSync(fileURLToPath(root));
}

async function isHeldLease(file: string): Promise<boolean> {
  return /lease-\d+$/.test(file) && !(await readFile(file, 'utf8')).includes('isReleased');
}
