import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { BlockRange } from '../library/LibraryRecord.ts';
import { MediaError } from '../operations/MediaError.ts';

/** A narration that is there. */
export interface PreviousNarration {
  /** Extension of its file, without the dot. */
  readonly kind: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** One after the other within the file, as `readBlockRanges` gives them. */
  readonly blocks: readonly BlockRange[];
  /** The bytes of its file. */
  stream(): AsyncIterable<Uint8Array>;
}

/**
 * Cuts blocks out of a narration, each into a file of its own. What stands before the first block, the header of a WAV
 * file, begins each of them.
 *
 * @param keys of the blocks that are wanted
 * @param folder an empty one
 * @returns the paths of the files by key; blocks that the narration does not have are left out
 * @throws MediaError `save` when the file is not the recorded one
 */
export async function cutBlocks(
  previous: PreviousNarration,
  keys: ReadonlySet<string>,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Map(previous.blocks.filter(({ key }) => keys.has(key)).map((range) => [range.key, range]));
  const ranges = [...wanted.values()].sort((a, b) => a.start - b.start);
  if (ranges.length === 0) return new Map();
  const headLength = previous.blocks[0]?.start ?? 0;
  const pathOf = ({ key }: BlockRange) => join(folder, `${key}.${previous.kind}`);
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let position = 0;
  let next = 0;
  let file: FileHandle | undefined;
  try {
    for await (const chunk of previous.stream()) {
      hash.update(chunk);
      // A reader may use the memory of a chunk again.
      if (position < headLength) head.push(Uint8Array.from(chunk.subarray(0, headLength - position)));
      const end = position + chunk.length;
      for (let range = ranges[next]; range && range.start < end; range = ranges[next]) {
        if (!file) {
          file = await open(pathOf(range), 'wx');
          for (const bytes of head) await file.write(bytes);
        }
        await file.write(chunk.subarray(Math.max(0, range.start - position), range.end - position));
        if (range.end > end) break;
        await file.close();
        file = undefined;
        next++;
      }
      position = end;
    }
  } finally {
    await file?.close();
  }
  if (position !== previous.bytes || hash.digest('hex') !== previous.sha256) throw changedFile();
  return new Map(ranges.map((range) => [range.key, pathOf(range)]));
}

function changedFile(): MediaError {
  const sentence = l10n.t(
    'Nothing was sent: the narration changed on disk while it was read. Narrate again to see what is to be spoken now.',
  );
  return new MediaError('save', sentence);
}
