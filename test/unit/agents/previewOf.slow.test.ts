import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode, encode } from 'fast-png';
import { imageSize, previewOf } from '../../../src/agents/ToolResult.ts';
import { transformImage } from '../../../src/images/transformImage.ts';
import { detectMediaType } from '../../../src/operations/mediaType.ts';
import { emptyPng } from '../../support/emptyPng.ts';

describe('previewOf (promise 18)', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'unified-media-preview-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function save(bytes: Uint8Array): string {
    const path = join(folder, 'picture');
    writeFileSync(path, bytes);
    return path;
  }

  /** Noise, which no encoder can compress. */
  function noise(width: number, height: number, channels: 3 | 4): Uint8Array {
    let state = 1;
    const data = new Uint8Array(width * height * channels);
    for (let at = 0; at < data.length; at++) {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      data[at] = state >>> 16;
    }
    return encode({ width, height, data, channels });
  }

  it('returns a JPEG', async () => {
    const data = new Uint8Array(1536 * 1024 * 3).fill(120);
    const preview = await previewOf(save(encode({ width: 1536, height: 1024, data, channels: 3 })));
    assert.deepEqual([preview?.mediaType, preview?.width, preview?.height], ['image/jpeg', 512, 341]);
    assert.equal((await detectMediaType(preview?.bytes ?? new Uint8Array()))?.mime, 'image/jpeg');
  });

  it('returns at most 512 pixels on the longer side and never enlarges', async () => {
    const wide = encode({ width: 3000, height: 300, data: new Uint8Array(3000 * 300 * 3), channels: 3 });
    const small = encode({ width: 30, height: 20, data: new Uint8Array(30 * 20 * 3), channels: 3 });
    const first = await previewOf(save(wide));
    assert.deepEqual([first?.width, first?.height], [512, 51]);
    const second = await previewOf(save(small));
    assert.deepEqual([second?.width, second?.height], [30, 20]);
  });

  it('keeps transparency by returning a PNG', async () => {
    const preview = await previewOf(
      save(encode({ width: 64, height: 64, data: new Uint8Array(64 * 64 * 4), channels: 4 })),
    );
    assert.equal(preview?.mediaType, 'image/png');
    assert.equal(decode(preview?.bytes ?? new Uint8Array()).data[3], 0);
  });

  for (const channels of [3, 4] as const) {
    it(`returns at most 64 KiB even for noise with ${channels} channels`, async () => {
      const preview = await previewOf(save(noise(720, 640, channels)));
      assert(preview && preview.bytes.length <= 64 * 1024, String(preview?.bytes.length));
    });
  }

  it('decodes the picture once, however many previews are too large (finding 13)', async () => {
    let workers = 0;
    const count = () => workers++;
    process.on('worker', count);
    const preview = await previewOf(save(noise(720, 640, 4)));
    process.off('worker', count);
    assert.deepEqual([preview?.mediaType, workers], ['image/jpeg', 1]);
  });

  it('returns undefined above 32 million pixels, which may still be changed on request (finding 13)', async () => {
    const huge = await emptyPng({ width: 6401, height: 5000, depth: 1 });
    assert.equal(await previewOf(save(huge)), undefined);
    assert.equal((await transformImage(huge, { width: 4 })).width, 4);
  });

  it('returns undefined for a file that is not a picture, damaged or missing', async () => {
    assert.equal(await previewOf(save(Buffer.from('no picture, but long enough to be read as a header'))), undefined);
    const whole = encode({ width: 64, height: 64, data: new Uint8Array(64 * 64 * 3), channels: 3 });
    assert.equal(await previewOf(save(whole.subarray(0, 60))), undefined);
    assert.equal(await previewOf(join(folder, 'missing')), undefined);
  });

  it('reads the size of PNG, JPEG, WebP and GIF files from their headers (imageSize)', async () => {
    const png = encode({ width: 40, height: 30, data: new Uint8Array(40 * 30 * 4).fill(9), channels: 4 });
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const { bytes } = await transformImage(png, { format });
      assert.deepEqual(await imageSize(save(bytes)), { width: 40, height: 30 }, format);
    }
    const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([40, 0, 30, 0]), Buffer.alloc(30)]);
    assert.deepEqual(await imageSize(save(gif)), { width: 40, height: 30 });
  });
});
