import { chunkHead } from '../marks/containers.ts';
import type { RecordingFile } from './RecordingFile.ts';

const headBytes = 65_536;

/**
 * Returns a WAV file with the lengths that it has. A program that streams it, or that crashed, leaves a 0 or an early
 * length in the header. Players then play to the end, but its reader here would stop.
 */
export async function mendedWav(recording: RecordingFile): Promise<RecordingFile> {
  const { size } = recording;
  const head = Buffer.alloc(Math.min(headBytes, size));
  await recording.read(head, 0);
  if (head.toString('latin1', 0, 4) !== 'RIFF') return recording;
  const lengths = new Map<number, number>();
  if (head.readUInt32LE(4) + 8 < size) lengths.set(4, size - 8);
  for (let offset = 12; offset + 8 <= head.length; ) {
    const { id, length, padded } = chunkHead(head.subarray(offset, offset + 12));
    if (id === 'data') {
      if (length === 0) lengths.set(offset + 4, size - offset - 8);
      break;
    }
    offset += 8 + padded;
  }
  if (lengths.size === 0) return recording;
  return {
    ...recording,
    read: async (memory, position) => {
      const read = await recording.read(memory, position);
      for (const [at, length] of lengths) {
        const bytes = Buffer.alloc(4);
        bytes.writeUInt32LE(Math.min(length, 0xffff_ffff));
        for (const [index, byte] of bytes.entries()) {
          const target = at + index - position;
          if (target >= 0 && target < read) memory[target] = byte;
        }
      }
      return read;
    },
  };
}

/** Programs that stream do not know the length, and write a very large one. */
const unknownLength = 0x7fff_0000;

/** Returns how many bytes of samples a WAV file says to have; 0 if it does not say. */
export async function statedWavBytes({ size, read }: RecordingFile): Promise<number> {
  const head = Buffer.alloc(Math.min(headBytes, size));
  await read(head, 0);
  if (head.toString('latin1', 0, 4) !== 'RIFF') return 0;
  for (let offset = 12; offset + 8 <= head.length; ) {
    const { id, length, padded } = chunkHead(head.subarray(offset, offset + 12));
    if (id === 'data') return length < unknownLength ? length : 0;
    offset += 8 + padded;
  }
  return 0;
}
