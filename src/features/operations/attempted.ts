import type { LogOutputChannel } from 'vscode';
import type { Settings } from '../../editor/Settings.ts';
import { errorForCaller, logError, showError } from '../../editor/showError.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { openUris, tried } from './showAssets.ts';

/**
 * Does what a command is for.
 *
 * @returns undefined also when a person was shown what went wrong
 * @throws MediaError whose message ends with its kind, when a program called
 */
export async function attempted<T>(
  byPerson: boolean,
  { log, settings }: { readonly log: LogOutputChannel; readonly settings: Settings },
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    logError(error, log);
    if (error instanceof MediaError && settings.openAfterSave) await tried(log, openUris(error.saved));
    if (!byPerson) throw errorForCaller(error);
    // The command is over; the notification may stay as long as the person likes.
    void tried(log, showError(error));
    return undefined;
  }
}
