import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface StoredResult {
  readonly path: string;
  readonly type: 'png' | 'mp4';
  /** File size, in bytes. */
  readonly length: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export interface ResultStoreOptions {
  readonly folder: string;
  readonly lifetimeMs: number;
  readonly now: () => number;
  /** Maximum total size of all results, in bytes. The oldest are deleted first. */
  readonly maxBytes?: number;
}

/** Serves generated pictures and videos under unguessable URLs that expire. Keeps them on disk, not in memory. */
export class ResultStore {
  readonly #options: Required<ResultStoreOptions>;
  readonly #results = new Map<string, StoredResult>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: ResultStoreOptions) {
    this.#options = { maxBytes: 2 ** 30, ...options };
  }

  /** Stores a result. @returns the path of its URL */
  async add(bytes: Uint8Array, type: 'png' | 'mp4'): Promise<string> {
    const { folder, lifetimeMs, now } = this.#options;
    const name = `${randomBytes(24).toString('hex')}.${type}`;
    const path = join(folder, name);
    await writeFile(path, bytes);
    this.#results.set(name, { path, type, length: bytes.length, expires: now() + lifetimeMs });
    await this.sweep();
    return `/results/${name}`;
  }

  /** Finds a result by the path of its URL. Returns undefined if it is unknown or has expired. */
  find(path: string): StoredResult | undefined {
    const name = /^\/results\/([0-9a-f]{48}\.(?:png|mp4))$/.exec(path)?.[1];
    const result = name === undefined ? undefined : this.#results.get(name);
    return result && result.expires > this.#options.now() ? result : undefined;
  }

  /** Deletes expired results and schedules the next sweep. */
  async sweep(): Promise<void> {
    const { maxBytes, now } = this.#options;
    let total = 0;
    for (const { length } of this.#results.values()) total += length;
    // Insertion order is the order of expiry.
    for (const [name, result] of this.#results) {
      if (result.expires > now() && total <= maxBytes) break;
      total -= result.length;
      await this.#remove(name, result);
    }
    this.#schedule();
  }

  /** Cancels the next sweep. */
  close(): void {
    clearTimeout(this.#sweeping);
  }

  async #remove(name: string, { path }: StoredResult): Promise<void> {
    this.#results.delete(name);
    await rm(path, { force: true });
  }

  #schedule(): void {
    clearTimeout(this.#sweeping);
    const [oldest] = this.#results.values();
    if (!oldest) return;
    // An injected clock may stand still, so wait at least a moment.
    const wait = Math.max(200, oldest.expires - this.#options.now());
    this.#sweeping = setTimeout(() => void this.sweep().catch(() => undefined), Math.min(wait, 2 ** 31 - 1));
    this.#sweeping.unref();
  }
}
