import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { link, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode, retryWhileHeld } from '../files/FileCalls.ts';
import { parseJson } from '../operations/parseJson.ts';

/** Milliseconds without a heartbeat after which a lease is free. */
export const leaseSilence = 60_000;

/** What identifies a process, as JSON that others read later; see {@link hasEnded}. */
export interface ProcessMark {
  readonly machine: string;
  readonly process: number;
  /** When the system started it, in a unit of the system; only on Linux. */
  readonly started?: string;
  /** Tells this process from an earlier one with the same id. */
  readonly run: string;
}

/** Content of a lease file. `nonce` identifies the holder. */
type Holder = (ProcessMark & { readonly nonce: string }) | { readonly isReleased: true };

/** `unknown`: the process is on another machine, or is stopped, or the system does not tell. */
type Life = 'running' | 'ended' | 'unknown';

/**
 * `quiet`: there was no heartbeat for the whole silence. `ahead`: its time lies so far in the future that only another
 * heartbeat can show that it is held.
 */
type LeaseState = 'held' | 'free' | 'quiet' | 'ahead';

const thisRun = randomUUID();
/** Read once. A host name that changes later must not make this process's own leases look like those of another machine. */
let ownMark: Promise<ProcessMark> | undefined;
/** Texts of the leases that this process gave up, but could not mark as released. */
const givenUp = new Set<string>();

export interface LeaseOptions {
  /** In milliseconds; must be the same for everyone who shares the folder. */
  readonly silence?: number;
  /** Detects missing heartbeats over several checks. Without it, the age of the lease file decides. */
  readonly watch?: LeaseWatch;
  /**
   * Whether {@link Lease.take} waits for a heartbeat of a holder that may be alive, for half of the silence: just after
   * a sleep, or when a clock was set, each heartbeat looks old.
   */
  readonly confirms?: boolean;
}

/**
 * Exclusive right to work in a folder, across processes and across machines that share the disk.
 *
 * Each holder creates the file `lease-<n>` with the next number; the file system lets only one process do so. The
 * highest number wins, so a holder that was presumed dead finds out that it was replaced. A holder whose process can be
 * seen on this machine holds the lease until it ends; for any other, the heartbeat decides.
 */
export class Lease {
  readonly #folder: string;
  readonly #generation: number;
  readonly #text: string;
  readonly #silence: number;
  readonly #timer: NodeJS.Timeout;
  #heartbeat = timesNow();
  #isReleased = false;
  /** Serialises the writes: a late heartbeat must not undo a release. */
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, generation: number, text: string, silence: number) {
    this.#folder = folder;
    this.#generation = generation;
    this.#text = text;
    this.#silence = silence;
    this.#timer = setInterval(() => this.renew().catch(() => undefined), silence / 3).unref();
  }

  /**
   * Takes the lease of a folder.
   *
   * @param folder absolute path of an existing folder
   * @returns undefined when the lease is held, or the folder is gone
   * @throws errors of node:fs when the folder cannot be written
   */
  static async take(folder: string, options: LeaseOptions = {}): Promise<Lease | undefined> {
    const latest = latestGeneration(folder);
    if (latest === undefined) return undefined;
    const state = await stateOf(folder, latest, options);
    if (state === 'held') return undefined;
    const waits = state === 'ahead' || (state === 'quiet' && options.confirms);
    if (waits && (await hasHeartbeat(folder, latest, options))) return undefined;
    const generation = latest + 1;
    const nonce = randomUUID();
    const text = serialize({ ...(await thisProcess()), nonce });
    if (!(await createFile(fileOf(folder, generation), text))) return undefined;
    // Since the folder was read, another process may have taken this number and a third one a higher one.
    if (latestGeneration(folder) !== generation) {
      await rm(fileOf(folder, generation), { force: true });
      return undefined;
    }
    if (latest > 0) await rm(fileOf(folder, latest), { force: true }).catch(() => undefined);
    return new Lease(folder, generation, text, options.silence ?? leaseSilence);
  }

  /** Whether the lease of a folder is held, as far as that shows without waiting. */
  static async isHeld(folder: string, options: LeaseOptions = {}): Promise<boolean> {
    const latest = latestGeneration(folder);
    return latest !== undefined && (await stateOf(folder, latest, options)) === 'held';
  }

  /**
   * Returns the milliseconds since anything in a folder changed, by this machine's clock; 0 when the folder is gone.
   */
  static async quietFor(folder: string): Promise<number> {
    try {
      const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))];
      const times = await Promise.all(paths.map(async (path) => (await stat(path)).mtimeMs));
      // File times have fractions of a millisecond; the clock has none.
      return Math.max(0, Date.now() - Math.max(...times));
    } catch (error) {
      // Another process is removing the folder.
      if (hasCode(error, 'ENOENT')) return 0;
      throw error;
    }
  }

  /** Writes a heartbeat. Returns false when another process has taken the lease, but true when the folder is gone. */
  async renew(): Promise<boolean> {
    if (!(await this.#isOurs())) return false;
    const times = timesNow();
    const isWritten = await this.#write(() => (this.#isReleased ? undefined : this.#text));
    if (isWritten) this.#heartbeat = times;
    return true;
  }

  /**
   * Returns what {@link renew} does. Whether another process has taken the lease is read from the disk each time, but a
   * heartbeat is written only if the last one is old, as after a sleep: others wait six times as long for the next one.
   */
  async check(): Promise<boolean> {
    return isYoung(this.#heartbeat, this.#silence / 6) ? this.#isOurs() : this.renew();
  }

  async #isOurs(): Promise<boolean> {
    const latest = latestGeneration(this.#folder) ?? 0;
    if (latest === 0) return true;
    const file = fileOf(this.#folder, latest);
    const current = await retryWhileHeld(async () => readFileSync(file, 'utf8')).catch(() => '');
    const isOurs = latest === this.#generation && current.trimEnd() === this.#text.trimEnd();
    if (!isOurs) clearInterval(this.#timer);
    return isOurs;
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearInterval(this.#timer);
    const isOurs = await this.#isOurs().catch(() => false);
    if (isOurs && (await this.#write(() => serialize({ isReleased: true })))) return;
    givenUp.add(this.#text);
    // For others, a file that stays counts as held as long as this process runs.
    if (isOurs) await rm(fileOf(this.#folder, this.#generation), { force: true }).catch(() => undefined);
  }

  /**
   * Overwrites the file in one write, so that no one reads half of it. Does not recreate a removed file.
   *
   * @returns whether nothing is left to write
   */
  #write(text: () => string | undefined): Promise<boolean> {
    const file = fileOf(this.#folder, this.#generation);
    const written = this.#writing.then(async () => {
      const value = text()?.padEnd(this.#text.length);
      if (value !== undefined) await retryWhileHeld(() => writeFile(file, value, { flag: 'r+' }));
    });
    this.#writing = written.catch(() => undefined);
    return written.then(
      () => true,
      () => false,
    );
  }
}

/** Returns ASCII JSON, so that its length in characters is its length in bytes. */
function serialize(holder: Holder): string {
  return JSON.stringify(holder).replace(/[\u0080-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/**
 * Creates a file with its whole text: a process that is killed in between must not leave an empty one, which nobody
 * could tell from one that is just being written.
 *
 * @returns false when the file already exists, or its folder is gone
 */
async function createFile(file: string, text: string): Promise<boolean> {
  const temporary = join(dirname(file), `.lease-${randomUUID()}.part`);
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600 });
    await link(temporary, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST', 'ENOENT')) return false;
    // The file system may have no hard links.
    return createDirectly(file, text);
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

async function createDirectly(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST', 'ENOENT')) return false;
    // On a full disk an empty file may be left, which would count as held.
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * Returns the highest lease number in a folder; 0 when it has none, undefined when there is no folder. A call that waits
 * for a thread would keep the event loop busy for longer than this one.
 */
function latestGeneration(folder: string): number | undefined {
  try {
    const names = readdirSync(folder);
    return Math.max(0, ...names.map((name) => Number(/^lease-(\d+)$/.exec(name)?.[1] ?? 0)));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function stateOf(folder: string, generation: number, options: LeaseOptions): Promise<LeaseState> {
  if (generation === 0) return 'free';
  const { silence = leaseSilence, watch } = options;
  const file = fileOf(folder, generation);
  try {
    const { life, time, stamp } = await lookAt(file);
    if (life !== 'unknown') return life === 'running' ? 'held' : 'free';
    if (watch) return watch.isAlive(file, stamp) ? 'held' : 'quiet';
    const age = Date.now() - time;
    // Clocks may differ a little.
    if (Math.abs(age) < silence) return 'held';
    return age < 0 ? 'ahead' : 'quiet';
  } catch (error) {
    // The lease was just replaced by a higher number, or removed with its folder.
    if (hasCode(error, 'ENOENT')) return 'held';
    throw error;
  }
}

/** Whether a holder that looks dead still writes heartbeats, or runs again after it was stopped. */
async function hasHeartbeat(folder: string, generation: number, { silence = leaseSilence }: LeaseOptions) {
  const file = fileOf(folder, generation);
  try {
    const before = await lookAt(file);
    await sleep(silence / 2);
    const after = await lookAt(file);
    return after.life === 'running' || (after.life === 'unknown' && after.stamp !== before.stamp);
  } catch (error) {
    // Another process has taken the lease.
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
}

/**
 * Looks at a lease file.
 *
 * @returns whether its holder runs, the time of the last heartbeat in milliseconds, and a text that changes with each
 */
async function lookAt(file: string): Promise<{ readonly life: Life; readonly time: number; readonly stamp: string }> {
  const text = await readFile(file, 'utf8');
  const holder = parseJson<Holder>(text);
  const isReleased = (holder !== undefined && 'isReleased' in holder) || givenUp.has(text);
  // An empty file is just being written.
  const life = isReleased ? 'ended' : holder ? await lifeOf(holder) : 'unknown';
  if (life === 'ended') return { life, time: 0, stamp: '' };
  const { mtimeMs } = await stat(file);
  return { life, time: mtimeMs, stamp: `${mtimeMs} ${text}` };
}

/** Returns the mark of this process, by which others can tell whether it has ended. */
export function thisProcess(): Promise<ProcessMark> {
  ownMark ??= readOwnMark();
  return ownMark;
}

async function readOwnMark(): Promise<ProcessMark> {
  const started = (await statusOf(process.pid))?.started;
  return { machine: await thisMachine(), process: process.pid, started, run: thisRun };
}

/**
 * Whether a process has ended for certain, even if another has its id. False for a process on another machine. Elsewhere
 * than on Linux, an id that is in use again counts as the process that had it.
 */
export async function hasEnded(mark: ProcessMark): Promise<boolean> {
  return (await lifeOf(mark)) === 'ended';
}

/** Whether a process of this computer has this id; it may be another than the one that had the id before. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

async function lifeOf(mark: ProcessMark): Promise<Life> {
  if (mark.machine !== (await thisProcess()).machine) return 'unknown';
  if (mark.process === process.pid) return mark.run === thisRun ? 'running' : 'ended';
  // Check this first: /proc may show the processes of another PID namespace.
  if (!isAlive(mark.process)) return 'ended';
  const status = await statusOf(mark.process);
  // A killed process stays as a zombie until its parent asks for its exit code.
  if (status && 'ZX'.includes(status.state)) return 'ended';
  if (!status || mark.started === undefined) return 'unknown';
  if (mark.started !== status.started) return 'ended';
  return 'Tt'.includes(status.state) ? 'unknown' : 'running';
}

/** Returns the state of a process and when it started, as Linux shows them; undefined where it does not. */
async function statusOf(processId: number): Promise<{ readonly state: string; readonly started: string } | undefined> {
  if (process.platform !== 'linux') return undefined;
  const text = await readFile(`/proc/${processId}/stat`, 'latin1').catch(() => '');
  // The second field is the name in brackets, which may contain spaces and brackets. The time is field 22.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, started] = [fields[0], fields[19]];
  return state && started ? { state, started } : undefined;
}

/**
 * Identifies this machine. Containers and machines may share a host name, so Linux adds its PID namespace and boot id.
 */
async function thisMachine(): Promise<string> {
  if (process.platform !== 'linux') return hostname();
  const facts = await Promise.all([
    readlink('/proc/self/ns/pid').catch(() => ''),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
  ]);
  return [hostname(), ...facts].join(' ').trim();
}

function fileOf(folder: string, generation: number): string {
  return join(folder, `lease-${generation}`);
}

/** A moment by two clocks: one stands still while the computer sleeps, the other may be set. */
interface Times {
  readonly wall: number;
  readonly process: number;
}

function timesNow(): Times {
  return { wall: Date.now(), process: performance.now() };
}

function isYoung(then: Times, milliseconds: number): boolean {
  const now = timesNow();
  const [wall, running] = [now.wall - then.wall, now.process - then.process];
  return wall >= 0 && wall < milliseconds && running < milliseconds;
}

interface Check {
  /** Changes with each heartbeat. */
  readonly stamp: string;
  /** Milliseconds without a change, by this process's clock. */
  readonly quiet: number;
  /** Time of the check. */
  readonly at: number;
}

/**
 * Detects missing heartbeats by this process's own clock: other machines' clocks differ, and after a sleep every
 * heartbeat looks old. A holder is presumed dead when its heartbeat has not changed over several checks.
 */
export class LeaseWatch {
  readonly #silence: number;
  readonly #now: () => number;
  readonly #checks = new Map<string, Check>();

  /** @param silence milliseconds without a heartbeat after which a holder is presumed dead */
  constructor(silence: number, now: () => number = () => performance.now()) {
    this.#silence = silence;
    this.#now = now;
  }

  /** @param stamp text that changes with each heartbeat of the lease in this file */
  isAlive(file: string, stamp: string): boolean {
    const at = this.#now();
    const before = this.#checks.get(file);
    // Limits what the first check after a sleep adds.
    const quiet = before?.stamp === stamp ? before.quiet + Math.min(at - before.at, this.#silence / 2) : 0;
    this.#checks.set(file, { stamp, quiet, at });
    return quiet < this.#silence;
  }
}

/** Thrown when another process took the job over because this one looked dead, for example while the machine slept. */
export class LeaseLost extends Error {
  constructor() {
    super('another window has taken over this job');
  }
}

/** Whether an error or one of its causes is {@link LeaseLost}. */
export function isLeaseLost(error: unknown): boolean {
  return error instanceof LeaseLost || (error instanceof Error && isLeaseLost(error.cause));
}
