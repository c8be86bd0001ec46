import type { FileHandle } from 'node:fs/promises';
import { readBytes } from './readBytes.ts';
import type { MpegAudioFrame } from './readMpegAudioFrame.ts';
import { findMpegAudioFrame } from './readMpegAudioFrame.ts';
import type { SoundFacts } from './SoundFacts.ts';

/** Size of the parts read at the start and end of a file: each holds some audio packets. */
const windowBytes = 2 << 20;
const ticksPerSecond = 90_000;

interface Packet {
  /** Presentation time of the first frame that begins in it, in ticks. */
  readonly time: number | undefined;
  readonly sound: Buffer;
}

/** Reads the properties of the audio in an MPEG program stream (ISO 11172-1, 13818-1), undefined if it has none. */
export async function readMpegProgram(file: FileHandle): Promise<SoundFacts | undefined> {
  const { size } = await file.stat();
  const first = packetsOf(await readBytes(file, 0, windowBytes));
  const last = packetsOf(await readBytes(file, Math.max(0, size - windowBytes), windowBytes));
  const frame = first.map(({ sound }) => findMpegAudioFrame(sound)).find((found) => found !== undefined);
  const from = first.find(({ time }) => time !== undefined)?.time;
  const until = last.findLastIndex(({ time }) => time !== undefined);
  const to = last[until]?.time;
  if (!frame || from === undefined || to === undefined) return undefined;
  const tail = last.slice(until).reduce((sum, { sound }) => sum + sound.length, 0);
  const duration = (to - from) / ticksPerSecond + (tail * 8) / frame.bitrate;
  return duration > 0 ? { ...factsOf(frame), duration } : undefined;
}

function factsOf({ version, layer, channels, sampleRate, bitrate }: MpegAudioFrame): Omit<SoundFacts, 'duration'> {
  return { codec: `MPEG ${version} Layer ${layer}`, channels, sampleRate, bitrate };
}

/** Returns the packets of the first audio stream. */
function packetsOf(bytes: Buffer): readonly Packet[] {
  const packets: Packet[] = [];
  let stream: number | undefined;
  let offset = bytes.indexOf('\0\0\x01', 0, 'latin1');
  while (offset >= 0 && offset + 6 <= bytes.length) {
    const code = bytes[offset + 3] ?? 0;
    const end = offset + 6 + bytes.readUInt16BE(offset + 4);
    const isSound = code >= 0xc0 && code <= 0xdf && end <= bytes.length;
    if (isSound) {
      stream ??= code;
      if (stream === code) packets.push(packetOf(bytes.subarray(offset + 6, end)));
    }
    offset = bytes.indexOf('\0\0\x01', isSound ? end : offset + 3, 'latin1');
  }
  return packets;
}

function packetOf(packet: Buffer): Packet {
  const isMpeg2 = ((packet[0] ?? 0) & 0xc0) === 0x80;
  return isMpeg2 ? packetOfMpeg2(packet) : packetOfMpeg1(packet);
}

function packetOfMpeg2(packet: Buffer): Packet {
  const [, flags = 0, headLength = 0] = packet;
  return { time: flags & 0x80 ? timeOf(packet, 3) : undefined, sound: packet.subarray(3 + headLength) };
}

function packetOfMpeg1(packet: Buffer): Packet {
  let offset = 0;
  while (packet[offset] === 0xff) offset++;
  // Skip the size of the decoder's buffer.
  if (((packet[offset] ?? 0) & 0xc0) === 0x40) offset += 2;
  const kind = (packet[offset] ?? 0) >> 4;
  if (kind === 2) return { time: timeOf(packet, offset), sound: packet.subarray(offset + 5) };
  if (kind === 3) return { time: timeOf(packet, offset), sound: packet.subarray(offset + 10) };
  return { time: undefined, sound: packet.subarray(offset + 1) };
}

/** Reads a timestamp: 33 bits in five bytes, separated by marker bits. */
function timeOf(bytes: Buffer, offset: number): number | undefined {
  if (offset + 5 > bytes.length) return undefined;
  const high = ((bytes[offset] ?? 0) >> 1) & 7;
  return high * 2 ** 30 + (bytes.readUInt16BE(offset + 1) >> 1) * 2 ** 15 + (bytes.readUInt16BE(offset + 3) >> 1);
}
