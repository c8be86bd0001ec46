import { boxHead } from '../marks/containers.ts';
import type { RecordingFile } from './RecordingFile.ts';

/** Larger than the index of any recording that is copied here. */
const maxIndexBytes = 256 << 20;

/**
 * Checks that an MP4 can be read as a whole: that no box in it is damaged, and that no sound changes its form. The
 * reader stops at damage, and knows only the last description of each track: ISO 14496-12, 8.5.2, 8.7.4.
 *
 * @throws Error that says what is wrong
 */
export async function checkMp4({ size, read }: RecordingFile): Promise<void> {
  const head = Buffer.alloc(16);
  for (let position = 0; position < size; ) {
    const count = await read(head, position);
    const { type, length } = boxHead(head);
    // Some writers end with zeros.
    if (count < 8 || head.every((byte) => byte === 0)) return;
    if (length === 0 || !/^[\x20-\x7e\xa9]{4}$/.test(type)) throw new Error(`it is damaged at byte ${position}`);
    if (type === 'moov' && position + length <= size && length <= maxIndexBytes) {
      const index = Buffer.alloc(length);
      await read(index, position);
      for (const track of boxesIn(index, ['moov', 'trak'])) checkTrack(track);
    }
    position += length;
  }
}

function checkTrack(track: Buffer): void {
  const table = [...boxesIn(track, ['trak', 'mdia', 'minf', 'stbl'])][0];
  const handler = [...boxesIn(track, ['trak', 'mdia', 'hdlr'])][0];
  if (!table || handler?.toString('latin1', 16, 20) !== 'soun') return;
  const [descriptions] = boxesIn(table, ['stbl', 'stsd']);
  const [chunks] = boxesIn(table, ['stbl', 'stsc']);
  const count = descriptions && descriptions.length >= 16 ? descriptions.readUInt32BE(12) : 0;
  if (count < 2) return;
  const used = new Set<number>();
  for (let at = 16; chunks && at + 12 <= chunks.length; at += 12) used.add(chunks.readUInt32BE(at + 8));
  // Fragments name their descriptions elsewhere.
  if (used.size !== 1 || !used.has(count)) throw new Error(`its form changes: it has ${count} descriptions`);
}

/** Yields the boxes at a path, whose first name is that of the given one. */
function* boxesIn(box: Buffer, [own, ...path]: readonly string[]): Generator<Buffer> {
  const { type, header, length } = boxHead(box);
  if (type !== own) return;
  if (path.length === 0) return yield box;
  for (let at = header; at + 8 <= Math.min(length, box.length); ) {
    const { length: inner } = boxHead(box.subarray(at, at + 16));
    if (inner < 8) return;
    yield* boxesIn(box.subarray(at, Math.min(at + inner, box.length)), path);
    at += inner;
  }
}
