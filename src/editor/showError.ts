import * as vscode from 'vscode';
import { commandIds } from '../contributions.ts';
import { notificationText } from '../foreign/plainText.ts';
import { MediaError, type MediaErrorAction, messageForPerson } from '../operations/MediaError.ts';
import { Click } from './Caller.ts';
import { run } from './commands.ts';
import { notify } from './notify.ts';

/** Logs a failure in one line, without text from the service or the person. */
export function logError(error: unknown, log: vscode.LogOutputChannel): void {
  if (!(error instanceof MediaError)) {
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return;
  }
  const { kind, status, requestId, field } = error;
  const facts = { status, request: requestId, field };
  const described = Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  log.warn([kind, ...described].join(', '));
}

/**
 * Shows a failure with fitting buttons, and runs the chosen one. A cancellation is not shown unless it may be billed.
 *
 * @param about the subject of the failure, when it is not what the person just did
 */
export async function showError(error: unknown, about?: string): Promise<void> {
  const known = error instanceof MediaError;
  if (known && error.kind === 'cancelled' && !error.mayBeBilled) return;
  const actions = known ? error.actions.map((action) => buttonOf(action, error)) : [buttonOf('showLog')];
  const message = known
    ? messageForPerson(error)
    : vscode.l10n.t('Unified Media failed unexpectedly. See the log for details.');
  const sentence = about === undefined ? message : `${about}: ${message}`;
  const show = known && error.kind === 'cancelled' ? notify.warning : notify.error;
  const chosen = await show(sentence, ...actions.map(({ title }) => title));
  await actions.find(({ title }) => title === chosen)?.run();
}

/** A button of a notification, and what it does. */
export interface Button extends vscode.MessageItem {
  run(): Thenable<unknown>;
}

export function buttonOf(action: MediaErrorAction, error?: MediaError): Button {
  // The button's title says what it may cost, so no further question is asked.
  const job = Click.on({ jobId: error?.jobId }, { isTold: true });
  switch (action) {
    case 'setApiKey':
      return { title: vscode.l10n.t('Set API Key'), run: () => run(commandIds.setApiKey) };
    case 'setUpService':
      return { title: vscode.l10n.t('Connect a Service…'), run: () => run(commandIds.connectService) };
    case 'useSandbox':
      return { title: vscode.l10n.t('Try the Sandbox'), run: () => run(commandIds.useSandbox) };
    case 'showLog':
      return { title: vscode.l10n.t('Show Log'), run: () => run(commandIds.showLog) };
    case 'saveElsewhere':
      return { title: vscode.l10n.t('Save Elsewhere…'), run: () => run(commandIds.saveElsewhere, job) };
    case 'downloadAgain':
      return { title: vscode.l10n.t('Download Again'), run: () => run(commandIds.downloadAgain, job) };
    case 'askAgain':
      return { title: vscode.l10n.t('Ask Again'), run: () => run(commandIds.downloadAgain, job) };
    case 'saveRawAnswer':
      return { title: vscode.l10n.t('Save Raw Answer…'), run: () => run(commandIds.saveRawAnswer, job) };
    case 'runAgain':
      return {
        title: error?.mayBeBilled ? vscode.l10n.t('Run Again (May Be Billed Again)') : vscode.l10n.t('Run Again'),
        run: () => run(commandIds.runAgain, job),
      };
  }
}

/**
 * Returns a failure as a command's caller gets it. VS Code passes on only the message, so the message ends with the
 * kind.
 */
export function errorForCaller(error: unknown): unknown {
  if (!(error instanceof MediaError)) return error;
  return new MediaError(error.kind, notificationText(`${error.message} [${error.kind}]`), { ...error, cause: error });
}

export async function openProxySettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', 'http.proxy');
}
