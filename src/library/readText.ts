import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';

/**
 * Reads a text in UTF-8, without the byte order mark that Notepad, PowerShell and Visual Studio write.
 *
 * @param file absolute path
 * @throws MediaError `invalidInput` for a text in UTF-16; otherwise as `readFile`
 */
export async function readText(file: string): Promise<string> {
  return textOf(await readFile(file), basename(file));
}

/**
 * Decodes the text of a file, as {@link readText} does.
 *
 * @param name shown to the user
 * @throws MediaError `invalidInput` for a text in UTF-16
 */
export function textOf(bytes: Uint8Array, name: string): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new MediaError('invalidInput', l10n.t('{0} is saved as UTF-16. Save it as UTF-8.', name));
  }
  // Drops the mark.
  return new TextDecoder().decode(bytes);
}
