import assert from 'node:assert/strict';
import {
  changeOf,
  type EditState,
  isEditState,
  moved,
  ratioIds,
  resized,
  sizeIds,
  startOf,
  withCropValue,
  withRatio,
  withSide,
  withSize,
} from '../../../src/webview/imageEditor/editState.ts';
import { fc } from '../../support/fastCheck.ts';

const start = startOf({ width: 1000, height: 600 }, 'png');

describe('editState', () => {
  it('starts with the whole picture and no change', () => {
    assert.deepEqual(changeOf(start), { format: 'png' });
  });

  it('centres the crop area for each ratio', () => {
    const areas = ratioIds.map((ratio) => [ratio, ...Object.values(withRatio(start, ratio).crop)]);
    assert.deepEqual(areas, [
      ['free', 0, 0, 1000, 600],
      ['source', 0, 0, 1000, 600],
      ['1:1', 200, 0, 600, 600],
      ['16:9', 0, 19, 1000, 563],
      ['4:3', 100, 0, 800, 600],
      ['3:2', 50, 0, 900, 600],
      ['size', 0, 0, 1000, 600],
    ]);
  });

  it('returns the size of each preset', () => {
    const square = withRatio(start, '1:1');
    const sizes = sizeIds.map((size) => [withSize(start, size), withSize(square, size)]);
    assert.deepEqual(
      sizes.map((states) => states.map(({ width, height }) => `${width} × ${height}`)),
      [
        ['1000 × 600', '600 × 600'],
        ['500 × 300', '300 × 300'],
        ['1600 × 960', '1600 × 1600'],
        ['1200 × 630', '1200 × 630'],
        ['1000 × 600', '600 × 600'],
      ],
    );
    // The crop area takes the ratio of the size.
    assert.deepEqual(withSize(square, 'social').crop, { x: 0, y: 38, width: 1000, height: 525 });
    assert.equal(withSize(withSize(start, 'social'), 'crop').ratio, 'free');
  });

  it('keeps the ratio when a size is typed, or crops to it when unlinked', () => {
    assert.deepEqual(sizeOf(withSide(start, 'width', 500)), [500, 300]);
    assert.deepEqual(sizeOf(withSide(start, 'height', 60)), [100, 60]);
    const free = withSide({ ...start, isLinked: false }, 'width', 300);
    assert.deepEqual(sizeOf(free), [300, 600]);
    assert.deepEqual(free.crop, { x: 350, y: 0, width: 300, height: 600 });
    assert.deepEqual(changeOf({ ...free, format: 'webp' }), { crop: free.crop, format: 'webp', quality: 80 });
    assert.deepEqual(sizeOf(withSide(start, 'width', 1e9)), [16_383, 9830]);
  });

  it('keeps both sides within the limit, and their ratio', () => {
    const tall = startOf({ width: 600, height: 900 }, 'png');
    assert.deepEqual(sizeOf(withSide(tall, 'width', 16_383)), [10_922, 16_383]);
    assert.deepEqual(sizeOf(withSize(startOf({ width: 10, height: 1000 }, 'png'), 'wide')), [164, 16_383]);
  });

  it('moves the crop area within the picture, also by number', () => {
    const small = withCropValue(withCropValue(start, 'width', 100), 'height', 50);
    assert.deepEqual(moved(small, { x: 30, y: -10 }).crop, { x: 30, y: 0, width: 100, height: 50 });
    assert.deepEqual(moved(small, { x: 5000, y: 5000 }).crop, { x: 900, y: 550, width: 100, height: 50 });
    assert.deepEqual(withCropValue(small, 'x', 12).crop.x, 12);
    assert.deepEqual(changeOf(small).crop, small.crop);
  });

  it('resizes the crop area at each corner, and keeps the opposite corner with a fixed ratio', () => {
    const square = moved(resized(withRatio(start, '1:1'), { right: -300 }), { x: 100, y: 100 });
    assert.deepEqual(square.crop, { x: 300, y: 100, width: 300, height: 300 });
    assert.deepEqual(resized(square, { left: -50, top: -9 }).crop, { x: 250, y: 50, width: 350, height: 350 });
    assert.deepEqual(resized(square, { right: 9, bottom: 20 }, 'height').crop, {
      x: 300,
      y: 100,
      width: 320,
      height: 320,
    });
    // The picture limits the size.
    assert.deepEqual(resized(square, { right: 900, bottom: 0 }).crop, { x: 300, y: 100, width: 500, height: 500 });
  });

  it('keeps the crop area within the picture after any steps', () => {
    const side = fc.integer({ min: -2000, max: 2000 });
    const step: fc.Arbitrary<(state: EditState) => EditState> = fc.oneof(
      fc.constantFrom(...ratioIds).map((id) => (state: EditState) => withRatio(state, id)),
      fc.constantFrom(...sizeIds).map((id) => (state: EditState) => withSize(state, id)),
      fc.tuple(fc.constantFrom('width', 'height'), side).map(
        ([name, value]) =>
          (state: EditState) =>
            withSide(state, name, value),
      ),
      fc.tuple(fc.constantFrom('x', 'y', 'width', 'height'), side).map(
        ([name, value]) =>
          (state: EditState) =>
            withCropValue(state, name, value),
      ),
      fc.tuple(side, side).map(
        ([x, y]) =>
          (state: EditState) =>
            moved(state, { x, y }),
      ),
      fc.tuple(side, side, fc.boolean()).map(
        ([x, y, isFirst]) =>
          (state: EditState) =>
            resized(state, isFirst ? { left: x, top: y } : { right: x, bottom: y }),
      ),
      fc.boolean().map((isLinked) => (state: EditState) => ({ ...state, isLinked })),
    );
    const picture = fc.record({ width: fc.integer({ min: 1, max: 900 }), height: fc.integer({ min: 1, max: 900 }) });
    fc.assert(
      fc.property(picture, fc.array(step, { maxLength: 20 }), (source, steps) => {
        const end = steps.reduce((state, change) => change(state), startOf(source, 'webp'));
        assert(isEditState(end), JSON.stringify(end));
        const { x, y, width, height } = end.crop;
        assert([x, y, width, height, end.width, end.height].every(Number.isInteger), JSON.stringify(end));
        assert(x >= 0 && y >= 0 && width >= 1 && height >= 1, JSON.stringify(end));
        assert(x + width <= source.width && y + height <= source.height, JSON.stringify(end));
        assert(end.width >= 1 && end.height >= 1, JSON.stringify(end));
      }),
    );
  });
});

function sizeOf({ width, height }: EditState): readonly number[] {
  return [width, height];
}
