import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  checked,
  either,
  list,
  nothing,
  number,
  objectWith,
  optional,
  pair,
  type Shaped,
  text,
} from '../../foreign/shape.ts';

/** How a video was made: enough to make it again and to remix it. */
const isRecord = objectWith({
  id: text(),
  model: text(),
  /** Seconds since 1970. */
  created: number,
  /** Prompt of the original video. */
  prompt: text(),
  /** Id of the video whose first frame is stored as a PNG; null if the video does not begin with an image. */
  image: either(text(), nothing),
  /** Prompts of all remixes since the original, oldest first. */
  remixes: list(text()),
  remixedFrom: either(text(), nothing),
  /** Width and height, if they are not the usual ones. */
  size: optional(pair(number, number)),
});
export type VideoRecord = Shaped<typeof isRecord>;

/** A video that is made while its client asks for it. */
export interface VideoJob {
  readonly record: VideoRecord;
  readonly seconds: number;
  /** Path of its URL, once it is made. */
  url?: string;
  /** When it was made, in seconds since 1970. */
  completed?: number;
  failure?: string;
}

/** Stores the record of each video as a JSON file in a folder, so that videos can be remixed after a restart. */
export class VideoStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  createId(): string {
    return `video_${randomBytes(16).toString('hex')}`;
  }

  /** @param image first frame as a PNG, for a record whose `image` is its own id */
  async save(record: VideoRecord, image?: Uint8Array): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    if (image) await writeFile(this.#path(record.id, 'png'), image);
    await writeFile(this.#path(record.id, 'json'), JSON.stringify(record));
  }

  /** Returns undefined if the id is unknown or the record's file is damaged. */
  async find(id: string): Promise<VideoRecord | undefined> {
    if (!isVideoId(id)) return undefined;
    try {
      return checked(isRecord, JSON.parse(await readFile(this.#path(id, 'json'), 'utf8')));
    } catch {
      return undefined;
    }
  }

  /** Forgets a video. The first frame stays, because remixes may begin with it. */
  async remove(id: string): Promise<void> {
    if (isVideoId(id)) await rm(this.#path(id, 'json'), { force: true });
  }

  /** Returns the first frame of a video as a PNG, or undefined if there is none. */
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
