import { posix } from 'node:path';
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import * as vscode from 'vscode';
import { exists } from '../../editor/fileContent.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { acceptAssets } from '../../manifest/acceptAssets.ts';
import { entryFields } from '../../manifest/entryFields.ts';
import { keyOf, manifestName } from '../../manifest/Manifest.ts';
import { takesFiles } from '../../operations/Field.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { Operation } from '../../operations/operations.ts';
import { operations, takesVideo } from '../../operations/operations.ts';
import type { ManifestDependencies } from './ManifestDependencies.ts';
import type { ManifestProjects } from './ManifestProjects.ts';

/**
 * Adds an entry for a generated file to the nearest manifest, or to a new one, and locks the file as it is.
 *
 * @param argument a Uri, or `{uri}`
 * @returns the manifest
 * @throws MediaError `invalidInput`
 */
export async function addToManifest(
  argument: unknown,
  projects: ManifestProjects,
  { places }: ManifestDependencies,
): Promise<vscode.Uri> {
  const file = uriIn(argument);
  const root = file && vscode.workspace.getWorkspaceFolder(file)?.uri;
  if (!file || root?.scheme !== 'file') {
    throw wrong(vscode.l10n.t('URI (uri) must name a file in a local workspace folder.'));
  }
  const manifest = (await nearest(file, root)) ?? vscode.Uri.joinPath(root, manifestName);
  const path = posix.relative(posix.dirname(manifest.path), file.path);
  const library = places.libraryOf(root);
  const known = (await library.entriesAt([posix.relative(root.path, file.path)])).at(-1);
  if (!known) {
    throw wrong(
      vscode.l10n.t('The library does not record how {0} was made. Write its entry by hand, then accept it.', path),
    );
  }
  const entries = await library.entries();
  const parent = entries.find(({ videoId }) => videoId !== undefined && videoId === known.parentVideoId);
  const parentPath = parent?.file && posix.relative(posix.dirname(manifest.path), posix.join(root.path, parent.file));
  const entry = entryFor(known, parentPath);
  const document = await insert(manifest, path, entry.fields);
  if (entry.isWhole) {
    await document.save();
    const project = await projects.open(manifest);
    await acceptAssets(project, [path], await projects.options());
  } else {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Enter the files that {0} was made from, then choose “Keep” above its entry.', path),
    );
  }
  return manifest;
}

/**
 * Converts a library entry to a manifest entry. The library does not record which files were sent, so those stay empty.
 */
function entryFor(
  { operation, model, prompt = '' }: LibraryEntry,
  parent: string | undefined,
): { readonly fields: object; readonly isWhole: boolean } {
  const made: Operation = operations[operation];
  const values: Readonly<Record<string, unknown>> = {
    prompt,
    input: prompt,
    images: [],
    image: '',
    file: '',
    video: parent ?? '',
  };
  const named = entryFields(operation).filter(({ name, isRequired }) => isRequired || name === 'input');
  return {
    fields: {
      operation,
      ...Object.fromEntries(named.map(({ name }) => [name, values[name]])),
      ...(takesVideo(made) ? {} : { model }),
    },
    isWhole: !made.fields.some(takesFiles) && (!takesVideo(made) || parent !== undefined),
  };
}

/** Inserts the entry and shows the manifest; one undo step reverts it. */
async function insert(manifest: vscode.Uri, path: string, fields: object): Promise<vscode.TextDocument> {
  await vscode.workspace.fs.stat(manifest).then(undefined, (error: unknown) => {
    // A manifest that exists but cannot be read now must not be replaced by an empty one.
    if (!(error instanceof vscode.FileSystemError) || error.code !== 'FileNotFound') throw error;
    return vscode.workspace.fs.writeFile(manifest, Buffer.from('{\n  "assets": {}\n}\n'));
  });
  const document = await vscode.workspace.openTextDocument(manifest);
  const text = document.getText();
  const name = vscode.workspace.asRelativePath(manifest);
  const tree = parseTree(text);
  if (tree?.type !== 'object') {
    throw wrong(vscode.l10n.t('{0} cannot be read as JSON with comments.', name));
  }
  const known = (findNodeAtLocation(tree, ['assets'])?.children ?? []).map(({ children }) => children?.[0]?.value);
  if (known.some((one) => typeof one === 'string' && keyOf(one) === keyOf(path))) {
    throw wrong(vscode.l10n.t('{0} already has an entry in {1}. Nothing was changed; edit that entry.', path, name));
  }
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const changed = applyEdits(text, modify(text, ['assets', path], fields, { formattingOptions }));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(manifest, new vscode.Range(document.positionAt(0), document.positionAt(text.length)), changed);
  await vscode.workspace.applyEdit(edit);
  const editor = await vscode.window.showTextDocument(document);
  const position = document.positionAt(Math.max(0, changed.indexOf(JSON.stringify(path))));
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position));
  return document;
}

async function nearest(file: vscode.Uri, root: vscode.Uri): Promise<vscode.Uri | undefined> {
  for (let folder = posix.dirname(file.path); ; folder = posix.dirname(folder)) {
    const manifest = root.with({ path: posix.join(folder, manifestName) });
    if (await exists(manifest)) return manifest;
    if (folder.length <= root.path.length) return undefined;
  }
}

function uriIn(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return argument;
  const uri = typeof argument === 'object' && argument !== null && 'uri' in argument ? argument.uri : undefined;
  if (uri instanceof vscode.Uri) return uri;
  return typeof uri === 'string' ? vscode.Uri.parse(uri) : undefined;
}

function wrong(sentence: string): MediaError {
  return new MediaError('invalidInput', sentence, { field: 'uri' });
}
