import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../../operations/MediaError.ts';
import { Lease } from '../Lease.ts';
import { sweepParts } from '../sweepParts.ts';

const workName = 'work';

/**
 * The folder for the files to send that are made from one recording. Only one window at a time holds it and transcribes
 * the recording in parts: two would pay for each part twice.
 */
export class RecordingWork implements AsyncDisposable {
  readonly folder: string;
  readonly #lease: Lease;

  private constructor(folder: string, lease: Lease) {
    this.folder = folder;
    this.#lease = lease;
  }

  /** @throws MediaError `invalidInput` while another window holds it */
  static async take(recordingsFolder: string, key: string): Promise<RecordingWork> {
    const folder = join(recordingsFolder, workName, key);
    await mkdir(folder, { recursive: true });
    const lease = await Lease.take(folder, { confirms: true });
    if (!lease) throw takenElsewhere();
    return new RecordingWork(folder, lease);
  }

  /** @throws MediaError when another process has taken it over */
  async renew(): Promise<void> {
    if (!(await this.#lease.renew())) throw takenElsewhere();
  }

  /** Removes the files. Leaves the folder to the sweep, because another window may be taking the lease. */
  async [Symbol.asyncDispose](): Promise<void> {
    const isHeld = await this.#lease.renew().catch(() => false);
    const names = isHeld ? await readdir(this.folder).catch(() => []) : [];
    const files = names.filter((name) => !name.startsWith('lease-'));
    await Promise.all(files.map((name) => rm(join(this.folder, name), { force: true }).catch(() => undefined)));
    await this.#lease.release();
  }
}

/** Removes transcripts of parts that were not used for 30 days, and leftovers of ended attempts. */
export function sweepRecordings(recordingsFolder: string): Promise<void> {
  return sweepParts(recordingsFolder, workName);
}

function takenElsewhere(): MediaError {
  const sentence = l10n.t('This recording is already being transcribed.');
  return new MediaError('invalidInput', sentence, { field: 'file' });
}
