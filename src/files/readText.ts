import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { retryWhileHeld } from './FileCalls.ts';

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

/** Returns the error for a file that could not be read. @param file its path, as shown to the user */
export function unreadable(file: string, error: unknown): MediaError {
  if (error instanceof MediaError) return error;
  const sentence = l10n.t('{0} could not be read ({1}).', file, reasonOf(error));
  return new MediaError('invalidInput', sentence, { cause: error });
}

/**
 * Replaces a file by a text: a crash leaves either the old or the new content.
 *
 * @param file absolute path
 * @param options `mode` of the new file, and `check`, which is called just before the file is replaced; if it throws, the
 *   file stays as it was
 * @throws errors of node:fs, and of the check
 */
export async function replaceText(
  file: string,
  text: string,
  { mode, check }: { readonly mode?: number; readonly check?: () => Promise<void> } = {},
): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}.part`);
  try {
    {
      await using handle = await open(temporary, 'wx', mode);
      await handle.writeFile(text);
      await handle.sync();
    }
    await check?.();
    await retryWhileHeld(() => rename(temporary, file));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}
