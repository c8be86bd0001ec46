import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { BlockRange } from '../library/LibraryRecord.ts';
import { MediaError } from '../operations/MediaError.ts';

/** An existing narration. */
export interface PreviousNarration {
  /** File extension without the dot. */
  readonly kind: string;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
  /** Block ranges in file order, as `readBlockRanges` returns them. */
  readonly blocks: readonly BlockRange[];
  /** Streams the file. */
  stream(): AsyncIterable<Uint8Array>;
}

/**
 * Cuts blocks out of a narration, each into its own file. Each file starts with what precedes the first block, which is
 * the header of a WAV file.
 *
 * @param keys keys of the requested blocks
 * @param folder an empty folder
 * @returns the paths of the files by key, without blocks that the narration does not have
 * @throws MediaError `save` when the file has changed since it was recorded
 */
export async function cutBlocks(
  previous: PreviousNarration,
  keys: ReadonlySet<string>,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const requested = new Map(previous.blocks.filter(({ key }) => keys.has(key)).map((range) => [range.key, range]));
  const ranges = [...requested.values()].sort((a, b) => a.start - b.start);
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
      // Copy the bytes, because the reader may reuse a chunk's memory.
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
  if (hash.digest('hex') !== previous.sha256) throw changedFile();
  return new Map(ranges.map((range) => [range.key, pathOf(range)]));
}

function changedFile(): MediaError {
  const sentence = l10n.t(
    'Nothing was sent, because the narration file changed while it was being read. Narrate again to see what needs to be spoken.',
  );
  return new MediaError('save', sentence);
}
