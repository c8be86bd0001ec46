import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { RecordingResult } from './tasks.ts';

const windowBytes = 1 << 20;
const packHeader = Buffer.from([0, 0, 1, 0xba]);
const privateStream = 0xbd;
const progressEvery = 64 * windowBytes;

/**
 * Copies the first sound stream of an MPEG program stream (ISO 11172-1, 13818-1), which is a row of MPEG audio frames as
 * it stands. No library reads these.
 *
 * @param target path of the new file, without extension
 * @returns undefined for any other file
 */
export async function takeProgramSound(
  file: string,
  target: string,
  onProgress: (share: number) => void,
): Promise<RecordingResult | undefined> {
  await using source = await open(file);
  const { buffer: head } = await source.read(Buffer.alloc(4), 0, 4, 0);
  if (!head.equals(packHeader)) return undefined;
  const path = `${target}.mpga`;
  await using sound = await open(path, 'w');
  let stream: number | undefined;
  let bytes = 0;
  let hasOtherSound = false;
  for await (const { code, packet } of packetsIn(source, onProgress)) {
    if (code === privateStream) hasOtherSound = true;
    if (code < 0xc0 || code > 0xdf) continue;
    stream ??= code;
    if (code !== stream) continue;
    const data = dataOf(packet);
    await sound.writev([data]);
    bytes += data.length;
  }
  if (bytes > 0) return { type: 'parts', parts: [{ file: path, bytes, start: 0, end: 0 }] };
  return hasOtherSound ? { type: 'unreadable', reason: 'its sound is no MPEG audio' } : { type: 'noSound' };
}

/** The packets that have a length; each lies in memory that the next one uses again. */
async function* packetsIn(source: FileHandle, onProgress: (share: number) => void) {
  const { size } = await source.stat();
  const memory = Buffer.allocUnsafe(windowBytes);
  let told = 0;
  for (let position = 0; position < size; ) {
    const { bytesRead } = await source.read(memory, 0, windowBytes, position);
    const window = memory.subarray(0, bytesRead);
    let offset = nextCode(window, 0);
    while (offset + 6 <= window.length) {
      const code = window[offset + 3] ?? 0;
      // Below stand the codes of pictures, and packs, which have no length.
      const hasLength = code >= 0xbb;
      const end = offset + (hasLength ? 6 + window.readUInt16BE(offset + 4) : 4);
      if (end > window.length && position + end <= size) break;
      if (hasLength) yield { code, packet: window.subarray(offset + 6, end) };
      offset = nextCode(window, end);
    }
    // A code may begin in the last bytes, and a packet that did not fit begins the next window.
    position += Math.max(1, Math.min(offset, window.length - 3));
    if (position - told < progressEvery) continue;
    told = position;
    onProgress(position / size);
  }
}

/** Where the next start code is; behind the end where there is none. */
function nextCode(window: Buffer, from: number): number {
  const found = window.indexOf('\0\0\x01', from, 'latin1');
  return found < 0 ? window.length : found;
}

/** The data of a packet behind its header, of MPEG-2 or MPEG-1. */
function dataOf(packet: Buffer): Buffer {
  if (((packet[0] ?? 0) & 0xc0) === 0x80) return packet.subarray(3 + (packet[2] ?? 0));
  let offset = 0;
  while (packet[offset] === 0xff) offset++;
  // The size of the decoder's buffer.
  if (((packet[offset] ?? 0) & 0xc0) === 0x40) offset += 2;
  const kind = (packet[offset] ?? 0) >> 4;
  if (kind === 2) return packet.subarray(offset + 5);
  return packet.subarray(offset + (kind === 3 ? 10 : 1));
}
