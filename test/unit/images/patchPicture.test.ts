import assert from 'node:assert/strict';
import { decode, encode } from 'fast-png';
import { changePicture } from '../../../src/images/changePicture.ts';
import type { ImageChange } from '../../../src/images/ImageChange.ts';

const maxPixels = 1_000_000;
const [red, blue] = [
  [255, 0, 0, 255],
  [0, 0, 255, 255],
] as const;

function plain(width: number, height: number, colour: readonly number[]): Uint8Array {
  const data = Uint8Array.from({ length: width * height * 4 }, (_, at) => colour[at % 4] ?? 0);
  return encode({ width, height, channels: 4, data });
}

/** A mask that is transparent in a rectangle. */
function maskOf(width: number, height: number, area: { x: number; y: number; width: number; height: number }) {
  const data = Uint8Array.from({ length: width * height * 4 }, (_, at) => {
    const [x, y] = [(at >> 2) % width, Math.floor((at >> 2) / width)];
    const isInside = x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
    return at % 4 === 3 && !isInside ? 255 : 0;
  });
  return encode({ width, height, channels: 4, data });
}

async function changed(bytes: Uint8Array, change: ImageChange) {
  const reply = await changePicture({ type: 'change', bytes, changes: [change], maxPixels });
  assert.equal(reply.type, 'done');
  const [file] = reply.type === 'done' ? reply.files : [];
  assert(file);
  const { width, height, data } = decode(file.bytes);
  const channels = data.length / (width * height);
  return { width, height, at: (x: number, y: number) => [...data.subarray((y * width + x) * channels).subarray(0, 3)] };
}

describe('a picture whose part is replaced', () => {
  const around = { x: 20, y: 10, width: 60, height: 40 };
  const area = { x: 40, y: 20, width: 20, height: 20 };
  const mask = maskOf(100, 60, area);

  it('has the patch inside, its own pixels outside, and a soft edge between', async () => {
    // The service answers in a size of its own.
    const picture = await changed(plain(100, 60, red), {
      patch: { bytes: plain(30, 20, blue), area: around, mask, feather: 8 },
    });
    assert.deepEqual([picture.width, picture.height], [100, 60]);
    assert.deepEqual(picture.at(50, 30), [0, 0, 255]);
    for (const [x, y] of [
      [0, 0],
      [19, 30],
      [20, 30],
      [79, 30],
      [50, 49],
      [99, 59],
    ] as const)
      assert.deepEqual(picture.at(x, y), [255, 0, 0], `${x}, ${y}`);
    const row = Array.from({ length: 20 }, (_, step) => picture.at(30 + step, 30)[2] ?? 0);
    assert(row.every((blueness, step) => step === 0 || blueness >= (row[step - 1] ?? 0)));
    assert(row.filter((blueness) => blueness > 0 && blueness < 255).length >= 6, row.join());
  });

  it('shows all of a part that is smaller than the soft edge around it', async () => {
    const dot = { x: 48, y: 28, width: 4, height: 4 };
    const picture = await changed(plain(100, 60, red), {
      patch: { bytes: plain(30, 20, blue), area: around, mask: maskOf(100, 60, dot), feather: 20 },
    });
    for (const [x, y] of [
      [48, 28],
      [51, 31],
    ] as const)
      assert.deepEqual(picture.at(x, y), [0, 0, 255], `${x}, ${y}`);
    assert.deepEqual(picture.at(21, 30), [255, 0, 0]);
  });

  it('takes no colour from what is transparent in the patch or in the picture', async () => {
    const clear = [0, 0, 0, 0] as const;
    const patched = (source: readonly number[], patch: readonly number[]) =>
      changed(plain(100, 60, source), { patch: { bytes: plain(60, 40, patch), area: around, mask, feather: 8 } });
    for (const picture of [await patched(red, clear), await patched(clear, red)]) {
      for (let x = 30; x < 45; x++) {
        const [redness = 0, ...others] = picture.at(x, 30);
        assert(redness === 255 || redness === 0, `${x}: ${redness}`);
        assert.deepEqual(others, [0, 0]);
      }
    }
  });

  it('has no soft edge at the edge of the picture', async () => {
    const corner = { x: 0, y: 0, width: 30, height: 30 };
    const picture = await changed(plain(100, 60, red), {
      patch: {
        bytes: plain(9, 9, blue),
        area: corner,
        mask: maskOf(100, 60, { ...corner, width: 20, height: 20 }),
        feather: 6,
      },
    });
    assert.deepEqual(picture.at(0, 0), [0, 0, 255]);
    assert.deepEqual(picture.at(29, 29), [255, 0, 0]);
  });

  it('is refused where the patch or the mask does not fit', async () => {
    const bytes = plain(90, 60, red);
    const patch = { bytes, area: around, mask, feather: 8 };
    assert.equal((await changePicture({ type: 'change', bytes, changes: [{ patch }], maxPixels })).type, 'outside');
    const outside = { ...patch, mask: maskOf(90, 60, area), area: { ...around, x: 40 } };
    assert.equal(
      (await changePicture({ type: 'change', bytes, changes: [{ patch: outside }], maxPixels })).type,
      'outside',
    );
  });
});

describe('a picture that is cropped to a ratio', () => {
  it('keeps its middle at its own size', async () => {
    const picture = await changed(plain(100, 60, red), { ratio: 1 });
    assert.deepEqual([picture.width, picture.height], [60, 60]);
    const wide = await changed(plain(100, 100, red), { ratio: 16 / 9 });
    assert.deepEqual([wide.width, wide.height], [100, 56]);
  });
});
