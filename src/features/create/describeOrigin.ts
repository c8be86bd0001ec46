import * as vscode from 'vscode';
import { sha256Of, statOf } from '../../editor/workspaceFiles.ts';
import type { RecordedInput } from '../../library/LibraryRecord.ts';
import type { OperationId } from '../../operations/operations.ts';
import { operations, takesVideo } from '../../operations/operations.ts';
import { nameOf } from './jobCards.ts';

/** Larger files, which are recordings, are taken by their path: reading them would take seconds. */
const maxHashedBytes = 100_000_000;

/** Returns the file of an input if it still has the content that was sent. */
export async function unchangedFile(
  { file, sha256 }: RecordedInput,
  root: vscode.Uri,
): Promise<vscode.Uri | undefined> {
  if (file === undefined) return undefined;
  const uri = vscode.Uri.joinPath(root, file);
  const stat = await statOf(uri);
  if (!stat) return undefined;
  return sha256 === undefined || stat.size > maxHashedBytes || (await sha256Of(uri)) === sha256 ? uri : undefined;
}

/** Returns how a person calls an input. */
export function nameOfInput({ file, name, address }: RecordedInput): string {
  return nameOf(file ?? name ?? address ?? '');
}

/** Says in a few words what a result was made from, such as “edit of hero.png”; undefined where its name says it. */
export function originOf(operation: OperationId, names: readonly string[], isLocal: boolean): string | undefined {
  const [first, ...others] = names;
  if (!first || (takesVideo(operations[operation]) && !isLocal)) return undefined;
  const name = others.length === 0 ? first : vscode.l10n.t('{0} and {1} more', first, others.length);
  if (isLocal) return vscode.l10n.t('version of {0}', name);
  if (operation === 'editImage') return vscode.l10n.t('edit of {0}', name);
  if (operation === 'animateImage') return vscode.l10n.t('video of {0}', name);
  return operation === 'speak' ? vscode.l10n.t('narration of {0}', name) : undefined;
}
