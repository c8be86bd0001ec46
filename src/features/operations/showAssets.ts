import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { Asset } from '../../library/Asset.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import type { OperationDependencies } from './registerOperations.ts';

/** Opens what was saved; where the settings want nothing opened, says so to who is looking. Activity lists it anyway. */
export async function showSaved(
  assets: readonly Asset[],
  byPerson: boolean,
  { settings, log }: OperationDependencies,
): Promise<void> {
  const uris = assets.map(({ uri }) => uri);
  if (settings.openAfterSave) await tried(log, openUris(uris));
  else if (byPerson && vscode.window.state.focused) void tried(log, offerToOpen(assets));
}

export async function offerToOpen(assets: readonly Asset[]): Promise<void> {
  const uris = assets.map(({ uri }) => uri);
  const names = uris.map((uri) => decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))).join(', ');
  const open = vscode.l10n.t('Open');
  const insert = vscode.l10n.t('Insert at Cursor');
  const chosen = await vscode.window.showInformationMessage(vscode.l10n.t('Saved {0}.', names), open, insert);
  if (chosen === open) await openUris(uris);
  if (chosen === insert) await vscode.commands.executeCommand(commandIds.insertAsset, { uris });
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
