import assert from 'node:assert/strict';
import { findSpeakers, namedTurns, renamedSpeakers } from '../../../../src/features/recordings/speakers.ts';
import { plainLine } from '../../../../src/foreign/plainText.ts';
import { formatTranscript } from '../../../../src/transcripts/formatTranscript.ts';

const segments = ['A', 'B b', 'A'].map((speaker, index) => ({
  speaker,
  text: `Note: that ${index}, A.`,
  start: index * 3,
  end: index * 3 + 1,
}));
const transcript = {
  text: segments.map(({ text }) => text).join(' '),
  subtitles: undefined,
  language: undefined,
  duration: undefined,
  segments,
};
const origin = { source: 'call.m4a', model: 'm', operation: 'transcribe', date: new Date(0) };

describe('findSpeakers', () => {
  for (const format of ['markdown', 'text', 'srt', 'vtt'] as const) {
    it(`finds the speakers in a ${format} transcript that the extension wrote`, () => {
      const { extension, text } = formatTranscript(transcript, format, origin);
      const speakers = findSpeakers(extension, text);
      assert.deepEqual(
        [...speakers].map(([name, places]) => [name, places.length]),
        [
          ['A', 2],
          ['B b', 1],
        ],
      );
      for (const [name, places] of speakers) {
        for (const { start, end } of places) assert.equal(text.slice(start, end), name);
      }
    });
  }

  for (const format of ['markdown', 'text', 'srt', 'vtt'] as const) {
    it(`finds every place of a speaker in a ${format} transcript with the line breaks of Windows`, () => {
      const { extension, text } = formatTranscript(transcript, format, origin);
      const written = text.replaceAll('\n', '\r\n');
      const places = findSpeakers(extension, written).get('A') ?? [];
      assert.deepEqual(
        places.map(({ start, end }) => written.slice(start, end)),
        ['A', 'A'],
      );
    });
  }

  it('finds no speakers in other text', () => {
    for (const extension of ['md', 'vtt', 'json', '']) {
      assert.equal(findSpeakers(extension, '# A\n\nNote: **bold** text.\n').size, 0);
    }
  });

  it('takes words before a colon for names only where the transcript begins with one', () => {
    const keys = (extension: string, text: string) => [...findSpeakers(extension, text).keys()];
    assert.deepEqual(keys('txt', 'Thanks for coming.\n\nSo here is the thing: we ship on Friday.\n'), []);
    assert.deepEqual(keys('txt', '[00:01] Ann: Hi.\n\nB b: Ho.\n'), ['Ann', 'B b']);
    assert.deepEqual(keys('txt', 'Ann: Hi.\r\nB b: Ho.\r\n[00:02] C: So.'), ['Ann', 'B b', 'C']);
    const wrapped =
      'Ann: We looked at it and found the\nproblem: it is slow.\n\nnote: so.\n[00:02] c: Hi.\n王: Ho.\n1: No.\n';
    assert.deepEqual(keys('txt', wrapped), ['Ann', 'note', 'c', '王', '1']);
    const cue = (second: number, text: string) =>
      `${second}\r\n00:00:0${second},000 --> 00:00:09,000\r\n${text}\r\n\r\n`;
    assert.deepEqual(keys('srt', cue(1, 'The plan is simple.') + cue(2, 'One more thing: tests.')), []);
    assert.deepEqual(keys('srt', cue(1, 'Ann: Hi.') + cue(2, 'B b: Ho.')), ['Ann', 'B b']);
    const file = cue(1, 'Ana de Sá:\nHi.') + cue(2, 'The question is this:\nwho pays?');
    assert.deepEqual(keys('srt', (file + cue(3, 'Dr. Bo:\nI.') + cue(4, 'Ana de Sá: So.')).replaceAll('\r', '')), [
      'Ana de Sá',
      'Dr. Bo',
    ]);
  });

  it('finds names with dots and commas, and no sentences, before a colon', () => {
    const names = ['Dr. Weiss', 'Smith, Jane', 'Prof. Dr. A. von der Mühle', 'King, Martin L., Ph.D.', 'J. R.'];
    const named = names.map((speaker, index) => ({
      speaker,
      text: 'Hello there my friend.',
      start: index * 3,
      end: index * 3 + 1,
    }));
    for (const format of ['text', 'srt'] as const) {
      const written = formatTranscript({ ...transcript, text: 'Hello.', segments: named }, format, origin);
      assert.deepEqual([...findSpeakers(written.extension, written.text).keys()], names);
    }
    for (const sentence of ['Yes. Here is one thing', 'Well, listen', 'Thank you, Bob. Question', 'Danke. Frage']) {
      assert.equal(findSpeakers('txt', `${sentence}: Hi.\n`).size, 0, sentence);
    }
  });

  describe('with new names (renamedSpeakers)', () => {
    const renamed = (extension: string, text: string, names: Readonly<Record<string, string>>) => {
      const edits = [...renamedSpeakers(extension, text, new Map(Object.entries(names)))];
      edits.sort((one, other) => other.start - one.start);
      return edits.reduce((now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end), text);
    };
    const call = `---\nsource: "call.m4a"\nspeakers: ["A", "B b"]\n---\n\n**A:** Hi, B b.\n\n[00:02](call.m4a#t=2) **B b:** Hi.\n\nWell.\n\n**A:** So.\n`;

    it('exchanges two names at once, in the text and in the front matter', () => {
      assert.equal(
        renamed('md', call, { A: 'B b', 'B b': 'A' }),
        `---\nsource: "call.m4a"\nspeakers: ["B b", "A"]\n---\n\n**B b:** Hi, B b.\n\n[00:02](call.m4a#t=2) **A:** Hi.\n\nWell.\n\n**B b:** So.\n`,
      );
    });

    it('makes two speakers one, who is named once', () => {
      assert.equal(
        renamed('md', call, { A: 'Ann *', 'B b': 'Ann *' }),
        `---\nsource: "call.m4a"\nspeakers: ["Ann *"]\n---\n\n**Ann \\*:** Hi, B b.\n\n[00:02](call.m4a#t=2) Hi.\n\nWell.\n\nSo.\n`,
      );
      assert.equal(renamed('txt', 'A: Hi.\n\nB: Ho.\n', { B: 'A' }), 'A: Hi.\n\nHo.\n');
    });

    it('keeps the name in each cue of WebVTT', () => {
      const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.000\n<v A>Hi.\n\n00:01.000 --> 00:02.000\n<v B>A.\n';
      assert.equal(renamed('vtt', vtt, { A: 'R & D', B: 'R & D' }), vtt.replace(/<v .>/g, '<v R &amp; D>'));
    });

    it('finds a name that is written with escapes', () => {
      assert.equal(renamed('md', '**A\\*:** Hi.\n', { 'A*': 'Ann' }), '**Ann:** Hi.\n');
      assert.equal(
        renamed('vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\n<v R &amp; D>Hi.\n', { 'R & D': 'Ann' }).includes('<v Ann>'),
        true,
      );
    });
  });

  it('reads names as people write them', () => {
    const keys = (extension: string, text: string) => [...findSpeakers(extension, text).keys()];
    assert.deepEqual(keys('vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\n<v R&amp;D>Hi.\n'), ['R&D']);
    assert.deepEqual(keys('vtt', '<v.loud.x  Bob B>Hi.</v> <v Ann\n<v  >'), ['Bob B']);
    assert.deepEqual(keys('md', '**&lt;!x {<!-- -->{ y }}:** Hi.\n'), ['<!x {{ y }}']);
    assert.deepEqual(keys('srt', '1\n00:00:00,000 --> 00:00:09,000\nR\\*D: Hi.\n'), ['R\\*D']);
  });

  it('changes the front matter only, whatever its fences and lines are', () => {
    const matter = (open: string, close: string) =>
      `${open}\nsource: "call.m4a"\n${'# more\n'.repeat(40)}\nspeakers: ["A", "B b"]\n${close}\n`;
    for (const [open, close] of [
      ['---', '---'],
      ['--- ', '--- '],
      ['---', '...'],
    ] as const) {
      const text = `${matter(open, close)}\n**A:** Hi.\n\nspeakers: [A]\n`;
      const [edit] = renamedSpeakers('md', text, new Map([['A', 'Ann']]));
      assert.equal(edit && text.slice(edit.start, edit.end), '"A", "B b"', `${open} ${close}`);
      assert.equal(edit?.text, '"Ann", "B b"');
    }
    assert.equal(renamedSpeakers('md', 'speakers: [A]\n', new Map([['A', 'Ann']])).length, 0);
  });

  it('adds the names of turns to front matter that ends in dots and has an empty line', () => {
    const text = '--- \nsource: "call.m4a"\n\nmodel: m\n...\n\nHi there.\n';
    const cues = [{ start: 0, end: 1000, lines: [plainLine('Hi there.')] }];
    const edits = namedTurns('md', text, cues, [{ start: 0, end: 1000, speaker: plainLine('Ann') }]);
    const edited = edits
      .toSorted((one, other) => other.start - one.start)
      .reduce((now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end), text);
    assert.equal(edited, '--- \nsource: "call.m4a"\n\nmodel: m\nspeakers: ["Ann"]\n...\n\n**Ann:** Hi there.\n');
  });
});
