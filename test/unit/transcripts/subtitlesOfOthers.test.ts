import assert from 'node:assert/strict';
import { readSubtitles } from '../../../src/transcripts/subtitles.ts';

/** A cue with times in seconds: `['Ann: Ready.', 1, 2]`; without a speaker, the line alone. */
type Row = readonly [said: string, start: number, end: number];

interface OtherFile {
  readonly format?: 'srt' | 'vtt';
  readonly cues: readonly string[];
  readonly reads: readonly Row[];
}

const youTube = [
  '00:00:00.160 --> 00:00:02.310 align:start position:0%\n \ngood<00:00:00.400><c> morning</c><00:00:00.800><c> all</c>',
  '00:00:02.310 --> 00:00:02.320 align:start position:0%\ngood morning all\n ',
  '00:00:02.320 --> 00:00:05.000 align:start position:0%\ngood morning all\nand<00:00:02.600><c> welcome</c>',
  '00:00:05.000 --> 00:00:05.010 align:start position:0%\nand welcome\n ',
  '00:00:07.000 --> 00:00:09.000 align:start position:0%\nand welcome\nto<00:00:07.500><c> the</c><00:00:08.000><c> quay</c>',
];

/** Made by hand in the form of files of these programs. */
const files: Readonly<Record<string, OtherFile>> = {
  'YouTube, automatic, WebVTT': {
    cues: youTube,
    reads: [
      ['good morning all', 0.16, 2.31],
      ['and welcome', 2.32, 5],
      ['to the quay', 7, 9],
    ],
  },
  'YouTube, automatic, converted to SubRip by yt-dlp': {
    format: 'srt',
    cues: [
      '00:00:00,160 --> 00:00:02,310\n \ngood morning all',
      '00:00:02,310 --> 00:00:02,320\ngood morning all\n ',
      '00:00:02,320 --> 00:00:05,000\ngood morning all\nand welcome',
      '00:00:05,000 --> 00:00:05,010\nand welcome\n ',
    ],
    reads: [
      ['good morning all', 0.16, 2.31],
      ['and welcome', 2.32, 5],
    ],
  },
  'YouTube, one line only, which is shown again for 10 ms': {
    cues: ['00:00.000 --> 00:02.000\nhello', '00:02.000 --> 00:02.010\nhello\n '],
    reads: [['hello', 0, 2]],
  },
  'captions that stay while the next line is spoken': {
    format: 'srt',
    cues: [
      '00:00:00,000 --> 00:00:04,000\ngood morning all',
      '00:00:02,000 --> 00:00:06,000\nand welcome',
      '00:00:04,000 --> 00:00:08,000\nto the quay',
      '00:00:06,000 --> 00:00:08,000\nof the harbour',
    ],
    reads: [
      ['good morning all', 0, 2],
      ['and welcome', 2, 4],
      ['to the quay', 4, 6],
      ['of the harbour', 6, 8],
    ],
  },
  'television, three rows that roll up': {
    format: 'srt',
    cues: [
      '00:00:01,000 --> 00:00:02,000\nTHE QUAY',
      '00:00:02,000 --> 00:00:03,000\nTHE QUAY\nIS TOO',
      '00:00:03,000 --> 00:00:04,000\nTHE QUAY\nIS TOO\nSHORT.',
      '00:00:04,000 --> 00:00:05,000\nIS TOO\nSHORT.\nSHORT.',
    ],
    reads: [
      ['THE QUAY', 1, 2],
      ['IS TOO', 2, 3],
      ['SHORT.', 3, 4],
      ['SHORT.', 4, 5],
    ],
  },
  'a song, whose lines are sung twice': {
    cues: [
      '00:00.000 --> 00:01.000\nHey!',
      '00:01.000 --> 00:02.000\nHey!',
      '00:02.000 --> 00:03.000\nSo it goes.',
      '00:03.000 --> 00:04.000\nSo it goes.\nAnd goes.',
      '00:04.000 --> 00:05.000\nThe end.',
      '00:05.000 --> 00:06.000\nReally.',
    ],
    reads: [
      ['Hey!', 0, 1],
      ['Hey!', 1, 2],
      ['So it goes.', 2, 3],
      ['So it goes. And goes.', 3, 4],
      ['The end.', 4, 5],
      ['Really.', 5, 6],
    ],
  },
  Zoom: {
    cues: [
      '1\n00:00:01.000 --> 00:00:02.000\nAna Diaz: Good morning.',
      '2\n00:00:02.000 --> 00:00:03.000\nAna Diaz: Note: the quay is short.',
      '3\n00:00:03.000 --> 00:00:04.000\ntom &amp; co: Yes, at 10:30.',
    ],
    reads: [
      ['Ana Diaz| Good morning.', 1, 2],
      ['Ana Diaz| Note: the quay is short.', 2, 3],
      ['tom & co| Yes, at 10:30.', 3, 4],
    ],
  },
  WhisperX: {
    format: 'srt',
    cues: ['1\n00:00:01,000 --> 00:00:02,000\n[SPEAKER_00]: Good morning.', '2\n00:00:02,000 --> 00:00:03,000\nWell.'],
    reads: [
      ['SPEAKER_00| Good morning.', 1, 2],
      ['Well.', 2, 3],
    ],
  },
  'Otter, which names a speaker only at a change': {
    format: 'srt',
    cues: [
      '1\n00:00:01,000 --> 00:00:02,000\nAna: Good morning.',
      '2\n00:00:02,000 --> 00:00:03,000\nRemember: it is short.',
      '3\n00:00:03,000 --> 00:00:04,000\nTom Berg: It is.',
      '4\n00:00:04,000 --> 00:00:05,000\nAna: So.',
    ],
    reads: [
      ['Ana| Good morning.', 1, 2],
      ['Ana| Remember: it is short.', 2, 3],
      ['Tom Berg| It is.', 3, 4],
      ['Ana| So.', 4, 5],
    ],
  },
  'two speakers in one cue, with dashes and tags': {
    format: 'srt',
    cues: [
      '00:00:00,000 --> 00:00:02,000\n{\\an8}- <b>ANA:</b> Ready?\n- TOM: No.',
      '00:00:02,000 --> 00:00:03,000\n>> ANA: Now?',
    ],
    reads: [
      ['ANA| Ready?', 0, 1],
      ['TOM| No.', 1, 2],
      ['ANA| Now?', 2, 3],
    ],
  },
  'names before a wide colon': {
    cues: ['00:00.000 --> 00:01.000\n田中：はい。', '00:01.000 --> 00:02.000\n佐藤：いいえ。'],
    reads: [
      ['田中| はい。', 0, 1],
      ['佐藤| いいえ。', 1, 2],
    ],
  },
  'a lecture, where words before a colon are spoken': {
    format: 'srt',
    cues: [
      '00:00:00,000 --> 00:00:01,000\nToday: the quay.',
      '00:00:01,000 --> 00:00:02,000\nIt is short.',
      '00:00:02,000 --> 00:00:03,000\nRemember: it is at 10:30.',
      '00:00:03,000 --> 00:00:04,000\nSee https://example.com.',
    ],
    reads: [
      ['Today: the quay.', 0, 1],
      ['It is short.', 1, 2],
      ['Remember: it is at 10:30.', 2, 3],
      ['See https://example.com.', 3, 4],
    ],
  },
  'a voice that ends before a sound': {
    cues: [
      '00:00.000 --> 00:02.000\n<v Ann>Ready.</v>\n<i>Applause</i>',
      '00:02.000 --> 00:03.000\n<v Ann>Note: so</v>.',
    ],
    reads: [
      ['Ann| Ready.', 0, 1],
      ['Applause', 1, 2],
      ['Ann| Note: so.', 2, 3],
    ],
  },
  'readings of ruby text, also with classes and tags in them': {
    cues: [
      '00:00.000 --> 00:01.000\n<ruby.a>漢<rt.b>かん</rt>字<rt>じ</rt></ruby>です',
      '00:01.000 --> 00:02.000\n<ruby>水<rt><b>みず</b></ruby>だ, <rt>seen</rt>',
    ],
    reads: [
      ['漢字です', 0, 1],
      ['水だ, seen', 1, 2],
    ],
  },
  'entities of HTML': {
    cues: ['00:00.000 --> 00:01.000\nCaf&eacute; &ndash; &Eacute;t&#233; &hellip; R&D &nosuch; &amp;eacute;'],
    reads: [['Café – Été … R&D &nosuch; &eacute;', 0, 1]],
  },
};

describe('subtitles of other programs', () => {
  for (const [name, { format = 'vtt', cues, reads }] of Object.entries(files)) {
    it(`are read as they are shown: ${name}`, () => {
      const read = readSubtitles(format, [...(format === 'vtt' ? ['WEBVTT'] : []), ...cues].join('\n\n'));
      assert.deepEqual(
        read.map(({ speaker, lines, start, end }) => [
          `${speaker === undefined ? '' : `${speaker}| `}${lines.join(' ')}`,
          start / 1000,
          end / 1000,
        ]),
        reads,
      );
    });
  }

  it('give the words of rolling captions the time at which they appear first', () => {
    const words = readSubtitles('vtt', ['WEBVTT', ...youTube].join('\n\n')).flatMap(({ words: own = [] }) => own);
    assert.deepEqual(
      words.map(({ text, start }) => [text, start]),
      [
        ['good', 160],
        ['morning', 400],
        ['all', 800],
        ['and', 2320],
        ['welcome', 2600],
        ['to', 7000],
        ['the', 7500],
        ['quay', 8000],
      ],
    );
  });
});
