import type { OperationId } from '../operations/operations.ts';

/** What `media.jsonc` declares. */
export interface Manifest {
  /** Absolute path of the file. */
  readonly file: string;
  /** Absolute path of its folder, which the paths in it are relative to. */
  readonly folder: string;
  readonly entries: readonly Entry[];
}

interface EntryBase {
  /** Of the output, relative to the manifest, with forward slashes. */
  readonly path: string;
  /** The line of the manifest, from 1. */
  readonly line: number;
  /** Width and height in pixels: the picture is cropped from the middle to fill them. */
  readonly size?: readonly [width: number, height: number] | undefined;
  /** Of JPEG and WebP, 1 to 100. */
  readonly quality?: number | undefined;
}

/** An entry that the service makes. */
export interface RequestEntry extends EntryBase {
  readonly type: 'request';
  readonly operation: OperationId;
  /** The entry's own, else that of the defaults; a remix takes its parent's. */
  readonly model: string | undefined;
  /** Added to the prompt. */
  readonly style: string | undefined;
  readonly prompt?: string;
  readonly variants?: number;
  readonly voice?: string;
  readonly response_format?: string;
  readonly output_format?: string;
  readonly input?: string;
  readonly document?: string;
  readonly images?: readonly string[];
  readonly image?: string;
  readonly file?: string;
  readonly video?: string;
}

/** An entry that is made on this machine of another picture. */
export interface DerivedEntry extends EntryBase {
  readonly type: 'derived';
  readonly from: string;
}

export type Entry = RequestEntry | DerivedEntry;

/** Something that is wrong in a manifest or a lock. */
export interface Problem {
  readonly line: number;
  /** The entry's path, where it is about one. */
  readonly path?: string | undefined;
  readonly field?: string | undefined;
  /** A sentence without the place. */
  readonly sentence: string;
}

export const manifestName = 'media.jsonc';

/** Under which a path is known: file systems differ in whether they tell cases apart. */
export function keyOf(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** The files that an entry is made from. */
export function inputsOf(entry: Entry): readonly string[] {
  if (entry.type === 'derived') return [entry.from];
  const { images = [], image, file, document, video } = entry;
  return [...images, image, file, document, video].filter((path) => path !== undefined);
}
