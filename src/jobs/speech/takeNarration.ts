import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../../operations/MediaError.ts';
import { Lease } from '../Lease.ts';

/** Below the folder of the parts: one folder for each text that is being spoken. */
export const narrationsFolder = 'narrations';

/**
 * Parts have one place each: the same narration twice, also in another window, would pay for each twice.
 *
 * @param name tells this narration from others; a file name
 * @returns its lease and its folder, which is removed some time after the lease is released
 * @throws MediaError `invalidInput` while another one holds it
 */
export async function takeNarration(
  name: string,
  partsFolder: string,
): Promise<{ readonly lease: Lease; readonly folder: string }> {
  const folder = join(partsFolder, narrationsFolder, name);
  await mkdir(folder, { recursive: true });
  const lease = await Lease.take(folder);
  if (!lease) throw spokenElsewhere();
  return { lease, folder };
}

export function spokenElsewhere(): MediaError {
  return new MediaError('invalidInput', l10n.t('This text is already being spoken.'), { field: 'input' });
}

/** Names the narration of a document. */
export function documentKey(uri: string): string {
  return createHash('sha256')
    .update(JSON.stringify(['document', uri]))
    .digest('hex');
}
