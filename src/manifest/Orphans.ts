import { isSameType } from '../operations/mediaType.ts';
import { extensionOf } from '../operations/operations.ts';
import type { FileHashes } from './FileHashes.ts';
import type { LockLine } from './Lock.ts';
import { type Entry, keyOf } from './Manifest.ts';

/** What an entry without a line of its own looks like. */
export interface Lineless {
  readonly entry: Entry;
  readonly request: string | undefined;
  readonly local: string | undefined;
  /** Hash of its file; undefined if there is none. */
  readonly output: string | undefined;
  /** Whether git has its file, which is not checked out here. */
  readonly isElsewhere: boolean;
}

/**
 * The lines of a lock without an entry. One of them may describe an entry without a line: that was renamed, and its file
 * with it or not.
 */
export class Orphans {
  readonly #lines: readonly LockLine[];
  readonly #hashes: Pick<FileHashes, 'of'>;
  readonly #sandbox: boolean;
  /** By the keys of the entries. */
  readonly #taken = new Map<string, LockLine>();

  /** @param sandbox whether what the sandbox made counts */
  constructor(lines: readonly LockLine[], hashes: Pick<FileHashes, 'of'>, sandbox: boolean) {
    this.#lines = [...lines].sort((a, b) => (a.path < b.path ? -1 : 1));
    this.#hashes = hashes;
    this.#sandbox = sandbox;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** The lines that no entry has taken, sorted by path. */
  get left(): readonly LockLine[] {
    const taken = new Set(this.#taken.values());
    return this.#lines.filter((line) => !taken.has(line));
  }

  /** Returns the line that describes an entry, and keeps it for that entry. */
  async takeFor(found: Lineless): Promise<LockLine | undefined> {
    const key = keyOf(found.entry.path);
    const line = this.#taken.get(key) ?? (await this.#find(found));
    if (line) this.#taken.set(key, line);
    return line;
  }

  async #find({ entry, request, local, output, isElsewhere }: Lineless): Promise<LockLine | undefined> {
    const type = extensionOf(entry.path);
    const lines = this.left.filter(
      (line) => (line.request === undefined) === (entry.type === 'derived') && isSameType(extensionOf(line.path), type),
    );
    const isSame = (line: LockLine) =>
      entry.type === 'derived' ? line.local === local : request !== undefined && line.request === request;
    if (output !== undefined) {
      const inPlace = lines.filter((line) => line.output === output);
      const same = inPlace.find(isSame);
      if (same) return same;
      // Of a copy that another entry is made from, nobody has said that it takes the place of the first.
      for (const line of inPlace) if (!(await this.#isUntouched(line))) return line;
      return undefined;
    }
    const same = lines.filter((line) => isSame(line) && (this.#sandbox || !line.sandbox));
    if (isElsewhere) return same[0];
    for (const line of same) if (await this.#isUntouched(line)) return line;
    return undefined;
  }

  async #isUntouched({ path, output }: LockLine): Promise<boolean> {
    return (await this.#hashes.of(path).catch(() => undefined)) === output;
  }
}
