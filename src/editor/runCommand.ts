import type { CancellationToken, Disposable, LogOutputChannel } from 'vscode';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { Caller } from './Caller.ts';
import type { Settings } from './Settings.ts';
import { errorForCaller, logError, showError } from './showError.ts';
import { openUris } from './workspaceFiles.ts';

/**
 * Runs the work of a command and reports its failure to the caller.
 *
 * @param subjectOf returns what a failure is about, where the person cannot know it
 * @returns also undefined when a person was shown the failure
 * @throws MediaError for a program and a view; for a program its message ends with its kind
 */
export async function runCommand<T>(
  caller: Caller,
  { log, settings }: { readonly log: LogOutputChannel; readonly settings: Pick<Settings, 'get'> },
  work: () => Promise<T>,
  subjectOf: (error: MediaError) => string | undefined = () => undefined,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    logError(error, log);
    if (caller === 'view') throw error;
    if (error instanceof MediaError && settings.get('openAfterSave')) await tryToShow(log, openUris(error.saved));
    if (caller === 'program') throw errorForCaller(error);
    // The command ends here; the notification may stay open.
    void tryToShow(log, showError(error, error instanceof MediaError ? subjectOf(error) : undefined));
    return undefined;
  }
}

/** Waits until something is shown. A failure to show it is only logged, and does not fail the command. */
export async function tryToShow(log: Pick<LogOutputChannel, 'warn'>, showing: Promise<void>): Promise<void> {
  try {
    await showing;
  } catch (error) {
    log.warn(`Something could not be shown: ${reasonOf(error)}`);
  }
}

/** Adapts a cancellation token to an AbortSignal; dispose it when the work is over. */
export function abortSignal(token: CancellationToken): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const subscription = token.onCancellationRequested(() => controller.abort());
  return { signal: controller.signal, dispose: () => subscription.dispose() };
}
