import assert from 'node:assert/strict';
import { plainLine, plainText } from '../../../src/foreign/plainText.ts';
import { alignWords } from '../../../src/transcripts/alignWords.ts';
import { captionsOf, cuesOfText, spokenWords } from '../../../src/transcripts/captions.ts';
import { paragraphsOf, segmentsIn } from '../../../src/transcripts/formatTranscript.ts';
import type { Cue } from '../../../src/transcripts/subtitles.ts';
import { writeSubtitles } from '../../../src/transcripts/subtitles.ts';
import { readTimes, wordsOfCues } from '../../../src/transcripts/times.ts';
import { readTranscriptFile } from '../../../src/transcripts/transcriptIn.ts';
import { wordsIn } from '../../../src/transcripts/words.ts';
import { staysInProportion } from '../../support/growsLinearly.ts';

/** Writes seconds as a time of WebVTT, which is read in SubRip as well. */
function time(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 23);
}

const cue = (start: number, end: number, text: string) => `${time(start)} --> ${time(end)}\n${text}\n\n`;

/** Begins the only cue of a file. */
const first = (index: number, end: number) => (index === 0 ? `${time(0)} --> ${time(end)}\n` : '');

/** The cues of a file. */
const shapes: Readonly<Record<string, (index: number, count: number) => string>> = {
  'different cues': (index) => cue(index, index + 1, `word${index} fox ${index * 7919}.`),
  'one cue': () => cue(0, 1, 'the red fox'),
  'cues of both kinds': (index) => cue(index, index + 1, index % 2 === 0 ? `<v Ann>fox${index}` : 'fox'),
  'cues of two speakers in turn': (index) => cue(index, index + 1, `<v ${index % 2 === 0 ? 'Ann' : 'Bo'}>the red fox`),
  'cues of different speakers': (index) => cue(index, index + 1, `<v Speaker ${index}>fox`),
  'cues in reverse order': (index, count) => cue(count - index, count - index + 1, `word${index} fox.`),
  'layers of cues': (index, count) => cue(index, 2 * count, `word${index} fox`),
  'cues with times of words': (index) => cue(index, index + 1, `the <${time(index + 0.5)}>red fox${index}`),
  'voices of one cue': (index) => `${first(index, 9)}<v Ann>fox${index}</v>\n`,
  'words of one cue': (index) => `${first(index, 9999)}<${time(index)}>fox${index} `,
  'lines of one cue': (index) => `${first(index, 9)}fox${index}\n`,
};

const text = ({ lines }: Cue) => lines.join(' ');
const paragraphs = (cues: readonly Cue[]) => cues.map((one) => ({ speaker: one.speaker, text: plainText(text(one)) }));

/** What the player, the commands of subtitles and those of transcripts do with a file. */
const readers: Readonly<Record<string, (format: 'srt' | 'vtt', file: string) => unknown>> = {
  readTimes: (format, file) => readTimes(`a.${format}`, Buffer.from(file)),
  'alignWords with the same text': (format, file) => align(format, file, (cues) => cues),
  'alignWords with the text in reverse order': (format, file) => align(format, file, (cues) => cues.toReversed()),
  'alignWords with another text': (format, file) => align(format, file, (cues) => cues.map(() => another)),
  readTranscriptFile: (format, file) => readTranscriptFile(format, file),
  'readTranscriptFile of a text with their speakers': (format, file) => {
    const cues = readTimes(`a.${format}`, Buffer.from(file));
    return readTranscriptFile('txt', cues.map((one) => `${one.speaker ?? 'Ann'}: ${text(one)}`).join('\n'), cues);
  },
  paragraphsOf: (format, file) => paragraphsOf(segmentsIn({ text: file, subtitles: format })),
  'cuesOfText and writeSubtitles': (format, file) => {
    const cues = readTimes(`a.${format}`, Buffer.from(file));
    return writeSubtitles('vtt', cuesOfText(spokenWords(paragraphs(cues), cues)));
  },
  captionsOf: (format, file) => {
    const cues = readTimes(`a.${format}`, Buffer.from(file));
    return captionsOf(spokenWords(paragraphs(cues), cues), true);
  },
};

const another: Cue = { start: 0, end: 1, lines: [plainLine('some other words')] };

/** Follows a text in its recording, as the player does. */
function align(format: 'srt' | 'vtt', file: string, change: (cues: readonly Cue[]) => readonly Cue[]): unknown {
  const cues = readTimes(`a.${format}`, Buffer.from(file));
  const words = wordsIn(change(cues).map(text).join('\n'));
  return alignWords(
    words.map(({ key }) => key),
    wordsOfCues(cues),
  );
}

/** How many cues there are at first. */
const count = 2000;

describe('time for cues of a file that came with a folder (promise 17)', () => {
  for (const format of ['srt', 'vtt'] as const) {
    for (const [shape, cueOf] of Object.entries(shapes)) {
      // SubRip has neither voices nor times of words.
      if (format === 'srt' && cueOf(0, 1).includes('<')) continue;
      for (const [name, read] of Object.entries(readers)) {
        it(`grows at most linearly in ${name} with ${shape} in .${format}`, async () => {
          const prepare = async (size: number) => {
            const cues = Array.from({ length: size }, (_, index) => cueOf(index, size));
            const file = (format === 'vtt' ? 'WEBVTT\n\n' : '') + cues.join('');
            return () => read(format, file);
          };
          assert(await staysInProportion(prepare, count));
        });
      }
    }
  }
});
