import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../../operations/MediaError.ts';
import { Lease } from '../Lease.ts';

const workName = 'work';
/** Milliseconds. */
const partKeptFor = 30 * 24 * 60 * 60 * 1000;
const attemptKeptFor = 60 * 60 * 1000;

/**
 * The folder for the files that are made of one recording to be sent. Whoever holds it is the only one, also among
 * windows, who transcribes the recording in parts: two would pay for each part twice.
 */
export class RecordingWork implements AsyncDisposable {
  readonly folder: string;
  readonly #lease: Lease;

  private constructor(folder: string, lease: Lease) {
    this.folder = folder;
    this.#lease = lease;
  }

  /** @throws MediaError `invalidInput` while another one holds it */
  static async take(recordingsFolder: string, key: string): Promise<RecordingWork> {
    const folder = join(recordingsFolder, workName, key);
    await mkdir(folder, { recursive: true });
    const lease = await Lease.take(folder);
    if (!lease) throw takenElsewhere();
    return new RecordingWork(folder, lease);
  }

  /** @throws MediaError when another process took it over */
  async renew(): Promise<void> {
    if (!(await this.#lease.renew())) throw takenElsewhere();
  }

  /** Removes the files. The folder stays for the sweep: another window may take the lease at this moment. */
  async [Symbol.asyncDispose](): Promise<void> {
    const isHeld = await this.#lease.renew().catch(() => false);
    const names = isHeld ? await readdir(this.folder).catch(() => []) : [];
    const files = names.filter((name) => !name.startsWith('lease-'));
    await Promise.all(files.map((name) => rm(join(this.folder, name), { force: true }).catch(() => undefined)));
    await this.#lease.release();
  }
}

/** Removes transcripts of parts that nobody has asked for again in 30 days, and what ended attempts have left. */
export async function sweepRecordings(recordingsFolder: string): Promise<void> {
  for (const name of await namesIn(recordingsFolder)) {
    if (name === workName) continue;
    const path = join(recordingsFolder, name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (age > (name.endsWith('.part') ? attemptKeptFor : partKeptFor)) await rm(path, { force: true });
  }
  for (const name of await namesIn(join(recordingsFolder, workName))) {
    const path = join(recordingsFolder, workName, name);
    const quiet = await Lease.quietFor(path).catch(() => 0);
    if (quiet > attemptKeptFor) await rm(path, { recursive: true, force: true });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

function takenElsewhere(): MediaError {
  const sentence = l10n.t('This recording is already being transcribed.');
  return new MediaError('invalidInput', sentence, { field: 'file' });
}
