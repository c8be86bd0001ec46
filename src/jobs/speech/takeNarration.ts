import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../../operations/MediaError.ts';
import { Lease } from '../Lease.ts';

/** Name of the folder in the parts folder that has one folder for each text being spoken. */
export const narrationsFolder = 'narrations';

/**
 * Takes the lease of a narration: two windows that narrate the same text would pay for each part twice.
 *
 * @param name identifies the narration; a file name
 * @returns its lease and its folder, which is removed some time after the lease is released
 * @throws MediaError `invalidInput` while the lease is held
 */
export async function takeNarration(
  name: string,
  partsFolder: string,
): Promise<{ readonly lease: Lease; readonly folder: string }> {
  const folder = join(partsFolder, narrationsFolder, name);
  await mkdir(folder, { recursive: true });
  const lease = await Lease.take(folder, { confirms: true });
  if (!lease) throw spokenElsewhere();
  return { lease, folder };
}

export function spokenElsewhere(): MediaError {
  return new MediaError('invalidInput', l10n.t('This text is already being spoken.'), { field: 'input' });
}

/** Returns the name of a document's narration. */
export function documentKey(uri: string): string {
  return createHash('sha256')
    .update(JSON.stringify(['document', uri]))
    .digest('hex');
}
