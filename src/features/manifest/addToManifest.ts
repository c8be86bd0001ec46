import { posix } from 'node:path';
import { findNodeAtLocation, getNodeValue, parseTree } from 'jsonc-parser';
import * as vscode from 'vscode';
import type { Window } from '../../editor/Window.ts';
import { exists, uriOf, writeIfAbsent } from '../../editor/workspaceFiles.ts';
import { pathFrom } from '../../files/pathFrom.ts';
import { withEntry } from '../../files/withEntry.ts';
import { pictureSize } from '../../images/codecs/pictureFile.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { inputsOf, originsOf } from '../../library/origins.ts';
import { acceptAssets } from '../../manifest/acceptAssets.ts';
import { declareFields, declarePreset } from '../../manifest/declareFields.ts';
import { keyOf, manifestName } from '../../manifest/Manifest.ts';
import { readManifest, withoutProblems } from '../../manifest/readManifest.ts';
import { fieldTable, validValues, withAccepts, withoutFiles } from '../../operations/declarations.ts';
import { nameIn } from '../../operations/fields.ts';
import { MediaError } from '../../operations/MediaError.ts';
import {
  type Field,
  isCount,
  type Operation,
  operations,
  sandboxModel,
  takesFiles,
  takesVideo,
} from '../../operations/operations.ts';
import { chosenFolder } from './addWorkflow.ts';
import type { ManifestProjects } from './ManifestProjects.ts';

/** An entry that was added. */
export interface Added {
  readonly manifest: vscode.Uri;
  /** As in the manifest. */
  readonly path: string;
  /** False if a person has to enter what the file was made from. The entry is then not saved. */
  readonly isWhole: boolean;
}

/**
 * Adds an entry for a generated file to the nearest manifest, or to a new one, and locks the file as it is.
 *
 * @throws MediaError `invalidInput`
 */
export async function addToManifest(
  file: vscode.Uri | undefined,
  projects: ManifestProjects,
  { places, settings }: Pick<Window, 'places' | 'settings'>,
): Promise<Added> {
  const root = file && vscode.workspace.getWorkspaceFolder(file)?.uri;
  if (!file || root?.scheme !== 'file') {
    throw wrong(vscode.l10n.t('URI (uri) must name a file in a local workspace folder.'));
  }
  const manifest = (await nearest(file, root)) ?? vscode.Uri.joinPath(root, manifestName);
  const path = pathFrom(posix.dirname(manifest.path), file.path);
  const library = places.libraryOf(root);
  const known = (await library.entriesAt([pathFrom(root.path, file.path)])).at(-1);
  if (!known) {
    throw wrong(
      vscode.l10n.t('The library does not record how {0} was made. Write its entry by hand, then accept it.', path),
    );
  }
  if (known.madeFrom && known.kind !== 'images') {
    throw wrong(
      vscode.l10n.t(
        '{0} was made from {1} on this computer. Only for images media.jsonc has entries for that.',
        path,
        known.madeFrom.file,
      ),
    );
  }
  const sources = await sourcesOf(known, await library.entries(), root, manifest);
  await writeIfAbsent(manifest, declarePreset('{\n  "assets": {}\n}\n', settings.declaredFields));
  const document = await vscode.workspace.openTextDocument(manifest);
  const declared = withAccepts(settings.declaredFields, acceptsIn(document));
  const entry: { readonly fields?: object } = known.madeFrom
    ? await derivedEntryFor(file, sources)
    : entryFor(known, sources, declared);
  const { operation, model } = known;
  const names = Object.keys(entry.fields ?? {});
  await insert(document, path, entry, (text) => declareFields(text, { operation, model, names }, declared));
  const read = readManifest(document.getText(), manifest.fsPath, settings.declaredFields);
  if (read.problems.some((problem) => problem.path === path)) return { manifest, path, isWhole: false };
  withoutProblems(read, manifestName);
  await document.save();
  const project = await projects.open(manifest);
  await acceptAssets(project, [path], await projects.options());
  return { manifest, path, isWhole: true };
}

/** What a file was made from. */
interface EntrySource {
  /** Name of the field in the request. */
  readonly field: string;
  /** Path relative to the manifest; empty if the file is not there any more. */
  readonly path: string;
}

async function sourcesOf(
  known: LibraryEntry,
  entries: readonly LibraryEntry[],
  root: vscode.Uri,
  manifest: vscode.Uri,
): Promise<readonly EntrySource[]> {
  const inputs = inputsOf(known);
  const others = entries.filter(({ id }) => id !== known.id).map((entry) => ({ entry }));
  const origins = originsOf({ entry: known }, others);
  // The video that a remix changed comes before the files.
  const fields = [...(origins.length > inputs.length ? ['video_id'] : []), ...inputs.map(({ field }) => field)];
  return Promise.all(
    origins.map(async (origin, index) => {
      const uri = uriOf({ root, entry: 'entry' in origin ? origin.entry : origin });
      const path = uri && (await exists(uri)) ? pathFrom(posix.dirname(manifest.path), uri.path) : '';
      return { field: fields[index] ?? '', path };
    }),
  );
}

/** Returns the entry of an image that was made from another one on this computer. */
async function derivedEntryFor(file: vscode.Uri, [source]: readonly EntrySource[]): Promise<object> {
  const size = pictureSize(await vscode.workspace.fs.readFile(file));
  return { from: source?.path ?? '', ...(size && { size: [size.width, size.height] }) };
}

/** Converts a library entry to a manifest entry. */
function entryFor(
  {
    operation,
    model,
    prompt = '',
    narration,
    values = narration ? { ...narration.fields, voice: narration.voice } : {},
  }: LibraryEntry,
  sources: readonly EntrySource[],
  declared: unknown,
): { readonly [name: string]: unknown; readonly fields?: object } {
  const made: Operation = operations[operation];
  const pathsFor = (name: string) => sources.filter(({ field }) => field === name).map(({ path }) => path);
  const held = (field: Field): readonly [name: string, value: unknown] => {
    const name = nameIn('manifest', field);
    const paths = pathsFor(field.name);
    if (field.type === 'images') return [name, paths];
    if (field.type === 'video' || takesFiles(field)) return [name, paths[0] ?? ''];
    if (narration && field.type === 'text' && field.isSpoken) return ['document', paths[0] ?? ''];
    return [name, prompt];
  };
  const required = made.fields.filter((field) => field.type !== 'model' && !('default' in field));
  const table = fieldTable(operation, declared, model);
  const chosen = table.own.filter((field) => {
    const value = values[field.name];
    return isOfEntry(field) && value !== undefined && 'default' in field && value !== field.default;
  });
  const files = table.further.flatMap(({ type, name }) =>
    type === 'file' ? pathsFor(name).map((path) => [name, path]) : [],
  );
  const further = { ...validValues(table, withoutFiles(table, values)), ...Object.fromEntries(files) };
  return {
    operation,
    ...Object.fromEntries(required.map(held)),
    ...(takesVideo(made) || model === sandboxModel ? {} : { model }),
    ...Object.fromEntries(chosen.map((field) => [nameIn('manifest', field), values[field.name]])),
    ...(Object.keys(further).length > 0 && { fields: further }),
  };
}

/** Whether an entry holds a value: formats follow from its path, the transfer decides nothing, and it is one file. */
function isOfEntry(field: Field): boolean {
  return field.type === 'choice' ? !field.isTransfer && !field.isExtension : !isCount(field);
}

function acceptsIn(document: vscode.TextDocument): unknown {
  const tree = parseTree(document.getText());
  const accepts = tree && findNodeAtLocation(tree, ['accepts']);
  return accepts && getNodeValue(accepts);
}

/**
 * Inserts the entry and shows the manifest; one undo step reverts it.
 *
 * @param complete adds to the text what the entry needs beside it
 */
async function insert(
  document: vscode.TextDocument,
  path: string,
  entry: object,
  complete: (text: string) => string,
): Promise<void> {
  const manifest = document.uri;
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
  const changed = complete(withEntry(text, tree, ['assets', path], entry));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(manifest, new vscode.Range(document.positionAt(0), document.positionAt(text.length)), changed);
  await vscode.workspace.applyEdit(edit);
  const editor = await vscode.window.showTextDocument(document);
  const position = document.positionAt(Math.max(0, changed.indexOf(JSON.stringify(path))));
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position));
}

async function nearest(file: vscode.Uri, root: vscode.Uri): Promise<vscode.Uri | undefined> {
  for (let folder = posix.dirname(file.path); ; folder = posix.dirname(folder)) {
    const manifest = root.with({ path: posix.join(folder, manifestName) });
    if (await exists(manifest)) return manifest;
    if (folder.length <= root.path.length) return undefined;
  }
}

function wrong(sentence: string): MediaError {
  return new MediaError('invalidInput', sentence, { field: 'uri' });
}

/**
 * Creates a manifest with a commented sample in the workspace folder, unless there is one, and shows it.
 *
 * @param extensionUri the extension's installation folder
 * @param model the model of the sample's picture; empty if none is known
 * @returns undefined when the person chose no folder
 * @throws MediaError `invalidInput` without a local folder
 */
export async function createManifest(
  { context, settings }: Pick<Window, 'context' | 'settings'>,
  model: string,
): Promise<vscode.Uri | undefined> {
  const { workspaceFolders: folders = [] } = vscode.workspace;
  const folder = await chosenFolder();
  if (!folder && folders.length > 0) return undefined;
  if (folder?.uri.scheme !== 'file') {
    const sentence = vscode.l10n.t('First open a folder on this computer: media.jsonc is created in it.');
    throw new MediaError('invalidInput', sentence);
  }
  const manifest = vscode.Uri.joinPath(folder.uri, manifestName);
  const sample = await vscode.workspace.fs.readFile(
    vscode.Uri.joinPath(context.extensionUri, 'media', 'media.sample.jsonc'),
  );
  const quoted = JSON.stringify(model || 'my-image-model').slice(1, -1);
  const named = new TextDecoder().decode(sample).replace('{model}', () => quoted);
  const text = model === '' ? named.replace('  "defaults"', '  // "defaults"') : named;
  await writeIfAbsent(manifest, declarePreset(text, settings.declaredFields));
  await vscode.window.showTextDocument(manifest);
  return manifest;
}
