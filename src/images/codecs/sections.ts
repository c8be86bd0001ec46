/** Part of a picture's file. A damaged file ends at the first part that does not fit. */
export interface Section {
  readonly type: string;
  readonly content: Buffer;
}

export function pngChunks(file: Buffer): readonly Section[] {
  const chunks: Section[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    if (at + 12 + length > file.length) break;
    chunks.push({ type: file.toString('latin1', at + 4, at + 8), content: file.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

export function webpChunks(file: Buffer): readonly Section[] {
  const chunks: Section[] = [];
  for (let at = 12; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4);
    if (at + 8 + length > file.length) break;
    chunks.push({ type: file.toString('latin1', at, at + 4), content: file.subarray(at + 8, at + 8 + length) });
    at += 8 + length + (length % 2);
  }
  return chunks;
}

/** Returns a JPEG's segments before its pixels; the last one may be truncated. */
export function jpegSegments(file: Buffer): readonly { readonly marker: number; readonly content: Buffer }[] {
  const segments: { marker: number; content: Buffer }[] = [];
  for (let at = 2; at + 4 <= file.length; ) {
    const marker = file[at + 1] ?? 0;
    // Bytes between two segments are skipped, as libjpeg does.
    if (file[at] !== 0xff || marker === 0xff) at += 1;
    // Markers without content.
    else if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else {
      const length = file.readUInt16BE(at + 2);
      // The pixels follow the start of a scan.
      if (marker === 0xda || marker === 0xd9 || length < 2) break;
      segments.push({ marker, content: file.subarray(at + 4, at + 2 + length) });
      at += 2 + length;
    }
  }
  return segments;
}
