import * as vscode from 'vscode';
import { commandIds } from '../contributions.ts';
import { nameIn } from '../files/pathFrom.ts';
import { plainLine } from '../foreign/plainText.ts';
import type { Usage } from '../library/LibraryRecord.ts';
import { describeUsage } from '../library/requestFacts.ts';
import { run } from './commands.ts';
import { notify } from './notify.ts';

// What a person is told of saved files. Beside workspaceFiles.ts, because activation loads that and needs none of this.

/** Reports what was saved and what it cost, with buttons to open and to insert it. */
export async function offerToOpen(uris: readonly string[], usages: readonly Usage[] = []): Promise<void> {
  const open = vscode.l10n.t('Open');
  const insert = vscode.l10n.t('Insert at Cursor');
  const chosen = await notify.information(savedSentence(uris, usages), open, insert);
  // Meanwhile they may have been renamed.
  if (chosen === open) await run(commandIds.openAsset, { uris });
  if (chosen === insert) await run(commandIds.insertAsset, { uris });
}

/**
 * Reports files that were saved but not inserted, with buttons to insert and to open them.
 *
 * @param describe returns the sentence, given the files' names
 * @param insert undefined when there is no place for them any more
 */
export async function offerToInsert(
  uris: readonly string[],
  describe: (names: string) => string,
  insert?: () => Promise<unknown>,
): Promise<void> {
  const [insertButton, open] = [vscode.l10n.t('Insert'), vscode.l10n.t('Open')];
  const names = uris.map((uri) => vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true))).join(', ');
  const chosen = await notify.information(describe(names), ...(insert ? [insertButton] : []), open);
  if (chosen === open) await run(commandIds.openAsset, { uris });
  if (chosen === insertButton) await insert?.();
}

/** Returns a sentence on what was saved, and on the cost that the service reported. */
export function savedSentence(uris: readonly string[], usages: readonly Usage[]): string {
  const names = plainLine(uris.map(nameIn).join(', '));
  const saved = vscode.l10n.t('Saved {0}.', names);
  const reports = usages.map(describeUsage).filter((text) => text !== '');
  return reports.length === 0 ? saved : `${saved} ${vscode.l10n.t('The service reported: {0}.', reports.join('; '))}`;
}
