import assert from 'node:assert/strict';
import {
  findSpeakers,
  namedTurns,
  type SpeakerEdit,
  turnsIn,
  withSpeakers,
} from '../../../../src/features/recordings/speakers.ts';
import { plainLine } from '../../../../src/foreign/plainText.ts';
import type { Cue } from '../../../../src/transcripts/subtitles.ts';
import { wordsIn } from '../../../../src/transcripts/words.ts';

/** A cue for each sentence, a second for each word. */
function cuesOf(sentences: readonly (readonly [speaker: string, text: string])[]): readonly Cue[] {
  let at = 0;
  return sentences.map(([speaker, text]) => {
    const start = at;
    at += text.split(' ').length * 1000;
    return { start, end: at, lines: [plainLine(text)], ...(speaker === '' ? {} : { speaker: plainLine(speaker) }) };
  });
}

function edited(text: string, edits: readonly SpeakerEdit[]): string {
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((whole, { start, end, text: by }) => whole.slice(0, start) + by + whole.slice(end), text);
}

describe('the turns of speakers', () => {
  const said = cuesOf([
    ['A', 'Good morning, everybody.'],
    ['A', 'Shall we begin?'],
    ['B', 'Yes, please do.'],
    ['A', 'The boats are late again.'],
  ]);
  const turns = turnsIn(said);
  const named = (text: string, extension = 'md') => edited(text, namedTurns(extension, text, said, turns));

  it('are named in a text that was edited, also inside a paragraph, and in its front matter', () => {
    const front = '---\nsource: "call.m4a"\n---\n\n[call.m4a](call.m4a)\n\n# The call\n\n';
    const text = `${front}Good morning, everyone. Shall we begin? Yes, please do.\n\nThe *boats* are late again.\n`;
    assert.equal(
      named(text),
      `${front.replace('m4a"\n', 'm4a"\nspeakers: ["A", "B"]\n')}**A:** Good morning, everyone. Shall we begin?\n\n**B:** Yes, please do.\n\n**A:** The *boats* are late again.\n`,
    );
  });

  it('keep the line breaks of Windows, times of turns and quotation marks', () => {
    const text =
      '[00:00](a.mp3#t=0) Good morning, everybody. Shall we begin? “Yes, please do.”\r\n\r\nThe boats are late.\r\n';
    assert.equal(
      named(text),
      '[00:00](a.mp3#t=0) **A:** Good morning, everybody. Shall we begin?\r\n\r\n**B:** “Yes, please do.”\r\n\r\n**A:** The boats are late.\r\n',
    );
    assert.equal(named('Good morning. Yes, please do.', 'txt'), 'A: Good morning.\n\nB: Yes, please do.');
  });

  it('begin with a sentence where the service is off by a word or two, and inside one where it is long', () => {
    const late = turns.map((turn) => ({ ...turn, start: turn.start + 1600, end: turn.end + 1600 }));
    const text = 'Good morning, everybody. Shall we begin? Yes, please do. The boats are late again.';
    const expected =
      '**A:** Good morning, everybody. Shall we begin?\n\n**B:** Yes, please do.\n\n**A:** The boats are late again.';
    assert.equal(edited(text, namedTurns('md', text, said, late)), expected);
    const long = cuesOf([['', 'aa bb cc dd ee ff gg hh ii jj kk ll']]);
    const middle = turnsIn(
      cuesOf([
        ['A', 'a b c d e f'],
        ['B', 'g h i j k l'],
      ]),
    );
    const words = long[0]?.lines[0] ?? '';
    assert.equal(
      edited(words, namedTurns('md', words, long, middle)),
      '**A:** aa bb cc dd ee ff\n\n**B:** gg hh ii jj kk ll',
    );
  });

  it('change no word of a text, whatever a service calls its speakers', () => {
    const hostile = turns.map((turn, index) => ({
      ...turn,
      speaker: plainLine(['**x** [a](b)', 'B: c', '--> <v y>'][index % 3] ?? ''),
    }));
    const safe = turnsIn(hostile.map((turn) => ({ ...turn, lines: [] })));
    const text =
      '- A list.\n\n> A quote.\n\nGood morning, everybody. Shall we begin?\n\nYes, please do.\n\n| a | b |\n\nThe boats are late again.\n';
    const written = edited(text, namedTurns('md', text, said, safe));
    const names = [...findSpeakers('md', written).values()].flat().sort((one, other) => other.start - one.start);
    const rest = names.reduce((now, { start, end }) => now.slice(0, start - 2) + now.slice(end + 4), written);
    assert.deepEqual(
      wordsIn(rest).map(({ key }) => key),
      wordsIn(text).map(({ key }) => key),
    );
    assert(findSpeakers('md', written).size >= 2);
  });

  it('go on after an interruption', () => {
    const cue = (start: number, end: number, text: string) => ({ start, end, lines: [plainLine(text)] });
    const cues = [
      cue(0, 2000, 'So we'),
      cue(2000, 2500, 'Oh!'),
      cue(3000, 4000, 'went on.'),
      cue(4000, 4500, 'I see.'),
    ];
    const interrupted = turnsIn([
      { start: 0, end: 4000, lines: [], speaker: plainLine('A') },
      { start: 2000, end: 2500, lines: [], speaker: plainLine('B') },
      { start: 4000, end: 4500, lines: [], speaker: plainLine('B') },
    ]);
    assert.deepEqual(
      withSpeakers(cues, interrupted).map(({ speaker }) => speaker),
      ['A', 'B', 'A', 'B'],
    );
  });

  it('are nearest where they end, also after an interruption', () => {
    const turn = (speaker: string, start: number, end: number) => ({ speaker: plainLine(speaker), start, end });
    const interrupted = [turn('A', 0, 10_000), turn('B', 2000, 3000), turn('C', 11_000, 12_000)];
    const cues = [10_100, 10_800].map((start) => ({ start, end: start + 100, lines: [] }));
    assert.deepEqual(
      withSpeakers(cues, interrupted).map(({ speaker }) => speaker),
      ['A', 'C'],
    );
  });

  it('name the speaker of each cue', () => {
    const unnamed = said.map(({ speaker: _, ...cue }) => cue);
    assert.deepEqual(
      withSpeakers(unnamed, turns).map(({ speaker }) => speaker),
      ['A', 'A', 'B', 'A'],
    );
    assert.deepEqual(
      withSpeakers(unnamed, []),
      unnamed.map((cue) => ({ ...cue, speaker: undefined })),
    );
    assert.deepEqual(namedTurns('md', 'Good morning.', said, []), []);
  });
});
