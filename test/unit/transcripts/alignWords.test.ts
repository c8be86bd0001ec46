import assert from 'node:assert/strict';
import { alignWords, type Span, type TimedWord } from '../../../src/transcripts/alignWords.ts';
import { cuesWithTimes } from '../../../src/transcripts/times.ts';
import { wordsIn } from '../../../src/transcripts/words.ts';
import { fc, runs } from '../../support/fastCheck.ts';
import { randomNumbers, spokenProse, spokenWords } from '../../support/spokenHour.ts';

describe('alignWords', () => {
  /** One word a second, each half a second long. */
  const timed = (text: string): readonly TimedWord[] =>
    wordsIn(text).map(({ key }, index) => ({ key, start: index * 1000, end: index * 1000 + 500 }));
  const align = (text: string, recording: string): readonly Span[] =>
    alignWords(
      wordsIn(text).map(({ key }) => key),
      timed(recording),
    );
  const starts = (text: string, recording: string) => align(text, recording).map(({ start }) => start);

  it('gives each word its time, whatever its case and punctuation', () => {
    assert.deepEqual(starts('So, DON’T wait!', "so don't wait"), [0, 1000, 2000]);
  });

  it('gives edited words the time of their place', () => {
    assert.deepEqual(
      starts('we meet on Tuesday at noon', 'we meet on Monday at noon'),
      [0, 1000, 2000, 3000, 4000, 5000],
    );
    assert.deepEqual(align('we meet Tuesday at noon', 'we meet on the Monday at noon')[2], { start: 2000, end: 4500 });
  });

  it('takes more words in one place than a call takes arguments', () => {
    const many = Array.from({ length: 130_000 }, (_, index) => `w${index}`);
    const spoken = many.map((key, index) => ({ key, start: index, end: index + 1 }));
    assert.deepEqual(alignWords(['other', 'words'], spoken).at(-1)?.end, 130_000);
    assert.equal(alignWords(many, [{ key: 'other', start: 0, end: 500 }]).length, many.length);
    assert.equal(alignWords(['a', ...many.flatMap((key) => [key, 'x']), 'b'], spoken).length, 260_002);
    const text = many.join(' ');
    const words = spoken.map(({ key, ...span }) => ({ start: span.start / 1000, end: span.end / 1000, text: key }));
    const [cue] = cuesWithTimes({ text, subtitles: undefined, language: undefined, duration: 1, segments: [], words });
    assert.equal(cue?.end, 130_000);
  });

  it('puts inserted words between their neighbours', () => {
    assert.deepEqual(align('we all meet', 'we meet'), [
      { start: 0, end: 500 },
      { start: 500, end: 1000 },
      { start: 1000, end: 1500 },
    ]);
    assert.deepEqual(starts('well we meet then', 'we meet'), [0, 0, 1000, 1500]);
  });

  it('leaves the times of removed words free', () => {
    assert.deepEqual(starts('we at noon', 'we meet on Monday at noon'), [0, 4000, 5000]);
  });

  it('keeps the times of a moved paragraph', () => {
    const [one, two, three] = [
      'the first point is about the harbour and its boats',
      'the second point is about money that nobody has seen',
      'the last point is lunch which is served at noon',
    ];
    const times = starts(`${three} ${one} ${two}`, `${one} ${two} ${three}`);
    assert.deepEqual(
      times.slice(0, 10),
      Array.from({ length: 10 }, (_, index) => (20 + index) * 1000),
    );
    assert.deepEqual(
      times.slice(10),
      Array.from({ length: 20 }, (_, index) => index * 1000),
    );
  });

  it('keeps the times of one who goes on while another one interrupts', () => {
    const said = 'we went to the market and bought a melon';
    const recording = [
      ...timed(said),
      ...timed('oh really').map(({ key }, at) => ({ key, start: 2500 + at, end: 2600 })),
    ];
    const startsOf = (text: string) => alignWords(text.split(' '), recording).map(({ start }) => start);
    const own = [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000];
    assert.deepEqual(startsOf(`${said} oh really`), [...own, 2500, 2501]);
    assert.deepEqual(startsOf(`${said} today oh really`), [...own, 8500, 2500, 2501]);
  });

  it('aligns scripts without spaces by their characters', () => {
    assert.deepEqual(starts('狐狸很跳了', '狐狸跳了'), [0, 1000, 1500, 2000, 3000]);
  });

  it('gives no times when nothing is timed, and some to a text that has no word of the recording', () => {
    assert.deepEqual(align('we meet', ''), []);
    assert.deepEqual(align('ask him', 'we meet'), align('we meet', 'we meet'));
  });

  it('keeps the order of the times after any edits that move nothing', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd', 'we', 'meet');
    const edit = fc.record({ at: fc.nat(60), removed: fc.nat(8), added: fc.array(word, { maxLength: 5 }) });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 60 }), fc.array(edit, { maxLength: 8 }), (words, edits) => {
        const keys = [...words];
        for (const { at, removed, added } of edits) keys.splice(at % (keys.length + 1), removed, ...added);
        // Fewer than six words in a row are never taken for a moved passage, so every sixth is made different.
        const text = keys.map((key, index) => (index % 6 === 5 ? `new${index}` : key));
        const spans = alignWords(text, timed(words.join(' ')));
        assert.equal(spans.length, text.length);
        for (const [index, { start, end }] of spans.entries()) {
          assert(start <= end, `word ${index} ends before it starts`);
          assert(start >= (spans[index - 1]?.start ?? 0), `word ${index} starts before the one in front of it`);
        }
      }),
      { numRuns: runs(2000) },
    );
  });

  for (const [what, hour] of [
    ['an hour', spokenWords(60)],
    ['an hour of written English', spokenProse(60)],
  ] as const) {
    it(`keeps 99 % of the untouched words of ${what} within 50 ms after 1,000 edits`, () => keepsTimes(hour));
  }

  function keepsTimes(hour: readonly TimedWord[]): void {
    const random = randomNumbers(7);
    const words: { key: string; own?: TimedWord }[] = hour.map((own) => ({ key: own.key, own }));
    const pick = (count: number) => Math.floor(random() * count);
    for (let edit = 0; edit < 1000; edit++) {
      const added = Array.from({ length: pick(4) }, () => ({
        key: random() < 0.5 ? `new${pick(500)}` : (hour[pick(hour.length)]?.key ?? ''),
      }));
      words.splice(pick(words.length), pick(4), ...added);
    }
    const spans = alignWords(
      words.map(({ key }) => key),
      hour,
    );
    const untouched = words.flatMap(({ own }, index) =>
      own ? [Math.abs((spans[index]?.start ?? 0) - own.start)] : [],
    );
    const kept = untouched.filter((difference) => difference <= 50).length;
    assert(kept / untouched.length >= 0.99, `${kept} of ${untouched.length} words kept their times`);
  }

  it('keeps the times of twenty moved paragraphs of an hour', () => {
    const hour = spokenWords(60);
    const random = randomNumbers(3);
    const words = [...hour];
    for (let move = 0; move < 20; move++) {
      const passage = words.splice(Math.floor(random() * (words.length - 100)), 80);
      words.splice(Math.floor(random() * words.length), 0, ...passage);
    }
    const spans = alignWords(
      words.map(({ key }) => key),
      hour,
    );
    const kept = words.filter(({ start }, index) => spans[index]?.start === start).length;
    assert(kept / words.length >= 0.99, `${kept} of ${words.length} words kept their times`);
  });
});
