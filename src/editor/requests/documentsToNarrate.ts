import { posix } from 'node:path';
import * as vscode from 'vscode';
import { realPath } from '../../files/FileCalls.ts';
import { ignoredByGit } from '../../files/ignoredByGit.ts';
import { hiddenProblem } from '../../files/mayLeave.ts';
import { pathFrom } from '../../files/pathFrom.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { extensionOf, narratedExtensions } from '../../operations/operations.ts';
import { notify } from '../notify.ts';
import { statOf } from '../workspaceFiles.ts';

/** More than these would hardly be meant. */
const maxDocuments = 300;

/**
 * Returns documents and those below folders, each once. A folder gives no document that is hidden or that git ignores,
 * since nobody has picked it. Other files that a person selected too are left out and named.
 *
 * @throws MediaError `invalidInput` when there is none, or a folder has too many
 */
export async function documentsToNarrate(
  selected: readonly vscode.Uri[],
  byPerson: boolean,
): Promise<readonly vscode.Uri[]> {
  const documents = new Map<string, vscode.Uri>();
  const others: vscode.Uri[] = [];
  for (const uri of selected) {
    const isFolder = ((await statOf(uri))?.type ?? 0) & vscode.FileType.Directory;
    const isLeftOut = !isFolder && byPerson && !narratedExtensions.includes(extensionOf(uri.path));
    if (isLeftOut) others.push(uri);
    else for (const one of isFolder ? await documentsBelow(uri) : [uri]) documents.set(one.toString(), one);
  }
  if (documents.size === 0) throw invalidUris(vscode.l10n.t('There is no document to read aloud.'));
  if (others.length > 0) {
    const names = others.map(({ path }) => posix.basename(path)).join(', ');
    void notify.information(vscode.l10n.t('Left out, because it is not read aloud: {0}', names));
  }
  return [...documents.values()];
}

async function documentsBelow(folder: vscode.Uri): Promise<readonly vscode.Uri[]> {
  const pattern = new vscode.RelativePattern(folder, `**/*.{${narratedExtensions.join(',')}}`);
  const found = await vscode.workspace.findFiles(pattern, '**/{node_modules,.git}/**', maxDocuments + 1);
  if (found.length > maxDocuments) {
    const name = vscode.workspace.asRelativePath(folder);
    throw invalidUris(vscode.l10n.t('{0} has more than {1} documents. Choose some of them.', name, maxDocuments));
  }
  const shown = found
    .filter(({ path }) => hiddenProblem('', [pathFrom(folder.path, path)]) === undefined)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  if (folder.scheme !== 'file') return shown;
  const real = await Promise.all(shown.map(({ fsPath }) => realPath(fsPath)));
  const ignored = await ignoredByGit(real, await realPath(folder.fsPath));
  return shown.filter((_, index) => !ignored.has(real[index] ?? ''));
}

function invalidUris(problem: string): MediaError {
  return new MediaError('invalidInput', `${vscode.l10n.t('Documents')} (uris): ${problem}`, { field: 'uris' });
}
