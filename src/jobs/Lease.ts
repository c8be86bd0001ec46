import { randomUUID } from 'node:crypto';
import { readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '../library/hasCode.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { LeaseWatch } from './LeaseWatch.ts';

/** Without a heartbeat for this long, a lease has no owner any more; in milliseconds. */
export const leaseSilence = 60_000;

/** What a lease file holds. `nonce` tells holders apart, `run` this process from an earlier one with its number. */
type Holder =
  | { readonly machine: string; readonly process: number; readonly run: string; readonly nonce: string }
  | { readonly isReleased: true };

const thisRun = randomUUID();

export interface LeaseOptions {
  /** In milliseconds; all who share the folder use the same. */
  readonly silence?: number;
  /** Judges heartbeats by what it has seen; without one, the age of the lease's file counts. */
  readonly watch?: LeaseWatch;
}

/**
 * The right to work in a folder: of all processes, also on other machines that share the disk, one has it at a time.
 *
 * Each holder creates the file `lease-<n>` with the next higher number, which the file system lets only one do. The
 * highest number governs, so a holder that was given up for dead learns that it was replaced.
 */
export class Lease {
  readonly #folder: string;
  readonly #generation: number;
  readonly #text: string;
  readonly #timer: NodeJS.Timeout;
  #isReleased = false;
  /** Writes follow each other: a late heartbeat must not undo a release. */
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, generation: number, text: string, silence: number) {
    this.#folder = folder;
    this.#generation = generation;
    this.#text = text;
    this.#timer = setInterval(() => this.renew().catch(() => undefined), silence / 3).unref();
  }

  /**
   * @param folder absolute path of a folder that exists
   * @returns undefined when another holds it, or the folder is gone
   * @throws errors of node:fs when the folder cannot be written
   */
  static async take(folder: string, options: LeaseOptions = {}): Promise<Lease | undefined> {
    const latest = await latestGeneration(folder);
    if (latest === undefined || (await isHeldBy(folder, latest, options))) return undefined;
    const generation = latest + 1;
    const nonce = randomUUID();
    const text = textOf({ machine: await thisMachine(), process: process.pid, run: thisRun, nonce });
    if (!(await createFile(fileOf(folder, generation), text))) return undefined;
    // Between the reading and the creating, others may have taken this number and a higher one.
    if ((await latestGeneration(folder)) !== generation) {
      await rm(fileOf(folder, generation), { force: true });
      return undefined;
    }
    if (latest > 0) await rm(fileOf(folder, latest), { force: true }).catch(() => undefined);
    return new Lease(folder, generation, text, options.silence ?? leaseSilence);
  }

  /** Whether somebody works in the folder. */
  static async isHeld(folder: string, options: LeaseOptions = {}): Promise<boolean> {
    const latest = await latestGeneration(folder);
    return latest !== undefined && isHeldBy(folder, latest, options);
  }

  /** Milliseconds since anything changed in a folder, by this machine's clock; 0 when the folder is gone. */
  static async quietFor(folder: string): Promise<number> {
    try {
      const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))];
      const times = await Promise.all(paths.map(async (path) => (await stat(path)).mtimeMs));
      return Date.now() - Math.max(...times);
    } catch (error) {
      // Somebody is removing it.
      if (hasCode(error, 'ENOENT')) return 0;
      throw error;
    }
  }

  /** Writes a heartbeat. False when another process has taken the lease; a folder that is gone takes nothing away. */
  async renew(): Promise<boolean> {
    const latest = (await latestGeneration(this.#folder)) ?? 0;
    if (latest === 0) return true;
    const current = await readFile(fileOf(this.#folder, latest), 'utf8').catch(() => '');
    if (latest !== this.#generation || current.trimEnd() !== this.#text.trimEnd()) {
      clearInterval(this.#timer);
      return false;
    }
    await this.#write(() => (this.#isReleased ? undefined : this.#text));
    return true;
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearInterval(this.#timer);
    if (await this.renew().catch(() => false)) await this.#write(() => textOf({ isReleased: true }));
  }

  /** Replaces the text in one write, so that nobody reads half of it; a removed file is not recreated. */
  #write(text: () => string | undefined): Promise<unknown> {
    this.#writing = this.#writing.then(async () => {
      const value = text();
      if (value === undefined) return;
      const file = fileOf(this.#folder, this.#generation);
      await writeFile(file, value.padEnd(this.#text.length), { flag: 'r+' }).catch(() => undefined);
    });
    return this.#writing;
  }
}

/** ASCII, so that a text is as long in characters as in bytes. */
function textOf(holder: Holder): string {
  return JSON.stringify(holder).replace(/[\u0080-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** @returns false when the file is there already, or its folder is gone */
async function createFile(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST', 'ENOENT')) return false;
    // On a full disk the file may be there, empty, and would count as held.
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** The highest number of a lease in a folder, 0 when it has none; undefined when there is no folder. */
async function latestGeneration(folder: string): Promise<number | undefined> {
  try {
    const names = await readdir(folder);
    return Math.max(0, ...names.map((name) => Number(/^lease-(\d+)$/.exec(name)?.[1] ?? 0)));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function isHeldBy(folder: string, generation: number, options: LeaseOptions): Promise<boolean> {
  if (generation === 0) return false;
  const { silence = leaseSilence, watch } = options;
  const file = fileOf(folder, generation);
  try {
    const text = await readFile(file, 'utf8');
    const holder = parseJson<Holder>(text);
    if (holder && 'isReleased' in holder) return false;
    // A file that is empty is being written.
    if (holder && (await hasEnded(holder))) return false;
    const { mtimeMs } = await stat(file);
    return watch ? watch.isAlive(file, `${mtimeMs} ${text}`) : Date.now() - mtimeMs < silence;
  } catch (error) {
    // Replaced by a higher number just now, or removed with its folder.
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
}

/** Process numbers mean something on their own machine only. */
async function hasEnded(holder: Exclude<Holder, { readonly isReleased: true }>): Promise<boolean> {
  if (holder.machine !== (await thisMachine())) return false;
  return holder.process === process.pid ? holder.run !== thisRun : !isAlive(holder.process);
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** Machines and containers may share a host name, so Linux also tells which start of which system this is. */
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
