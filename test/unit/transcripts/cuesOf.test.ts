import assert from 'node:assert/strict';
import { cuesOf, writeSubtitles } from '../../../src/transcripts/subtitles.ts';
import { fc, runs } from '../../support/fastCheck.ts';
import { readCues } from '../../support/readCues.ts';

const long =
  'The quick brown fox jumps over the lazy dog, and the dog, being lazy, does not mind at all, as every child knows.';

describe('cuesOf', () => {
  it('keeps the times of short segments', () => {
    const cues = cuesOf([at(0, 1.5, 'One.'), at(1.5, 2.0004, ' Two. '), at(360_000, 360_001, 'Late')], false);
    assert.deepEqual(cues, [
      { start: 0, end: 1500, lines: ['One.'] },
      { start: 1500, end: 2000, lines: ['Two.'] },
      { start: 360_000_000, end: 360_001_000, lines: ['Late'] },
    ]);
  });

  it('splits a long segment into cues of two balanced lines, and its time by length', () => {
    const cues = cuesOf([at(10, 20, long)], false);
    assert.deepEqual(
      cues.map(({ lines }) => lines),
      [
        ['The quick brown fox jumps over the lazy', 'dog, and the dog, being lazy, does not'],
        ['mind at all, as every child knows.'],
      ],
    );
    assert.deepEqual(
      cues.map(({ start, end }) => [start, end]),
      [
        [10_000, 16_903],
        [16_903, 20_000],
      ],
    );
  });

  it('wraps scripts without spaces, but not a long word', () => {
    const [chinese] = cuesOf([at(0, 1, '敏捷的棕色狐狸跳过了懒狗，而懒狗一点也不介意。')], false);
    assert.equal(chinese?.lines.length, 2);
    assert(chinese.lines.every((line) => line.length <= 21 && !/^[，。]/.test(line)));
    const address = `https://example.org/${'a'.repeat(60)}`;
    assert.deepEqual(cuesOf([at(0, 1, `See ${address} now`)], false)[0]?.lines, ['See', address]);
  });

  const odd: readonly (readonly [string, readonly [number, number][], readonly [number, number][]])[] = [
    ['no length', [[1, 1]], [[1000, 1100]]],
    ['the end before the start', [[2, 1]], [[2000, 2100]]],
    [
      'overlapping times',
      [
        [0, 3],
        [2, 4],
      ],
      [
        [0, 2000],
        [2000, 4000],
      ],
    ],
    [
      'out of order',
      [
        [5, 6],
        [1, 2],
      ],
      [
        [1000, 2000],
        [5000, 6000],
      ],
    ],
    [
      'identical times',
      [
        [0, 0],
        [0, 0],
        [0, 9],
      ],
      [
        [0, 100],
        [100, 200],
        [200, 9000],
      ],
    ],
    [
      'negative and invalid times',
      [
        [-1, 1],
        [Number.NaN, Number.POSITIVE_INFINITY],
      ],
      [
        [0, 1000],
        [1000, 1100],
      ],
    ],
  ];
  for (const [what, times, expected] of odd) {
    it(`returns playable times for ${what}`, () => {
      const cues = cuesOf(
        times.map(([start, end]) => at(start, end, 'Fox')),
        false,
      );
      assert.deepEqual(
        cues.map(({ start, end }) => [start, end]),
        expected,
      );
    });
  }

  it('names the speaker only when it changes', () => {
    const segments = [at(0, 1, 'Hi', 'Ann'), at(1, 2, 'there', 'Ann'), at(2, 3, 'Ho', 'Bob'), at(3, 4, 'so')];
    const lines = (shows: boolean) => cuesOf(segments, shows).flatMap((cue) => cue.lines);
    assert.deepEqual(lines(true), ['Ann: Hi', 'there', 'Bob: Ho', 'so']);
    assert.deepEqual(lines(false), ['Hi', 'there', 'Ho', 'so']);
  });

  it('writes valid files with every word of any segments', () => {
    const seconds = fc.oneof(fc.double({ min: -1, max: 20, noNaN: false }), fc.integer({ min: 0, max: 500_000 }));
    const word = fc.constantFrom(
      'fox',
      '-->',
      '<b>',
      '&amp;',
      '狐狸在雪里，',
      'jumped',
      'a'.repeat(50),
      '\n\n',
      '1',
      '👨‍👩‍👧',
    );
    const segment = fc.record({
      start: seconds,
      end: seconds,
      text: fc.array(word, { maxLength: 40 }).map((words) => words.join(' ')),
      speaker: fc.constantFrom('Ann', 'Bob <b> & Co'),
    });
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 8 }), fc.constantFrom('srt', 'vtt'), (segments, format) => {
        const cues = cuesOf(segments, false);
        const all = (texts: readonly string[]) => texts.join('').replace(/\s/g, '');
        const ordered = segments
          .map(({ start, text }) => ({
            text,
            start: Number.isFinite(start) ? Math.max(0, Math.round(start * 1000)) : 0,
          }))
          .sort((one, other) => one.start - other.start);
        assert.equal(all(cues.flatMap(({ lines }) => lines)), all(ordered.map(({ text }) => text)));
        // A file without cues cannot be read back.
        if (cues.length === 0) return;
        const found = readCues(format, writeSubtitles(format, cues));
        assert.deepEqual(
          found.map(({ start, end }) => [start, end]),
          cues.map(({ start, end }) => [start, end]),
        );
        assert(found.every(({ lines }) => lines.length <= 2));
      }),
      { numRuns: runs(150) },
    );
  });
});

function at(start: number, end: number, text: string, speaker?: string) {
  return { start, end, text, ...(speaker === undefined ? {} : { speaker }) };
}
