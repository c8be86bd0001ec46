import { posix } from 'node:path';
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { isObject } from '../foreign/shape.ts';
import { fieldTable, withAccepts } from '../operations/declarations.ts';
import { type OperationId, operationIds } from '../operations/operations.ts';
import { captionFields, derivedFields, entryFields } from './entryFields.ts';
import { type LockLine, lockText, readLock } from './Lock.ts';
import { keyOf, outputProblem, pathProblem } from './Manifest.ts';

/** How paths of a manifest change. */
export interface PathMoves {
  /** Folder of the manifest, before and after. Absolute with forward slashes. */
  readonly folder: readonly [before: string, after: string];
  /** Returns where an absolute path leads after the moves. */
  after(path: string): string;
  /** The setting `fields`, which says what values are files. */
  readonly declared?: unknown;
}

/** A string of a JSON text that gets another value. */
interface Replacement {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

export interface FollowedManifest {
  /** In the order of the text. */
  readonly replacements: readonly Replacement[];
  /** Paths of entries and inputs that cannot follow: outside of the manifest's folder, or taken by another entry. */
  readonly left: readonly string[];
}

/**
 * Lets the paths of a manifest follow files that move: the keys of its entries and their inputs. Comments, order and
 * everything else stay as they are. A text that is not valid is left alone.
 */
export function followInManifest(text: string, moves: PathMoves): FollowedManifest {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const assets = root && errors.length === 0 ? propertiesIn(findNodeAtLocation(root, ['assets'])) : [];
  const nodes = assets.map(({ key }) => key);
  const left: string[] = [];
  const replacements: Replacement[] = [];
  const follow = (node: Node, problemOf: (path: string) => unknown) => {
    const path: unknown = node.value;
    if (typeof path !== 'string') return;
    const moved = movedPath(path, moves);
    if (moved === path) return;
    if (problemOf(moved) !== undefined && problemOf(path) === undefined) left.push(path);
    else replacements.push({ offset: node.offset, length: node.length, text: JSON.stringify(moved) });
  };
  // Files may trade their names, so only those that stay are in the way.
  const staying = new Set(nodes.map(({ value }) => String(value)).filter((path) => movedPath(path, moves) === path));
  const taken = new Set([...staying].map(keyOf));
  for (const key of nodes) follow(key, (path) => outputProblem(path) ?? (taken.has(keyOf(path)) ? path : undefined));
  const accepts = root && findNodeAtLocation(root, ['accepts']);
  const declared = accepts ? withAccepts(moves.declared, getNodeValue(accepts)) : moves.declared;
  for (const { value } of assets) for (const node of inputsIn(value, declared)) follow(node, pathProblem);
  for (const { key, value } of propertiesIn(root && findNodeAtLocation(root, ['defaults']))) {
    const id = operationIds.find((one) => one === key.value);
    if (id && errors.length === 0) for (const node of filesIn(value, id, declared)) follow(node, pathProblem);
  }
  return { replacements: replacements.sort((a, b) => a.offset - b.offset), left };
}

/**
 * Lets the lines of a lock follow files that move, with their inputs. Its hashes are of contents, so they stay.
 *
 * @param left the paths that the manifest keeps
 * @returns undefined if nothing changes
 * @throws MediaError `invalidInput` for a lock that cannot be read
 */
export function followInLock(text: string, moves: PathMoves, left: readonly string[]): string | undefined {
  const kept = new Set(left.map(keyOf));
  const follow = (path: string) => {
    const moved = kept.has(keyOf(path)) ? path : movedPath(path, moves);
    return pathProblem(moved) === undefined ? moved : path;
  };
  const lines = [...readLock(text).values()];
  const followed = lines.map((line): LockLine => {
    const { inputs } = line;
    const named = Object.entries(inputs ?? {}).map(([name, hash]) => {
      return [name.startsWith('./') ? `./${follow(name.slice(2))}` : name, hash] as const;
    });
    return { ...line, path: follow(line.path), ...(inputs && { inputs: Object.fromEntries(named) }) };
  });
  // A line that is already there under the new name is of a file that is gone.
  const isMoved = (line: LockLine, index: number) => line.path !== lines[index]?.path;
  const staying = followed.filter((line, index) => !isMoved(line, index));
  const sorted = [...staying, ...followed.filter(isMoved)];
  const changed = lockText(new Map(sorted.map((line) => [keyOf(line.path), line])));
  return changed === lockText(new Map(lines.map((line) => [line.path, line]))) ? undefined : changed;
}

function movedPath(path: string, { folder: [before, after], ...moves }: PathMoves): string {
  const full = posix.join(before, path);
  const moved = moves.after(full);
  return moved === full && before === after ? path : posix.relative(after, moved);
}

/** Returns the strings in an entry that are paths of its inputs. */
function inputsIn(entry: Node, declared: unknown): readonly Node[] {
  const named: unknown = getNodeValue(entry);
  const operation = isObject(named) ? named.operation : undefined;
  const id = operationIds.find((one) => one === operation);
  const fields = id ? entryFields(id) : [...derivedFields, ...captionFields];
  const paths = fields.filter(({ type }) => type === 'path' || type === 'paths').map(({ name }) => name);
  const own = propertiesIn(entry).flatMap(({ key, value }) => (paths.includes(String(key.value)) ? [value] : []));
  return [
    ...own.flatMap((node) => (node.type === 'array' ? (node.children ?? []) : [node])),
    ...(id ? filesIn(entry, id, declared) : []),
  ];
}

/** Returns the further fields of an entry, or of defaults, that are files. */
function filesIn(values: Node, id: OperationId, declared: unknown): readonly Node[] {
  const fields = findNodeAtLocation(values, ['fields']);
  if (!fields) return [];
  const named: unknown = getNodeValue(values);
  const model = isObject(named) && typeof named.model === 'string' ? named.model : undefined;
  const files = filesOf(id, declared, model);
  return propertiesIn(fields).flatMap(({ key, value }) => (files.includes(String(key.value)) ? [value] : []));
}

function filesOf(id: OperationId, declared: unknown, model: string | undefined): readonly string[] {
  try {
    const { further } = fieldTable(id, declared, model);
    return further.flatMap(({ type, name }) => (type === 'file' ? [name] : []));
  } catch {
    // Reading the manifest reports a declaration that is not valid.
    return [];
  }
}

function propertiesIn(node: Node | undefined): readonly { readonly key: Node; readonly value: Node }[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) => (key && value ? [{ key, value }] : []));
}
