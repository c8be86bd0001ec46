import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { Click } from '../../editor/Caller.ts';
import { askAboutOthers, deleteFiles, mayForget, moveFiles, moveToTrash } from '../../editor/changeFiles.ts';
import { run } from '../../editor/commands.ts';
import { notify } from '../../editor/notify.ts';
import type { Window } from '../../editor/Window.ts';
import { exists, openExternally, openUris, uriOf } from '../../editor/workspaceFiles.ts';
import { isFileName } from '../../library/fileName.ts';
import type { LibraryLine } from '../../library/LibraryRecord.ts';
import { altTextOf } from '../../library/origins.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { ItemAction } from '../../webview/protocol/messages.ts';
import type { CreateSession } from './CreateSession.ts';
import type { GalleryResult } from './Gallery.ts';

/**
 * Does what a person chose for results.
 *
 * @param results at least one; actions that concern one result take the first
 * @returns false when the person was asked and declined
 */
export async function actOnItems(
  results: readonly GalleryResult[],
  action: ItemAction,
  session: Pick<CreateSession, 'dependencies' | 'gallery'>,
): Promise<boolean> {
  const { places } = session.dependencies;
  const files = results.flatMap((result) => uriOf(result) ?? []);
  if (action === 'delete') {
    const isDeleted = await deleteFiles(files, keptNote(files.length));
    if (isDeleted) noteDeleted(results, places);
    return isDeleted;
  }
  if (action === 'forget') {
    const isAgreed = await mayForget(results.map(shownName));
    if (isAgreed) await note(results, (id) => ({ forgotten: id }), places);
    return isAgreed;
  }
  await act(results, files, action, session);
  return true;
}

async function act(
  results: readonly GalleryResult[],
  files: readonly vscode.Uri[],
  action: Exclude<ItemAction, 'delete' | 'forget'>,
  { dependencies: { places }, gallery }: Pick<CreateSession, 'dependencies' | 'gallery'>,
): Promise<unknown> {
  const [first] = results;
  switch (action) {
    case 'openLibrary':
      return run(commandIds.openLibrary, { id: first?.id });
    case 'copyPrompt':
      return vscode.env.clipboard.writeText(first?.entry.prompt ?? '');
    case 'copyId':
      return vscode.env.clipboard.writeText(first?.entry.videoId ?? '');
    case 'star':
      return note(results, (id) => ({ starred: id }), places);
    case 'unstar':
      return note(results, (id) => ({ unstarred: id }), places);
    case 'move':
      return moveFiles(files);
    case 'insert':
      return run(commandIds.insertAsset, {
        uris: files,
        titles: results.flatMap((result) => {
          const uri = uriOf(result);
          return uri ? (altTextOf(result, gallery.all) ?? posix.parse(uri.path).name) : [];
        }),
      });
    case 'addToManifest':
      return run(commandIds.addToManifest, Click.on({ uris: files }));
    default:
      return files[0] && actOnFile(files[0], action);
  }
}

/** Appends a line about each result to the library of its folder. */
async function note(
  results: readonly GalleryResult[],
  lineFor: (id: string) => LibraryLine,
  places: Window['places'],
): Promise<void> {
  for (const [, ofFolder] of Map.groupBy(results, ({ root }) => root.toString())) {
    const [first] = ofFolder;
    if (first) await places.libraryOf(first.root).append(...ofFolder.map(({ entry }) => lineFor(entry.id)));
  }
}

/** A deleted file changes no entry, so the library is told. */
function noteDeleted(results: readonly GalleryResult[], places: Window['places']): void {
  for (const { root } of results) places.libraryOf(root).changed();
}

/** @param count the number of files that go */
function keptNote(count: number): string {
  return count === 1
    ? vscode.l10n.t('The library keeps its prompt.')
    : vscode.l10n.t('The library keeps their prompts.');
}

function shownName(result: GalleryResult): string {
  return posix.basename(uriOf(result)?.path ?? result.entry.videoId ?? '');
}

async function actOnFile(
  uri: vscode.Uri,
  action: 'open' | 'openExternally' | 'transform' | 'reveal' | 'copyPath' | 'copyRelativePath' | 'rename',
): Promise<unknown> {
  switch (action) {
    case 'open':
      return openUris([uri]);
    case 'openExternally':
      return openExternally(uri);
    case 'transform':
      return run(commandIds.transformImage, uri);
    case 'reveal':
      return run(commandIds.revealAsset, { uri });
    case 'copyPath':
      return copyPath(uri);
    case 'copyRelativePath':
      return vscode.env.clipboard.writeText(vscode.workspace.asRelativePath(uri, false));
    case 'rename':
      return renameFile(uri);
  }
}

async function copyPath(uri: vscode.Uri): Promise<void> {
  await vscode.env.clipboard.writeText(uri.scheme === 'file' ? uri.fsPath : uri.toString());
}

/**
 * Asks for a file's new name and renames it. An edit of the workspace, unlike a change on disk, makes VS Code update
 * the links to the file, and tells the library.
 *
 * @throws MediaError `save`
 */
async function renameFile(uri: vscode.Uri): Promise<void> {
  const name = posix.basename(uri.path);
  const extension = posix.extname(name);
  const at = (newName: string) => vscode.Uri.joinPath(uri, '..', newName);
  const given = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename {0}', name),
    value: name,
    valueSelection: [0, name.length - extension.length],
    // The view takes the focus back after an answer, but not from an editor that the person has clicked into.
    ignoreFocusOut: true,
    validateInput: async (typed) => {
      if (!isFileName(typed.trim())) return vscode.l10n.t('This cannot be the name of a file.');
      if (posix.extname(typed.trim()).toLowerCase() !== extension.toLowerCase())
        return vscode.l10n.t('The name must end in {0}, which says what the file holds.', extension);
      const isTaken = typed.trim().toLowerCase() !== name.toLowerCase() && (await exists(at(typed.trim())));
      return isTaken ? vscode.l10n.t('{0} exists already.', typed.trim()) : undefined;
    },
  });
  const newName = given?.trim();
  if (newName === undefined || newName === name) return;
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(uri, at(newName), { overwrite: false });
  if (await vscode.workspace.applyEdit(edit)) return;
  throw new MediaError('save', vscode.l10n.t('{0} could not be renamed to {1}.', name, newName));
}

/**
 * Keeps one of several compared results with a star, after asking once what becomes of the others.
 *
 * @returns whether the person decided
 */
export async function keepOnly(
  kept: GalleryResult,
  others: readonly GalleryResult[],
  { dependencies: { places } }: Pick<CreateSession, 'dependencies'>,
): Promise<boolean> {
  const files = others.flatMap((result) => uriOf(result) ?? []);
  const fate = files.length === 0 ? 'unstar' : await askAboutOthers(shownName(kept), files, keptNote(files.length));
  if (fate === undefined) return false;
  await note([kept], (id) => ({ starred: id }), places);
  await note(
    others.filter(({ entry }) => entry.starred),
    (id) => ({ unstarred: id }),
    places,
  );
  if (fate === 'trash' && (await moveToTrash(files))) noteDeleted(others, places);
  return true;
}

/** Explains that the window did not let a picture onto the clipboard, and offers its path instead. */
export async function offerPath(result: GalleryResult): Promise<void> {
  const uri = uriOf(result);
  if (!uri) return;
  const copy = vscode.l10n.t('Copy Path');
  const name = posix.basename(uri.path);
  const sentence = vscode.l10n.t(
    '{0} was not copied: this window does not allow views to copy images. You can copy its path instead.',
    name,
  );
  if ((await notify.information(sentence, copy)) === copy) await copyPath(uri);
}
