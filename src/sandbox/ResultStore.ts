import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type ResultType = 'png' | 'mp4';

export interface Result {
  /** The file that holds it. */
  readonly path: string;
  readonly type: ResultType;
  /** Bytes. */
  readonly length: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export interface ResultStoreOptions {
  readonly folder: string;
  readonly lifetimeMs: number;
  readonly now: () => number;
  /** The oldest go when all together are larger. */
  readonly maxBytes?: number;
}

/** Made pictures and videos behind URLs that nobody can guess and that expire. They lie on disk, not in memory. */
export class ResultStore {
  readonly #options: Required<ResultStoreOptions>;
  readonly #results = new Map<string, Result>();

  constructor(options: ResultStoreOptions) {
    this.#options = { maxBytes: 2 ** 30, ...options };
  }

  /** @returns the path of its URL */
  async add(bytes: Uint8Array, type: ResultType): Promise<string> {
    const { folder, lifetimeMs, now } = this.#options;
    const name = `${randomBytes(24).toString('hex')}.${type}`;
    const path = join(folder, name);
    await writeFile(path, bytes);
    this.#results.set(name, { path, type, length: bytes.length, expires: now() + lifetimeMs });
    await this.#sweep();
    return `/results/${name}`;
  }

  /** @param path of the URL; undefined when there is no such result or it has expired */
  find(path: string): Result | undefined {
    const name = /^\/results\/([0-9a-f]{48}\.(?:png|mp4))$/.exec(path)?.[1];
    const result = name === undefined ? undefined : this.#results.get(name);
    return result && result.expires > this.#options.now() ? result : undefined;
  }

  async #sweep(): Promise<void> {
    const { maxBytes, now } = this.#options;
    let total = 0;
    for (const { length } of this.#results.values()) total += length;
    // In the order of their making, which is that of their expiry.
    for (const [name, { path, length, expires }] of this.#results) {
      if (expires > now() && total <= maxBytes) break;
      this.#results.delete(name);
      total -= length;
      await rm(path, { force: true });
    }
  }
}
