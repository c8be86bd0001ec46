import assert from 'node:assert/strict';
import { areaOf, changedByKey, type Stroke, strokeOf } from '../../../src/webview/composer/region.ts';

const size = { width: 100, height: 50 };

describe('the region of a picture', () => {
  it('holds all that is marked, inside the picture', () => {
    assert.equal(areaOf([], size), undefined);
    const drawn: Stroke = { type: 'rectangle', from: { x: 30.6, y: 40 }, to: { x: 10.2, y: 20 } };
    assert.deepEqual(areaOf([drawn], size), { x: 10, y: 20, width: 21, height: 20 });
    const brush: Stroke = {
      type: 'brush',
      radius: 5,
      points: [
        { x: 2, y: 10 },
        { x: 90, y: 48 },
      ],
    };
    assert.deepEqual(areaOf([brush], size), { x: 0, y: 5, width: 95, height: 45 });
    assert.deepEqual(areaOf([drawn, brush], size), { x: 0, y: 5, width: 95, height: 45 });
    const area = { x: 10, y: 20, width: 21, height: 20 };
    assert.deepEqual(areaOf([strokeOf(area)], size), area);
  });

  it('ignores a click that marks nothing', () => {
    assert.equal(areaOf([{ type: 'rectangle', from: { x: 5, y: 5 }, to: { x: 6, y: 6 } }], size), undefined);
  });

  it('is made, moved and resized with the arrow keys, and stays inside', () => {
    const press = (key: string, area: ReturnType<typeof areaOf>, shiftKey = false) => {
      const stroke = changedByKey({ key, shiftKey }, area, size);
      return stroke && areaOf([stroke], size);
    };
    assert.equal(press('Enter', undefined), undefined);
    const middle = press('ArrowDown', undefined);
    assert.deepEqual(middle, { x: 25, y: 12, width: 50, height: 26 });
    assert.deepEqual(press('ArrowRight', middle), { x: 27, y: 12, width: 50, height: 26 });
    assert.deepEqual(press('ArrowRight', middle, true), { x: 25, y: 12, width: 52, height: 26 });
    const corner = { x: 96, y: 46, width: 4, height: 4 };
    assert.deepEqual(press('ArrowRight', corner), corner);
    assert.deepEqual(press('ArrowLeft', corner, true), corner);
  });
});
