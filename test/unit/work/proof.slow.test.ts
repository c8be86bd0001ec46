import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encode } from 'fast-png';
import pLimit from 'p-limit';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { encodeJpeg, encodeWebp } from '../../../src/images/codecs/encodePicture.ts';
import { expectationsOf } from '../../../src/library/differences.ts';
import type { Difference } from '../../../src/library/LibraryRecord.ts';
import type { FurtherValue } from '../../../src/operations/Further.ts';
import { detectMediaType, headBytes } from '../../../src/operations/mediaType.ts';
import type { AssetKind } from '../../../src/operations/operations.ts';
import { differencesIn } from '../../../src/work/measureFile.ts';
import { describeWithFfmpeg, makeRecording } from '../../support/makeRecording.ts';
import { turnedJpegFile } from '../../support/pictureFiles.ts';

type Content = 'rgb' | 'opaque' | 'checkerboard' | 'speck' | 'half' | 'corner' | 'soft' | 'hole';

/** Alpha of a pixel, by the name of the content; `checkerboard` paints one. */
const alphas: Readonly<Record<Content, (x: number, y: number, width: number) => number>> = {
  rgb: () => 255,
  opaque: () => 255,
  checkerboard: () => 255,
  // Half transparent is not transparent, and a single pixel of 40,000 is noise.
  speck: (x, y) => (x === 3 && y === 3 ? 0 : 254),
  half: (x, _, width) => (x < width / 2 ? 0 : 255),
  corner: (x, y) => (x + y < 8 ? 0 : 255),
  soft: (x, y) => ((x + y) % 3 === 0 ? 0 : 200),
  hole: (x, y) => (x > 20 && x < 30 && y > 20 && y < 30 ? 10 : 255),
};

function bitmap(width: number, height: number, content: Content) {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const isLight = content !== 'checkerboard' || (Math.floor(x / 8) + Math.floor(y / 8)) % 2 === 0;
      data.set([isLight ? 255 : 204, isLight ? 255 : 204, isLight ? 255 : 204, alphas[content](x, y, width)], at);
    }
  }
  return { width, height, data };
}

async function picture(name: string): Promise<Uint8Array> {
  const [, content = 'rgb', width = '', height = '', type] = /^(\w+)-(\d+)x(\d+)\.(\w+)$/.exec(name) ?? [];
  const made = bitmap(Number(width), Number(height), content as Content);
  if (type === 'jpg') return encodeJpeg(made, 80);
  if (type === 'webp') return encodeWebp(made, 80);
  if (content !== 'rgb') return encode({ ...made, channels: 4 });
  return encode({ ...made, channels: 3, data: made.data.filter((_, index) => index % 4 !== 3) });
}

const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const vp8 = ['-c:v', 'libvpx', '-threads', '1', '-deadline', 'realtime', '-cpu-used', '8'];

/** Recordings by name: seconds, and what ffmpeg is told. */
const recordings: Readonly<Record<string, Parameters<typeof makeRecording>[2]>> = {
  'sound-4.mp3': { seconds: 4 },
  'sound-4.wav': { seconds: 4 },
  'stereo-4.wav': { seconds: 4, options: ['-ac', '2'] },
  'sound-4.flac': { seconds: 4 },
  'sound-4.aac': { seconds: 4 },
  'sound-4.m4a': { seconds: 4 },
  'sound-4.opus': { seconds: 4 },
  'vorbis-4.ogg': { seconds: 4, options: ['-c:a', 'libvorbis'] },
  'sound-20.mp3': { seconds: 20 },
  'silent-4.mp4': { seconds: 4, hasPicture: true, hasSound: false, options: [...video, '-s', '128x72'] },
  'sound-4.mp4': { seconds: 4, hasPicture: true, options: [...video, '-s', '128x72', '-c:a', 'aac'] },
  'tall-8.mp4': { seconds: 8, hasPicture: true, hasSound: false, options: [...video, '-s', '72x128'] },
  'silent-4.webm': { seconds: 4, hasPicture: true, hasSound: false, options: [...vp8, '-s', '128x72'] },
  'silent-4.mov': { seconds: 4, hasPicture: true, hasSound: false, options: [...video, '-s', '128x72'] },
};

/** A file, one field of its request, and what it is instead of what was asked for. */
type Row = readonly [file: string, field: string, asked: FurtherValue, got?: string];

const differing: readonly Row[] = [
  // Sizes and ratios
  ['rgb-64x64.png', 'size', '96x64', '64x64'],
  ['rgb-64x64.png', 'size', '64x65', '64x64'],
  ['rgb-64x64.png', 'size', '1536x1024', '64x64'],
  ['rgb-96x64.jpg', 'size', '64x96', '96x64'],
  ['rgb-96x64.webp', 'size', '96 x 96', '96x64'],
  ['half-96x64.webp', 'size', '97x64', '96x64'],
  ['half-96x64.png', 'size', '96×65', '96x64'],
  ['turned.jpg', 'size', '64x63', '64x64'],
  ['rgb-96x64.png', 'width', 64, '96'],
  ['rgb-96x64.png', 'height', 96, '64'],
  ['rgb-96x64.jpg', 'width', '100', '96'],
  ['rgb-64x64.png', 'aspect_ratio', '16:9', '64x64'],
  ['rgb-96x64.png', 'aspect_ratio', '2:3', '96x64'],
  ['rgb-96x64.jpg', 'aspect_ratio', '4:3', '96x64'],
  ['rgb-320x224.png', 'aspect_ratio', '16:10', '320x224'],
  ['rgb-64x64.webp', 'size', '16:9', '64x64'],
  // Transparency
  ['rgb-64x64.png', 'background', 'transparent', 'opaque'],
  ['opaque-64x64.png', 'background', 'transparent', 'opaque'],
  ['checkerboard-64x64.png', 'background', 'transparent', 'opaque'],
  ['checkerboard-200x200.jpg', 'background', 'transparent', 'opaque'],
  ['checkerboard-200x200.webp', 'background', 'transparent', 'opaque'],
  ['speck-200x200.png', 'background', 'transparent', 'opaque'],
  ['rgb-64x64.webp', 'background', 'transparent', 'opaque'],
  ['rgb-64x64.jpg', 'background', 'transparent', 'opaque'],
  ['checkerboard-64x64.png', 'transparent', true, 'false'],
  ['opaque-64x64.png', 'transparent_background', true, 'false'],
  ['half-96x64.png', 'background', 'opaque', 'transparent'],
  ['half-96x64.webp', 'background', 'opaque', 'transparent'],
  ['soft-64x64.png', 'transparent', false, 'true'],
  // Formats
  ['rgb-64x64.webp', 'output_format', 'png', 'webp'],
  ['rgb-64x64.png', 'output_format', 'jpeg', 'png'],
  ['rgb-64x64.png', 'output_format', 'webp', 'png'],
  ['rgb-64x64.jpg', 'output_format', 'png', 'jpeg'],
  ['rgb-64x64.jpg', 'response_format', 'avif', 'jpeg'],
  ['sound-4.wav', 'response_format', 'mp3', 'wav'],
  ['sound-4.mp3', 'response_format', 'wav', 'mp3'],
  ['sound-4.mp3', 'response_format', 'opus', 'mp3'],
  ['sound-4.flac', 'response_format', 'pcm', 'flac'],
  ['sound-4.opus', 'response_format', 'aac', 'opus'],
  ['vorbis-4.ogg', 'response_format', 'opus', 'ogg'],
  ['sound-4.aac', 'response_format', 'flac', 'aac'],
  ['sound-4.mp3', 'output_format', 'pcm_24000', 'mp3'],
  ['silent-4.webm', 'output_format', 'mp4', 'webm'],
  ['silent-4.mp4', 'output_format', 'webm', 'mp4'],
  ['silent-4.mov', 'output_format', 'mp4', 'mov'],
  // Lengths, channels and sound
  ['sound-4.mp3', 'duration', 8, '4'],
  ['sound-4.wav', 'duration', 3, '4'],
  ['sound-20.mp3', 'seconds', 18, '20'],
  ['sound-4.opus', 'duration', '10s', '4'],
  ['sound-4.wav', 'channels', 2, '1'],
  ['stereo-4.wav', 'channels', 1, '2'],
  ['silent-4.mp4', 'seconds', '8', '4'],
  ['silent-4.mp4', 'duration', 5, '4'],
  ['silent-4.webm', 'seconds', '12', '4'],
  ['tall-8.mp4', 'seconds', '4', '8'],
  ['tall-8.mp4', 'size', '128x72', '72x128'],
  ['silent-4.mp4', 'size', '1280x720', '128x72'],
  ['silent-4.mp4', 'aspect_ratio', '9:16', '128x72'],
  ['silent-4.mp4', 'generate_audio', true, 'false'],
  ['sound-4.mp4', 'audio', false, 'true'],
];

const obeying: readonly Row[] = [
  ['rgb-64x64.png', 'size', '64x64'],
  ['rgb-64x64.png', 'size', 'auto'],
  ['rgb-64x64.png', 'size', '2K'],
  ['rgb-96x64.jpg', 'size', '96x64'],
  ['rgb-96x64.webp', 'size', '96X64'],
  ['half-96x64.webp', 'size', '96*64'],
  ['turned.jpg', 'size', '64x64'],
  ['rgb-96x64.png', 'width', 96],
  ['rgb-96x64.png', 'height', '64'],
  ['rgb-96x64.png', 'width', 0],
  ['rgb-64x64.png', 'aspect_ratio', '1:1'],
  ['rgb-96x64.png', 'aspect_ratio', '3:2'],
  ['rgb-96x64.png', 'aspect_ratio', 'auto'],
  ['rgb-96x64.png', 'aspect_ratio', '0:0'],
  ['rgb-320x200.png', 'aspect_ratio', '16:10'],
  ['rgb-320x210.png', 'aspect_ratio', '16:10'],
  ['rgb-33x19.png', 'aspect_ratio', '16:9'],
  ['rgb-64x64.webp', 'size', '1:1'],
  ['half-96x64.png', 'background', 'transparent'],
  ['half-96x64.webp', 'background', 'transparent'],
  ['corner-200x200.png', 'background', 'transparent'],
  ['hole-64x64.png', 'background', 'transparent'],
  ['soft-64x64.png', 'background', 'transparent'],
  ['half-96x64.png', 'transparent', true],
  ['rgb-64x64.png', 'background', 'auto'],
  ['rgb-64x64.png', 'background', '#ffffff'],
  ['rgb-64x64.png', 'background', 'opaque'],
  ['opaque-64x64.png', 'background', 'opaque'],
  ['checkerboard-64x64.png', 'background', 'opaque'],
  ['rgb-64x64.jpg', 'background', 'opaque'],
  ['speck-200x200.png', 'background', 'opaque'],
  ['damaged.png', 'background', 'transparent'],
  ['damaged.png', 'background', 'opaque'],
  ['rgb-64x64.png', 'transparent_background', false],
  ['rgb-64x64.png', 'output_format', 'png'],
  ['rgb-64x64.png', 'output_format', 'b64_json'],
  ['rgb-64x64.png', 'response_format', 'url'],
  ['rgb-64x64.jpg', 'output_format', 'jpeg'],
  ['rgb-64x64.jpg', 'output_format', 'JPG'],
  ['rgb-64x64.webp', 'output_format', 'webp'],
  ['rgb-64x64.webp', 'output_format', 'constructor'],
  ['rgb-64x64.webp', 'quality', 'low'],
  ['sound-4.mp3', 'response_format', 'mp3'],
  ['sound-4.mp3', 'output_format', 'mp3_44100_128'],
  ['sound-4.wav', 'response_format', 'wav'],
  ['sound-4.flac', 'response_format', 'flac'],
  ['sound-4.aac', 'response_format', 'aac'],
  ['sound-4.m4a', 'response_format', 'aac'],
  ['sound-4.opus', 'response_format', 'opus'],
  ['vorbis-4.ogg', 'response_format', 'ogg'],
  ['sound-4.mp3', 'response_format', 'mulaw'],
  ['sound-4.mp3', 'duration', 4],
  ['sound-4.mp3', 'duration', '4.4s'],
  ['sound-20.mp3', 'seconds', 19.2],
  ['sound-4.wav', 'duration', -1],
  ['sound-4.opus', 'channels', 1],
  ['silent-4.mp4', 'seconds', '4'],
  ['silent-4.mp4', 'seconds', 'auto'],
  ['silent-4.webm', 'duration', 4],
  ['silent-4.webm', 'aspect_ratio', '16:9'],
  ['tall-8.mp4', 'size', '72x128'],
  ['tall-8.mp4', 'size', '720p'],
  ['silent-4.mov', 'output_format', 'mov'],
  ['silent-4.mp4', 'generate_audio', false],
  ['sound-4.mp4', 'audio', true],
  ['cut.mp4', 'seconds', '8'],
];

describeWithFfmpeg('what a result is, and what was asked for', () => {
  let path: string;

  before(async function () {
    this.timeout(60_000);
    path = await mkdtemp(join(tmpdir(), 'proof-'));
    const rows = [...differing, ...obeying];
    const pictures = new Set(rows.map(([file]) => file).filter((file) => /^\w+-\d+x\d+\./.test(file)));
    for (const name of pictures) await writeFile(join(path, name), await picture(name));
    for (const [name, recording] of Object.entries(recordings)) await makeRecording(path, name, recording);
    await writeFile(join(path, 'turned.jpg'), turnedJpegFile);
    const whole = Buffer.from(await readFile(join(path, 'half-96x64.png')));
    await writeFile(join(path, 'damaged.png'), whole.fill(7, 60, whole.length - 20));
    await writeFile(join(path, 'cut.mp4'), (await readFile(join(path, 'tall-8.mp4'))).subarray(0, 900));
  });

  after(() => rm(path, { recursive: true }));

  const kindOf = (name: string): AssetKind => {
    if (['.mp4', '.webm', '.mov'].includes(extname(name))) return 'videos';
    return ['.png', '.jpg', '.webp'].includes(extname(name)) ? 'images' : 'speech';
  };

  async function measured([name, field, asked]: Row): Promise<readonly Difference[] | undefined> {
    const file = join(path, name);
    const type = await detectMediaType((await readFile(file)).subarray(0, headBytes));
    const asset = {
      uri: pathToFileURL(file).href,
      kind: kindOf(name),
      mediaType: type?.mime ?? '',
      bytes: (await stat(file)).size,
    };
    const folder = new LocalFolder(path, undefined);
    return differencesIn(asset, name, expectationsOf(asset.kind, { [field]: asked }), { folder });
  }

  /** @returns the rows whose outcome is another than theirs */
  async function wrong(rows: readonly Row[]): Promise<readonly unknown[]> {
    const atOnce = pLimit(2);
    const outcomes = rows.map((row) =>
      atOnce(async () => {
        const [, field, asked, got] = row;
        const expected = got === undefined ? undefined : [{ field, asked: String(asked), got }];
        const found = await measured(row);
        return JSON.stringify(found) === JSON.stringify(expected) ? [] : [[row, found]];
      }),
    );
    return (await Promise.all(outcomes)).flat();
  }

  it('tells every one of 60 that differ', async function () {
    this.timeout(60_000);
    assert.equal(differing.length, 60);
    assert.deepEqual(await wrong(differing), []);
  });

  it('raises no false alarm for 66 that do not, or cannot be measured', async function () {
    this.timeout(60_000);
    assert.equal(obeying.length, 66);
    assert.deepEqual(await wrong(obeying), []);
  });
});
