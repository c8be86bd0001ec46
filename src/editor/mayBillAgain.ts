import * as vscode from 'vscode';

/** Asks the person whether to send again what the service may have done before. */
export async function mayBillAgain(question: string, send = vscode.l10n.t('Send Again')): Promise<boolean> {
  const detail = vscode.l10n.t(
    'You may be billed again, because the service may already have processed the first request.',
  );
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, send)) === send;
}

/** Asks about a request of the person that was sent before with an unknown outcome. */
export function maySendAgain(): Promise<boolean> {
  return mayBillAgain(vscode.l10n.t('The same was sent before, and its outcome is unknown. Send it again?'));
}
