import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../../contributions.ts';
import { plainText } from '../../../editor/displayText.ts';
import { openUris } from '../../../editor/openAssets.ts';
import type { SavedNarration } from '../../../narration/saveNarration.ts';

interface Shown extends SavedNarration {
  /** Number of paragraphs that were spoken; undefined when the narration was up to date. */
  readonly spoken?: number;
}

/** Reports the outcome of a narration, with buttons to open it and to insert a player. */
export async function showNarration(document: vscode.Uri, { spoken, ...narration }: Shown): Promise<void> {
  const name = plainText(decodeURIComponent(posix.basename(narration.asset.uri)));
  const open = vscode.l10n.t('Open');
  const insert = vscode.l10n.t('Insert Player');
  const chosen = await vscode.window.showInformationMessage(sentenceFor(name, spoken), open, insert);
  if (chosen === open) await openUris([narration.asset.uri]);
  if (chosen === insert) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand(commandIds.insertAsset, playerArgument(narration));
  }
}

/** Returns the argument that makes Insert Asset add a player and a link to the transcript below the title. */
export function playerArgument({ asset, transcript }: Pick<Shown, 'transcript'> & { readonly asset: { uri: string } }) {
  const title = decodeURIComponent(posix.parse(asset.uri).name);
  return { uris: [asset.uri, transcript], titles: [title, vscode.l10n.t('Transcript')], belowTitle: true };
}

function sentenceFor(name: string, spoken: number | undefined): string {
  if (spoken === undefined) return vscode.l10n.t('The narration {0} is up to date. Nothing was sent.', name);
  if (spoken === 0) return vscode.l10n.t('Saved {0}. No paragraph had to be spoken again.', name);
  if (spoken === 1) return vscode.l10n.t('Saved {0}. One paragraph was spoken.', name);
  return vscode.l10n.t('Saved {0}. {1} paragraphs were spoken.', name, spoken);
}
