import assert from 'node:assert/strict';
import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { MarkReader, type Marks, marksIn, marksOf } from '../../../src/marks/readMarks.ts';
import { fc } from '../../support/fastCheck.ts';
import {
  composite,
  credentialFiles,
  jpegWith,
  manifestStore,
  pngWith,
  pngXmp,
  sourceFiles,
  trained,
  xmpText,
} from '../../support/markedFiles.ts';
import { mp3Bytes, mp4Bytes, pngBytes, wavBytes } from '../../support/mediaBytes.ts';
import {
  jpegFile,
  losslessWebpFile,
  transparentWebpFile,
  turnedJpegFile,
  webpFile,
} from '../../support/pictureFiles.ts';

const none: Marks = { kinds: [], source: undefined };
const made = { source: 'trainedAlgorithmicMedia' } as const;
const [credentials, sources] = [Object.entries(credentialFiles()), Object.entries(sourceFiles())];

describe('Marks of origin', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'marks-'))));
  after(() => rm(folder, { recursive: true }));

  async function onDisk(bytes: Uint8Array): Promise<Marks> {
    const path = join(folder, 'file');
    await writeFile(path, bytes);
    return marksOf(path);
  }

  /** Reads pieces whose memory is used again. */
  function inPieces(bytes: Uint8Array, length: number): Marks {
    const reader = new MarkReader();
    const piece = Buffer.alloc(length);
    for (let at = 0; at < bytes.length; at += length) {
      const next = bytes.subarray(at, at + length);
      piece.fill(0xff).set(next);
      reader.feed(piece.subarray(0, next.length));
    }
    return reader.end();
  }

  describe('of a file of many small parts (promise 17)', () => {
    const jpegStart = Buffer.of(0xff, 0xd8);
    const chunk = Buffer.from('\0\0\0\0teSt\0\0\0\0', 'latin1');
    const boxHead = Buffer.from('\0\0\0\u0014ftypisom\0\0\0\0isom', 'latin1');
    const repeated = (start: Uint8Array, part: Uint8Array, bytes: number) =>
      Buffer.concat([start, Buffer.alloc(bytes, part)]);
    const files: Readonly<Record<string, Buffer>> = {
      'fill bytes': repeated(jpegStart, Buffer.of(0xff), 300_000),
      'fill bytes between markers': repeated(jpegStart, Buffer.of(0xff, 0xff, 0xff, 0x01), 300_000),
      'empty markers': repeated(jpegStart, Buffer.of(0xff, 0xd0), 300_000),
      'empty segments': repeated(jpegStart, Buffer.of(0xff, 0xe2, 0, 2), 300_000),
      'empty chunks of a PNG': repeated(pngBytes.subarray(0, 33), chunk, 450_000),
      'empty chunks of a RIFF file': repeated(Buffer.from('RIFF\0\0\0\0WAVE'), Buffer.from('junk\0\0\0\0'), 300_000),
      'empty boxes': repeated(boxHead, Buffer.from('\0\0\0\u0008free', 'latin1'), 300_000),
      'empty blocks of FLAC': repeated(Buffer.from('fLaC'), Buffer.of(1, 0, 0, 0), 300_000),
    };

    /** Counts how often the disk is read. */
    async function readsOf(bytes: Uint8Array): Promise<number> {
      await writeFile(join(folder, 'file'), bytes);
      await using handle = await open(join(folder, 'file'));
      const methods = Object.getPrototypeOf(handle) as { read: FileHandle['read'] };
      const { read } = methods;
      let count = 0;
      methods.read = function (this: FileHandle, ...rest: never[]) {
        count++;
        return Reflect.apply(read, this, rest);
      } as FileHandle['read'];
      try {
        await marksOf(join(folder, 'file'));
      } finally {
        methods.read = read;
      }
      return count;
    }

    for (const [name, bytes] of Object.entries(files)) {
      it(`are looked for only at its beginning, with one read: ${name}`, async () => {
        assert.equal(await readsOf(bytes), 1);
      });
    }

    it('are read in blocks', async () => {
      // Segments of 100 bytes.
      const segment = Buffer.concat([Buffer.of(0xff, 0xe2, 0, 98), Buffer.alloc(96)]);
      const reads = await readsOf(repeated(jpegStart, segment, 500_000));
      assert(reads >= 7 && reads <= 9, String(reads));
    });
  });

  for (const [place, file] of credentials) {
    it(`are read from ${place}`, async () => {
      assert.deepEqual(marksIn(file), { kinds: ['c2pa'], ...made });
      assert.deepEqual(await onDisk(file), { kinds: ['c2pa'], ...made });
    });
  }

  for (const [place, file] of sources) {
    it(`are read as IPTC's type from ${place}`, async () => {
      assert.deepEqual(marksIn(file), { kinds: ['iptc'], ...made });
      assert.deepEqual(await onDisk(file), { kinds: ['iptc'], ...made });
    });
  }

  it('are the same, however the file arrives', () => {
    for (const [place, file] of [...credentials, ...sources]) {
      for (const length of [1, 7, 13, 4096])
        assert.deepEqual(inPieces(file, length), marksIn(file), `${place} by ${length}`);
    }
  });

  it('are not found in files that have none', () => {
    const files = [
      pngBytes,
      jpegFile,
      turnedJpegFile,
      webpFile,
      losslessWebpFile,
      transparentWebpFile,
      mp3Bytes,
      wavBytes,
      mp4Bytes,
    ];
    for (const file of files) assert.deepEqual(marksIn(file), none);
    const others = [
      // A text about marks is none, and neither is an empty property or a box of another kind.
      pngWith(['tEXt', Buffer.from(`Comment\0${trained}`)]),
      pngWith(pngXmp(xmpText(''))),
      pngWith(['caBX', Buffer.from('not a box of JUMBF at all')]),
      jpegWith([0xeb, Buffer.from('JP\0\x01\0\0\0\x01\0\0\0\x20jumb\0\0\0\x18jumdjson', 'latin1')]),
      Buffer.from(trained),
    ];
    for (const file of others) assert.deepEqual(marksIn(file), none);
  });

  it('say what the medium is, if they call it made or changed by a model', () => {
    const source = 'compositeWithTrainedAlgorithmicMedia';
    for (const file of Object.values(sourceFiles(composite))) assert.equal(marksIn(file).source, source);
    for (const file of Object.values(credentialFiles(manifestStore(composite))))
      assert.equal(marksIn(file).source, source);
    const photograph = 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture';
    assert.deepEqual(marksIn(pngWith(pngXmp(xmpText(photograph)))), { kinds: ['iptc'], source: undefined });
    assert.deepEqual(marksIn(pngWith(['caBX', manifestStore(photograph)])), { kinds: ['c2pa'], source: undefined });
  });

  it('are read whatever the property looks like', () => {
    const written = [
      `e:DigitalSourceType="${trained}"`,
      `e:DigitalSourceType='trainedAlgorithmicMedia'`,
      `<e:DigitalSourceType>\n  trainedAlgorithmicMedia</e:DigitalSourceType>`,
      `<e:DigitalSourceType rdf:resource="${trained}"/>`,
    ];
    for (const text of written) assert.deepEqual(marksIn(pngWith(pngXmp(text))), { kinds: ['iptc'], ...made }, text);
  });

  it('are read from deflated XMP, but not from a bomb', () => {
    const deflated = (text: string) =>
      Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\x01\0de\0XMP\0'), deflateSync(text)]);
    assert.deepEqual(marksIn(pngWith(['iTXt', deflated(xmpText())])), { kinds: ['iptc'], ...made });
    assert.deepEqual(marksIn(pngWith(['iTXt', deflated(`${' '.repeat(5_000_000)}${xmpText()}`)])), none);
  });

  it('are read across the ends of pieces', () => {
    for (const padding of [65_300, 65_400, 65_500, 65_536, 131_000]) {
      assert.deepEqual(marksIn(pngWith(['caBX', manifestStore(trained, padding)])), { kinds: ['c2pa'], ...made });
      assert.deepEqual(marksIn(pngWith(pngXmp(' '.repeat(padding) + xmpText()))), { kinds: ['iptc'], ...made });
    }
  });

  const files = [...credentials, ...sources].map(([, file]) => file);
  const damaged = fc
    .tuple(fc.constantFrom(...files), fc.nat(), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }))
    .map(([file, cut, changes]) => {
      const bytes = Buffer.from(file.subarray(0, cut % 3 === 0 ? cut % file.length : file.length));
      for (const [at, value] of changes) if (bytes.length > 0) bytes[at % Math.min(bytes.length, 200)] = value;
      return bytes;
    });

  it('never make a reader throw, and are the same in pieces and on disk', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(damaged, fc.uint8Array({ maxLength: 300 })),
        fc.integer({ min: 1, max: 300 }),
        async (bytes, length) => {
          const found = marksIn(bytes);
          assert.deepEqual(inPieces(bytes, length), found);
          assert.deepEqual(await onDisk(bytes), found);
        },
      ),
    );
  });

  it('take linear time and little memory, whatever a file claims', () => {
    const length = 1_000_000;
    const repeated = (head: string, part: string) =>
      Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(length, part, 'latin1')]);
    const hostile = [
      repeated('\x89PNG\r\n\x1a\n', '\0\0\0\0tEXtcccc'),
      repeated('\x89PNG\r\n\x1a\n\x7f\xff\xff\xffiTXtXML:com.adobe.xmp\0\0\0', 'digitalsourcetype>'),
      repeated('\xff\xd8', '\xff'),
      repeated('\xff\xd8', '\xff\xe1\0\x02'),
      repeated('RIFF\0\0\0\0WAVELIST\xff\xff\xff\xff', 'digitalsourcetype/'),
      repeated('\0\0\0\x0cftypavif\0\0\0\0mdat', 'DigitalSourceType'),
      repeated('\0\0\0\x0cftypmp42', '\0\0\0\x08free'),
      repeated('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'TXXX\0\0\0\0\0\0'),
      repeated('ID3\x03\0\x80\x7f\x7f\x7f\x7f', '\0'),
      repeated('fLaC', '\x04\0\0\0'),
    ];
    for (const file of hostile) {
      const start = process.threadCpuUsage();
      assert.deepEqual(marksIn(file).kinds.includes('c2pa'), false);
      const { user, system } = process.threadCpuUsage(start);
      // It takes some 50 ms; quadratic time would take minutes.
      assert(
        (user + system) / 1000 < 3000,
        `${(user + system) / 1000} ms for ${file.subarray(0, 12).toString('latin1')}`,
      );
    }
  });
});
