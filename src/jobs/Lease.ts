import { randomUUID } from 'node:crypto';
import { readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../library/FileCalls.ts';
import { parseJson } from '../operations/parseJson.ts';
import { isAlive } from './isAlive.ts';
import type { LeaseWatch } from './LeaseWatch.ts';

/** Milliseconds without a heartbeat after which a lease is free. */
export const leaseSilence = 60_000;

/** Content of a lease file. `nonce` identifies the holder; `run` differs for an earlier process with the same id. */
type Holder =
  | { readonly machine: string; readonly process: number; readonly run: string; readonly nonce: string }
  | { readonly isReleased: true };

const thisRun = randomUUID();

export interface LeaseOptions {
  /** In milliseconds; must be the same for everyone who shares the folder. */
  readonly silence?: number;
  /** Detects missing heartbeats over several checks. Without it, the age of the lease file decides. */
  readonly watch?: LeaseWatch;
  /** Whether {@link Lease.take} waits for a heartbeat of a holder that may be alive, for half of the silence. */
  readonly confirms?: boolean;
}

/**
 * Exclusive right to work in a folder, across processes and across machines that share the disk.
 *
 * Each holder creates the file `lease-<n>` with the next number; the file system lets only one process do so. The
 * highest number wins, so a holder that was presumed dead finds out that it was replaced.
 */
export class Lease {
  readonly #folder: string;
  readonly #generation: number;
  readonly #text: string;
  readonly #timer: NodeJS.Timeout;
  #isReleased = false;
  /** Serialises the writes: a late heartbeat must not undo a release. */
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, generation: number, text: string, silence: number) {
    this.#folder = folder;
    this.#generation = generation;
    this.#text = text;
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
    const latest = await latestGeneration(folder);
    if (latest === undefined || (await isHeldBy(folder, latest, options))) return undefined;
    if (options.confirms && (await hasHeartbeat(folder, latest, options))) return undefined;
    const generation = latest + 1;
    const nonce = randomUUID();
    const text = serialize({ machine: await thisMachine(), process: process.pid, run: thisRun, nonce });
    if (!(await createFile(fileOf(folder, generation), text))) return undefined;
    // Since the folder was read, another process may have taken this number and a third one a higher one.
    if ((await latestGeneration(folder)) !== generation) {
      await rm(fileOf(folder, generation), { force: true });
      return undefined;
    }
    if (latest > 0) await rm(fileOf(folder, latest), { force: true }).catch(() => undefined);
    return new Lease(folder, generation, text, options.silence ?? leaseSilence);
  }

  /** Whether the lease of a folder is held. */
  static async isHeld(folder: string, options: LeaseOptions = {}): Promise<boolean> {
    const latest = await latestGeneration(folder);
    return latest !== undefined && isHeldBy(folder, latest, options);
  }

  /**
   * Returns the milliseconds since anything in a folder changed, by this machine's clock; 0 when the folder is gone.
   */
  static async quietFor(folder: string): Promise<number> {
    try {
      const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))];
      const times = await Promise.all(paths.map(async (path) => (await stat(path)).mtimeMs));
      return Date.now() - Math.max(...times);
    } catch (error) {
      // Another process is removing the folder.
      if (hasCode(error, 'ENOENT')) return 0;
      throw error;
    }
  }

  /** Writes a heartbeat. Returns false when another process has taken the lease, but true when the folder is gone. */
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
    if (await this.renew().catch(() => false)) await this.#write(() => serialize({ isReleased: true }));
  }

  /** Overwrites the file in one write, so that no one reads half of it. Does not recreate a removed file. */
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

/** Returns ASCII JSON, so that its length in characters is its length in bytes. */
function serialize(holder: Holder): string {
  return JSON.stringify(holder).replace(/[\u0080-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** @returns false when the file already exists, or its folder is gone */
async function createFile(file: string, text: string): Promise<boolean> {
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

/** Returns the highest lease number in a folder; 0 when it has none, undefined when there is no folder. */
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
    // An empty file is just being written.
    if (holder && (await hasEnded(holder))) return false;
    const { mtimeMs } = await stat(file);
    return watch ? watch.isAlive(file, `${mtimeMs} ${text}`) : Date.now() - mtimeMs < silence;
  } catch (error) {
    // The lease was just replaced by a higher number, or removed with its folder.
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
}

/**
 * Whether a holder that looks dead still writes heartbeats. Just after a sleep, or when a clock was set, each heartbeat
 * looks old.
 */
async function hasHeartbeat(folder: string, generation: number, { silence = leaseSilence }: LeaseOptions) {
  const stampOf = async (): Promise<string | undefined> => {
    const file = fileOf(folder, generation);
    const text = await readFile(file, 'utf8').catch(() => '');
    const holder = parseJson<Holder>(text);
    if (!holder || 'isReleased' in holder || (await hasEnded(holder))) return undefined;
    return `${(await stat(file)).mtimeMs} ${text}`;
  };
  const before = await stampOf();
  if (before === undefined) return false;
  await sleep(silence / 2);
  const after = await stampOf();
  return after !== undefined && after !== before;
}

/** Whether the holder's process has ended. Always false for other machines, whose process ids say nothing here. */
async function hasEnded(holder: Exclude<Holder, { readonly isReleased: true }>): Promise<boolean> {
  if (holder.machine !== (await thisMachine())) return false;
  return holder.process === process.pid ? holder.run !== thisRun : !isAlive(holder.process);
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
