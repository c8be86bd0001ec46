import * as fc from 'fast-check';

/**
 * Every run tries the same values. fast-check prints the seed with a failure; FAST_CHECK_SEED=<number> tries others.
 */
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: Number(process.env.FAST_CHECK_SEED ?? 8),
  numRuns: runs(100),
});

/** How many values a property is tried with: all of them in `npm run slow`, a quarter otherwise. */
export function runs(all: number): number {
  return process.env.UNIFIED_MEDIA_SLOW === '1' ? all : Math.ceil(all / 4);
}

/**
 * Any code point, and halves of surrogate pairs. Use it instead of fast-check's unit `binary`, which takes a second of
 * processor time and 100 MB for a table of all code points.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map(
  (code) => String.fromCodePoint(code),
  (character) => {
    const [first, ...others] = String(character);
    const code = first?.codePointAt(0);
    if (code === undefined || others.length > 0) throw new Error('not one character');
    return code;
  },
);

export { fc };
