import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { deleteFile } from '../../editor/deleteFile.ts';
import { openUris } from '../../editor/openAssets.ts';
import type { ItemAction } from '../../webview/protocol/messages.ts';
import type { CreateSession } from './CreateSession.ts';
import type { Result } from './Gallery.ts';
import { uriOf } from './itemOf.ts';

/** Runs an action of a result's menu. */
export async function actOnItem(result: Result, action: ItemAction, session: CreateSession): Promise<void> {
  const uri = uriOf(result);
  const { prompt, videoId, id } = result.entry;
  switch (action) {
    case 'openLibrary':
      return run(commandIds.openLibrary, { id: result.id });
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
    case 'transform':
      return run(commandIds.transformImage, uri);
    case 'addToManifest':
      return run(commandIds.addToManifest, uri);
    case 'reveal':
      return run(commandIds.revealAsset, { uri });
    case 'copyPath':
      return vscode.env.clipboard.writeText(uri.scheme === 'file' ? uri.fsPath : uri.toString());
    case 'delete':
      if (await deleteFile(uri, vscode.l10n.t('The library keeps its entry and its prompt.')))
        dependencies.places.libraryOf(root).changed();
  }
}

async function run(command: string, argument: unknown): Promise<void> {
  await vscode.commands.executeCommand(command, argument);
}
