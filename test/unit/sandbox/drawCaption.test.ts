import assert from 'node:assert/strict';
import { drawCaption, measureText, wrapText } from '../../../src/sandbox/picture/drawCaption.ts';
import { createPicture, fillRows } from '../../../src/sandbox/picture/Picture.ts';

const size = 512;

describe('drawCaption', () => {
  /** Draws a caption on a grey picture. The text is the only white. */
  const draw = (text: string) => {
    const picture = createPicture(size, size);
    fillRows(picture, 0, size, [128, 128, 128]);
    drawCaption(picture, { text, note: 'picture 1', panel: [0, 0, 0], accent: [200, 200, 0], opacity: 1 });
    return picture.data;
  };
  const whitePixels = (text: string) => {
    const data = draw(text);
    return Array.from({ length: size * size }, (_, pixel) => pixel).filter((pixel) => data[pixel * 4 + 2] === 255);
  };

  it('draws the letters of the text in white', () => {
    const [thin, wide] = [whitePixels('iiii'), whitePixels('WWWW')];
    assert(thin.length > 50, String(thin.length));
    assert(wide.length > 2 * thin.length, `${wide.length}, not twice ${thin.length}`);
    assert.notDeepEqual(whitePixels('b'), whitePixels('d'));
  });

  it('draws Latin, Greek and Cyrillic letters, and a box for other characters', () => {
    const [box, letters] = [draw('東'), ['Ž', 'Ω', 'Ж'].map(draw)];
    for (const letter of letters) assert.notDeepEqual(letter, box);
    assert.deepEqual(draw('京'), box);
  });

  it('keeps a long text within the panel', () => {
    const data = draw('A long prompt with many words. '.repeat(200));
    for (const pixel of [0, size * 10 + 256, size * size - 1]) assert.equal(data[pixel * 4], 128);
    for (const pixel of whitePixels('long '.repeat(1000))) {
      const x = pixel % size;
      assert(x > 20 && x < size - 20, String(x));
    }
  });
});

describe('wrapText', () => {
  it('breaks lines between words, and within a word that is wider than a line', () => {
    assert.deepEqual(wrapText('one two three', 4, 3), ['one two', 'three']);
    const parts = wrapText('x'.repeat(20), 4, 9);
    assert(parts.length > 1 && parts.every((part) => measureText(part) <= 4), parts.join());
    assert.equal(parts.join(''), 'x'.repeat(20));
  });

  it('ends a text that is too long with an ellipsis', () => {
    const lines = wrapText('one two three four five six', 4, 2);
    assert.equal(lines.length, 2);
    assert.equal(lines[1]?.at(-1), '…');
    assert(measureText(lines[1] ?? '') <= 4, lines.join());
  });
});
