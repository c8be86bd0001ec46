import { chunkHead } from '../marks/containers.ts';
import type { RecordingFile } from './RecordingFile.ts';
import { readWavFormat } from './wavFile.ts';

const headBytes = 65_536;

/**
 * Returns a WAV file with the lengths that it has, and a width of samples that its reader here knows. A program that
 * streams it, or that crashed, leaves a 0 or an early length in the header. Players then play to the end, but the reader
 * would stop. Samples of 12 or 20 bits fill whole bytes, and begin at the highest bit.
 */
export async function mendedWav(recording: RecordingFile): Promise<RecordingFile> {
  const { size } = recording;
  const head = await headOf(recording);
  if (!isWav(head)) return recording;
  const mended = new Map<number, Buffer>();
  if (head.readUInt32LE(4) + 8 < size) mended.set(4, fourBytes(size - 8));
  for (const { id, start, length } of chunksIn(head)) {
    const format = id === 'fmt ' ? readWavFormat(head.subarray(start, start + length)) : undefined;
    if (format?.coding === pcm && format.bits % 8 !== 0)
      mended.set(start + 14, twoBytes(8 * Math.ceil(format.bits / 8)));
    if (id === 'data' && length === 0) mended.set(start - 4, fourBytes(size - start));
  }
  if (mended.size === 0) return recording;
  return {
    ...recording,
    read: async (memory, position) => {
      const read = await recording.read(memory, position);
      for (const [at, bytes] of mended) {
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
export async function statedWavBytes(recording: RecordingFile): Promise<number> {
  const head = await headOf(recording);
  if (head.toString('latin1', 0, 4) !== 'RIFF') return 0;
  const length = [...chunksIn(head)].find(({ id }) => id === 'data')?.length ?? 0;
  return length < unknownLength ? length : 0;
}

/** The only codings of WAV that its reader here knows. */
const [pcm, float, aLaw, muLaw] = [1, 3, 6, 7];

/** Codings whose format says how many samples a block has: the ADPCM of Microsoft and of the IMA, and GSM. */
const blockCodings = [2, 0x11, 0x31];

/**
 * Returns how long a WAV file of another coding, such as ADPCM or GSM, is by its blocks, or by its rate of bytes;
 * undefined for any other file.
 */
export async function secondsOfCoded(recording: RecordingFile): Promise<number | undefined> {
  const head = await headOf(recording);
  if (!isWav(head)) return undefined;
  let bytesPerSecond = 0;
  for (const { id, start, length } of chunksIn(head)) {
    const content = head.subarray(start, start + length);
    const format = id === 'fmt ' ? readWavFormat(content) : undefined;
    if (format && [pcm, float, aLaw, muLaw].includes(format.coding)) return undefined;
    if (format) {
      const samples = blockCodings.includes(format.coding) && content.length >= 20 ? content.readUInt16LE(18) : 0;
      // ffmpeg writes a rate that is not that of its blocks.
      bytesPerSecond = samples > 0 ? (format.sampleRate * format.blockLength) / samples : format.bytesPerSecond;
    }
    const left = recording.size - start;
    if (id === 'data' && bytesPerSecond > 0) return (length === 0 ? left : Math.min(length, left)) / bytesPerSecond;
  }
  return undefined;
}

async function headOf({ size, read }: RecordingFile): Promise<Buffer> {
  const head = Buffer.alloc(Math.min(headBytes, size));
  await read(head, 0);
  return head;
}

function isWav(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE';
}

/** Yields the chunks that begin in the head of a WAV file, up to that of the samples. */
function* chunksIn(head: Buffer) {
  for (let offset = 12; offset + 8 <= head.length; ) {
    const { id, length, padded } = chunkHead(head.subarray(offset, offset + 12));
    yield { id, start: offset + 8, length };
    if (id === 'data') return;
    offset += 8 + padded;
  }
}

function fourBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(Math.min(value, 0xffff_ffff));
  return bytes;
}

function twoBytes(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
