import { posix } from 'node:path';
import pLimit from 'p-limit';
import * as vscode from 'vscode';
import { extensionsIn, languageOf } from '../../documents/Language.ts';
import { mediaKindOf } from '../../documents/MediaReference.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import { statOf } from '../../editor/workspaceFiles.ts';
import { lineEndOf } from '../../files/withEntry.ts';
import { followInLock, followInManifest, type PathMoves } from '../../manifest/followPaths.ts';
import { lockNameOf } from '../../manifest/Lock.ts';
import { manifestName } from '../../manifest/Manifest.ts';
import { followReferences, type TextChange } from '../../projects/followReferences.ts';
import { Moves } from '../../projects/Moves.ts';
import { isSpelledAlike } from '../../projects/Places.ts';
import { maxUnaskedLength } from '../../reading/DocumentReader.ts';

/** A file or folder and its new address. */
export interface Rename {
  readonly oldUri: vscode.Uri;
  readonly newUri: vscode.Uri;
}

/** What changes in one document. */
interface Changed {
  readonly document: vscode.TextDocument;
  /** Where it is after the moves, if it moves itself and has not yet. */
  readonly movesTo?: vscode.Uri;
  readonly changes: readonly TextChange[];
}

/** What follows moves, beside the files themselves. */
export interface Following {
  readonly changed: readonly Changed[];
  /** Files that may name a moved file and stay as they are. */
  readonly left: readonly vscode.Uri[];
  /** How many documents were searched, if there are more than that. */
  readonly searched?: number;
}

export interface FollowOptions {
  readonly projects: Pick<DocumentPlaces, 'placeOf' | 'placesAfter' | 'referencesIn'>;
  /** The setting `fields`. */
  readonly declared: unknown;
  /** Whether the files have been moved already. */
  readonly isDone: boolean;
  /** Addresses of documents that others change. */
  readonly others: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** How many documents of a workspace folder are searched. */
const maxDocuments = 10_000;
const maxReaders = 16;
const documentPattern = `**/*.{${extensionsIn(() => true).join(',')}}`;
const notSearched = '**/{node_modules,.git}/**';

/**
 * Finds what has to change in the documents, manifests and locks of the workspace folders when files move. Text in open
 * documents counts as it is there.
 *
 * @throws the reason of the signal
 */
export async function followMoves(renames: readonly Rename[], options: FollowOptions): Promise<Following> {
  const moves = new Moves(renames.map(({ oldUri, newUri }) => ({ from: oldUri.path, to: newUri.path })));
  const roots = new Map(
    renames.flatMap(({ oldUri }) => {
      const root = vscode.workspace.getWorkspaceFolder(oldUri)?.uri;
      return root ? [[root.toString(), root] as const] : [];
    }),
  );
  const found: Following[] = [];
  const sought = await soughtFor(renames, options);
  for (const root of roots.values()) {
    found.push(
      ...(await Promise.all([
        followInDocuments(root, moves, sought, options),
        followInManifests(root, moves, options),
      ])),
    );
  }
  return {
    changed: found.flatMap(({ changed }) => changed),
    left: found.flatMap(({ left }) => left),
    searched: found.find(({ searched }) => searched !== undefined)?.searched,
  };
}

/** Which documents may have to change. */
interface Sought {
  /** Parts of the names that moved media and folders had, one of which is in each document that refers to them. */
  readonly words: readonly string[];
  /** Addresses of documents that move themselves. */
  readonly own: readonly vscode.Uri[];
}

async function soughtFor(renames: readonly Rename[], { isDone }: FollowOptions): Promise<Sought> {
  const words: string[] = [];
  const own: vscode.Uri[] = [];
  for (const { oldUri, newUri } of renames) {
    const present = isDone ? newUri : oldUri;
    const isFolder = (((await statOf(present))?.type ?? 0) & vscode.FileType.Directory) !== 0;
    if (isFolder || mediaKindOf(oldUri.path) !== undefined) words.push(wordIn(oldUri.path));
    else if (languageOf('', oldUri.path) !== 'other') own.push(present);
  }
  return { words, own };
}

/**
 * Returns the longest part of a name, without its extension, that is written the same in every language and address.
 */
function wordIn(path: string): string {
  const { name } = posix.parse(path);
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}

async function followInDocuments(
  root: vscode.Uri,
  moves: Moves,
  { words, own }: Sought,
  options: FollowOptions,
): Promise<Following> {
  const { isDone, others, projects, signal } = options;
  const back = moves.reversed;
  const pattern = new vscode.RelativePattern(root, documentPattern);
  const isHere = (uri: vscode.Uri) => vscode.workspace.getWorkspaceFolder(uri)?.uri.toString() === root.toString();
  const isSearched = words.length > 0;
  const all = isSearched ? await vscode.workspace.findFiles(pattern, notSearched, maxDocuments) : own.filter(isHere);
  const changed: Changed[] = [];
  const left: vscode.Uri[] = [];
  const other = projects.placesAfter(root, isDone ? back : moves);
  const inTurn = pLimit(maxReaders);
  const follow = async (uri: vscode.Uri) => {
    signal.throwIfAborted();
    if (others.has(uri.toString())) return;
    const before = isDone ? back.after(uri.path) : uri.path;
    const text = await textOf(uri);
    if (text === undefined) return;
    const lower = text.toLowerCase();
    if (before === moves.after(before) && !words.some((word) => lower.includes(word))) return;
    if (text.length > maxUnaskedLength) return void left.push(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const { places, document: placed } = projects.placeOf(document);
    if (await places.isOutput(placed)) return;
    const sides = isDone ? { before: other, after: places } : { before: places, after: other };
    const references = await projects.referencesIn(document);
    const whole = document.getText();
    const { changes, lost } = await followReferences(
      whole,
      references,
      { ...placed, path: before },
      { ...sides, moves },
    );
    if (changes.length > 0) changed.push({ document, changes, movesTo: movedUri(uri, moves, isDone) });
    if (lost.length > 0) left.push(uri);
  };
  // One that cannot be read must not keep the others from following.
  await Promise.all(all.map((uri) => inTurn(() => follow(uri).catch(() => void left.push(uri)))));
  signal.throwIfAborted();
  return { changed, left, ...(isSearched && all.length === maxDocuments && { searched: maxDocuments }) };
}

async function followInManifests(
  root: vscode.Uri,
  moves: Moves,
  { declared, isDone, signal }: FollowOptions,
): Promise<Following> {
  const back = moves.reversed;
  const pattern = new vscode.RelativePattern(root, `**/${manifestName}`);
  const changed: Changed[] = [];
  const left: vscode.Uri[] = [];
  for (const uri of await vscode.workspace.findFiles(pattern, notSearched, 100)) {
    signal.throwIfAborted();
    const before = isDone ? back.after(uri.path) : uri.path;
    // Without its folder it leaves the files behind.
    if (moves.all.some(({ from }) => from === before)) continue;
    const folder = [before, moves.after(before)].map((path) => posix.dirname(path)) as [string, string];
    const paths: PathMoves = { folder, declared, after: (path) => moves.after(path, isSpelledAlike) };
    const document = await declaredAt(uri);
    if (!document) continue;
    if (document.getText().length > maxUnaskedLength) {
      left.push(uri);
      continue;
    }
    const followed = followInManifest(document.getText(), paths);
    if (followed.left.length > 0) left.push(uri);
    const changes = followed.replacements.map(({ offset, length, text }) => ({
      start: offset,
      end: offset + length,
      text,
    }));
    const movesTo = movedUri(uri, moves, isDone);
    if (changes.length > 0) changed.push({ document, changes, movesTo });
    const lock = await declaredAt(vscode.Uri.joinPath(uri, '..', lockNameOf(uri.path)));
    if (!lock) continue;
    try {
      const written = lock.getText();
      const text = followInLock(written, paths, followed.left)?.replaceAll('\n', lineEndOf(written));
      if (text === undefined) continue;
      const whole = { start: 0, end: written.length, text };
      changed.push({ document: lock, changes: [whole], movesTo: movedUri(lock.uri, moves, isDone) });
    } catch {
      // It is damaged, or both sides of a merge are in it. The manifest names the line.
      left.push(lock.uri);
    }
  }
  return { changed, left };
}

function movedUri(uri: vscode.Uri, moves: Moves, isDone: boolean): vscode.Uri | undefined {
  const path = isDone ? uri.path : moves.after(uri.path);
  return path === uri.path ? undefined : uri.with({ path });
}

/** Opens a manifest or a lock. A link may lead to any file. */
async function declaredAt(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  const stat = await statOf(uri);
  return stat?.type === vscode.FileType.File ? vscode.workspace.openTextDocument(uri) : undefined;
}

async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open) return open.getText();
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}
