import * as vscode from 'vscode';
import { commandIds } from '../contributions.ts';
import type { Usage } from '../library/LibraryRecord.ts';
import { describeUsage } from './describeUsage.ts';
import { plainText } from './displayText.ts';

/** Reports what was saved and what it cost, with buttons to open and to insert it. */
export async function offerToOpen(uris: readonly string[], usages: readonly Usage[] = []): Promise<void> {
  const open = vscode.l10n.t('Open');
  const insert = vscode.l10n.t('Insert at Cursor');
  const chosen = await vscode.window.showInformationMessage(savedSentence(uris, usages), open, insert);
  if (chosen === open) await openUris(uris);
  if (chosen === insert) await vscode.commands.executeCommand(commandIds.insertAsset, { uris });
}

export async function openUris(uris: readonly (string | vscode.Uri)[]): Promise<void> {
  for (const uri of uris) {
    const file = typeof uri === 'string' ? vscode.Uri.parse(uri) : uri;
    await vscode.commands.executeCommand('vscode.open', file, { preview: false });
  }
}

/** Returns a sentence on what was saved, and on the cost that the service reported. */
export function savedSentence(uris: readonly string[], usages: readonly Usage[]): string {
  const names = plainText(uris.map((uri) => decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))).join(', '));
  const saved = vscode.l10n.t('Saved {0}.', names);
  const reports = usages.map(describeUsage).filter((text) => text !== '');
  return reports.length === 0 ? saved : `${saved} ${vscode.l10n.t('The service reported: {0}.', reports.join('; '))}`;
}
