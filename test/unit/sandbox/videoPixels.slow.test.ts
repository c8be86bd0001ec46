import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from 'fast-png';
import { operations } from '../../../src/operations/operations.ts';
import { decodeFrame, hasFfmpeg, probe } from '../../support/ffmpeg.ts';
import { get, jsonOf, post } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

interface Made {
  readonly id: string;
  readonly data: readonly [{ readonly url: string }];
}

const [width, height] = [640, 360];

(hasFfmpeg() ? describe : describe.skip)('sandbox: videos decoded by ffmpeg (needs ffmpeg)', () => {
  const sandbox = useSandbox({ videoSeconds: 1 });
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
  });
  after(() => rm(folder, { recursive: true }));

  const make = async (fields: object, path: string = operations.generateVideo.path) => {
    const made = jsonOf<Made>(await post(sandbox(), path, { model: 'm', prompt: 'A fox runs', ...fields }));
    const file = join(folder, `${made.id}.mp4`);
    await writeFile(file, (await get(made.data[0].url)).body);
    return { id: made.id, file };
  };

  it('are H.264 Baseline, last one second, and move', async () => {
    const { file } = await make({});
    const { streams, format } = (await probe(file)) as {
      readonly streams: readonly Readonly<Record<string, unknown>>[];
      readonly format: Readonly<Record<string, string>>;
    };
    const [{ codec_name, profile, pix_fmt, nb_frames } = {}] = streams;
    assert.deepEqual([streams.length, codec_name, pix_fmt, nb_frames], [1, 'h264', 'yuv420p', '24']);
    assert.match(String(profile), /Baseline/);
    assert.equal(Number(format.duration), 1);
    assert(difference(await decodeFrame(file, 0), await decodeFrame(file, 23)) > 0.5);
  });

  it('begin with their source image, and a remix resembles its parent', async () => {
    const image = blocks(720);
    const { file, id } = await make({
      image_url: `data:image/png;base64,${Buffer.from(encode(image)).toString('base64')}`,
    });
    const first = await decodeFrame(file, 0);
    const other = await decodeFrame((await make({ prompt: 'Something else' })).file, 0);
    // The complete image, a square, is in the middle.
    const expected = halfSize(image.data, image.width);
    assert(difference(middleOf(first), expected) < 6, `${difference(middleOf(first), expected)}`);
    assert(difference(middleOf(other), expected) > 20);

    const remix = await make({ video_id: id, prompt: 'At night' }, operations.remixVideo.path);
    const again = middleOf(await decodeFrame(remix.file, 0));
    assert(difference(again, expected) > 12, 'a remix should differ from its parent');
    assert(likeness(again, expected) > 0.8, `a remix should resemble its parent: ${likeness(again, expected)}`);
    assert(likeness(middleOf(other), expected) < 0.4, 'another video should not');
  });
});

/** A square of 16 × 16 grey blocks. */
function blocks(size: number) {
  const data = Uint8Array.from({ length: size * size * 3 }, (_, at) => {
    const [x, y] = [Math.floor(at / 3) % size, Math.floor(at / 3 / size)].map((place) =>
      Math.floor((place * 16) / size),
    );
    return 40 + ((((x ?? 0) * 7 + (y ?? 0) * 13) * 29) % 176);
  });
  return { width: size, height: size, channels: 3, depth: 8, data } as const;
}

/** Number of rows above the caption. */
const rows = 200;

function middleOf(frame: Uint8Array): Uint8Array {
  assert.equal(frame.length, width * height * 3);
  const left = (width - height) / 2;
  const parts: Uint8Array[] = [];
  for (let y = 0; y < rows; y++) parts.push(frame.subarray((y * width + left) * 3, (y * width + left + height) * 3));
  return Buffer.concat(parts);
}

/** Scales a square RGB picture to the height of the videos by nearest pixels. */
function halfSize(data: Uint8Array, size: number): Uint8Array {
  const small = new Uint8Array(rows * height * 3);
  for (let at = 0; at < small.length; at++) {
    const [x, y] = [Math.floor(at / 3) % height, Math.floor(at / 3 / height)];
    const from = (value: number) => Math.floor(((value + 0.5) * size) / height);
    small[at] = data[(from(y) * size + from(x)) * 3 + (at % 3)] ?? 0;
  }
  return small;
}

/** Mean absolute difference of the bytes. */
function difference(first: Uint8Array, second: Uint8Array): number {
  assert.equal(first.length, second.length);
  let sum = 0;
  for (let at = 0; at < first.length; at++) sum += Math.abs((first[at] ?? 0) - (second[at] ?? 0));
  return sum / first.length;
}

/** Correlation of the green channel: 1 when both show the same in different colours. */
function likeness(first: Uint8Array, second: Uint8Array): number {
  const green = (bytes: Uint8Array) => Float64Array.from(bytes.filter((_, at) => at % 3 === 1));
  const centred = (values: Float64Array) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  };
  const [a, b] = [centred(green(first)), centred(green(second))];
  const product = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}
