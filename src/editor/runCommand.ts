import type { LogOutputChannel } from 'vscode';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { openUris } from './openAssets.ts';
import type { Settings } from './Settings.ts';
import { errorForCaller, logError, showError } from './showError.ts';

/**
 * Who gets the progress and failures of a command: a person in notifications, a program in the command's result, a view
 * in the view itself.
 */
export type Caller = 'person' | 'program' | 'view';

/**
 * Runs the work of a command and reports its failure to the caller.
 *
 * @returns also undefined when a person was shown the failure
 * @throws MediaError for a program and a view; for a program its message ends with its kind
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
    // The command ends here; the notification may stay open.
    void tryToShow(log, showError(error));
    return undefined;
  }
}

/** Waits until something is shown. A failure to show it is only logged, and does not fail the command. */
export async function tryToShow(log: LogOutputChannel, showing: Promise<void>): Promise<void> {
  try {
    await showing;
  } catch (error) {
    log.warn(`Something could not be shown: ${reasonOf(error)}`);
  }
}
