import assert from 'node:assert/strict';
import { plainLine, plainText } from '../../../src/foreign/plainText.ts';
import { alignWords } from '../../../src/transcripts/alignWords.ts';
import { captionsOf, cuesOfText, spokenWords } from '../../../src/transcripts/captions.ts';
import { paragraphsOf, segmentsIn } from '../../../src/transcripts/formatTranscript.ts';
import { type Cue, writeSubtitles } from '../../../src/transcripts/subtitles.ts';
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
  'voices that do not end': (index, count) => `${first(index, count)}<v.a a`,
  'layers of cues': (index, count) => cue(index, 2 * count, `word${index} fox`),
  'cues with times of words': (index) => cue(index, index + 1, `the <${time(index + 0.5)}>red fox${index}`),
  'voices of one cue': (index) => `${first(index, 9)}<v Ann>fox${index}</v>\n`,
  'words of one cue': (index) => `${first(index, 9999)}<${time(index)}>fox${index} `,
  'lines of one cue': (index) => `${first(index, 9)}fox${index}\n`,
};

const text = ({ lines }: Cue) => lines.join(' ');
const paragraphs = (cues: readonly Cue[]) => cues.map((one) => ({ speaker: one.speaker, text: plainText(text(one)) }));

/** A file as it is written, and its cues. */
interface File {
  readonly format: 'srt' | 'vtt';
  readonly written: string;
  readonly cues: readonly Cue[];
}

/** What the player, the commands of subtitles and those of transcripts do with a file. */
const readers: Readonly<Record<string, (file: File) => unknown>> = {
  readTimes: ({ format, written }) => readTimes(`a.${format}`, Buffer.from(written)),
  'alignWords with the same text': ({ cues }) => align(cues, cues),
  'alignWords with the text in reverse order': ({ cues }) => align(cues.toReversed(), cues),
  'alignWords with another text': ({ cues }) => align(Array<Cue>(cues.length).fill(another), cues),
  readTranscriptFile: ({ format, written }) => readTranscriptFile(format, written),
  'readTranscriptFile of a text with their speakers': ({ cues }) =>
    readTranscriptFile('txt', cues.map((one) => `${one.speaker ?? 'Ann'}: ${text(one)}`).join('\n'), cues),
  paragraphsOf: ({ format, written }) => paragraphsOf(segmentsIn({ text: written, subtitles: format })),
  'cuesOfText and writeSubtitles': ({ cues }) => writeSubtitles('vtt', cuesOfText(spokenWords(paragraphs(cues), cues))),
  captionsOf: ({ cues }) => captionsOf(spokenWords(paragraphs(cues), cues), true),
};

const another: Cue = { start: 0, end: 1, lines: [plainLine('some other words')] };

/** Follows a text in its recording, as the player does. */
function align(document: readonly Cue[], cues: readonly Cue[]): unknown {
  const words = wordsIn(document.map(text).join('\n'));
  return alignWords(
    words.map(({ key }) => key),
    wordsOfCues(cues),
  );
}

/** How many cues there are at first. */
const count = 4000;

describe('time for cues of a file that came with a folder (promise 17)', () => {
  for (const format of ['srt', 'vtt'] as const) {
    for (const [shape, cueOf] of Object.entries(shapes)) {
      // SubRip has neither voices nor times of words.
      if (format === 'srt' && cueOf(0, 1).includes('<')) continue;
      for (const [name, read] of Object.entries(readers)) {
        it(`grows at most linearly in ${name} with ${shape} in .${format}`, async () => {
          const prepare = async (size: number) => {
            const cues = Array.from({ length: size }, (_, index) => cueOf(index, size));
            const written = (format === 'vtt' ? 'WEBVTT\n\n' : '') + cues.join('');
            const file = { format, written, cues: readTimes(`a.${format}`, Buffer.from(written)) };
            return () => read(file);
          };
          assert(await staysInProportion(prepare, count));
        });
      }
    }
  }
});
