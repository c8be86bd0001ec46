import assert from 'node:assert/strict';
import { splitText } from '../../../src/wholes/splitText.ts';
import { anyCharacter, fc, runs } from '../../support/fastCheck.ts';

const family = '👨‍👩‍👧‍👦';
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

describe('splitText', () => {
  const cases: readonly (readonly [what: string, text: string, maxCharacters: number, parts: readonly string[]])[] = [
    ['keeps a short text whole', 'A fox. A hen.', 4096, ['A fox. A hen.']],
    ['never splits when the limit is 0', `${'a '.repeat(9999)}b`, 0, [`${'a '.repeat(9999)}b`]],
    ['returns no parts for white space', ' \r\n\t ', 10, []],
    ['returns no parts for an empty text', '', 0, []],
    ['trims white space', '\n\n A fox. \n', 0, ['A fox.']],
    ['does not split a text of exactly the limit', 'A fox. A hen.   ', 13, ['A fox. A hen.']],
    ['splits at paragraphs first', 'One. Two.\n\nThree. Four.', 16, ['One. Two.', 'Three. Four.']],
    ['splits at paragraphs with CRLF', 'One. Two.\r\n \r\nThree. Four.', 16, ['One. Two.', 'Three. Four.']],
    [
      'does not treat a line break as a paragraph',
      'Aaa aaa aaa\r\nbb. Cc. Dddd',
      20,
      ['Aaa aaa aaa\r\nbb. Cc.', 'Dddd'],
    ],
    ['puts several paragraphs in one part', 'One.\n\nTwo.\n\nThree.', 12, ['One.\n\nTwo.', 'Three.']],
    ['adds sentences to a short title', 'T\n\nAaa aaa. Bbb bbb.', 14, ['T\n\nAaa aaa.', 'Bbb bbb.']],
    ['splits at sentences next', 'Aaa aaa. Bbb bbb. Ccc ccc.', 20, ['Aaa aaa. Bbb bbb.', 'Ccc ccc.']],
    ['splits after a sentence that ends at the limit', 'Aaa aaa.   Bbb.', 8, ['Aaa aaa.', 'Bbb.']],
    ['does not split inside a number', 'It is 3.14159 now', 10, ['It is', '3.14159', 'now']],
    ['splits at the lines of a list', 'Aaa aaa\nBbb bbb\nCcc', 16, ['Aaa aaa\nBbb bbb', 'Ccc']],
    ['splits Chinese sentences', '今天下雪。狐狸在雪里。', 8, ['今天下雪。', '狐狸在雪里。']],
    ['splits at words next', 'one two three four', 9, ['one two', 'three', 'four']],
    ['splits between words without spaces', '狐狸喜欢雪', 4, ['狐狸喜欢', '雪']],
    ['keeps punctuation with its word', 'aaaaaaa(bbbbb), ccc', 15, ['aaaaaaa(bbbbb),', 'ccc']],
    ['splits inside a word only when it exceeds the limit', 'a bbbbbbbbbb c', 6, ['a', 'bbbbbb', 'bbbb c']],
    ['does not split inside a grapheme', family.repeat(3), 30, [family.repeat(2), family]],
    ['does not split off an accent', 'e\u0301e\u0301e\u0301', 3, ['e\u0301', 'e\u0301', 'e\u0301']],
    ['splits a grapheme that exceeds the limit', family, 5, ['👨‍👩', '‍', '👧‍👦']],
    ['never splits a surrogate pair', '😀😀', 1, ['😀', '😀']],
  ];
  for (const [what, text, maxCharacters, parts] of cases) {
    it(what, () => assert.deepEqual(splitText(text, maxCharacters), parts));
  }

  it('keeps all text in order in parts within the limit', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 2, max: 80 }), (text, limit) => {
        const parts = splitText(text, limit);
        assert.equal(parts.join('').replace(/\s/g, ''), text.replace(/\s/g, ''));
        for (const part of parts) {
          assert(part.length <= limit);
          assert.notEqual(part.trim(), '');
        }
        assertInOrder(text, parts);
      }),
      { numRuns: runs(200) },
    );
  });

  it('splits only between graphemes', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 2, max: 80 }), (text, limit) => {
        const all = [...graphemes.segment(text)];
        const longest = Math.max(2, limit, ...all.map(({ segment }) => segment.length));
        const starts = new Set([...all.map(({ index }) => index), text.length]);
        for (const { start, end } of assertInOrder(text, splitText(text, longest))) {
          assert(starts.has(start));
          // A space that some Arabic signs include is not spoken.
          assert(starts.has(end) || /\s/.test(text.charAt(end)));
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it('never splits a surrogate pair, even in a grapheme that exceeds the limit', () => {
    for (let limit = 1; limit <= family.length; limit++) {
      const parts = splitText(family, limit);
      assert.equal(parts.join(''), family);
      for (const part of parts) assert(part.isWellFormed(), `${limit}: ${JSON.stringify(parts)}`);
    }
  });

  it('does not split a word that fits', () => {
    const words = fc.array(fc.stringMatching(/^[a-zé]{1,12}[.,]?$/), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(words, fc.integer({ min: 30, max: 90 }), (list, limit) => {
        const spoken = splitText(list.join(' '), limit).flatMap((part) => part.split(' '));
        assert.deepEqual(spoken, list);
      }),
    );
  });

  it('splits 100,000 characters without a space', () => {
    for (const character of ['a', '雪', 'ท', '😀', 'e\u0301', family]) {
      const text = character.repeat(Math.ceil(100_000 / character.length));
      const parts = splitText(text, 4096);
      assert.equal(parts.join(''), text);
      assert(parts.every((part) => part.length <= 4096 && part.length % character.length === 0));
      assert(parts.length <= 26, `${parts.length} parts`);
    }
  });
});

/** Prose, all kinds of white space, marks, emoji and any other Unicode. */
function anyText(): fc.Arbitrary<string> {
  const pieces = ['Aa bb. ', 'Cc? ', '\r\n', '\n', '\n\n', ' ', '\u00a0', '\u2029', '雪が。', 'ثلج ', 'बर्फ', 'ฉันรักหิมะ'];
  const marks = ['\u0301', '\u200d', '\ufe0f', '\u0600', '🇩', '🇪', '👍🏽', family, '...', '“', '”', '(', ')', '\ud800'];
  const piece = fc.oneof(fc.constantFrom(...pieces, ...marks), fc.string({ unit: anyCharacter, maxLength: 20 }));
  return fc.array(piece, { maxLength: 40 }).map((list) => list.join(''));
}

/** Checks that the parts follow one another in the text with only white space between. */
function assertInOrder(text: string, parts: readonly string[]) {
  let at = 0;
  const places = parts.map((part) => {
    const start = text.indexOf(part, at);
    assert(start >= at);
    assert.equal(text.slice(at, start).trim(), '');
    at = start + part.length;
    return { start, end: at };
  });
  assert.equal(text.slice(at).trim(), '');
  return places;
}
