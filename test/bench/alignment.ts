// Prints the milliseconds that matching a transcript with the words of its recording of three hours takes:
//   edited   after 3,000 edits and ten moved paragraphs
//   foreign  with a text that has nothing in common with it
import { alignWords } from '../../src/transcripts/alignWords.ts';
import { randomNumbers, spokenWords } from '../support/spokenHour.ts';

const recording = spokenWords(180);

function edited(): readonly string[] {
  const random = randomNumbers(5);
  const words = recording.map(({ key }) => key);
  const place = () => Math.floor(random() * words.length);
  for (let edit = 0; edit < 3000; edit++) words.splice(place(), Math.floor(random() * 3), `new${edit % 700}`);
  for (let move = 0; move < 10; move++) {
    const passage = words.splice(place(), 120);
    words.splice(place(), 0, ...passage);
  }
  return words;
}

const texts: Readonly<Record<string, () => readonly string[]>> = {
  edited,
  foreign: () => spokenWords(180, 99).map(({ key }) => `${key}x`),
};
const text = texts[process.argv[3] ?? '']?.();
if (!text) throw new Error('Usage: alignment.ts client edited|foreign');
for (let run = 0; run < 3; run++) alignWords(text, recording);
const start = performance.now();
const spans = alignWords(text, recording);
console.log(performance.now() - start);
if (spans.length !== text.length) throw new Error('words without times');
