import * as vscode from 'vscode';
import type { Asset } from '../../library/Asset.ts';
import type { Usage } from '../../library/LibraryRecord.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import { describeUsage } from './describeUsage.ts';
import type { OperationDependencies } from './registerOperations.ts';

/** Opens what was saved, or says so where the settings want nothing opened. */
export async function showSaved(
  assets: readonly Asset[],
  byPerson: boolean,
  { settings, jobs, log }: OperationDependencies,
): Promise<void> {
  const uris = assets.map(({ uri }) => uri);
  const ids = [...new Set(assets.map(({ jobId }) => jobId))];
  const usages = ids.map((id) => jobs.get(id)?.usage).filter((usage) => usage !== undefined);
  if (!settings.openAfterSave) {
    if (byPerson) void tried(log, offerToOpen(uris, usages));
    return;
  }
  await tried(log, openUris(uris));
  // What is seen anyway needs no notification, but for what it cost.
  if (byPerson && usages.length > 0) vscode.window.setStatusBarMessage(savedSentence(uris, usages), shownFor);
}

export async function offerToOpen(uris: readonly string[], usages: readonly Usage[]): Promise<void> {
  const open = vscode.l10n.t('Open');
  const chosen = await vscode.window.showInformationMessage(savedSentence(uris, usages), open);
  if (chosen === open) await openUris(uris);
}

/** Of a message in the status bar, in milliseconds. */
const shownFor = 20_000;

function savedSentence(uris: readonly string[], usages: readonly Usage[]): string {
  const names = uris.map((uri) => decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))).join(', ');
  const saved = vscode.l10n.t('Saved {0}.', names);
  const told = usages.map(describeUsage).filter((text) => text !== '');
  return told.length === 0 ? saved : `${saved} ${vscode.l10n.t('The service told: {0}.', told.join('; '))}`;
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
