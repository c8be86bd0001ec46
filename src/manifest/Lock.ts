import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';
import { keyOf } from './Manifest.ts';
import { pathProblem } from './pathProblem.ts';

export const lockName = 'media.lock.jsonl';

/** A part of a narration, by what was spoken and where it lies in the file. */
interface LockedBlock {
  readonly key: string;
  /** Byte offsets. */
  readonly start: number;
  readonly end: number;
}

/** What one asset was made from. Hashes are SHA-256 in hex. */
export interface LockLine {
  readonly path: string;
  /** Of what was sent, with the hashes of its inputs; none for what was made on this machine. */
  readonly request?: string | undefined;
  /** By name, so that a reason can be told. */
  readonly inputs?: Readonly<Record<string, string>> | undefined;
  /** Of the local processing. */
  readonly local?: string | undefined;
  /** Of the file. */
  readonly output: string;
  /** Which of several results, from 1. */
  readonly variant?: number | undefined;
  readonly videoId?: string | undefined;
  readonly blocks?: readonly LockedBlock[] | undefined;
  /** Whether the sandbox made it. */
  readonly sandbox?: true | undefined;
}

/** The lines of a lock by {@link keyOf} their paths. */
export type Lock = ReadonlyMap<string, LockLine>;

/**
 * Reads a lock, whose lines may stand in any order.
 *
 * @throws MediaError `invalidInput` that names the line; two lines of one path are named both
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
              '{0}:{1}: This is a merge conflict. Keep the lines of both sides, one of each path.',
              lockName,
              number,
            )
          : l10n.t('{0}:{1}: This is no line of a lock.', lockName, number),
      );
    }
    const key = keyOf(line.path);
    const earlier = numbers.get(key);
    if (earlier !== undefined) {
      throw damaged(
        l10n.t(
          '{0}: The lines {1} and {2} are both about {3}. Remove one of them.',
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

/** The text of a lock: sorted, so that two branches that add different assets can be merged. */
export function lockText(lock: Lock): string {
  const lines = [...lock.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return lines.map((line) => `${JSON.stringify(inOrder(line))}\n`).join('');
}

/** Without what is undefined; the names of inputs are sorted, since the order of fields in a manifest means nothing. */
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
    // A lock comes along with a folder from anywhere.
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
