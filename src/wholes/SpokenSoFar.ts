import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { joinedKinds, joinSpeech } from '../sound/joinSpeech.ts';
import type { Cue } from '../transcripts/subtitles.ts';
import type { RunOptions } from '../work/Attempt.ts';
import { type CueSource, cuesOf } from './cuesOf.ts';

export interface HeardPart extends CueSource {
  readonly key: string;
}

export interface HeardFolders {
  /** Absolute path of the folder of the whole, for temporary files. */
  readonly folder: string;
  /** URI of the folder where the whole is saved. */
  readonly savedIn: string;
}

/** How a whole is made whose first parts may be heard before the others are there. */
export interface WholeOptions extends RunOptions {
  /** Returns what keeps account of the parts, so that they can be heard. */
  hear?(parts: readonly HeardPart[], folders: HeardFolders): SpokenSoFar;
}

/** A file of the first parts of a whole. */
export interface FirstParts {
  readonly file: string;
  readonly cues: readonly Cue[];
  readonly count: number;
  /** Where the parts begin that the file before this one lacks, in milliseconds. */
  readonly newFrom: number;
}

/** How a whole has ended: it was saved at an address, or its other parts did not come. */
export type SpokenEnd = { readonly saved: string; readonly cues: readonly Cue[] } | { readonly problem: string };

/** What is there of a text or a document while it is spoken. Nothing is joined or written unless it is played. */
export class SpokenSoFar {
  /** URI of the folder where the whole is saved. */
  readonly savedIn: string;
  readonly #blocks: readonly HeardPart[];
  readonly #folder: string;
  readonly #onFirst: (spoken: SpokenSoFar) => void;
  readonly #files = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  #joined: readonly FirstParts[] = [];
  /** The last of the joins, which are made in turn. */
  #joining: Promise<FirstParts> | undefined;
  #own: Promise<string> | undefined;
  #end: SpokenEnd | undefined;
  #closing = Promise.resolve();

  /** @param onFirst called once, when the first part is there and others are missing */
  constructor(blocks: readonly HeardPart[], { folder, savedIn }: HeardFolders, onFirst: (spoken: SpokenSoFar) => void) {
    this.#blocks = blocks;
    this.#folder = folder;
    this.savedIn = savedIn;
    this.#onFirst = onFirst;
  }

  /** Number of parts that are there, from the first up to the first that is missing. */
  get count(): number {
    const missing = this.#blocks.findIndex(({ key }) => !this.#files.has(key));
    return missing < 0 ? this.#blocks.length : missing;
  }

  get end(): SpokenEnd | undefined {
    return this.#end;
  }

  /** Calls the listener when more parts can be heard, and at the end. */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Adds the file of a part, in any order. Kinds that cannot be joined are not heard before the whole is saved. */
  add(key: string, file: string): void {
    if (!joinedKinds.includes(extname(file).slice(1))) return;
    const before = this.count;
    this.#files.set(key, file);
    const { count } = this;
    if (count === before) return;
    if (before === 0 && count < this.#blocks.length) this.#onFirst(this);
    this.#changed();
  }

  /**
   * Joins what can be heard.
   *
   * @throws Error when a part cannot be read or joined
   */
  join(): Promise<FirstParts> {
    const before = this.#joining?.catch(() => undefined);
    this.#joining = Promise.resolve(before).then(() => this.#join());
    return this.#joining;
  }

  async #join(): Promise<FirstParts> {
    const { count } = this;
    const last = this.#joined.at(-1);
    if (last?.count === count) return last;
    const blocks = this.#blocks.slice(0, count);
    const files = blocks.map(({ key }) => this.#files.get(key) ?? '');
    const kind = extname(files[0] ?? '');
    const joined = await joinSpeech(kind.slice(1), files, { dropsTag: true });
    if (!joined.joined) throw new Error(`The first ${count} parts cannot be joined: ${joined.reason}`);
    this.#own ??= mkdtemp(join(this.#folder, 'heard-'));
    const file = join(await this.#own, `${count}${kind}`);
    const lengths = blocks.map(() => 0);
    const data = async function* () {
      for await (const { part, bytes, seconds } of joined.data) {
        if (part !== undefined) lengths[part] = (lengths[part] ?? 0) + seconds;
        yield bytes;
      }
    };
    await pipeline(data, createWriteStream(file));
    const newFrom = Math.round(1000 * lengths.slice(0, last?.count ?? 0).reduce((sum, length) => sum + length, 0));
    const parts = { file, cues: cuesOf(blocks, lengths), count, newFrom };
    this.#joined = [...this.#joined, parts];
    // The player may still be in the one before.
    for (const { file } of this.#joined.slice(0, -2)) await rm(file, { force: true });
    return parts;
  }

  /** Notes that the whole was saved, while its parts are still there. */
  async saved(uri: string): Promise<void> {
    if (this.#joining) await this.join().catch(() => undefined);
    this.#finish({ saved: uri, cues: this.#joined.at(-1)?.cues ?? [] });
  }

  /** Notes that no more parts come. Those that are there can still be heard. */
  async failed(problem: string): Promise<void> {
    if (this.#joining) await this.join().catch(() => undefined);
    this.#finish({ problem });
  }

  /** Removes what was joined, once nobody hears it any more. */
  close(): Promise<void> {
    this.#closing = this.#closing.then(() => this.#remove());
    return this.#closing;
  }

  async #remove(): Promise<void> {
    const own = await this.#own?.catch(() => undefined);
    this.#own = undefined;
    this.#joining = undefined;
    this.#joined = [];
    // What stays is removed with the folder of the whole.
    if (own !== undefined) await rm(own, { recursive: true, force: true }).catch(() => undefined);
  }

  #finish(end: SpokenEnd): void {
    this.#end = end;
    this.#changed();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
