import type { LogOutputChannel } from 'vscode';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { openUris } from './openAssets.ts';
import type { Settings } from './Settings.ts';
import { errorForCaller, logError, showError } from './showError.ts';

/** Whom a command tells how it goes and ends: a person by notifications, a program by its result, a view by both of its own. */
export type Caller = 'person' | 'program' | 'view';

/**
 * Does what a command is for.
 *
 * @returns undefined also when a person was shown what went wrong
 * @throws MediaError, whose message ends with its kind when a program called
 */
export async function runCommand<T>(
  caller: Caller,
  { log, settings }: { readonly log: LogOutputChannel; readonly settings: Settings },
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    logError(error, log);
    if (caller === 'view') throw error;
    if (error instanceof MediaError && settings.openAfterSave) await tryToShow(log, openUris(error.saved));
    if (caller === 'program') throw errorForCaller(error);
    // The command is over; the notification may stay as long as the person likes.
    void tryToShow(log, showError(error));
    return undefined;
  }
}

/** What only shows something: when it fails, the files are safe, and it is no failure of the command. */
export async function tryToShow(log: LogOutputChannel, showing: Promise<void>): Promise<void> {
  try {
    await showing;
  } catch (error) {
    log.warn(`Something could not be shown: ${reasonOf(error)}`);
  }
}
