import * as vscode from 'vscode';
import type { Asset } from '../../library/Asset.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import type { OperationDependencies } from './registerOperations.ts';

/** Opens what was saved, or says so where the settings want nothing opened. */
export async function showSaved(
  assets: readonly Asset[],
  byPerson: boolean,
  { settings, log }: OperationDependencies,
): Promise<void> {
  const uris = assets.map(({ uri }) => uri);
  if (settings.openAfterSave) await tried(log, openUris(uris));
  else if (byPerson) void tried(log, offerToOpen(uris));
}

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

/** What only shows something: when it fails, the files are safe, and it is no failure of the command. */
export async function tried(log: vscode.LogOutputChannel, showing: Promise<void>): Promise<void> {
  try {
    await showing;
  } catch (error) {
    log.warn(`Something could not be shown: ${reasonOf(error)}`);
  }
}
