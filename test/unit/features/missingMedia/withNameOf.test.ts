import assert from 'node:assert/strict';
import { withNameOf } from '../../../../src/features/missingMedia/proposalFor.ts';

describe('withNameOf', () => {
  const rows: readonly (readonly [href: string, saved: string, expected: string | undefined])[] = [
    ['/img/hero.jpg', '/w/static/img/hero.png', '/img/hero.png'],
    ['../a%20b/hero.jpg?v=1#x', '/w/hero.webp', '../a%20b/hero.webp?v=1#x'],
    ['hero.JPG', '/w/hero.png', 'hero.png'],
    // The requested name was taken too.
    ['hero.jpg', '/w/hero-2.png', 'hero-2.png'],
    // LaTeX finds the file without an extension.
    ['hero', '/w/hero.png', undefined],
  ];
  for (const [href, saved, expected] of rows) {
    it(`changes ${href} to ${expected ?? 'nothing'}`, () => {
      assert.equal(withNameOf(href, { requested: '/w/static/img/hero.jpg', saved }), expected);
    });
  }
});
