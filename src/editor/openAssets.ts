import * as vscode from 'vscode';

/** Says what was saved, with a button that opens it. */
export async function offerToOpen(uris: readonly string[]): Promise<void> {
  const names = uris.map((uri) => decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))).join(', ');
  const open = vscode.l10n.t('Open');
  const chosen = await vscode.window.showInformationMessage(vscode.l10n.t('Saved {0}.', names), open);
  if (chosen === open) await openUris(uris);
}

export async function openUris(uris: readonly string[]): Promise<void> {
  for (const uri of uris) {
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(uri), { preview: false });
  }
}
