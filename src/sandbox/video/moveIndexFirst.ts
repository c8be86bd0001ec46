interface Box {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Boxes that contain only boxes, on the path to the chunk offset table. */
const containers = ['moov', 'trak', 'mdia', 'minf', 'stbl'];

/**
 * Moves the index of an MP4 file (`moov`) before its media, so that a player can start before it has the whole file.
 * Returns the file unchanged if it has no index or begins with it.
 */
export function moveIndexFirst(file: Uint8Array): Uint8Array {
  const whole = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const boxes = boxesOf(whole);
  const index = boxes.find(({ type }) => type === 'moov');
  const media = boxes.findIndex(({ type }) => type === 'mdat');
  if (!index || media === -1 || boxes.indexOf(index) < media) return file;
  const moved = Buffer.from(index.bytes);
  shiftOffsets(moved, moved.length);
  const others = boxes.filter((box) => box !== index);
  return Buffer.concat([
    ...others.slice(0, media).map(({ bytes }) => bytes),
    moved,
    ...others.slice(media).map(({ bytes }) => bytes),
  ]);
}

/** Adds `by` to every file offset in the index. */
function shiftOffsets(parent: Buffer, by: number): void {
  for (const { type, bytes } of boxesOf(parent.subarray(8))) {
    if (containers.includes(type)) shiftOffsets(bytes, by);
    if (type !== 'stco') continue;
    const count = bytes.readUInt32BE(12);
    for (let entry = 0; entry < count; entry++) {
      const at = 16 + entry * 4;
      bytes.writeUInt32BE(bytes.readUInt32BE(at) + by, at);
    }
  }
}

function boxesOf(bytes: Buffer): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = Math.max(8, bytes.readUInt32BE(at));
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), bytes: bytes.subarray(at, at + length) });
    at += length;
  }
  return boxes;
}
