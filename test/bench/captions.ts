// Prints the milliseconds that dividing an hour of speech into captions takes.
import { captionsOf } from '../../src/transcripts/captions.ts';
import { spokenWords } from '../support/spokenHour.ts';

const words = spokenWords(60).map(({ key, ...span }, index) => ({
  ...span,
  text: key + (index % 14 === 13 ? '.' : index % 7 === 6 ? ',' : ''),
  blank: ' ',
  isLast: index % 400 === 399,
}));

captionsOf(words.slice(0, 1000), false);
const start = performance.now();
const captions = captionsOf(words, false);
console.log(performance.now() - start);
if (captions.length < 500) throw new Error('too few captions');
