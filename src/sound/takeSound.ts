import { open } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { CopiedSound, RecordingTask, SoundPart } from './readRecording.ts';
import type { RecordingFile, SoundTrack } from './SoundTrack.ts';
import { openSound, packetsOf, SoundWriter } from './SoundTrack.ts';

/** Copies the sound of a recording into its own file. */
export async function takeSound(
  recording: RecordingFile,
  { folder, copies }: Pick<Extract<RecordingTask, { type: 'takeSound' }>, 'folder' | 'copies'>,
  onProgress: (share: number) => void,
): Promise<CopiedSound> {
  const { path } = recording;
  if (copies !== 'never') {
    const program = await takeProgramSound(
      recording,
      join(folder, `${basename(path, extname(path))}.mpga`),
      onProgress,
    );
    if (program) return program;
  }
  return openSound(recording, async (opened): Promise<CopiedSound> => {
    if (opened.type !== 'track') return opened;
    if (copies === 'never' || (copies === 'ofVideos' && !opened.hasPicture)) return { type: 'isSound' };
    return { type: 'parts', parts: [await copyAll(opened.sound, path, folder, onProgress)] };
  });
}

async function copyAll(sound: SoundTrack, file: string, folder: string, onProgress: (share: number) => void) {
  const target = join(folder, `${basename(file, extname(file))}.${sound.format.extension}`);
  const writer = await SoundWriter.open(sound, target);
  for await (const packet of packetsOf(sound, true, onProgress)) await writer.add(packet);
  return (await writer.finish()) satisfies SoundPart;
}

const windowBytes = 1 << 20;
const packHeader = Buffer.from([0, 0, 1, 0xba]);
const privateStream = 0xbd;
const progressBytes = 64 * windowBytes;

/**
 * Copies the first sound stream of an MPEG program stream (ISO 11172-1, 13818-1). The result is plain MPEG audio
 * frames. mediabunny does not read these streams.
 *
 * @param path path of the new file; there must be none yet
 * @returns undefined for any other file
 */
async function takeProgramSound(
  source: RecordingFile,
  path: string,
  onProgress: (share: number) => void,
): Promise<Exclude<CopiedSound, { readonly type: 'isSound' }> | undefined> {
  const head = Buffer.alloc(4);
  await source.read(head, 0);
  if (!head.equals(packHeader)) return undefined;
  await using sound = await open(path, 'wx');
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
  return hasOtherSound ? { type: 'unreadable', reason: 'its sound is not MPEG audio' } : { type: 'noSound' };
}

/** Yields the packets that have a length. They share one buffer. */
async function* packetsIn(source: RecordingFile, onProgress: (share: number) => void) {
  const { size } = source;
  const memory = Buffer.allocUnsafe(windowBytes);
  let reported = 0;
  for (let position = 0; position < size; ) {
    const bytesRead = await source.read(memory, position);
    const window = memory.subarray(0, bytesRead);
    let offset = nextCode(window, 0);
    while (offset + 6 <= window.length) {
      const code = window[offset + 3] ?? 0;
      // Lower codes are picture data and packs, which have no length.
      const hasLength = code >= 0xbb;
      const end = offset + (hasLength ? 6 + window.readUInt16BE(offset + 4) : 4);
      if (end > window.length && position + end <= size) break;
      if (hasLength) yield { code, packet: window.subarray(offset + 6, end) };
      offset = nextCode(window, end);
    }
    // The last bytes may be part of a start code, and a packet that did not fit goes to the next window.
    position += Math.max(1, Math.min(offset, window.length - 3));
    if (position - reported < progressBytes) continue;
    reported = position;
    onProgress(position / size);
  }
}

/** Returns the offset of the next start code, or the length when there is none. */
function nextCode(window: Buffer, from: number): number {
  const found = window.indexOf('\0\0\x01', from, 'latin1');
  return found < 0 ? window.length : found;
}

/** Returns the data of an MPEG-2 or MPEG-1 packet without its header. */
function dataOf(packet: Buffer): Buffer {
  if (((packet[0] ?? 0) & 0xc0) === 0x80) return packet.subarray(3 + (packet[2] ?? 0));
  let offset = 0;
  while (packet[offset] === 0xff) offset++;
  // Skips the size of the decoder's buffer.
  if (((packet[offset] ?? 0) & 0xc0) === 0x40) offset += 2;
  const kind = (packet[offset] ?? 0) >> 4;
  if (kind === 2) return packet.subarray(offset + 5);
  return packet.subarray(offset + (kind === 3 ? 10 : 1));
}
