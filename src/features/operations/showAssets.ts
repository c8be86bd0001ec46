import * as vscode from 'vscode';
import { offerToOpen, openUris, savedSentence } from '../../editor/openAssets.ts';
import type { Caller } from '../../editor/runCommand.ts';
import { tryToShow } from '../../editor/runCommand.ts';
import type { Asset } from '../../library/Asset.ts';
import type { OperationDependencies } from './OperationDependencies.ts';

/** How long a message stays in the status bar, in milliseconds. */
const shownFor = 20_000;

/** Opens what was saved, or reports it when the settings say not to open it. A view shows it itself. */
export async function showSaved(
  assets: readonly Asset[],
  caller: Caller,
  { settings, jobs, log }: OperationDependencies,
): Promise<void> {
  if (caller === 'view') return;
  const uris = assets.map(({ uri }) => uri);
  const ids = [...new Set(assets.map(({ jobId }) => jobId))];
  const usages = ids.map((id) => jobs.get(id)?.usage).filter((usage) => usage !== undefined);
  if (!settings.openAfterSave) {
    if (caller === 'person' && vscode.window.state.focused) void tryToShow(log, offerToOpen(uris, usages));
    return;
  }
  await tryToShow(log, openUris(uris));
  // Opened files need no notification, except for what they cost.
  if (caller === 'person' && usages.length > 0) {
    vscode.window.setStatusBarMessage(savedSentence(uris, usages), shownFor);
  }
}
