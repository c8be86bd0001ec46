import { posix } from 'node:path';
import * as vscode from 'vscode';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { askInDialog } from './askInDialog.ts';
import { notify } from './notify.ts';
import { exists } from './workspaceFiles.ts';

// What a person does to files of results. Beside workspaceFiles.ts, because activation loads that and needs none of this.

/**
 * Moves files to the trash after asking once.
 *
 * @param detail says what is kept
 * @returns whether at least one of the files is gone
 */
export async function deleteFiles(uris: readonly vscode.Uri[], detail: string): Promise<boolean> {
  const names = uris.map((uri) => vscode.workspace.asRelativePath(uri));
  const [first] = names;
  if (first === undefined) return false;
  const remove = vscode.l10n.t('Move to Trash');
  const isOne = names.length === 1;
  const question = isOne ? vscode.l10n.t('Delete {0}?', first) : vscode.l10n.t('Delete {0} files?', names.length);
  const explained = isOne ? detail : `${names.join('\n')}\n\n${detail}`;
  return (await askInDialog(question, explained, remove)) === remove && moveToTrash(uris);
}

/**
 * Asks what becomes of the files that were compared with the one that a person keeps.
 *
 * @param kept name of that file
 * @param detail says what is kept of the others
 * @returns undefined when the person dismissed the question
 */
export async function askAboutOthers(
  kept: string,
  others: readonly vscode.Uri[],
  detail: string,
): Promise<'trash' | 'unstar' | undefined> {
  const [trash, unstar] = [vscode.l10n.t('Move to Trash'), vscode.l10n.t('Only Remove Their Stars')];
  const names = others.map((uri) => vscode.workspace.asRelativePath(uri));
  const question =
    names.length === 1
      ? vscode.l10n.t('Keep {0} and move the other file to the trash?', kept)
      : vscode.l10n.t('Keep {0} and move the {1} others to the trash?', kept, names.length);
  const chosen = await askInDialog(question, `${names.join('\n')}\n\n${detail}`, trash, unstar);
  if (chosen === undefined) return undefined;
  return chosen === trash ? 'trash' : 'unstar';
}

/**
 * Moves files to the trash. Where there is none, asks once and deletes the files.
 *
 * @returns whether at least one of the files is gone
 */
export async function moveToTrash(uris: readonly vscode.Uri[]): Promise<boolean> {
  const kept: { readonly uri: vscode.Uri; readonly reason: string }[] = [];
  for (const uri of uris) {
    try {
      await vscode.workspace.fs.delete(uri, { useTrash: true });
    } catch (error) {
      // What somebody else has deleted is gone as well.
      if (await exists(uri)) kept.push({ uri, reason: reasonOf(error) });
    }
  }
  return (await deletePermanently(kept)) || kept.length < uris.length;
}

/** Not every computer and not every workspace has a trash. */
async function deletePermanently(
  files: readonly { readonly uri: vscode.Uri; readonly reason: string }[],
): Promise<boolean> {
  const [first] = files;
  if (!first) return false;
  const remove = vscode.l10n.t('Delete Permanently');
  const names = files.map(({ uri }) => vscode.workspace.asRelativePath(uri));
  const isOne = files.length === 1;
  const question = isOne
    ? vscode.l10n.t('{0} cannot be moved to the trash. Delete it permanently?', names.join())
    : vscode.l10n.t('{0} files cannot be moved to the trash. Delete them permanently?', files.length);
  const detail = isOne ? first.reason : `${names.join('\n')}\n\n${first.reason}`;
  if ((await askInDialog(question, detail, remove)) !== remove) return false;
  let isAnyGone = false;
  for (const { uri } of files) {
    try {
      await vscode.workspace.fs.delete(uri);
      isAnyGone = true;
    } catch (error) {
      const name = vscode.workspace.asRelativePath(uri);
      void notify.error(vscode.l10n.t('{0} could not be deleted: {1}', name, reasonOf(error)));
    }
  }
  return isAnyGone;
}

/**
 * Asks for a folder of the workspace and moves files there. An edit of the workspace, unlike a change on disk, makes VS
 * Code update the links to the files, and tells the library. A file whose name is taken there stays where it is.
 *
 * @throws MediaError `save`
 */
export async function moveFiles(uris: readonly vscode.Uri[]): Promise<void> {
  const [first] = uris;
  if (!first) return;
  const [folder] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Move to Folder'),
      openLabel: vscode.l10n.t('Move Here'),
      canSelectFiles: false,
      canSelectFolders: true,
      defaultUri: vscode.Uri.joinPath(first, '..'),
    })) ?? [];
  if (!folder) return;
  const rootOf = (uri: vscode.Uri) => vscode.workspace.getWorkspaceFolder(uri)?.uri.toString();
  if (uris.some((uri) => rootOf(uri) === undefined || rootOf(uri) !== rootOf(folder)))
    throw new MediaError(
      'save',
      vscode.l10n.t('The library can keep track of files only within their workspace folder. Choose a folder in it.'),
    );
  const edit = new vscode.WorkspaceEdit();
  const moved = new Set<string>();
  const left: string[] = [];
  for (const uri of uris) {
    const name = posix.basename(uri.path);
    const target = vscode.Uri.joinPath(folder, name);
    if (target.toString() === uri.toString()) continue;
    if (moved.has(name.toLowerCase()) || (await exists(target)) || !(await exists(uri))) left.push(name);
    else {
      moved.add(name.toLowerCase());
      edit.renameFile(uri, target, { overwrite: false });
    }
  }
  const path = vscode.workspace.asRelativePath(folder);
  if (moved.size > 0 && !(await vscode.workspace.applyEdit(edit)))
    throw new MediaError('save', vscode.l10n.t('The files could not be moved to {0}.', path));
  if (left.length > 0) {
    const sentence = vscode.l10n.t(
      'Not moved, because {0} has a file of that name or the file is gone: {1}',
      path,
      left.join(', '),
    );
    void notify.warning(sentence);
  }
}

/** Asks whether results are to be removed from the library. Nothing brings them back. */
export async function mayForget(names: readonly string[]): Promise<boolean> {
  const remove = vscode.l10n.t('Remove from List');
  const question =
    names.length === 1
      ? vscode.l10n.t('Remove {0} from the list?', names.join())
      : vscode.l10n.t('Remove {0} results from the list?', names.length);
  const detail = vscode.l10n.t(
    'Files stay where they are. Their prompts, and what they were made from, are forgotten.',
  );
  return (
    (await askInDialog(question, names.length === 1 ? detail : `${names.join('\n')}\n\n${detail}`, remove)) === remove
  );
}
