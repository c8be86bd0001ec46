import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { openOnce, readContent } from '../files/AgreedFile.ts';
import { textOf } from '../files/readText.ts';
import {
  count,
  integer,
  list,
  matching,
  objectWith,
  oneOf,
  optional,
  record,
  type Shaped,
  text,
  that,
  yes,
} from '../foreign/shape.ts';
import { MediaError } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';
import { keyOf, manifestName, pathProblem } from './Manifest.ts';

/** How the names of all locks end. */
export const lockEnding = '.lock.jsonl';

/** Returns the name of the lock beside a manifest: each manifest of a folder has its own. */
export function lockNameOf(manifest: string): string {
  return `${basename(manifest).replace(/\.jsonc$/i, '')}${lockEnding}`;
}

/** Callers without the name of a file show no errors. */
const defaultName = lockNameOf(manifestName);

/** Far more than people and programs write into a manifest or a lock. */
const maxMegabytes = 8;

/**
 * Reads a manifest or a lock. A repository may hold a link to any file in its place: messages would quote that file, and
 * writing would replace the link.
 *
 * @param file absolute path
 * @throws MediaError `invalidInput` for a link, for anything else that is not a file, and above 8 MB; errors of node:fs
 */
export async function readDeclared(file: string): Promise<string> {
  const name = basename(file);
  const stats = await lstat(file);
  if (stats.isSymbolicLink()) throw damaged(l10n.t('{0} is a link to another file, so it is not used.', name));
  if (!stats.isFile()) throw damaged(l10n.t('{0} is not a file, so it is not used.', name));
  await using handle = await openOnce(file);
  const pieces: Buffer[] = [];
  let length = 0;
  await readContent(handle, (piece) => {
    length += piece.length;
    if (length > maxMegabytes * 1_000_000) {
      throw damaged(l10n.t('{0} is larger than {1} MB, so it is not used.', name, maxMegabytes));
    }
    pieces.push(Buffer.from(piece));
    return undefined;
  });
  return textOf(Buffer.concat(pieces), name);
}

const hash = matching(/^[0-9a-f]{64}$/);

/** A line of the lock: what an asset was made from. Hashes are SHA-256 in hex. */
const isLine = objectWith({
  // The lock may come with an untrusted project.
  path: that(text(), (path) => pathProblem(path) === undefined),
  /** Hash of the request, including the hashes of its inputs; absent for a derived entry. */
  request: optional(hash),
  /** Hashes of the inputs by name, from which a reason such as “prompt changed” follows. */
  inputs: optional(record(text())),
  /** Hash of the local processing. */
  local: optional(hash),
  /** Hash of the file. */
  output: hash,
  /** The chosen result of several, starting at 1. */
  variant: optional(that(count, (number) => number >= 1)),
  videoId: optional(text()),
  /** The blocks of a narration: the key of the text, and byte offsets in the file. */
  blocks: optional(list(objectWith({ key: text(), start: integer, end: integer }), Number.POSITIVE_INFINITY)),
  /** Whether the sandbox made it. */
  sandbox: optional(yes),
  /** Whether its source had credentials that making it here could not keep. */
  credentials: optional(oneOf(['lost'])),
  /** Whether a person accepted the file as it was. Such a file may be their own work. */
  accepted: optional(yes),
});
export type LockLine = Shaped<typeof isLine>;

/** The lines of a lock, by the {@link keyOf} of their paths. */
export type Lock = ReadonlyMap<string, LockLine>;

/**
 * Reads a lock. Its lines may be in any order.
 *
 * @throws MediaError `invalidInput` that names the damaged line, or the two lines with the same path
 */
export function readLock(text: string): Lock {
  const lock = new Map<string, LockLine>();
  for (const [key, same] of linesByKey(text, defaultName)) {
    const [first, second] = same;
    if (first && second) throw ambiguous(defaultName, first, second);
    if (first) lock.set(key, first.line);
  }
  return lock;
}

/**
 * Reads a lock that git may have merged with `merge=union`, which keeps the lines of both sides, or in which it has left
 * the marks of a conflict around them. If two lines have the same path, the one that describes the file counts.
 *
 * @param outputAt returns the hash of the file at a path; undefined if there is none
 * @throws MediaError `invalidInput` as {@link readLock}, also if none or several of the lines describe the file
 */
export async function readMergedLock(
  text: string,
  name: string,
  outputAt: (path: string) => Promise<string | undefined>,
): Promise<Lock> {
  const lock = new Map<string, LockLine>();
  for (const [key, same] of linesByKey(bothSides(text), name)) {
    const [first, second] = same;
    if (!first) continue;
    const output = second && (await outputAt(first.line.path));
    const [found, another] = second ? same.filter(({ line }) => line.output === output) : same;
    if (second && (!found || another)) throw ambiguous(name, found ?? first, another ?? second);
    if (found) lock.set(key, found.line);
  }
  return lock;
}

/** Empties the marks of conflicts, and the lines that both sides started from. */
function bothSides(text: string): string {
  let isBase = false;
  const lines = text.split('\n').map((line) => {
    const mark = conflictMark.exec(line)?.[1];
    if (mark === undefined) return isBase ? '' : line;
    isBase = mark.startsWith('|');
    return '';
  });
  return lines.join('\n');
}

/** Each on a line of its own; the last may have a name after it. */
const conflictMark = /^(<{7}|={7}|>{7}|\|{7})(?![<=>|])/;

interface NumberedLine {
  readonly line: LockLine;
  /** Starts at 1. */
  readonly number: number;
}

/** Returns the lines of a lock by the {@link keyOf} of their paths. @throws MediaError that names a damaged line */
function linesByKey(text: string, name: string): ReadonlyMap<string, readonly NumberedLine[]> {
  const lines = new Map<string, NumberedLine[]>();
  for (const [index, written] of text.split(/\r?\n/).entries()) {
    if (written.trim() === '') continue;
    const line = parseJson(written);
    const number = index + 1;
    if (!isLine(line)) {
      const conflict = conflictMark.test(written);
      throw damaged(
        conflict
          ? l10n.t(
              '{0}:{1}: There is an unresolved merge conflict. Keep the lines of both sides, but only one line per path.',
              name,
              number,
            )
          : l10n.t('{0}:{1}: This is not a valid line of a lock.', name, number),
      );
    }
    const key = keyOf(line.path);
    const same = lines.get(key);
    if (same) same.push({ line, number });
    else lines.set(key, [{ line, number }]);
  }
  return lines;
}

function ambiguous(name: string, first: NumberedLine, second: NumberedLine): MediaError {
  const sentence = l10n.t(
    '{0}: Lines {1} and {2} have the same path {3}, and the file does not show which of them counts. Remove one of them, and restore the file of the one that you keep.',
    name,
    first.number,
    second.number,
    first.line.path,
  );
  return damaged(sentence);
}

/**
 * Merges two versions of a lock path by path, as a merge driver of git. A path that both sides changed differently
 * gets both lines, between the marks of a conflict.
 *
 * @param base the text that both started from; empty if there is none
 * @returns the merged lock, and the paths that both sides changed differently; undefined for a damaged version
 */
export function mergeLocks(
  base: string,
  ours: string,
  theirs: string,
): { readonly text: string; readonly conflicts: readonly string[] | undefined } {
  let locks: readonly Lock[];
  try {
    locks = [base, ours, theirs].map((text) => readLock(text));
  } catch {
    // A damaged lock cannot be merged by its paths.
    return { text: inConflict(ours, theirs), conflicts: undefined };
  }
  const paths = new Map(locks.flatMap((lock) => [...lock].map(([key, { path }]) => [key, path] as const)));
  const conflicts: string[] = [];
  const merged = [...paths]
    .sort(([, a], [, b]) => compare(a, b))
    .map(([key, path]) => {
      const [before = '', our = '', their = ''] = locks.map((lock) => textOfLine(lock.get(key)));
      if (our === their || their === before) return our;
      if (our === before) return their;
      conflicts.push(path);
      return inConflict(our, their);
    });
  return { text: merged.join(''), conflicts };
}

function inConflict(ours: string, theirs: string): string {
  const whole = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
  return `<<<<<<< ours\n${whole(ours)}=======\n${whole(theirs)}>>>>>>> theirs\n`;
}

/** Returns the text of a lock, sorted so that branches that add different assets can be merged. */
export function lockText(lock: Lock): string {
  return [...lock.values()]
    .sort((a, b) => compare(a.path, b.path))
    .map(textOfLine)
    .join('');
}

/** Compares by UTF-16 code units. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Writes a line with its fields in order, then those of a newer version; empty if there is none. */
function textOfLine(line: LockLine | undefined): string {
  if (!line) return '';
  const { path, request, inputs, local, output, variant, videoId, blocks, sandbox, credentials, accepted, ...more } =
    line;
  // The order of fields in the manifest does not matter.
  const sorted = inputs && Object.fromEntries(Object.entries(inputs).sort(([a], [b]) => compare(a, b)));
  const origin = { path, request, inputs: sorted, local };
  return `${JSON.stringify({ ...origin, output, variant, videoId, blocks, sandbox, credentials, accepted, ...more })}\n`;
}

function damaged(sentence: string): MediaError {
  return new MediaError('invalidInput', sentence);
}
