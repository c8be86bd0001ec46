import { createScanner, findNodeAtLocation, getLocation, getNodeValue, type JSONPath, parseTree } from 'jsonc-parser';
import * as vscode from 'vscode';
import { missingFilesBelow } from '../../editor/missingFiles.ts';
import type { Window } from '../../editor/Window.ts';
import { pathFrom } from '../../files/pathFrom.ts';
import { captionEndings } from '../../manifest/entryFields.ts';
import { type EntryForm, entrySnippet, literal } from '../../manifest/entrySnippet.ts';
import { keyOf, outputProblem, pathProblem } from '../../manifest/Manifest.ts';
import { fittingFor } from '../../manifest/missingOperation.ts';
import { extensionsOf, nameIn } from '../../operations/fields.ts';
import {
  extensionOf,
  type Operation,
  operationIds,
  operations,
  outputExtensions,
  spokenExtensions,
  takesFiles,
} from '../../operations/operations.ts';
import { maxUnaskedLength } from '../../reading/DocumentReader.ts';

const transcriptExtensions = outputExtensions.transcripts.filter((one) => !captionEndings.includes(one));

/** Extensions of the files that each field may name. */
export const namedExtensions: ReadonlyMap<string, readonly string[]> = new Map([
  ['from', outputExtensions.images],
  ['captions', transcriptExtensions],
  ['document', spokenExtensions],
  ['video', outputExtensions.videos],
  ...operationIds.flatMap((id) => {
    const { fields }: Operation = operations[id];
    return fields.filter(takesFiles).map((field) => [nameIn('manifest', field), extensionsOf(field)] as const);
  }),
]);

/** Extensions of existing files that are offered as new entries. Most texts are written by people. */
const madeExtensions = [...outputExtensions.images, ...outputExtensions.speech, ...outputExtensions.videos];

const maxFiles = 500;

/** Completes the paths of new entries, the paths in fields, and models. Fields and their other values come from the schema. */
export async function completeManifest(
  document: vscode.TextDocument,
  position: vscode.Position,
  dependencies: Pick<Window, 'models' | 'projects' | 'settings'>,
  token: vscode.CancellationToken,
): Promise<vscode.CompletionItem[]> {
  const text = document.getText();
  if (text.length > maxUnaskedLength) return [];
  const { path, isAtPropertyKey, previousNode } = getLocation(text, document.offsetAt(position));
  const range = previousNode && rangeOf(document, previousNode);
  if (isAtPropertyKey) {
    if (path[0] !== 'assets' || path.length !== 2) return [];
    const start = previousNode?.offset ?? document.offsetAt(position);
    const end = start + (previousNode?.length ?? 0);
    return newEntries({ document, text, range, start, end }, dependencies, token);
  }
  const field = path.findLast((part) => typeof part === 'string');
  if (field === 'model') {
    const operation = operationOf(text, path);
    const id = operationIds.find((known) => known === operation);
    const names = id ? dependencies.models.names(id, dependencies.settings.usesSandbox) : [];
    return names.map((name) => valueItem(name, vscode.CompletionItemKind.Value, range));
  }
  const fileTypes =
    path[0] === 'assets' && path.length > 2 && field !== undefined ? namedExtensions.get(field) : undefined;
  if (fileTypes === undefined) return [];
  const made = declaredIn(text).filter((one) => fileTypes.includes(extensionOf(one)) && one !== path[1]);
  const paths = [...made, ...(await filesBelow(document.uri, fileTypes))].filter((one) => one !== path[1]);
  return [...new Set(paths)].sort().map((one) => valueItem(one, vscode.CompletionItemKind.File, range));
}

function valueItem(
  value: string,
  kind: vscode.CompletionItemKind,
  range: vscode.Range | undefined,
): vscode.CompletionItem {
  const item = new vscode.CompletionItem(JSON.stringify(value), kind);
  if (range) item.range = range;
  return item;
}

/** A key in `assets` that is being written. */
interface NewKey {
  readonly document: vscode.TextDocument;
  readonly text: string;
  readonly range: vscode.Range | undefined;
  /** Where it stands in the text. */
  readonly start: number;
  readonly end: number;
}

/** Offers missing media of the documents first, then existing files without an entry, then each operation. */
async function newEntries(
  { document, text, range, start, end }: NewKey,
  { projects }: Pick<Window, 'projects'>,
  token: vscode.CancellationToken,
): Promise<vscode.CompletionItem[]> {
  const next = tokenAfter(text, end);
  // A key without a value would hide the entries behind it.
  const others = declaredIn(text.slice(0, start) + (next === ':' ? '""' : '') + text.slice(end));
  const taken = new Set(others.map(keyOf));
  const items: vscode.CompletionItem[] = [];
  const add = (label: string, key: string, form: EntryForm, words: string, detail: string) => {
    const item = new vscode.CompletionItem(label, vscode.CompletionItemKind.File);
    const stop = key.startsWith('$') ? 2 : 1;
    const value = next === ':' ? '' : `: ${entrySnippet(form, words, stop)}${next === '"' ? ',' : ''}`;
    item.insertText = new vscode.SnippetString(`"${key}"${value}`);
    item.filterText = label.startsWith('"') ? label : JSON.stringify(label);
    item.sortText = String(items.length).padStart(4, '0');
    item.detail = detail;
    if (range) item.range = range;
    items.push(item);
  };
  const addPath = (path: string, words: string, detail: string) => {
    const [form] = fittingFor(path, []);
    if (taken.has(keyOf(path)) || outputProblem(path) !== undefined) return;
    taken.add(keyOf(path));
    if (form) add(JSON.stringify(path), literal(path), form, words, detail);
  };
  const folder = vscode.Uri.joinPath(document.uri, '..');
  const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri ?? folder;
  for (const { path, references, isGuess, document: referring } of await missingFilesBelow(
    await projects(),
    root,
    token,
  )) {
    if (isGuess) continue;
    const words = references.find(({ altText }) => altText !== '')?.altText ?? '';
    const detail = vscode.l10n.t('missing in {0}', vscode.workspace.asRelativePath(referring));
    addPath(pathFrom(folder.path, path), words, detail);
  }
  for (const path of (await filesBelow(document.uri, madeExtensions)).toSorted()) {
    addPath(path, '', vscode.l10n.t('exists, without an entry'));
  }
  if (next === ':') return items;
  for (const id of operationIds) {
    const [ending = ''] = outputExtensions[operations[id].result];
    add(id, `\${1:name.${ending}}`, id, '', vscode.l10n.t(operations[id].title));
  }
  add('from', '${1:name.webp}', 'from', '', vscode.l10n.t('Made locally from another image, for free'));
  add(
    'captions',
    '${1:name.srt}',
    'captions',
    '',
    vscode.l10n.t('Subtitles of a transcript, made locally and for free'),
  );
  return items;
}

/** Returns the start of the next token that is no comment. */
function tokenAfter(text: string, offset: number): string {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text.charAt(scanner.getTokenOffset());
}

/** Returns the operation of the entry or the default that a path in the manifest belongs to. */
function operationOf(text: string, path: JSONPath): unknown {
  if (path[0] === 'defaults') return path[1];
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, [...path.slice(0, 2), 'operation']);
  return node && getNodeValue(node);
}

/** Returns the paths of the entries. */
function declaredIn(text: string): readonly string[] {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const assets = root && findNodeAtLocation(root, ['assets']);
  return (assets?.children ?? []).map((property) => String(property.children?.[0]?.value ?? ''));
}

/** Returns the paths of existing files that a manifest may name. */
async function filesBelow(manifest: vscode.Uri, fileTypes: readonly string[]): Promise<readonly string[]> {
  const folder = vscode.Uri.joinPath(manifest, '..');
  const pattern = new vscode.RelativePattern(folder, `**/*.{${fileTypes.join(',')}}`);
  const files = await vscode.workspace.findFiles(pattern, '**/{node_modules,.git,.unified-media}/**', maxFiles);
  return files.map(({ path }) => pathFrom(folder.path, path)).filter((path) => pathProblem(path) === undefined);
}

function rangeOf(document: vscode.TextDocument, { offset, length }: { offset: number; length: number }): vscode.Range {
  return new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
}
