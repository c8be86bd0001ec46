import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { AssetKind } from '../../operations/operations.ts';
import { formatReference } from './formatReference.ts';

/** Writes a reference to a file at the cursor, in the form of the document's language. */
export function registerInsert(): vscode.Disposable {
  return vscode.commands.registerCommand(commandIds.insertAsset, insertAsset);
}

/** @param argument the file as a Uri or its text; without one it is asked for. `title` becomes its alternative text */
async function insertAsset(argument?: { readonly uri?: unknown; readonly title?: unknown }): Promise<boolean> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (!editor) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open the document first that the file belongs into.'));
    return false;
  }
  const uri = uriOf(argument?.uri) ?? (await chooseFile());
  if (!uri) return false;
  const { document } = editor;
  const configuration = vscode.workspace.getConfiguration('markdown.editor.filePaste', document.uri);
  const text = formatReference(
    document.languageId,
    {
      path: pathFrom(document.uri, uri),
      kind: kindOf(uri),
      title: typeof argument?.title === 'string' ? argument.title : posix.parse(uri.path).name,
    },
    {
      audio: configuration.get('audioSnippet') ?? '<audio controls src="${src}" title="${title}"></audio>',
      video: configuration.get('videoSnippet') ?? '<video controls src="${src}" title="${title}"></video>',
    },
  );
  return editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
}

function uriOf(value: unknown): vscode.Uri | undefined {
  if (value instanceof vscode.Uri) return value;
  return typeof value === 'string' ? vscode.Uri.parse(value, true) : undefined;
}

async function chooseFile(): Promise<vscode.Uri | undefined> {
  const found = await vscode.workspace.findFiles(
    `**/*.{${Object.values(extensions).flat().join(',')}}`,
    undefined,
    1000,
  );
  const items = found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const title = vscode.l10n.t('Insert Asset at Cursor');
  return (await vscode.window.showQuickPick(items, { title, placeHolder: vscode.l10n.t('Choose a file') }))?.uri;
}

/** Relative where both are in the same workspace; an untitled document is taken as one at its top. */
function pathFrom(document: vscode.Uri, file: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(file);
  if (document.scheme === file.scheme) return posix.relative(posix.dirname(document.path), file.path);
  return folder ? posix.relative(folder.uri.path, file.path) : file.path;
}

const extensions = {
  images: ['png', 'jpg', 'jpeg', 'webp', 'gif', 'avif', 'bmp', 'svg'],
  speech: ['mp3', 'wav', 'ogg', 'opus', 'flac', 'aac', 'm4a'],
  videos: ['mp4', 'webm', 'mov'],
} as const satisfies Partial<Record<AssetKind, readonly string[]>>;

function kindOf(uri: vscode.Uri): AssetKind {
  const extension = posix.extname(uri.path).slice(1).toLowerCase();
  const kinds = Object.entries(extensions) as readonly (readonly [AssetKind, readonly string[]])[];
  return kinds.find(([, known]) => known.includes(extension))?.[0] ?? 'transcripts';
}
