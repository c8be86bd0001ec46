import * as vscode from 'vscode';
import type { Usage } from '../library/LibraryRecord.ts';
import { describeUsage } from './describeUsage.ts';

/** Says what was saved and what it cost, with a button that opens it. */
export async function offerToOpen(uris: readonly string[], usages: readonly Usage[] = []): Promise<void> {
  const open = vscode.l10n.t('Open');
  const chosen = await vscode.window.showInformationMessage(savedSentence(uris, usages), open);
  if (chosen === open) await openUris(uris);
}

export async function openUris(uris: readonly string[]): Promise<void> {
  for (const uri of uris) {
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(uri), { preview: false });
  }
}

/** What was saved, and what the service told of its cost. */
export function savedSentence(uris: readonly string[], usages: readonly Usage[]): string {
  const names = uris.map((uri) => decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))).join(', ');
  const saved = vscode.l10n.t('Saved {0}.', names);
  const told = usages.map(describeUsage).filter((text) => text !== '');
  return told.length === 0 ? saved : `${saved} ${vscode.l10n.t('The service told: {0}.', told.join('; '))}`;
}
