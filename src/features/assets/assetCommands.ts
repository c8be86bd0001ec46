import { posix } from 'node:path';
import * as vscode from 'vscode';
import { openUris } from '../../editor/openAssets.ts';
import type { AssetKind } from '../../operations/operations.ts';
import { formatReference } from './formatReference.ts';

/** Writes references to files at the cursor, in the form of the document's language. */
export async function insertAsset(argument: unknown): Promise<boolean> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (!editor) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open the document first that the file belongs into.'));
    return false;
  }
  const given = urisOf(argument);
  const uris = given.length > 0 ? given : await chooseFile();
  if (uris.length === 0) return false;
  const text = uris.map((uri) => referenceTo(uri, editor.document, titleOf(argument))).join('\n');
  return editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
}

export async function openAsset(argument: unknown): Promise<void> {
  await openUris(urisOf(argument));
}

/** Shows a file in the Explorer, or where it is in no workspace folder, in the system's. */
export async function revealAsset(argument: unknown): Promise<void> {
  const [uri] = urisOf(argument);
  if (!uri) return;
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  await vscode.commands.executeCommand(isInside ? 'revealInExplorer' : 'revealFileInOS', uri);
}

function referenceTo(uri: vscode.Uri, document: vscode.TextDocument, title: string | undefined): string {
  const configuration = vscode.workspace.getConfiguration('markdown.editor.filePaste', document.uri);
  return formatReference(
    document.languageId,
    { path: pathFrom(document.uri, uri), kind: kindOf(uri), title: title ?? posix.parse(uri.path).name },
    {
      audio: configuration.get('audioSnippet') ?? '<audio controls src="${src}" title="${title}"></audio>',
      video: configuration.get('videoSnippet') ?? '<video controls src="${src}" title="${title}"></video>',
    },
  );
}

/** The files of an argument: `uri`, or `uris` of several, each a Uri or its text. */
function urisOf(argument: unknown): readonly vscode.Uri[] {
  if (typeof argument !== 'object' || argument === null) return [];
  const { uri, uris } = argument as { readonly uri?: unknown; readonly uris?: unknown };
  return (Array.isArray(uris) ? uris : [uri]).flatMap((value: unknown) => {
    if (value instanceof vscode.Uri) return [value];
    return typeof value === 'string' ? [vscode.Uri.parse(value, true)] : [];
  });
}

/** What becomes its alternative text. */
function titleOf(argument: unknown): string | undefined {
  const title = typeof argument === 'object' && argument !== null && 'title' in argument ? argument.title : undefined;
  return typeof title === 'string' ? title : undefined;
}

async function chooseFile(): Promise<readonly vscode.Uri[]> {
  const found = await vscode.workspace.findFiles(
    `**/*.{${Object.values(extensions).flat().join(',')}}`,
    undefined,
    1000,
  );
  const items = found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const title = vscode.l10n.t('Insert Asset at Cursor');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: vscode.l10n.t('Choose a file') });
  return chosen ? [chosen.uri] : [];
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
