import { posix } from 'node:path';
import type { JSONPath } from 'jsonc-parser';
import { findNodeAtLocation, getLocation, getNodeValue, parseTree } from 'jsonc-parser';
import * as vscode from 'vscode';
import { operationIds } from '../../operations/operations.ts';
import type { ManifestDependencies } from './ManifestDependencies.ts';

/** Extensions of the files that each field may name. */
const extensions: Readonly<Record<string, string>> = {
  from: 'png,jpg,jpeg,webp',
  image: 'png,jpg,jpeg,webp,gif',
  images: 'png,jpg,jpeg,webp,gif',
  file: 'flac,mp3,mp4,mpeg,mpga,m4a,ogg,wav,webm,mov,mkv',
  document: 'md,mdx,html,txt,adoc,rst',
  video: 'mp4,m4v,webm,mov',
};
const maxFiles = 500;

/** Completes paths and models. Fields and voices come from the schema. */
export async function completeManifest(
  document: vscode.TextDocument,
  position: vscode.Position,
  { models, settings }: ManifestDependencies,
): Promise<vscode.CompletionItem[]> {
  const text = document.getText();
  const { path, isAtPropertyKey, previousNode } = getLocation(text, document.offsetAt(position));
  if (isAtPropertyKey) return [];
  const field = path.findLast((part) => typeof part === 'string');
  const range = previousNode && rangeOf(document, previousNode);
  const item = (value: string, kind: vscode.CompletionItemKind) => {
    const one = new vscode.CompletionItem(JSON.stringify(value), kind);
    if (range) one.range = range;
    return one;
  };
  if (field === 'model') {
    const operation = operationOf(text, path);
    const id = operationIds.find((known) => known === operation);
    const names = id ? models.names(id, settings.usesSandbox) : [];
    return names.map((name) => item(name, vscode.CompletionItemKind.Value));
  }
  const fileTypes = path[0] === 'assets' && path.length > 2 && field !== undefined ? extensions[field] : undefined;
  if (fileTypes === undefined) return [];
  const paths = await pathsFor(document.uri, text, fileTypes);
  return paths.map((one) => item(one, vscode.CompletionItemKind.File));
}

/** Returns the operation of the entry or the default that a path in the manifest belongs to. */
function operationOf(text: string, path: JSONPath): unknown {
  if (path[0] === 'defaults') return path[1];
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, [...path.slice(0, 2), 'operation']);
  return node && getNodeValue(node);
}

/** Returns existing files, and those that the manifest makes. */
async function pathsFor(manifest: vscode.Uri, text: string, fileTypes: string): Promise<readonly string[]> {
  const folder = vscode.Uri.joinPath(manifest, '..');
  const pattern = new vscode.RelativePattern(folder, `**/*.{${fileTypes}}`);
  const files = await vscode.workspace.findFiles(pattern, '**/{node_modules,.git,.unified-media}/**', maxFiles);
  const there = files.map(({ path }) => posix.relative(folder.path, path));
  const assets = parseTree(text, [], { allowTrailingComma: true });
  const node = assets && findNodeAtLocation(assets, ['assets']);
  const declared = (node?.children ?? []).map((property) => String(property.children?.[0]?.value ?? ''));
  const kinds = fileTypes.split(',');
  const made = declared.filter((path) => kinds.includes(posix.extname(path).slice(1).toLowerCase()));
  return [...new Set([...made, ...there])].sort();
}

function rangeOf(document: vscode.TextDocument, { offset, length }: { offset: number; length: number }): vscode.Range {
  return new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
}
