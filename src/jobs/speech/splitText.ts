type Granularity = 'sentence' | 'word' | 'grapheme';

/** Boundaries near the limit depend on what follows: `3.` is an end before a blank, not before `14`. */
const lookahead = 32;
/** A blank that carries a mark (a combining accent) is a character to be kept; line breaks and their like carry none. */
const blanks = /(?:[\t-\r\u2028\u2029\ufeff]|\s(?![\p{Grapheme_Extend}\p{M}\u200d]))*/uy;
const paragraphEnd = /(?:\r\n|\r(?!\n)|[\n\u0085])[^\S\n\r]*[\n\r\u0085]|\u2029/g;
const segmenters: Readonly<Record<Granularity, Intl.Segmenter>> = {
  sentence: new Intl.Segmenter('und', { granularity: 'sentence' }),
  word: new Intl.Segmenter('und', { granularity: 'word' }),
  grapheme: new Intl.Segmenter('und', { granularity: 'grapheme' }),
};

/**
 * Cuts a text into parts that can be spoken one after the other: at paragraphs, else after sentences, else between
 * words, and inside a word only where it alone is too long; never inside a character as a reader sees it (a grapheme),
 * unless that alone is too long. Blanks around a cut belong to no part; all else stands in the parts as in the text.
 *
 * @param maxCharacters longest part in UTF-16 code units, as `String.length` counts; as no character has fewer of them,
 *   a service that counts characters never finds more. 0 or less: never split. 1 is taken as 2, a surrogate pair.
 * @returns no part for a text of blanks
 */
export function splitText(text: string, maxCharacters: number): readonly string[] {
  const end = text.trimEnd().length;
  const limit = maxCharacters > 0 ? Math.max(2, Math.floor(maxCharacters)) : Number.POSITIVE_INFINITY;
  const parts: string[] = [];
  let start = skipBlanks(text, 0);
  while (start < end) {
    const cut = end - start <= limit ? end : start + lengthOfPart(text.slice(start, start + limit + lookahead), limit);
    parts.push(text.slice(start, cut).trimEnd());
    start = skipBlanks(text, cut);
  }
  return parts;
}

/** @param window begins with the part and goes on beyond the limit */
function lengthOfPart(window: string, limit: number): number {
  return (
    // A short paragraph before a long one would be a part of a few words: sentences fill it then.
    lastCut(window, limit, paragraphEnds(window), limit / 2) ??
    lastCut(window, limit, boundaries(window, 'sentence')) ??
    lastCut(window, limit, blankBoundaries(window), limit / 2) ??
    lastCut(window, limit, wordBoundaries(window)) ??
    lastCut(window, limit, boundaries(window, 'grapheme')) ??
    (/^[\ud800-\udbff][\udc00-\udfff]/.test(window.slice(limit - 1)) ? limit - 1 : limit)
  );
}

/** The last place to cut whose part, without the blanks at its end, is within the limit. */
function lastCut(window: string, limit: number, cuts: readonly number[], atLeast = 1): number | undefined {
  const graphemes = segmenters.grapheme.segment(window);
  return cuts.findLast(
    (cut) =>
      cut >= atLeast &&
      cut < window.length &&
      window.slice(0, cut).trimEnd().length <= limit &&
      graphemes.containing(cut)?.index === cut,
  );
}

function paragraphEnds(window: string): readonly number[] {
  return [...window.matchAll(paragraphEnd)].map(({ index }) => index);
}

/** All but the end, which may be no boundary but where the window was cut. */
function boundaries(window: string, granularity: Granularity): readonly number[] {
  return [...segmenters[granularity].segment(window)].map(({ index }) => index);
}

function blankBoundaries(window: string): readonly number[] {
  return [...window.matchAll(/\s+/g)].map(({ index }) => index);
}

/** For scripts without blanks, and for long web addresses: marks stay with the word that they belong to. */
function wordBoundaries(window: string): readonly number[] {
  return boundaries(window, 'word').filter(
    (cut) =>
      !/[\p{Ps}\p{Pi}]$/u.test(window.slice(Math.max(0, cut - 1), cut)) &&
      !/^[\p{Po}\p{Pe}\p{Pf}]/u.test(window.slice(cut)),
  );
}

function skipBlanks(text: string, from: number): number {
  blanks.lastIndex = from;
  return from + (blanks.exec(text)?.[0].length ?? 0);
}
