import assert from 'node:assert/strict';

export interface Mp4Facts {
  /** Types of the top-level boxes, in order. */
  readonly boxes: readonly string[];
  /** Codec of the pictures, such as `avc1`. */
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  /** Seconds. */
  readonly duration: number;
  readonly frames: number;
}

/** Reads what a player needs from an MP4 file with one video track. */
export function readMp4(file: Buffer): Mp4Facts {
  const boxes = childrenOf(file);
  const movie = boxNamed(boxes, 'moov');
  const header = boxNamed(childrenOf(movie), 'mvhd');
  assert.equal(header[0], 0, 'version of mvhd');
  const media = boxNamed(childrenOf(boxNamed(childrenOf(movie), 'trak')), 'mdia');
  const table = boxNamed(childrenOf(boxNamed(childrenOf(media), 'minf')), 'stbl');
  const description = boxNamed(childrenOf(table), 'stsd');
  return {
    boxes: boxes.map(({ type }) => type),
    duration: header.readUInt32BE(16) / header.readUInt32BE(12),
    codec: description.toString('latin1', 12, 16),
    width: description.readUInt16BE(40),
    height: description.readUInt16BE(42),
    frames: boxNamed(childrenOf(table), 'stsz').readUInt32BE(8),
  };
}

interface Box {
  readonly type: string;
  readonly content: Buffer;
}

function childrenOf(bytes: Buffer): readonly Box[] {
  const boxes: Box[] = [];
  let offset = 0;
  while (offset + 8 <= bytes.length) {
    const length = bytes.readUInt32BE(offset);
    assert(length >= 8 && offset + length <= bytes.length, `box at ${offset} has a length of ${length}`);
    boxes.push({
      type: bytes.toString('latin1', offset + 4, offset + 8),
      content: bytes.subarray(offset + 8, offset + length),
    });
    offset += length;
  }
  assert.equal(offset, bytes.length);
  return boxes;
}

function boxNamed(boxes: readonly Box[], type: string): Buffer {
  const box = boxes.find((candidate) => candidate.type === type);
  assert(box, `there is no ${type}`);
  return box.content;
}
