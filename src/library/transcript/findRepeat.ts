export interface Repeat {
  readonly text: string;
  readonly times: number;
}

/** As often in a row nobody says a thing, but a service that hears silence writes it. */
const suspicious = 5;
const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });

/** The sentence or line that stands most often in a row, if that is suspiciously often. Case and marks do not count. */
export function findRepeat(texts: readonly string[]): Repeat | undefined {
  let most: Repeat | undefined;
  let last = '';
  let run: Repeat = { text: '', times: 0 };
  for (const text of texts.flatMap(sentencesOf)) {
    const key = text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, '') || text;
    run = key === last ? { ...run, times: run.times + 1 } : { text, times: 1 };
    last = key;
    if (run.times >= suspicious && run.times > (most?.times ?? 0)) most = run;
  }
  return most;
}

function sentencesOf(text: string): readonly string[] {
  return [...sentences.segment(text)].map(({ segment }) => segment.trim()).filter((sentence) => sentence !== '');
}
