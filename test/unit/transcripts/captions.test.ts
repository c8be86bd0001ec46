import assert from 'node:assert/strict';
import { plainLine } from '../../../src/foreign/plainText.ts';
import { endOf } from '../../../src/transcripts/alignWords.ts';
import { captionsOf, cuesOfText, spokenWords } from '../../../src/transcripts/captions.ts';
import { type Cue, writeSubtitles } from '../../../src/transcripts/subtitles.ts';
import { checkTimesSize, maxPlayedBytes, readTimes } from '../../../src/transcripts/times.ts';
import { readTranscriptFile } from '../../../src/transcripts/transcriptIn.ts';
import { fc, runs } from '../../support/fastCheck.ts';
import { parseSubtitles } from '../../support/parseSubtitles.ts';

/** A recording in which a word is spoken every half a second, with a second of silence after each cue. */
function recording(...texts: readonly string[]): readonly Cue[] {
  let seconds = 0;
  const stamp = () => new Date(seconds * 1000).toISOString().slice(11, 23);
  const blocks = texts.map((text) => {
    const start = stamp();
    const words = text.split(' ').map((word) => {
      const written = `<${stamp()}>${word}`;
      seconds += 0.5;
      return written;
    });
    const block = `${start} --> ${stamp()}\n${words.join(' ')}\n`;
    seconds++;
    return block;
  });
  return readTimes('talk.vtt', Buffer.from(`WEBVTT\n\n${blocks.join('\n')}`));
}

const fox = 'The quick brown fox jumps over the lazy dog, and the dog, being lazy, does not mind it at all.';

describe('captions', () => {
  const captions = (markdown: string, cues: readonly Cue[], showsSpeakers = false) =>
    captionsOf(spokenWords(readTranscriptFile('md', markdown), cues), showsSpeakers);
  const lines = (cues: readonly Cue[]) => cues.map((cue) => cue.lines.join(' / '));

  it('end where a sentence or a clause ends', () => {
    assert.deepEqual(lines(captions(fox, recording(fox))), [
      'The quick brown fox jumps over the / lazy dog, and the dog, being lazy,',
      'does not mind it at all.',
    ]);
    assert.deepEqual(lines(captions('One. Two. So three.', recording('one two', 'so three'))), [
      'One. Two.',
      'So three.',
    ]);
  });

  it('hold no end of one sentence with the beginning of another', () => {
    const long =
      'They have waited for a long and careful letter from the people of the old harbour authority. Thank you so much for it.';
    const made = lines(captions(long, recording(long)));
    assert.equal(made.at(-1), 'Thank you so much for it.');
    assert.match(made.at(-2) ?? '', /authority\.$/);
    // Half a second is no caption.
    assert.equal(lines(captions(`Yes. ${fox}`, recording(`Yes. ${fox}`)))[0]?.startsWith('Yes. The'), true);
  });

  it('show the text as it reads now, at the times of what was said', () => {
    const cues = captions(
      '**Ann:** The slow red fox jumps.\n\n**Bob:** Does it!',
      recording('the quick brown fox jumps', 'does it'),
      true,
    );
    assert.deepEqual(
      cues.map(({ start, end, lines: [line] }) => [start, end, line]),
      [
        [0, 2500, 'Ann: The slow red fox jumps.'],
        [3500, 4500, 'Bob: Does it!'],
      ],
    );
  });

  it('show a paragraph without words between its neighbours', () => {
    const shown = captions('One two three four.\n\n♪\n\nFive six.', recording('one two three four', 'five six'));
    assert.deepEqual(lines(shown), ['One two three four.', '♪', 'Five six.']);
  });

  it('keep numbers, compounds and addresses as they are written, and end no sentence in them', () => {
    for (const text of [
      'Send an e-mail to example.com, it costs $3.50 or 1,000 and/or 3.5 percent.',
      '我们在2024年使用GPT模型和iPhone手机。',
      '狐狸 在雪里 GPT-4 的 2024年',
    ]) {
      const cues = [{ start: 0, end: 5000, lines: [plainLine(text)] }];
      const words = spokenWords([{ text: plainLine(text) }], cues);
      assert.deepEqual(lines(cuesOfText(words)), [text]);
      for (const { lines: own } of captionsOf(words, true)) for (const line of own) assert(text.includes(line), line);
    }
  });

  it('end where a sentence of a script without spaces ends, and join its lines without one', () => {
    const text = '今天天气很好,我们去公园吧,你觉得怎么样?我觉得可以!那我们走吧。';
    const cues = recording([...text].filter((one) => !/[,?!。]/.test(one)).join(' '));
    const sentences = ['今天天气很好,我们去公园吧,你觉得怎么样?', '我觉得可以!', '那我们走吧。'];
    const said = (paragraph: string) => lines(cuesOfText(spokenWords([{ text: paragraph }], cues)));
    assert.deepEqual(said(text), sentences);
    assert.deepEqual(said(text.replace('公园吧', '公\n园吧')), sentences);
    assert.deepEqual(said('Call\nme'), ['Call me']);
  });

  it('have at most two lines, although their lines break only between Chinese words', () => {
    const text = '2024年用GPT-4 &amp; e-mail fox 狐狸在雪里， fox e-mail fox jumped, 2024年用GPT-4';
    const made = captionsOf(spokenWords([{ text }], recording('fox')), false);
    assert.deepEqual(lines(made), [
      '2024年用GPT-4 &amp; e-mail fox 狐狸在',
      '雪里， fox e-mail fox / jumped, 2024年用GPT-4',
    ]);
  });

  it('name the speaker only when it changes', () => {
    const text = '**Ann:** One two three four.\n\nFive six.\n\n**Bob:** Seven eight.';
    const cues = recording('one two three four', 'five six', 'seven eight');
    assert.deepEqual(lines(captions(text, cues, true)), ['Ann: One two three four.', 'Five six.', 'Bob: Seven eight.']);
    assert.deepEqual(
      captions(text, cues).map(({ speaker }) => speaker),
      ['Ann', 'Ann', 'Bob'],
    );
  });

  it('begin with their first words when two speak at once, and name again who was interrupted', () => {
    const file = [
      'WEBVTT',
      `00:00.000 --> 00:19.000\n<v Ann>${fox}`,
      '00:02.000 --> 00:02.400\n<v Bob>Oh!',
      '00:02.400 --> 00:02.800\n<v Cy>Yes.',
      '00:21.000 --> 00:22.000\n<v Bob>I see.',
    ];
    const cues = readTimes('talk.vtt', Buffer.from(file.join('\n\n')));
    assert.deepEqual(
      captions(`**Ann:** ${fox}\n\n**Bob:** Oh!\n\n**Cy:** Yes.\n\n**Bob:** I see.`, cues, true).map(
        ({ start, end, lines: own }) => [start, end, own.join(' / ')],
      ),
      [
        [0, 2000, 'Ann: The quick brown fox jumps over'],
        [2000, 3000, 'Bob: Oh!'],
        [2400, 3400, 'Cy: Yes.'],
        [6690, 13_113, 'Ann: the lazy dog, and the dog, being'],
        [13_113, 19_000, 'lazy, does not mind it at all.'],
        [21_000, 22_000, 'Bob: I see.'],
      ],
    );
  });

  it('of the times of a text stand in the order of their starts where two speak at once', () => {
    const file =
      'WEBVTT\n\n00:00.000 --> 00:08.000\n<v Ann>One two. Three four.\n\n00:02.000 --> 00:03.000\n<v Bob>Oh.\n';
    const text = readTranscriptFile('md', '**Ann:** One two. Three four.\n\n**Bob:** Oh.');
    const made = cuesOfText(spokenWords(text, readTimes('talk.vtt', Buffer.from(file))));
    assert.deepEqual(lines(made), ['One two.', 'Oh.', 'Three four.']);
  });

  it('wait for short ones before them that are shown for a second, and overlap only where two speak at once', () => {
    const said = ['One.', 'Two.', 'Three four five six.', 'Seven.'].map((text) => ({ text: plainLine(text) }));
    const times = [0, 400, 800, 3000].map((start, index) => ({ start, end: [400, 800, 3000, 3400][index] ?? 0 }));
    const cues = times.map((time, index) => ({ ...time, lines: [said[index]?.text ?? plainLine('')] }));
    assert.deepEqual(
      captionsOf(spokenWords(said, cues), false).map(({ start, end }) => [start, end]),
      [
        [0, 1000],
        [1000, 2000],
        [2000, 3000],
        [3000, 4000],
      ],
    );
  });

  it('follow the order of the recording when a paragraph was moved', () => {
    const [one, two] = ['this is what he said at the first', 'and that is what she said at last'];
    assert.deepEqual(lines(captions(`${two}\n\n${one}`, recording(one, two))), [one, two]);
  });

  it('are valid for other parsers, in order, and never too long, whatever is said and written', () => {
    const word = fc.constantFrom(
      'fox',
      'a',
      '-->',
      '<b>',
      '&amp;',
      '狐狸在雪里，',
      '2024年用GPT-4',
      '$3.50',
      'e-mail',
      'jumped,',
      'so.',
      'a'.repeat(50),
      'über',
      '1',
    );
    const paragraph = fc.array(word, { minLength: 1, maxLength: 60 }).map((words) => words.join(' '));
    const cue = fc.record({ start: fc.nat(40_000), length: fc.nat(9000), text: paragraph });
    fc.assert(
      fc.property(
        fc.array(fc.record({ speaker: fc.constantFrom(undefined, 'Ann', 'B <i> & Co'), text: paragraph }), {
          maxLength: 6,
        }),
        fc.array(cue, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('srt', 'vtt'),
        (said, cues, format) => {
          const paragraphs = said.map(({ speaker, text }) => ({
            text: plainLine(text),
            ...(speaker === undefined ? {} : { speaker: plainLine(speaker) }),
          }));
          const read = readTimes(
            'a.srt',
            Buffer.from(
              writeSubtitles(
                'srt',
                cues.map(({ start, length, text }) => ({
                  start,
                  end: start + length,
                  // A cue of nothing but tags would have no words.
                  lines: [plainLine(`${text} so.`)],
                })),
              ),
            ),
          );
          const words = spokenWords(paragraphs, read);
          const made = captionsOf(words, false);
          for (const line of [...made, ...cuesOfText(words)].flatMap((one) => one.lines)) {
            assert(
              paragraphs.some(({ text }) => text.includes(line)),
              `not as it is written: ${line}`,
            );
          }
          const all = (texts: readonly string[]) => [...texts.join('').replace(/\s/gu, '')].sort().join('');
          assert.equal(all(made.flatMap((one) => one.lines)), all(paragraphs.map(({ text }) => text)), 'every word');
          for (const [index, { start, end, lines: own, words: spoken }] of made.entries()) {
            const first = spoken?.[0]?.start ?? 0;
            const isAtOnce = first < endOf(made.slice(0, index).flatMap(({ words: said }) => said ?? []));
            const before = made[index - 1];
            const least = (isAtOnce ? before?.start : before?.end) ?? 0;
            assert.equal(start, Math.max(first, least), 'late, or over another where nobody spoke at once');
            const next = made[index + 1]?.start ?? end;
            assert(next >= start && end <= Math.max(start + 1000, next), 'out of order, or longer than needed');
            assert(end - start >= 1000 && end - start <= 7000, `${end - start} ms`);
            assert(own.length <= 2 && own.every((line) => line.length <= 42 || !line.includes(' ')), own.join('\n'));
          }
          if (made.length === 0) return;
          const parsed = parseSubtitles(format, writeSubtitles(format, made));
          // WebVTT has the longer one first where two begin at the same time.
          const inOrder = (times: readonly (readonly [number, number])[]) =>
            times.toSorted((one, other) => one[0] - other[0] || other[1] - one[1]);
          assert.deepEqual(
            inOrder(parsed.map(({ start, end }) => [Math.round(start * 1000), Math.round(end * 1000)])),
            inOrder(made.map(({ start, end }) => [start, end])),
          );
        },
      ),
      { numRuns: runs(200) },
    );
  });
});

describe('the times of an edited text', () => {
  it('keep those of words that were there, with the names of the speakers', () => {
    const cues = recording('the quick brown fox jumps', 'does it');
    const updated = cuesOfText(
      spokenWords(readTranscriptFile('md', '**Ann:** The slow fox jumps. Really.\n\n**Bob:** Does it!'), cues),
    );
    assert.deepEqual(
      updated.map(({ start, end, speaker, lines }) => [start, end, speaker, ...lines]),
      [
        [0, 2500, 'Ann', 'The slow fox jumps.'],
        [2500, 3500, 'Ann', 'Really.'],
        [3500, 4500, 'Bob', 'Does it!'],
      ],
    );
    assert.doesNotThrow(() => parseSubtitles('vtt', writeSubtitles('vtt', updated)));
  });

  it('keep the names of speakers beside plain text, where nobody says them', () => {
    const cues = readTimes(
      'talk.vtt',
      Buffer.from(
        'WEBVTT\n\n00:00.000 --> 00:02.000\n<v Dr. Bob>Hello you there.\n\n00:02.000 --> 00:04.000\n<v Ann>Yes I am.\n',
      ),
    );
    const text = 'Dr. Bob: Hello you there.\n\n[00:02] Ann: Yes I am.\n\nNote: this stays.\n';
    const words = spokenWords(readTranscriptFile('txt', text, cues), cues);
    const [bob, ann, ...others] = cuesOfText(words);
    assert.deepEqual(
      [bob, ann].map((cue) => [cue?.start, cue?.end, cue?.speaker, ...(cue?.lines ?? [])]),
      [
        [0, 2000, 'Dr. Bob', 'Hello you there.'],
        [2000, 4000, 'Ann', 'Yes I am.'],
      ],
    );
    assert.deepEqual(
      others.map(({ lines }) => lines),
      [['Note: this stays.']],
    );
    assert.match(
      writeSubtitles('srt', captionsOf(words, true)),
      /\nDr\. Bob: Hello you there\.\n[\s\S]*\nAnn: Yes I am\.\n/,
    );
  });

  it('begin a sentence with the bracket that opens it, in a script without spaces too', () => {
    for (const [first, second] of [
      ['彼は言った。', '「行こう。」'],
      ['彼は言った。', '『行こう。』'],
      ['He (really) said.', '“Let us go.”'],
    ] as const) {
      const text = plainLine(first + (/[a-z]/.test(first) ? ' ' : '') + second);
      const words = spokenWords([{ text }], [{ start: 0, end: 20_000, lines: [text] }]);
      assert.deepEqual(
        cuesOfText(words).map(({ lines }) => lines),
        [[first], [second]],
      );
    }
  });

  it('are those of short cues, also where no sentence ends', () => {
    const cuesFor = (text: string, ...said: readonly string[]) =>
      cuesOfText(spokenWords([{ text: plainLine(text) }], recording(...said)));
    const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`);
    const clauses = words(60).map((word, index) => (index % 15 === 14 ? `${word},` : word));
    // Half a second for each word.
    assert.deepEqual(
      cuesFor(clauses.join(' '), clauses.join(' ')).map(({ start }) => start),
      [0, 15_000],
    );
    assert.deepEqual(
      cuesFor(words(60).join(' '), words(24).join(' '), words(60).slice(24).join(' ')).map(({ start }) => start),
      [0, 13_000],
    );
    const endless = cuesFor(words(200).join(' '), words(200).join(' '));
    assert.deepEqual(
      endless.map(({ start }) => start),
      [0, 30_000, 60_000, 90_000],
    );
  });

  it('stay as they are when the text was not changed', () => {
    const said = ['The quick brown fox jumps.', 'Does it?'];
    const cues = recording(...said);
    const updated = cuesOfText(spokenWords(readTranscriptFile('txt', said.join('\n\n')), cues));
    const again = readTimes('again.vtt', Buffer.from(writeSubtitles('vtt', updated)));
    assert.deepEqual(
      again.map(({ words }) => words),
      cues.map(({ words }) => words),
    );
  });
});

describe('files with times', () => {
  const read = (name: string, text: string) => readTimes(name, Buffer.from(text));

  it('are read as far as possible when they are damaged, and in order when cues overlap', () => {
    const file = [
      'WEBVTT',
      '00:00:05.000 --> 00:00:09.000\nThird.',
      '00:xx:01.000 --> 00:00:02.000\nLost.',
      '00:00:01.000 --> 00:00:06.000\nFirst.',
      '00:00:03.000 --> 00:00:02.000\nSecond <b.',
      'no times at all',
    ].join('\n\n');
    assert.deepEqual(
      read('call.vtt', file).map(({ start, end, lines }) => [start, end, ...lines]),
      [
        [1000, 6000, 'First.'],
        [3000, 3100, 'Second <b.'],
        [5000, 9000, 'Third.'],
      ],
    );
  });

  it('have a cue that begins with a line of one space, as YouTube writes it', () => {
    const cue = '00:00:01.000 --> 00:00:02.000 align:start position:0%\n \nso<00:00:01.500><c> hello</c>\n';
    assert.deepEqual(
      read('call.vtt', `WEBVTT\nKind: captions\n\n${cue}\n00:00:02.000 --> 00:00:03.000\n \n`).map(
        ({ words }) => words,
      ),
      [
        [
          { text: 'so', start: 1000, end: 1500 },
          { text: 'hello', start: 1500, end: 2000 },
        ],
      ],
    );
  });

  it('have times without milliseconds, or with microseconds, as Python writes them', () => {
    const file = '1\n0:00:05 --> 0:00:07.250000\nOne.\n\n2\n0:00:07.250000 --> 0:00:09\nTwo.\n';
    assert.deepEqual(
      read('call.srt', file).map(({ start, end, lines }) => [start, end, ...lines]),
      [
        [5000, 7250, 'One.'],
        [7250, 9000, 'Two.'],
      ],
    );
  });

  it('have the times of a segment where its words have none, as WhisperX writes numbers', () => {
    const json = JSON.stringify({
      segments: [
        {
          start: 0,
          end: 2,
          text: ' Hello there.',
          words: [
            { word: 'Hello', start: 0.1, end: 0.5 },
            { word: 'there.', start: 0.6, end: 1 },
          ],
        },
        { start: 60, end: 64, text: ' 1914 1918', words: [{ word: '1914' }, { word: '1918' }] },
      ],
    });
    const words = spokenWords([{ text: 'Hello there.' }, { text: '1914 1918' }], read('call.json', json));
    assert.deepEqual(
      captionsOf(words, false).map(({ start, end, lines }) => [start, end, ...lines]),
      [
        [100, 1100, 'Hello there.'],
        [60_000, 64_000, '1914 1918'],
      ],
    );
  });

  it('hold each word that begins with its segment, and a time only where a word begins', () => {
    const spoken = [
      { text: 'that', start: 5, end: 5 },
      { text: 'a', start: 5.2, end: 5.4 },
      { text: 'man', start: 5.5, end: 6 },
    ];
    const segments = [{ start: 5, end: 7, text: 'that a man' }];
    const cues = read('call.json', JSON.stringify({ segments, words: spoken }));
    assert.deepEqual(
      cues[0]?.words?.map(({ text, start }) => [text, start]),
      [
        ['that', 5000],
        ['a', 5200],
        ['man', 5500],
      ],
    );
    const without = cues.map((cue) => ({ ...cue, words: (cue.words ?? []).slice(1) }));
    assert.match(writeSubtitles('vtt', without), /\nthat <00:00:05\.200>a <00:00:05\.500>man\n/);
  });

  it('stay where they are between the parts of a word, and between words without spaces', () => {
    const line = 'So <1.000>un<1.500>til <2.000>GDP<2.500>日<3.000>本<3.500>GDP'.replaceAll('<', '<00:00:0');
    const file = `WEBVTT\n\n00:00:00.000 --> 00:00:09.000\n${line}\n`;
    assert.equal(writeSubtitles('vtt', read('call.vtt', file)), file);
  });

  it('keep times that can be counted, however late they claim to be', () => {
    const seconds = { start: 1, end: 1e300 };
    const json = read(
      'call.json',
      JSON.stringify({
        segments: [
          { ...seconds, text: 'One.' },
          { ...seconds, start: 1e200, text: 'Two.' },
        ],
      }),
    );
    const vtt = read(
      'call.vtt',
      `WEBVTT\n\n00:01.000 --> 00:02.000\nOne.\n\n${'9'.repeat(14)}:00:00.000 --> ${'9'.repeat(14)}:00:01.000\nTwo.`,
    );
    assert.equal(json.length, 2);
    assert.deepEqual(
      vtt.map(({ lines }) => lines),
      [['One.']],
    );
    for (const { start, end } of [...json, ...vtt])
      assert(Number.isSafeInteger(start) && Number.isSafeInteger(end) && start <= end);
  });

  it('without any times, and too large ones, are refused with a sentence', () => {
    for (const name of ['call.vtt', 'call.srt', 'call.json']) {
      assert.throws(() => read(name, '{"segments": [{"start": "x"}, 7, null'), new RegExp(`${name} has no times`));
    }
    assert.throws(() => readTimes('call.json', Buffer.alloc(50_000_000)), /call\.json is too large \(50 MB\)/);
    // Only the player must not keep anybody waiting.
    checkTimesSize('call.vtt', maxPlayedBytes, maxPlayedBytes);
    checkTimesSize('call.vtt', maxPlayedBytes + 1);
    assert.throws(
      () => checkTimesSize('call.vtt', maxPlayedBytes + 1, maxPlayedBytes),
      /call\.vtt is too large \(9 MB\); files with times may have 8 MB/,
    );
  });
});
