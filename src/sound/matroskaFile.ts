// What is at the end of a file of Matroska: RFC 9559. Its reader stops at damage, and leaves out an incomplete cluster.
import type { RecordingFile } from './RecordingFile.ts';

const clusterId = Buffer.from([0x1f, 0x43, 0xb6, 0x75]);
const segmentId = Buffer.from([0x18, 0x53, 0x80, 0x67]);
const scaleId = Buffer.from([0x2a, 0xd7, 0xb1]);
/** What a cluster starts with: its time, or a checksum. */
const firstInCluster = [0xe7, 0xbf];
const [timeId, simpleBlockId, groupId, blockId] = [0xe7, 0xa3, 0xa0, 0xa1];
const windowBytes = 1 << 20;
const headBytes = 65_536;
/** Larger clusters are not read for their last block. */
const maxClusterBytes = 32 << 20;

interface Element {
  readonly id: number;
  /** Offset of its content. */
  readonly content: number;
  /** Undefined if it is unknown. */
  readonly length: number | undefined;
}

/** Reads a number of variable length, of at most 8 bytes. @returns undefined if there is none */
function readNumber(bytes: Buffer, at: number) {
  const width = Math.clz32(bytes[at] ?? 0) - 23;
  if (width > 8 || at + width > bytes.length) return undefined;
  let value = (bytes[at] ?? 0) & (0xff >> width);
  let isUnknown = value === 0xff >> width;
  for (const byte of bytes.subarray(at + 1, at + width)) {
    value = value * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return { width, value: isUnknown ? undefined : value };
}

/** Reads the header of an element whose name has one byte. */
function elementAt(bytes: Buffer, at: number): Element | undefined {
  const size = readNumber(bytes, at + 1);
  return size && { id: bytes[at] ?? 0, content: at + 1 + size.width, length: size.value };
}

/** Finds the last cluster that starts before a position. */
async function clusterBefore({ read }: RecordingFile, before: number): Promise<number | undefined> {
  for (let end = before; end > 0; end -= windowBytes - clusterId.length - 16) {
    const start = Math.max(0, end - windowBytes);
    const memory = Buffer.alloc(end - start);
    const window = memory.subarray(0, await read(memory, start));
    for (let at = window.lastIndexOf(clusterId); at >= 0; at = at === 0 ? -1 : window.lastIndexOf(clusterId, at - 1)) {
      const size = readNumber(window, at + 4);
      if (size && firstInCluster.includes(window[at + 4 + size.width] ?? 0)) return start + at;
    }
    if (start === 0) return undefined;
  }
  return undefined;
}

/** Returns a file that ends behind the last whole block of its last cluster, if that is longer than what there is of it. */
export async function mendedMatroska(recording: RecordingFile): Promise<RecordingFile> {
  const { size, read } = recording;
  const start = await clusterBefore(recording, size);
  if (start === undefined || size - start > maxClusterBytes) return recording;
  const cluster = Buffer.alloc(size - start);
  await read(cluster, start);
  const length = readNumber(cluster, 4);
  if (!length || length.value === undefined || 4 + length.width + length.value <= cluster.length) return recording;
  const field = Buffer.alloc(length.width);
  let rest = endOfWhole(cluster, 4 + length.width);
  const end = start + rest;
  rest -= 4 + length.width;
  for (let at = field.length - 1; at >= 0; at--) {
    field[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  field[0] = (field[0] ?? 0) | (0x100 >> length.width);
  return {
    ...recording,
    size: end,
    read: async (memory, position) => {
      const left = Math.max(0, end - position);
      const count = await read(memory.subarray(0, Math.min(memory.length, left)), position);
      for (const [index, byte] of field.entries()) {
        const target = start + 4 + index - position;
        if (target >= 0 && target < count) memory[target] = byte;
      }
      return count;
    },
  };
}

/** Returns the offset behind the last element of a cluster that is whole. */
function endOfWhole(cluster: Buffer, first: number): number {
  let at = first;
  while (at < cluster.length) {
    const element = elementAt(cluster, at);
    if (element?.length === undefined || element.content + element.length > cluster.length) break;
    at = element.content + element.length;
  }
  return at;
}

/** What a file has at its end. */
interface MatroskaEnd {
  /** When the last packet of a track starts, in seconds; undefined without any. */
  readonly ofTrack: number | undefined;
  /** When the last packet of any track starts. */
  readonly ofAny: number | undefined;
  /** Whether the file is shorter than it says. */
  readonly isCut: boolean;
}

/** @param track its number in the file */
export async function endOfMatroska(recording: RecordingFile, track: number): Promise<MatroskaEnd> {
  const { size, read } = recording;
  const head = Buffer.alloc(Math.min(size, headBytes));
  await read(head, 0);
  const segment = head.indexOf(segmentId);
  const length = segment < 0 ? undefined : readNumber(head, segment + 4);
  const end = length?.value === undefined ? 0 : segment + 4 + length.width + length.value;
  const scale = scaleOf(head) / 1e9;
  let ofAny: number | undefined;
  for (let before = size; ; ) {
    const start = await clusterBefore(recording, before);
    if (start === undefined || before - start > maxClusterBytes)
      return { ofTrack: undefined, ofAny, isCut: end > size };
    const memory = Buffer.alloc(before - start);
    await read(memory, start);
    const times = blocksIn(memory);
    ofAny ??= lastOf(times.map(({ time }) => time * scale));
    const ofTrack = lastOf(times.filter((one) => one.track === track).map(({ time }) => time * scale));
    if (ofTrack !== undefined) return { ofTrack, ofAny, isCut: end > size };
    before = start;
  }
}

function lastOf(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Returns the unit of times in nanoseconds. */
function scaleOf(head: Buffer): number {
  const at = head.indexOf(scaleId);
  const size = at < 0 ? undefined : readNumber(head, at + 3);
  if (!size?.value || size.value > 6) return 1_000_000;
  return head.readUIntBE(at + 3 + size.width, size.value) || 1_000_000;
}

/** Returns the tracks and times of the blocks of a cluster. */
function blocksIn(cluster: Buffer) {
  const blocks: { readonly track: number; readonly time: number }[] = [];
  const header = readNumber(cluster, 4);
  let base = 0;
  for (let at = 4 + (header?.width ?? 1); at < cluster.length; ) {
    const element = elementAt(cluster, at);
    if (element?.length === undefined || element.content + element.length > cluster.length) break;
    const { id, content, length } = element;
    if (id === timeId && length <= 6 && length > 0) base = cluster.readUIntBE(content, length);
    const number = id === simpleBlockId || id === blockId ? readNumber(cluster, content) : undefined;
    if (number?.value !== undefined && content + number.width + 2 <= cluster.length) {
      blocks.push({ track: number.value, time: base + cluster.readInt16BE(content + number.width) });
    }
    // The block of a group is read like those outside.
    at = id === groupId ? content : content + length;
  }
  return blocks;
}
