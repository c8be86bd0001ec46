import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MarkReader, marksIn, marksOf } from '../../../src/marks/readMarks.ts';
import { staysInProportion } from '../../support/growsLinearly.ts';

const word = (bytes: number, value: number, isLittle = false) => {
  const number = Buffer.alloc(bytes);
  if (isLittle) number.writeUIntLE(value, 0, bytes);
  else number.writeUIntBE(value, 0, bytes);
  return number;
};
const text = (characters: string) => Buffer.from(characters, 'latin1');
const joined = (...parts: readonly Uint8Array[]) => Buffer.concat(parts);

/** A part of a file with its length and its name. */
const forms = {
  png: {
    head: text('\x89PNG\r\n\x1a\n'),
    part: (name: string, body: Buffer) => joined(word(4, body.length), text(name), body, word(4, 0)),
    names: ['iTXt', 'caBX', 'teST'],
  },
  jpeg: {
    head: text('\xff\xd8'),
    part: (name: string, body: Buffer) => joined(text(name), word(2, body.length + 2), body),
    names: ['\xff\xe1', '\xff\xeb', '\xff\xe2'],
  },
  webp: {
    head: text('RIFF\0\0\0\0WEBP'),
    part: (name: string, body: Buffer) =>
      joined(text(name), word(4, body.length, true), body, Buffer.alloc(body.length % 2)),
    names: ['XMP ', 'C2PA', 'teST'],
  },
  mp4: {
    head: text('\0\0\0\x0cftypisom'),
    part: (name: string, body: Buffer) => joined(word(4, body.length + 8), text(name), body),
    names: ['moov', 'jumb', 'free'],
  },
  flac: {
    head: text('fLaC'),
    part: (name: string, body: Buffer) => joined(text(name), word(3, body.length), body),
    names: ['\x04', '\x02', '\x01'],
  },
  id3: {
    head: text('ID3\x03\0\0\x7f\x7f\x7f\x7f'),
    part: (name: string, body: Buffer) => joined(text(name), word(4, body.length), word(2, 0), body),
    names: ['TXXX', 'GEOB', 'APIC'],
  },
} as const;

const bodies: readonly Buffer[] = [
  text('http://ns.adobe.com/xap/1.0/\0DigitalSourceType="trainedAlgorithmicMedia"'),
  text('XML:com.adobe.xmp\0\0\0\0\0digitalsourcetype/'),
  text('\0\0\0\x10jumb\0\0\0\x10jumdc2padigitalsourcetype'),
  text('JP\0\0\0\0\0\0'),
  text('x'),
];

/** The parts of a file: their name and what is in them. */
const shapes: Readonly<Record<string, (index: number) => readonly [name: number, body: Buffer]>> = {
  'parts of all kinds': (index) => [index % 3, bodies[index % bodies.length] ?? Buffer.alloc(0)],
  'parts with a source': () => [0, bodies[0] ?? Buffer.alloc(0)],
  'parts with Content Credentials': () => [1, bodies[2] ?? Buffer.alloc(0)],
  'parts that are passed': () => [2, bodies[4] ?? Buffer.alloc(0)],
  'empty parts': () => [2, Buffer.alloc(0)],
};

/** Files of one part. */
const single: Readonly<Record<string, (size: number) => Buffer>> = {
  'spaces after the name of a source': (size) => text(`digitalsourcetype>${' '.repeat(size)}`),
  'names of sources': (size) => text('digitalsourcetype/'.repeat(size / 18)),
  'letters after the name of a source': (size) => text(`digitalsourcetype/${'a'.repeat(size)}`),
};

const readers: Readonly<Record<string, (path: string, bytes: Buffer) => unknown>> = {
  marksOf: (path) => marksOf(path),
  marksIn: (_, bytes) => marksIn(bytes),
  'MarkReader with small pieces': (_, bytes) => {
    const reader = new MarkReader();
    for (let at = 0; at < bytes.length; at += 100) reader.feed(bytes.subarray(at, at + 100));
    return reader.end();
  },
};

describe('time for the marks of a file from outside (promise 17)', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'marks-'));
  });
  after(() => rm(folder, { recursive: true }));

  const files: readonly (readonly [string, (size: number) => Buffer, number])[] = Object.entries(forms).flatMap(
    ([form, { head, part, names }]) => [
      ...Object.entries(shapes).map(([shape, partOf]) => {
        const fileOf = (size: number) => {
          const parts = Array.from({ length: size }, (_, index) => {
            const [name, body] = partOf(index);
            return part(names[name] ?? '', body);
          });
          return joined(head, ...parts);
        };
        return [`${shape} of ${form}`, fileOf, 5000] as const;
      }),
      ...Object.entries(single).map(([shape, bodyOf]) => {
        // A segment of JPEG has at most 64 kB.
        const most = form === 'jpeg' ? 65_000 : Number.POSITIVE_INFINITY;
        const start = form === 'png' ? text('XML:com.adobe.xmp\0\0\0\0\0') : text('');
        const fileOf = (size: number) => joined(head, part(names[0], joined(start, bodyOf(size)).subarray(0, most)));
        return [`${shape} of ${form}`, fileOf, 250_000] as const;
      }),
    ],
  );
  for (const [shape, fileOf, size] of files) {
    for (const [name, read] of Object.entries(readers)) {
      it(`grows at most linearly in ${name} with ${shape}`, async () => {
        const prepare = async (count: number) => {
          const bytes = fileOf(count);
          const path = join(folder, `${count}`);
          await writeFile(path, bytes);
          return () => read(path, bytes);
        };
        assert(await staysInProportion(prepare, size));
      });
    }
  }
});
