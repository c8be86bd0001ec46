import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { renamedSpeakers } from '../../../src/features/recordings/speakers.ts';
import type { Segment, Transcript } from '../../../src/operations/operations.ts';
import { readSegments } from '../../../src/operations/readSegments.ts';
import {
  formatTranscript,
  type TranscriptFormat,
  transcriptFormats,
} from '../../../src/transcripts/formatTranscript.ts';
import { frontMatterSource, frontMatterSpeakers } from '../../../src/transcripts/frontMatter.ts';
import { readSubtitles } from '../../../src/transcripts/subtitles.ts';
import { readTimes, wordsOfCues } from '../../../src/transcripts/times.ts';
import { readTranscriptFile, transcriptIn } from '../../../src/transcripts/transcriptIn.ts';
import { fc, runs } from '../../support/fastCheck.ts';
import { growsLinearly } from '../../support/growsLinearly.ts';
import { readCues } from '../../support/readCues.ts';

const origin = {
  source: 'talks/Stand-up (Monday) [1].m4a',
  link: '../../talks/Stand-up (Monday) [1].m4a',
  model: 'acme/listener',
  operation: 'transcribe',
  date: new Date('2026-11-05T09:07:03Z'),
};

const segments: readonly Segment[] = [
  { start: 0, end: 1, text: ' Good morning.', speaker: 'Ann' },
  { start: 1, end: 2, text: ' All --> well?', speaker: 'Ann' },
  { start: 2, end: 3.5, text: ' Yes, <so> & so.', speaker: 'Bob' },
];

const srt = '1\n00:00:01,000 --> 00:00:02,500\nOne <i>fox</i>\n& hen\n\n2\n00:00:03,000 --> 00:00:04,000\nTwo\n';
const vtt =
  'WEBVTT - talk\n\nNOTE no\n\nSTYLE\n::cue { }\n\nid\n00:01.000 --> 00:02.500 align:left\n<v Ann>One <00:01.500>fox\n&amp; hen</v>\n\n' +
  '100:00:03.000 --> 100:00:04.000\nTwo &lt;b&gt;\n';

function transcript(parts: Partial<Transcript>): Transcript {
  return { text: 'A fox.', subtitles: undefined, language: undefined, duration: undefined, segments: [], ...parts };
}

function fileOf(format: TranscriptFormat, parts: Partial<Transcript>): string {
  return formatTranscript(transcript(parts), format, origin).text;
}

function bodyOf(parts: Partial<Transcript>): string {
  return fileOf('markdown', parts).replace(/^---\n[\s\S]*?\n---\n\n\[.*\n\n/, '');
}

describe('formatTranscript', () => {
  it('writes Markdown with front matter and a link', () => {
    const file = formatTranscript(transcript({ language: 'no', duration: 83.25049 }), 'markdown', {
      ...origin,
      sandbox: true,
    });
    assert.deepEqual(file, {
      format: 'markdown',
      extension: 'md',
      mediaType: 'text/markdown',
      times: undefined,
      repeat: undefined,
      text: `---
source: "talks/Stand-up (Monday) [1].m4a"
model: "acme/listener"
operation: "transcribe"
date: 2026-11-05T09:07:03.000Z
duration: 83.25 # seconds
language: "no"
sandbox: true
---

[Stand-up (Monday) \\[1\\].m4a](../../talks/Stand-up%20%28Monday%29%20%5B1%5D.m4a)

A fox.
`,
    });
  });

  it('omits unknown facts and an impossible link', () => {
    const { text } = formatTranscript(transcript({}), 'markdown', { ...origin, link: undefined });
    assert.doesNotMatch(text, /duration|language|sandbox|note|\]\(/);
  });

  it('escapes what YAML and Markdown would misread', () => {
    const name = 'a: "b" #%*_\\ü\u0085狐.wav';
    const { text } = formatTranscript(transcript({}), 'markdown', { ...origin, source: name, link: `./${name}` });
    assert.match(text, /^source: "a: \\"b\\" #%\*_\\\\ü 狐\.wav"$/m);
    const [, address = ''] = /\]\((.*)\)$/m.exec(text) ?? [];
    assert.match(address, /^[\w./%-]+$/);
    assert.equal(decodeURIComponent(address), `./${name}`);
  });

  it('begins no template in the front matter, which reads the same in YAML (promise 13)', () => {
    for (const words of [
      '<%= 1 + 1 %>',
      '<?= 7 ?>',
      '<!--@include: a-->',
      '{{ 7 * 7 }}',
      '{% a %}',
      '{#a#}',
      '\\<% "a" %>',
    ]) {
      const segment = { start: 0, end: 1, text: `${words}\n`, speaker: words };
      const { text } = formatTranscript(
        transcript({ text: `${words}\n`.repeat(8), language: words, segments: Array(8).fill(segment) }),
        'markdown',
        { ...origin, source: words, model: words, operation: words, link: undefined },
      );
      assert.doesNotMatch(text, /<[?%]|<!--@|\{[{%#]/);
      const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
      const { source, model, operation, language, speakers, note } = parse(front);
      assert.deepEqual([source, model, operation, language, speakers], [words, words, words, words, [words]]);
      // A question or exclamation mark ends a sentence.
      if (!/[?!]/.test(words)) assert(note.includes(words));
      assert.equal(frontMatterSource(text), words);
      assert.deepEqual(frontMatterSpeakers(text)?.names, [words]);
      const [edit] = renamedSpeakers('md', '---\nspeakers: ["A"]\n---\n\n**A:** Hi.\n', new Map([['A', words]]));
      assert.deepEqual([parse(edit?.text ?? ''), /<[!?%]|\{[{%#]/.test(edit?.text ?? '')], [words, false]);
    }
  });

  it('reads a source with the escapes that only YAML has', () => {
    assert.equal(frontMatterSource('---\nsource: "a\\ b.m4a"\n---\n'), 'a b.m4a');
  });

  it('splits paragraphs by speaker', () => {
    const text = segments.map((segment) => segment.text).join('');
    assert.equal(bodyOf({ text, segments }), '**Ann:** Good morning. All --> well?\n\n**Bob:** Yes, \\<so> & so.\n');
    assert.equal(fileOf('text', { text, segments }), 'Ann: Good morning. All --> well?\n\nBob: Yes, <so> & so.\n');
  });

  it('splits paragraphs by pauses and length', () => {
    const sentence = 'The fox ran over the hill and was not seen again by anyone. ';
    const list = Array.from({ length: 24 }, (_, index) => ({ start: index, end: index + 1, text: sentence }));
    const late = { start: 30, end: 31, text: 'At last.' };
    const paragraphs = bodyOf({ text: sentence.repeat(24), segments: [...list, late] })
      .trim()
      .split('\n\n');
    assert.deepEqual(
      paragraphs.map(({ length }) => Math.round(length / sentence.length)),
      [10, 10, 4, 0],
    );
    assert.equal(paragraphs.at(-1), 'At last.');
  });

  it('joins many segments without a pause in linear time', () => {
    const write = (text: string) => {
      fileOf('text', { text, segments: text.split('\n').map((word) => ({ start: 0, end: 0, text: word })) });
    };
    assert(growsLinearly(write, (length) => 'word\n'.repeat(length / 5)));
  });

  it('uses the whole text when the segments cover only a part of it', () => {
    const text = 'First a long piece that no segment tells.\r\n\r\nGood morning. # Then?';
    const parts = { text, segments: [{ start: 0, end: 1, text: 'Good morning.' }] };
    assert.equal(fileOf('text', parts), 'First a long piece that no segment tells.\n\nGood morning. # Then?\n');
    assert.equal(formatTranscript(transcript(parts), 'srt', origin).format, 'markdown');
    assert.equal(fileOf('text', { text: 'One\r\ntwo\r\n \r\nthree' }), 'One\ntwo\n\nthree\n');
  });

  it('writes SubRip with the text as it is written when its words have times', () => {
    const text = 'The price is 3.5 percent, by e-mail at example.com.';
    const said = ['The', 'price', 'is', '3.5', 'percent', 'by', 'e-mail', 'at', 'example.com'];
    const words = said.map((word, index) => ({ start: index * 0.3, end: index * 0.3 + 0.2, text: word }));
    const read = readCues('srt', fileOf('srt', { text, segments: [{ start: 0, end: 3, text }], words }));
    assert.equal(read.flatMap(({ lines }) => lines).join(' '), text);
  });

  it('loses no word that looks like a tag', () => {
    for (const text of [
      'if a<b and c>d, <v Bob> <c> and <00:01.000>',
      'Use <i> for italics, </i> and <font size=2>.',
    ]) {
      const parts = { text, segments: [{ start: 0, end: 2, text }] };
      for (const format of ['srt', 'vtt'] as const) {
        const [cue] = readSubtitles(format, fileOf(format, parts));
        assert.equal(cue?.lines.join(' ').replaceAll('‹', '<').replaceAll('›', '>'), text);
        assert.equal(cue.speaker, undefined);
      }
    }
    const [cue] = readSubtitles(
      'srt',
      '1\n00:00:00,000 --> 00:00:02,000\n<font color="red"><I>So</I></font> a<b and c>d\n',
    );
    assert.deepEqual(cue?.lines, ['So a<b and c>d']);
  });

  it('reads no tag of SubStation Alpha and no reading of ruby text', () => {
    const cue = (text: string) => `1\n00:00:01.000 --> 00:00:02.000\n${text}\n`;
    assert.deepEqual(readSubtitles('srt', cue('{\\an8}So {\\i1}it{\\i0} {is}'))[0]?.lines, ['So it {is}']);
    assert.deepEqual(readSubtitles('vtt', cue('<ruby>漢<rt>kan</rt>字<rt>ji</ruby> is'))[0]?.lines, ['漢字 is']);
    const text = 'Write {\\an8} so.';
    const written = fileOf('srt', { text, segments: [{ start: 0, end: 2, text }] });
    assert.deepEqual(readSubtitles('srt', written)[0]?.lines, ['Write ‹\\an8› so.']);
  });

  it('reads a time before the start as the start', () => {
    const cues = readSubtitles(
      'srt',
      '1\n-00:00:01,000 --> 00:00:02,000\nOne\n\n2\n00:00:02,000 --> 00:00:03,000\nTwo\n',
    );
    assert.deepEqual(
      cues.map(({ start, end, lines: [line] }) => [start, end, line]),
      [
        [0, 2000, 'One'],
        [2000, 3000, 'Two'],
      ],
    );
  });

  it('writes SubRip and WebVTT from segments', () => {
    const parts = { text: segments.map((segment) => segment.text).join(''), segments };
    const [subRip, webVtt] = [fileOf('srt', parts), fileOf('vtt', parts)];
    assert.deepEqual(
      readCues('srt', subRip).flatMap(({ lines }) => lines),
      ['Ann: Good morning.', 'All → well?', 'Bob: Yes, <so> & so.'],
    );
    assert.deepEqual(
      readCues('vtt', webVtt).flatMap(({ lines }) => lines),
      ['<v Ann>Good morning.', '<v Ann>All --&gt; well?', '<v Bob>Yes, &lt;so&gt; &amp; so.'],
    );
    assert.match(webVtt, /^WEBVTT\n\n00:00:00\.000 --> 00:00:01\.000\n/);
  });

  it('writes segments without letters at their times', () => {
    const said = [
      [0, 2000, 'Hello there.'],
      [20_000, 25_000, '♪ ♪'],
      [40_000, 41_000, 'Bye now.'],
      [60_000, 65_000, '...'],
    ] as const;
    for (const cues of [said, said.filter(([, , text]) => !/[a-z]/.test(text))]) {
      const list = cues.map(([start, end, text]) => ({ start: start / 1000, end: end / 1000, text }));
      const parts = { text: list.map(({ text }) => text).join(' '), segments: list };
      for (const format of ['srt', 'vtt'] as const) {
        const written = readSubtitles(format, fileOf(format, parts));
        assert.deepEqual(
          written.map(({ start, end, lines: [line] }) => [start, end, line]),
          cues,
        );
      }
    }
  });

  it('writes subtitles of segments that overlap or are out of order, each with its first word', () => {
    const long = 'We went to the market and bought a melon, and carried it all the way home in the rain.';
    const odd = [
      { start: 9, end: 9, text: 'So.', speaker: 'Ann' },
      { start: 0, end: 8, text: long, speaker: 'Ann' },
      { start: 1, end: 2, text: 'Oh, did you?', speaker: 'Bob' },
      { start: 4, end: 3, text: 'Right.', speaker: 'Bob' },
    ];
    const parts = { text: odd.map(({ text }) => text).join(' '), segments: odd };
    assert.deepEqual(
      readCues('srt', fileOf('srt', parts)).map(({ start, end, lines }) => [start, end, lines.join(' / ')]),
      [
        [0, 1000, 'Ann: We went to the market / and bought a melon,'],
        [1000, 2000, 'Bob: Oh, did you?'],
        [3879, 4879, 'Ann: and carried it all / the way home in the rain.'],
        [4000, 5000, 'Bob: Right.'],
        [9000, 10_000, 'Ann: So.'],
      ],
    );
  });

  it('writes valid subtitles with every word of any segments', () => {
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
      '👨‍👩‍👧',
    );
    const segment = fc.record({
      start: seconds,
      end: seconds,
      text: fc.array(word, { maxLength: 40 }).map((words) => words.join(' ')),
      // Names without a letter are not among those of the words.
      speaker: fc.constantFrom('1', '2 <3> & 4'),
    });
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 8 }), fc.constantFrom('srt', 'vtt'), (list, format) => {
        const written = formatTranscript(
          transcript({ text: list.map(({ text }) => text).join(' '), segments: list }),
          format,
          origin,
        );
        const hasTimes = list.some(({ start, text }) => Number.isFinite(start) && /\S/.test(text));
        assert.equal(written.format, hasTimes ? format : 'markdown');
        if (!hasTimes) return;
        const letters = (texts: readonly string[]) => [...texts.join('').replace(/[^a-z\p{Script=Han}]/gu, '')].sort();
        const lines = readCues(format, written.text).flatMap((cue) => cue.lines);
        const textOf = (line: string) =>
          format === 'srt' ? line : line.replace(/^<v [^>]*>|&[lg]t;/g, '').replaceAll('&amp;', '&');
        assert.deepEqual(letters(lines.map(textOf)), letters(list.map(({ text }) => text)));
      }),
      { numRuns: runs(150) },
    );
  });

  it('writes hours above 99', () => {
    const late = [{ start: 363_599.9996, end: 363_601, text: 'Late' }];
    assert.match(fileOf('srt', { text: 'Late', segments: late }), /^1\n101:00:00,000 --> 101:00:01,000\nLate\n$/);
  });

  it('treats a blank speaker as none', () => {
    const parts = { text: 'Hi', segments: [{ start: 0, end: 1, text: 'Hi', speaker: ' ' }] };
    assert.equal(fileOf('srt', parts), '1\n00:00:00,000 --> 00:00:01,000\nHi\n');
    assert.equal(bodyOf(parts), 'Hi\n');
  });

  it('gives no segment to the speaker of the one before', () => {
    const said = ['Hello there.', 'Who is this?', 'It is me.'];
    const list = said.map((text, index) => ({
      ...{ text, start: index * 3, end: index * 3 + 2 },
      ...(index === 1 ? {} : { speaker: 'Ann' }),
    }));
    const parts = { text: said.join(' '), segments: list };
    assert.deepEqual(
      readSubtitles('vtt', fileOf('vtt', parts)).map(({ speaker }) => speaker),
      ['Ann', undefined, 'Ann'],
    );
    assert.match(fileOf('srt', parts), /\nAnn: Hello[\s\S]*\nWho is this\?\n[\s\S]*\nAnn: It is me/);
  });

  it('falls back to Markdown when there are no times, and reports it', () => {
    for (const format of ['srt', 'vtt'] as const) {
      const file = formatTranscript(transcript({}), format, origin);
      assert.deepEqual([file.format, file.extension], ['markdown', 'md']);
      assert.match(file.text, /A fox\.\n$/);
    }
  });

  describe('with subtitles from the service', () => {
    it('keeps subtitles of the requested format unchanged', () => {
      assert.equal(fileOf('srt', { text: srt.trim(), subtitles: 'srt' }), srt);
      assert.equal(fileOf('vtt', { text: vtt.trim(), subtitles: 'vtt' }), vtt);
    });

    it('converts SubRip to WebVTT', () => {
      const cues = readCues('vtt', fileOf('vtt', { text: srt, subtitles: 'srt' }));
      assert.deepEqual(cues, [
        { start: 1000, end: 2500, lines: ['One fox', '&amp; hen'] },
        { start: 3000, end: 4000, lines: ['Two'] },
      ]);
    });

    it('converts WebVTT to SubRip', () => {
      const cues = readCues('srt', fileOf('srt', { text: vtt, subtitles: 'vtt' }));
      assert.deepEqual(cues, [
        { start: 1000, end: 2500, lines: ['Ann: One fox', '& hen'] },
        { start: 360_003_000, end: 360_004_000, lines: ['Two ‹b›'] },
      ]);
    });

    it('converts subtitles to text with speakers', () => {
      assert.equal(fileOf('text', { text: srt, subtitles: 'srt' }), 'One fox & hen Two\n');
      assert.equal(bodyOf({ text: vtt, subtitles: 'vtt' }), '**Ann:** One fox & hen\n\nTwo \\<b>\n');
    });

    it('reads several voices in a cue and character references', () => {
      const text = 'WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ann>It&#x27;s &quot;so&quot;?</v>\n<v Bob>Yes&#33;</v>\n';
      assert.equal(bodyOf({ text, subtitles: 'vtt' }), '**Ann:** It\'s "so"?\n\n**Bob:** Yes!\n');
      assert.deepEqual(readCues('srt', fileOf('srt', { text, subtitles: 'vtt' })), [
        { start: 1000, end: 2000, lines: ['Ann: It\'s "so"?'] },
        { start: 2000, end: 3000, lines: ['Bob: Yes!'] },
      ]);
    });

    it('ends a voice where it is closed, and reads no dash before one', () => {
      const cues = [
        '00:01.000 --> 00:02.000\n- <v.loud Ann>Hi.</v>\n- <v Bob>Ho - or not.</v>\n',
        '00:02.000 --> 00:03.000\n<v Ann>So.</v> Laughter.\n',
        '00:03.000 --> 00:05.000\n<v Ann>Hello, how are you today</v>.\n',
      ];
      const text = `WEBVTT\n\n${cues.join('\n')}`;
      assert.deepEqual(
        readSubtitles('vtt', text).map(({ speaker, lines }) => [speaker, ...lines]),
        [
          ['Ann', 'Hi.'],
          ['Bob', 'Ho - or not.'],
          ['Ann', 'So.'],
          [undefined, 'Laughter.'],
          ['Ann', 'Hello, how are you today.'],
        ],
      );
    });

    it('keeps a reference to a character that does not exist', () => {
      const text = 'WEBVTT\n\n00:01.000 --> 00:03.000\nA &constructor; &amp; a &lamp;\n';
      assert.equal(fileOf('text', { text, subtitles: 'vtt' }), 'A &constructor; & a &lamp;\n');
    });

    it('reads damaged subtitles as far as possible', () => {
      const damaged =
        '\ufeff1\r\n0:00:01.5-->00:00:01,0 X1:1\r\nOne\r\n\r\ntwo\r\n\r\n\r\n7\r\n00:00:03,000 --> 00:00:04,000\r\n';
      assert.equal(fileOf('text', { text: damaged, subtitles: 'srt' }), 'One two\n');
      assert.deepEqual(readCues('vtt', fileOf('vtt', { text: damaged, subtitles: 'srt' })), [
        { start: 1500, end: 1600, lines: ['One', 'two'] },
      ]);
    });

    it('reads cues without blank lines between them', () => {
      const subtitles = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n00:03.000 --> 00:04.000\n7\nWorld\n';
      const numbered = subtitles.replace('WEBVTT\n\n', '1\n').replace('Hello\n', 'Hello\n2\n');
      const cues = [
        { start: 1000, end: 2000, lines: ['Hello'] },
        { start: 3000, end: 4000, lines: ['7', 'World'] },
      ];
      assert.deepEqual(readCues('srt', fileOf('srt', { text: subtitles, subtitles: 'vtt' })), cues);
      assert.deepEqual(readCues('vtt', fileOf('vtt', { text: numbered, subtitles: 'srt' })), cues);
    });

    it('keeps unreadable subtitles as they are', () => {
      const file = formatTranscript(transcript({ text: 'WEBVTT', subtitles: 'vtt' }), 'srt', origin);
      assert.deepEqual([file.format, file.extension, file.text], ['vtt', 'vtt', 'WEBVTT\n']);
      assert.equal(bodyOf({ text: 'WEBVTT\n\nfox', subtitles: 'vtt' }), 'WEBVTT\n\nfox\n');
    });
  });

  it('writes JSON with the text, the times and the speakers', () => {
    const file = formatTranscript(transcript({ language: 'en', duration: 3.5, segments }), 'json', origin);
    assert.deepEqual([file.format, file.extension, file.mediaType], ['json', 'json', 'application/json']);
    assert.deepEqual(JSON.parse(file.text), {
      text: 'Good morning. All --> well?\n\nYes, <so> & so.',
      language: 'en',
      duration: 3.5,
      segments,
    });
    assert.deepEqual(JSON.parse(fileOf('json', { text: 'A fox.' })), { text: 'A fox.', segments: [] });
    const fromSubtitles = JSON.parse(fileOf('json', { text: srt, subtitles: 'srt' }));
    assert.deepEqual(fromSubtitles.segments[1], { start: 3, end: 4, text: 'Two' });
  });

  describe('with the times that the service sent', () => {
    const words = ['good', 'morning', 'all', 'well', 'yes', 'so', 'so'].map((text, index) => ({
      text,
      start: index * 0.5,
      end: index * 0.5 + 0.25,
    }));
    const timed = `WEBVTT

00:00:00.000 --> 00:00:01.000
<v Ann>Good<00:00:00.250> <00:00:00.500>morning.

00:00:01.000 --> 00:00:02.000
<v Ann>All --&gt;<00:00:01.250> <00:00:01.500>well?

00:00:02.000 --> 00:00:03.500
<v Bob>Yes,<00:00:02.250> <00:00:02.500>&lt;so&gt; &amp;<00:00:02.750> <00:00:03.000>so.
`;

    it('keeps segments, words and speakers for the .vtt file beside it, in every format', () => {
      for (const format of ['markdown', 'text', 'srt', 'json'] as const) {
        const { times } = formatTranscript(transcript({ segments, words }), format, origin);
        assert.equal(times, timed, format);
      }
      assert.equal(formatTranscript(transcript({ segments }), 'vtt', origin).times, undefined);
    });

    it('reads them back as they were', () => {
      const cues = readTimes('call.vtt', Buffer.from(timed));
      const found = wordsOfCues(cues).map(({ key, start, end }) => ({
        text: key,
        start: start / 1000,
        end: end / 1000,
      }));
      // Only an end before a breath is written.
      const lasts = [1, 3, 6];
      const expected = words.map((word, index) =>
        lasts.includes(index) ? { ...word, end: [1, 2, 3.5][lasts.indexOf(index)] } : word,
      );
      assert.deepEqual(found, expected);
      assert.deepEqual(
        cues.map(({ speaker }) => speaker),
        ['Ann', 'Ann', 'Bob'],
      );
    });

    it('breaks subtitles at sentences, with the times of the words', () => {
      const srtFile = fileOf('srt', { segments, words });
      assert.deepEqual(
        readCues('srt', srtFile).map(({ start, end, lines: [line] }) => [start, end, line]),
        [
          [0, 1000, 'Ann: Good morning.'],
          [1000, 2000, 'All → well?'],
          [2000, 3250, 'Bob: Yes, <so> & so.'],
        ],
      );
      assert.match(fileOf('vtt', { segments, words }), /<v Bob>Yes,<00:00:02.250> <00:00:02.500>&lt;so/);
      // Times of words are enough.
      assert.equal(formatTranscript(transcript({ text: 'Good morning.', words }), 'srt', origin).format, 'srt');
    });

    it('makes a cue of each sentence when only words have times', () => {
      const { times } = formatTranscript(
        transcript({ text: 'Good morning, all. Well? Yes: so, so.', words }),
        'text',
        origin,
      );
      assert.deepEqual(
        readTimes('a.vtt', Buffer.from(times ?? '')).map(({ start, end, lines }) => [start, end, ...lines]),
        [
          [0, 1250, 'Good morning, all.'],
          [1500, 1750, 'Well?'],
          [2000, 3250, 'Yes: so, so.'],
        ],
      );
    });

    it('keeps WebVTT as the service sent it, and converts SubRip', () => {
      const times = (text: string, subtitles: 'srt' | 'vtt') =>
        formatTranscript(transcript({ text, subtitles }), 'markdown', origin).times;
      assert.equal(times(vtt, 'vtt'), vtt);
      assert.match(times(srt, 'srt') ?? '', /^WEBVTT\n\n00:00:01\.000 --> 00:00:02\.500\nOne fox\n&amp; hen\n/);
    });

    it('keeps overlapping and damaged times in an order that players accept', () => {
      const odd = [
        { start: 5, end: 4, text: 'Late.' },
        { start: Number.NaN, end: 2, text: 'Never.' },
        { start: 1, end: 6, text: 'Early.' },
      ];
      const { times } = formatTranscript(transcript({ segments: odd }), 'markdown', origin);
      assert.deepEqual(
        readTimes('a.vtt', Buffer.from(times ?? '')).map(({ start, end }) => [start, end]),
        [
          [1000, 6000],
          [5000, 5100],
        ],
      );
    });

    it('puts the time before each turn where the setting says so', () => {
      const turns = (parts: Partial<Transcript>, format: 'markdown' | 'text') =>
        formatTranscript(transcript(parts), format, { ...origin, times: 'turns' }).text;
      assert.match(
        turns({ segments }, 'markdown'),
        /\n\n\[00:00\]\(\S+\.m4a#t=0\) \*\*Ann:\*\* Good morning.*\n\n\[00:02\]\(\S+#t=2\) \*\*Bob:\*\* Yes/,
      );
      assert.match(turns({ segments }, 'text'), /^\[00:00\] Ann: Good[^\n]*\n\n\[00:02\] Bob: Yes/);
      const late = [{ start: 3667.9, end: 3668, text: 'Late.' }];
      assert.match(turns({ segments: late }, 'text'), /^\[1:01:07\] Late\.\n$/);
      for (const format of ['markdown', 'text'] as const) {
        const extension = format === 'text' ? 'txt' : 'md';
        const spoken = (text: string) => transcriptIn('other', readTranscriptFile(extension, text));
        assert.equal(spoken(turns({ segments }, format)), spoken(fileOf(format, { segments })), format);
      }
    });
  });

  it('names what the service takes for silence, and keeps all of it', () => {
    const said = (start: number, spoken: string, no_speech_prob?: unknown) => {
      return { start, end: start + 2, text: spoken, no_speech_prob };
    };
    const formatOf = (segments: readonly object[], format: TranscriptFormat = 'markdown') => {
      const read = readSegments({ segments });
      return formatTranscript(transcript({ text: 'unused', ...read }), format, origin).text;
    };
    const few = [
      said(0, 'A fox.', 0.01),
      said(61, ' Thanks for "watching".', 0.93),
      said(70, 'Runs.', 0.6),
      said(80, '', 1),
    ];
    const markdown = formatOf(few);
    assert.match(markdown, /^note: "The service takes this for silence: 01:01 “Thanks for \\"watching\\"\.”\."$/m);
    assert.match(markdown, /A fox\.[\s\S]*Thanks for "watching"\.[\s\S]*Runs\./);
    const { segments } = JSON.parse(formatOf(few, 'json')) as { readonly segments: readonly object[] };
    assert.deepEqual(
      segments.map((one) => 'isSilence' in one),
      [false, true, false, true],
    );
    const many = Array.from({ length: 7 }, (_, index) => said(index * 9, `You ${index}.`, '0.9'));
    assert.match(formatOf(many), /^note: .* 00:36 “You 4\.”\. And 2 more\."$/m);
    assert.doesNotMatch(formatOf([said(0, 'A fox.'), said(3, 'Runs.', null), said(6, 'On.', 'high')]), /^note/m);
  });

  it('reports a line that repeats many times, and keeps all of it', () => {
    const text = `A fox. ${'Thank you. '.repeat(8).trim()}`;
    for (const format of transcriptFormats) {
      const list = text.split(/(?<=\.) /).map((line, index) => ({ start: index, end: index + 1, text: line }));
      const file = formatTranscript(transcript({ text, segments: list }), format, origin);
      assert.deepEqual(file.repeat, { text: 'Thank you.', times: 8 });
      assert.equal(file.text.match(/Thank you\.(?!”)/g)?.length, 8);
      assert.equal(file.format, format);
    }
    assert.match(
      fileOf('markdown', { text }),
      /^note: "“Thank you\.” repeats 8 times in a row; perhaps no one said it\."$/m,
    );
  });
});
