// Writes glyphs.json, the sandbox's font: Inter Medium (SIL Open Font License 1.1) for Latin, Greek and Cyrillic.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import opentype from 'opentype.js';

const unitsPerEm = 500;
const subsets = ['latin', 'latin-ext', 'greek', 'cyrillic', 'cyrillic-ext'];
const ranges = [
  [0x20, 0x7e],
  [0xa0, 0x17f],
  [0x218, 0x21b],
  [0x386, 0x3ce],
  [0x400, 0x45f],
  [0x490, 0x493],
  [0x1e9e, 0x1e9e],
  [0x2010, 0x2026],
  [0x20ac, 0x20ac],
  [0x2122, 0x2122],
  [0x2190, 0x2193],
  [0x2212, 0x2212],
];

const { resolve } = createRequire(import.meta.url);
const fonts = subsets.map((subset) => {
  const file = readFileSync(resolve(`@fontsource/inter/files/inter-${subset}-500-normal.woff`));
  return opentype.parse(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength));
});

/** Returns "advance path": integers in 1/500 em, y downwards from the baseline; relative SVG commands m, l and q. */
function encode(font, character) {
  const glyph = font.charToGlyph(character);
  let [atX, atY] = [0, 0];
  let encoded = '';
  for (const { type, ...to } of glyph.getPath(0, 0, unitsPerEm).commands) {
    if (type === 'C') throw new Error(`${character} has cubic curves`);
    if (type === 'Z') continue;
    const [x, y] = [Math.round(to.x), Math.round(to.y)];
    if (type === 'L' && x === atX && y === atY) continue;
    const control = type === 'Q' ? [Math.round(to.x1) - atX, Math.round(to.y1) - atY] : [];
    encoded += type.toLowerCase() + [...control, x - atX, y - atY].join(' ').replaceAll(' -', '-');
    [atX, atY] = [x, y];
  }
  return `${Math.round((glyph.advanceWidth * unitsPerEm) / font.unitsPerEm)} ${encoded}`;
}

const glyphs = {};
for (const [first, last] of ranges) {
  for (let code = first; code <= last; code++) {
    const character = String.fromCodePoint(code);
    const font = fonts.find((candidate) => candidate.charToGlyphIndex(character) > 0);
    if (font) glyphs[character] = encode(font, character);
  }
}
writeFileSync(new URL('glyphs.json', import.meta.url), `${JSON.stringify(glyphs, null, 2)}\n`);
