import { mp3Bytes, mp4Bytes, pngBytes, pngChunk, wavBytes } from './mediaBytes.ts';
import { jpegFile, webpFile } from './pictureFiles.ts';

/** The address of IPTC's word for what a model made. */
export const trained = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
export const composite = 'http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia';

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A box of ISO files and of JUMBF. */
function box(type: string, ...content: readonly Buffer[]): Buffer {
  const all = Buffer.concat([latin1(type), ...content]);
  return Buffer.concat([uint32(all.length + 4), all]);
}

/** A manifest store of C2PA, without a signature, that claims a source by its address. */
export function manifestStore(source = trained, padding = 0): Buffer {
  const id = Buffer.from('6332706100110010800000aa00389b71', 'hex');
  const claim = latin1(`qdigitalSourceTypex\x46${source}dwhen`);
  return box('jumb', box('jumd', id, latin1('\x03c2pa\0')), box('cbor', Buffer.alloc(padding, 'x'), claim));
}

/** XMP as another program writes it. */
export function xmpText(value = trained): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"><e:DigitalSourceType>${value}</e:DigitalSourceType></rdf:Description></rdf:RDF></x:xmpmeta>`;
}

export function pngWith(...chunks: readonly (readonly [type: string, content: Buffer])[]): Buffer {
  const added = chunks.map(([type, content]) => pngChunk(type, content));
  return Buffer.concat([pngBytes.subarray(0, 33), ...added, pngBytes.subarray(33)]);
}

export function pngXmp(text: string): readonly [string, Buffer] {
  return ['iTXt', latin1(`XML:com.adobe.xmp\0\0\0\0\0${text}`)];
}

export function jpegWith(...segments: readonly (readonly [marker: number, content: Buffer])[]): Buffer {
  const added = segments.map(([marker, content]) => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(content.length + 2, 2);
    return Buffer.concat([head, content]);
  });
  return Buffer.concat([jpegFile.subarray(0, 2), ...added, jpegFile.subarray(2)]);
}

/** Segments of a box, which repeat its header. */
function jpegBox(content: Buffer): readonly (readonly [number, Buffer])[] {
  const size = 1000;
  const count = Math.ceil(content.length / size);
  return Array.from({ length: count }, (_, index) => {
    const repeated = index === 0 ? Buffer.alloc(0) : content.subarray(0, 8);
    const head = Buffer.concat([latin1('JP\0\x01'), uint32(index + 1), repeated]);
    return [0xeb, Buffer.concat([head, content.subarray(index * size, (index + 1) * size)])];
  });
}

export function riffWith(file: Buffer, id: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8, id);
  head.writeUInt32LE(content.length, 4);
  const all = Buffer.concat([file, head, content, Buffer.alloc(content.length % 2)]);
  all.writeUInt32LE(all.length - 8, 4);
  return all;
}

export function id3Frame(id: string, content: Buffer): Buffer {
  const head = Buffer.alloc(10, 0);
  head.write(id, 'latin1');
  // Seven bits each.
  for (const index of [0, 1, 2, 3]) head[7 - index] = (content.length >> (7 * index)) & 127;
  return Buffer.concat([head, content]);
}

export function mp3With(...frames: readonly Buffer[]): Buffer {
  const tag = id3Frame('ID3\x04', Buffer.concat(frames));
  // The size stands at another place in the header of a tag.
  const head = Buffer.concat([latin1('ID3\x04\0\0'), tag.subarray(4, 8)]);
  return Buffer.concat([head, ...frames, mp3Bytes.subarray(10)]);
}

export function geob(store: Buffer, type = 'application/x-c2pa-manifest-store'): Buffer {
  return id3Frame('GEOB', Buffer.concat([latin1(`\0${type}\0c2pa\0manifest\0`), store]));
}

export function flacWith(type: number, content: Buffer): Buffer {
  const block = (kind: number, data: Buffer) => Buffer.concat([uint32(kind * 2 ** 24 + data.length), data]);
  return Buffer.concat([
    latin1('fLaC'),
    block(0, Buffer.alloc(34)),
    block(type, content),
    block(0x81, Buffer.alloc(4)),
  ]);
}

const c2paBox = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');
const xmpBox = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
const avif = box('ftyp', latin1('avif\0\0\0\0mif1avif'));
const manifestBox = (store: Buffer) => box('uuid', c2paBox, latin1('\0\0\0\0manifest\0'), Buffer.alloc(8), store);

/** Files with Content Credentials, by where they stand. */
export function credentialFiles(store: Buffer = manifestStore()): Readonly<Record<string, Buffer>> {
  return {
    'PNG caBX': pngWith(['caBX', store]),
    'JPEG APP11': jpegWith(...jpegBox(store)),
    'WebP C2PA': riffWith(webpFile, 'C2PA', store),
    'WAV C2PA': riffWith(wavBytes, 'C2PA', store),
    'MP4 uuid': Buffer.concat([mp4Bytes.subarray(0, 24), manifestBox(store), mp4Bytes.subarray(24)]),
    'MP4 uuid after the media': Buffer.concat([
      mp4Bytes.subarray(0, 24),
      box('mdat', Buffer.alloc(100)),
      manifestBox(store),
    ]),
    'AVIF uuid': Buffer.concat([avif, manifestBox(store), box('mdat', Buffer.alloc(10))]),
    'AVIF jumb': Buffer.concat([avif, store, box('mdat', Buffer.alloc(10))]),
    'MP3 GEOB': mp3With(id3Frame('TIT2', latin1('\0Title')), geob(store)),
    'MP3 GEOB by its newer name': mp3With(geob(store, 'application/c2pa')),
    'FLAC application': flacWith(2, Buffer.concat([latin1('c2pa'), store])),
    'FLAC GEOB': Buffer.concat([
      mp3With(geob(store)).subarray(0, 20 + geob(store).length - 10),
      flacWith(4, Buffer.alloc(8)),
    ]),
  };
}

/** Files with IPTC's digital source type, by where it stands. */
export function sourceFiles(value = trained): Readonly<Record<string, Buffer>> {
  const text = latin1(xmpText(value));
  return {
    'PNG iTXt': pngWith(pngXmp(xmpText(value))),
    'JPEG APP1': jpegWith([0xe1, Buffer.concat([latin1('http://ns.adobe.com/xap/1.0/\0'), text])]),
    'WebP XMP': riffWith(webpFile, 'XMP ', text),
    'WAV _PMX': riffWith(wavBytes, '_PMX', text),
    'WAV ICMT': riffWith(wavBytes, 'LIST', Buffer.concat([latin1('INFOICMT'), uint32(0), latin1(value)])),
    'MP4 uuid': Buffer.concat([mp4Bytes, box('uuid', xmpBox, text)]),
    'AVIF among the pixels': Buffer.concat([avif, box('mdat', Buffer.alloc(70_000), text, Buffer.alloc(99))]),
    'MP3 TXXX': mp3With(id3Frame('TXXX', latin1(`\x03DigitalSourceType\0${value}`))),
    'MP3 TXXX in UTF-16': mp3With(id3Frame('TXXX', Buffer.from(`\u0001DigitalSourceType\0${value}`, 'utf16le'))),
    'MP3 PRIV': mp3With(id3Frame('PRIV', Buffer.concat([latin1('XMP\0'), text]))),
    'FLAC comment': flacWith(4, latin1(`DIGITALSOURCETYPE=${value}`)),
  };
}
