import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How a video was made: enough to make it again, and so to remix it. */
export interface VideoRecord {
  readonly id: string;
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** Of the first video in the line. */
  readonly prompt: string;
  /** The id under which the first frame's PNG is kept, if it began with an image. */
  readonly image: string | null;
  /** The prompts of the remixes since then, oldest first. */
  readonly remixes: readonly string[];
  readonly remixedFrom: string | null;
}

/** Keeps how videos were made in a folder, one JSON file each, so that they can be remixed after a restart. */
export class VideoStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  createId(): string {
    return `video_${randomBytes(16).toString('hex')}`;
  }

  /** @param image the first frame as PNG, for a record whose `image` is its own id */
  async save(record: VideoRecord, image?: Uint8Array): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    if (image) await writeFile(this.#path(record.id, 'png'), image);
    await writeFile(this.#path(record.id, 'json'), JSON.stringify(record));
  }

  /** Undefined for an id that the sandbox never gave, or whose file is damaged. */
  async find(id: string): Promise<VideoRecord | undefined> {
    if (!isVideoId(id)) return undefined;
    try {
      return recordOf(JSON.parse(await readFile(this.#path(id, 'json'), 'utf8')));
    } catch {
      return undefined;
    }
  }

  /** The first frame of a record as PNG; undefined when it is gone. */
  async findImage(id: string): Promise<Uint8Array | undefined> {
    if (!isVideoId(id)) return undefined;
    try {
      return await readFile(this.#path(id, 'png'));
    } catch {
      return undefined;
    }
  }

  #path(id: string, extension: 'json' | 'png'): string {
    return join(this.#folder, `${id}.${extension}`);
  }
}

function isVideoId(id: string): boolean {
  return /^video_[0-9a-f]{32}$/.test(id);
}

function recordOf(value: unknown): VideoRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, model, created, prompt, image, remixes, remixedFrom } = value as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' || typeof model !== 'string' || typeof created !== 'number') return undefined;
  if (typeof prompt !== 'string' || !Array.isArray(remixes)) return undefined;
  return {
    id,
    model,
    created,
    prompt,
    image: typeof image === 'string' ? image : null,
    remixes: remixes.filter((remix) => typeof remix === 'string'),
    remixedFrom: typeof remixedFrom === 'string' ? remixedFrom : null,
  };
}
