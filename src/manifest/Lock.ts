import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';
import { keyOf } from './Manifest.ts';
import { pathProblem } from './pathProblem.ts';

export const lockName = 'media.lock.jsonl';

/** A block of a narration: the key of its text and its position in the file. */
interface LockedBlock {
  readonly key: string;
  /** Byte offsets. */
  readonly start: number;
  readonly end: number;
}

/** A line of the lock: what an asset was made from. Hashes are SHA-256 in hex. */
export interface LockLine {
  readonly path: string;
  /** Hash of the request, including the hashes of its inputs; absent for a derived entry. */
  readonly request?: string | undefined;
  /** Hashes of the inputs by name, from which a reason such as “prompt changed” follows. */
  readonly inputs?: Readonly<Record<string, string>> | undefined;
  /** Hash of the local processing. */
  readonly local?: string | undefined;
  /** Hash of the file. */
  readonly output: string;
  /** The chosen result of several, starting at 1. */
  readonly variant?: number | undefined;
  readonly videoId?: string | undefined;
  readonly blocks?: readonly LockedBlock[] | undefined;
  /** Whether the sandbox made it. */
  readonly sandbox?: true | undefined;
}

/** The lines of a lock, by the {@link keyOf} of their paths. */
export type Lock = ReadonlyMap<string, LockLine>;

/**
 * Reads a lock. Its lines may be in any order.
 *
 * @throws MediaError `invalidInput` that names the damaged line, or the two lines with the same path
 */
export function readLock(text: string): Lock {
  const lock = new Map<string, LockLine>();
  const numbers = new Map<string, number>();
  for (const [index, written] of text.split(/\r?\n/).entries()) {
    if (written.trim() === '') continue;
    const line = parseJson(written);
    const number = index + 1;
    if (!isLine(line)) {
      const conflict = /^(<{7}|={7}|>{7}|\|{7})/.test(written);
      throw damaged(
        conflict
          ? l10n.t(
              '{0}:{1}: There is an unresolved merge conflict. Keep the lines of both sides, but only one line per path.',
              lockName,
              number,
            )
          : l10n.t('{0}:{1}: This is not a valid line of a lock.', lockName, number),
      );
    }
    const key = keyOf(line.path);
    const earlier = numbers.get(key);
    if (earlier !== undefined) {
      throw damaged(
        l10n.t(
          '{0}: Lines {1} and {2} have the same path {3}. Remove one of them.',
          lockName,
          earlier,
          number,
          line.path,
        ),
      );
    }
    numbers.set(key, number);
    lock.set(key, line);
  }
  return lock;
}

/** Returns the text of a lock, sorted so that branches that add different assets can be merged. */
export function lockText(lock: Lock): string {
  const lines = [...lock.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return lines.map((line) => `${JSON.stringify(inOrder(line))}\n`).join('');
}

/** Orders the fields of a line. Inputs are sorted, so that the order of fields in the manifest does not matter. */
function inOrder({ path, request, inputs, local, output, variant, videoId, blocks, sandbox }: LockLine): LockLine {
  const sorted = inputs && Object.fromEntries(Object.entries(inputs).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { path, request, inputs: sorted, local, output, variant, videoId, blocks, sandbox };
}

function damaged(sentence: string): MediaError {
  return new MediaError('invalidInput', sentence);
}

function isLine(value: unknown): value is LockLine {
  if (typeof value !== 'object' || value === null) return false;
  const line = value as Readonly<Record<string, unknown>>;
  const isHash = (hash: unknown) => typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash);
  const isText = (text: unknown) => text === undefined || typeof text === 'string';
  return (
    typeof line.path === 'string' &&
    // The lock may come with an untrusted project.
    pathProblem(line.path) === undefined &&
    isHash(line.output) &&
    (line.request === undefined || isHash(line.request)) &&
    (line.local === undefined || isHash(line.local)) &&
    (line.variant === undefined || (Number.isSafeInteger(line.variant) && Number(line.variant) >= 1)) &&
    isText(line.videoId) &&
    (line.sandbox === undefined || line.sandbox === true) &&
    (line.inputs === undefined || isTexts(line.inputs)) &&
    (line.blocks === undefined || (Array.isArray(line.blocks) && line.blocks.every(isBlock)))
  );
}

function isTexts(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');
}

function isBlock(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { key, start, end } = value as Readonly<Record<string, unknown>>;
  return typeof key === 'string' && Number.isSafeInteger(start) && Number.isSafeInteger(end);
}
