import { posix } from 'node:path';
import * as vscode from 'vscode';
import { languageOf } from '../../documents/Language.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import type { AssetKind } from '../../operations/operations.ts';
import type { AgentParts } from './AgentParts.ts';

/** What to write to show a file in the active document, else in a Markdown document at the top of its folder. */
export async function agentReference(
  path: string,
  kind: AssetKind,
  title: string,
  places: DocumentPlaces,
  parts: AgentParts,
): Promise<string> {
  const uri = vscode.Uri.file(path);
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const active = vscode.window.activeTextEditor?.document;
  const isInFolder = active && folder && vscode.workspace.getWorkspaceFolder(active.uri) === folder;
  const document = isInFolder
    ? active
    : { uri: vscode.Uri.joinPath(folder?.uri ?? vscode.Uri.joinPath(uri, '..'), 'README.md'), languageId: 'markdown' };
  const known = languageOf(document.languageId, document.uri.path);
  const { places: written, document: placed } = places.placeOf(document, uri);
  const form = parts.formToWrite(known, kind);
  const { address, wrapper } = await written.write({ ...placed, language: known }, uri.path, { form, folders: [] });
  const snippets = vscode.workspace.getConfiguration('markdown.editor.filePaste', document.uri);
  return parts.formatReference(
    known,
    { path: address, kind, title: title || posix.parse(path).name, wrapper },
    {
      audio: snippets.get('audioSnippet') ?? '<audio controls src="${src}" title="${title}"></audio>',
      video: snippets.get('videoSnippet') ?? '<video controls src="${src}" title="${title}"></video>',
    },
  );
}
