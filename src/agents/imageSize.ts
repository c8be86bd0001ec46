import { open } from 'node:fs/promises';

/** How much of the file is read, in bytes; enough for the headers of a JPEG from a camera. */
const headBytes = 256 * 1024;

/** Reads the size of a PNG, JPEG, GIF or WebP from its header, in pixels. Returns undefined for anything else. */
export async function imageSize(
  path: string,
): Promise<{ readonly width: number; readonly height: number } | undefined> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return sizeIn(buffer.subarray(0, bytesRead));
  } catch {
    return undefined;
  }
}

function sizeIn(head: Buffer) {
  if (head.length < 30) return undefined;
  if (head.readUInt32BE(0) === 0x89504e47) return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  if (head.toString('latin1', 0, 3) === 'GIF') return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  if (head.toString('latin1', 8, 12) === 'WEBP') return webpSize(head);
  return head.readUInt16BE(0) === 0xffd8 ? jpegSize(head) : undefined;
}

function webpSize(head: Buffer) {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Skips markers up to the first start-of-frame marker, which holds the size. */
function jpegSize(head: Buffer) {
  for (let at = 2; at + 9 < head.length; ) {
    const marker = head.readUInt16BE(at);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
    at += 2 + head.readUInt16BE(at + 2);
  }
  return undefined;
}
