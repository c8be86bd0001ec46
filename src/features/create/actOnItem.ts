import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { openUris } from '../../editor/openAssets.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import type { ItemAction } from '../../webview/protocol/messages.ts';
import type { CreateSession } from './CreateSession.ts';
import type { Result } from './Gallery.ts';
import { uriOf } from './itemOf.ts';

/** Does what the menu of a result offers. */
export async function actOnItem(result: Result, action: ItemAction, session: CreateSession): Promise<void> {
  const uri = uriOf(result);
  const { prompt, videoId, id } = result.entry;
  switch (action) {
    case 'openLibrary':
      return run(commandIds.openLibrary, { uri: uri?.toString(), id: result.id });
    case 'copyPrompt':
      return vscode.env.clipboard.writeText(prompt ?? '');
    case 'copyId':
      return vscode.env.clipboard.writeText(videoId ?? '');
    case 'forget':
      return session.dependencies.places.libraryOf(result.root).append({ forgotten: id });
    default:
      return uri && actOnFile(uri, action, result, session);
  }
}

async function actOnFile(
  uri: vscode.Uri,
  action: Exclude<ItemAction, 'openLibrary' | 'copyPrompt' | 'copyId' | 'forget'>,
  { root, entry: { prompt } }: Result,
  { dependencies }: CreateSession,
): Promise<void> {
  switch (action) {
    case 'open':
      return openUris([uri]);
    case 'openExternally':
      await vscode.env.openExternal(uri);
      return;
    case 'insert':
      return run(commandIds.insertAsset, { uri, ...(prompt === undefined ? {} : { title: prompt }) });
    case 'reveal':
      return run(commandIds.revealAsset, { uri });
    case 'copyPath':
      return vscode.env.clipboard.writeText(uri.scheme === 'file' ? uri.fsPath : uri.toString());
    case 'delete':
      if (await deleteFile(uri)) dependencies.places.libraryOf(root).changed();
  }
}

/** @returns whether the file is gone */
async function deleteFile(uri: vscode.Uri): Promise<boolean> {
  const name = vscode.workspace.asRelativePath(uri);
  const toTrash = vscode.l10n.t('Move to Trash');
  const question = vscode.l10n.t('Delete {0}?', name);
  const detail = vscode.l10n.t('The library still lists it, with its prompt.');
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, toTrash)) !== toTrash) return false;
  try {
    await vscode.workspace.fs.delete(uri, { useTrash: true });
    return true;
  } catch (error) {
    const forGood = vscode.l10n.t('Delete Permanently');
    const sentence = vscode.l10n.t('{0} cannot be moved to the trash. Delete it permanently?', name);
    const options = { modal: true, detail: reasonOf(error) };
    if ((await vscode.window.showWarningMessage(sentence, options, forGood)) !== forGood) return false;
    await vscode.workspace.fs.delete(uri);
    return true;
  }
}

async function run(command: string, argument: unknown): Promise<void> {
  await vscode.commands.executeCommand(command, argument);
}
