import type * as vscode from 'vscode';
import { offerToOpen, openUris } from '../../editor/openAssets.ts';
import type { Asset } from '../../library/Asset.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import type { Caller } from './attempted.ts';
import type { OperationDependencies } from './registerOperations.ts';

/** Opens what was saved, or says so where the settings want nothing opened; a view shows it itself. */
export async function showSaved(
  assets: readonly Asset[],
  caller: Caller,
  { settings, log }: OperationDependencies,
): Promise<void> {
  if (caller === 'view') return;
  const uris = assets.map(({ uri }) => uri);
  if (settings.openAfterSave) await tried(log, openUris(uris));
  else if (caller === 'person') void tried(log, offerToOpen(uris));
}

/** What only shows something: when it fails, the files are safe, and it is no failure of the command. */
export async function tried(log: vscode.LogOutputChannel, showing: Promise<void>): Promise<void> {
  try {
    await showing;
  } catch (error) {
    log.warn(`Something could not be shown: ${reasonOf(error)}`);
  }
}
