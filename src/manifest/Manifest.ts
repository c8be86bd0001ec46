import type { OperationId } from '../operations/operations.ts';

/** The content of `media.jsonc`. */
export interface Manifest {
  /** Absolute path of the file. */
  readonly file: string;
  /** Absolute path of its folder, which the paths in it are relative to. */
  readonly folder: string;
  readonly entries: readonly Entry[];
}

interface EntryBase {
  /** Path of the output relative to the manifest, with forward slashes. */
  readonly path: string;
  /** The line in the manifest, starting at 1. */
  readonly line: number;
  /** Size in pixels. The image is cropped from the middle to fill it. */
  readonly size?: readonly [width: number, height: number] | undefined;
  /** Quality of a JPEG or WebP, 1 to 100. */
  readonly quality?: number | undefined;
}

/** An entry whose output the service generates. */
export interface RequestEntry extends EntryBase {
  readonly type: 'request';
  readonly operation: OperationId;
  /** The model of the entry or of the defaults. A remix uses the model of its parent instead. */
  readonly model: string | undefined;
  /** Appended to the prompt. */
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

/** An entry that is made locally from another image. */
export interface DerivedEntry extends EntryBase {
  readonly type: 'derived';
  readonly from: string;
}

export type Entry = RequestEntry | DerivedEntry;

/** An error in a manifest or a lock. */
export interface Problem {
  readonly line: number;
  /** The path of the entry, if it concerns one. */
  readonly path?: string | undefined;
  readonly field?: string | undefined;
  /** What is wrong, without line and path. */
  readonly sentence: string;
}

export const manifestName = 'media.jsonc';

/** Returns the key that a path is compared by. It ignores case, as some file systems do. */
export function keyOf(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Returns the paths of the files that an entry is made from. */
export function inputsOf(entry: Entry): readonly string[] {
  if (entry.type === 'derived') return [entry.from];
  const { images = [], image, file, document, video } = entry;
  return [...images, image, file, document, video].filter((path) => path !== undefined);
}
