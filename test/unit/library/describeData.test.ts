import assert from 'node:assert/strict';
import { describeData } from '../../../src/library/saveMedia.ts';

const unknown = 'data of an unknown type';
const cases: readonly (readonly [string, string | Buffer, string | undefined, string])[] = [
  ['no bytes', '', 'image/png', 'nothing'],
  ['an SVG', '<svg>', undefined, 'an SVG drawing, which may hold scripts,'],
  [
    'an SVG after an XML prologue',
    '\uFEFF <?xml version="1.0"?>\n<!-- <html> -->\n<!DOCTYPE svg>\n<SVG a="b">',
    '',
    'an SVG drawing, which may hold scripts,',
  ],
  ['a web page', '<!doctype html><p>', 'text/html', 'a web page'],
  ['a web page without a type', ' <!-- a --> <HTML lang="en">', undefined, 'a web page'],
  ['a web page with an SVG in it', '<html><svg></svg></html>', undefined, 'a web page'],
  ['text about an SVG', 'Use <svg>', undefined, 'text'],
  ['an element with a longer name', '<svgfont>', undefined, 'text'],
  ['JSON', '{"error": "no"}', 'application/json', 'text'],
  ['text that ends within a character', Buffer.from('狐').subarray(0, 2), undefined, 'text'],
  ['bytes', Buffer.of(0xff, 0xfe, 0), undefined, unknown],
  ['zeros', Buffer.alloc(9), undefined, unknown],
  ['bytes with a type', Buffer.of(0xff, 0), 'application/octet-stream; a=b', `${unknown} (“application/octet-stream”)`],
  ['bytes with an invalid type', Buffer.of(0xff, 0), '<b>x</b>', unknown],
];

describe('describeData', () => {
  for (const [name, data, announced, expected] of cases) {
    it(`describes ${name}`, () => assert.equal(describeData(Buffer.from(data), announced), expected));
  }
});
