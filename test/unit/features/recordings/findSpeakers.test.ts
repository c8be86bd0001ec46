import assert from 'node:assert/strict';
import { findSpeakers, writtenName } from '../../../../src/features/recordings/findSpeakers.ts';
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

  it('escapes a name for the file format (writtenName)', () => {
    assert.equal(writtenName('md', plainLine('A*')), 'A\\*');
    assert.equal(writtenName('VTT', plainLine('A & <B>')), 'A &amp; &lt;B&gt;');
    assert.equal(writtenName('srt', plainLine('A & B')), 'A & B');
  });
});
