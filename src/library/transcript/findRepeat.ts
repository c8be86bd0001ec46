export interface Repeat {
  readonly text: string;
  readonly times: number;
}

/** As many repeats in a row suggest a hallucination, which services produce for silence. */
const minRepeats = 5;
const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });

/** Returns the sentence or line with the most repeats in a row, if suspiciously many. Ignores case and punctuation. */
export function findRepeat(texts: readonly string[]): Repeat | undefined {
  let most: Repeat | undefined;
  let last = '';
  let run: Repeat = { text: '', times: 0 };
  for (const text of texts.flatMap(sentencesOf)) {
    const key = text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, '') || text;
    run = key === last ? { ...run, times: run.times + 1 } : { text, times: 1 };
    last = key;
    if (run.times >= minRepeats && run.times > (most?.times ?? 0)) most = run;
  }
  return most;
}

function sentencesOf(text: string): readonly string[] {
  return [...sentences.segment(text)].map(({ segment }) => segment.trim()).filter((sentence) => sentence !== '');
}
