import { type DigitalSource, xmpPacket } from '../marks/DigitalSource.ts';
import { pictureFormat, type Section, withJpegSegments, withPngChunks, withWebpChunk } from './codecs/pictureFile.ts';
import type { EncodedImage } from './ImageChange.ts';

/**
 * Says in a picture that a model made it, as XMP, which carries IPTC's digital source type.
 *
 * @param file a picture that `transformImage` made, which has no XMP
 */
export function markPicture<File extends EncodedImage>(file: File, source: DigitalSource): File {
  return { ...file, bytes: withXmp(file, Buffer.from(xmpPacket(source), 'latin1')) };
}

function withXmp({ bytes, width, height }: EncodedImage, packet: Buffer): Uint8Array {
  switch (pictureFormat(bytes)) {
    case 'png':
      // Keyword, not deflated, no language and no translated keyword.
      return withPngChunks(bytes, [
        ['iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0', 'latin1'), packet])],
      ]);
    case 'jpeg': {
      const name = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1');
      const head = Buffer.from([0xff, 0xe1, 0, 0]);
      head.writeUInt16BE(2 + name.length + packet.length, 2);
      return withJpegSegments(bytes, [Buffer.concat([head, name, packet])]);
    }
    case 'webp': {
      const added = { type: 'XMP ', content: packet } as const satisfies Section;
      return withWebpChunk(bytes, added, { width, height });
    }
    case undefined:
      return bytes;
  }
}
