import type { MediaRequest } from '../operations/operations.ts';

/**
 * Characters after the limit that boundaries may depend on: `3.` ends a sentence before a space, but not before `14`.
 */
const lookahead = 32;
/** White space to drop. A space with a combining mark is a visible character; line breaks cannot have marks. */
const blanks = /(?:[\t-\r\u2028\u2029\ufeff]|\s(?![\p{Grapheme_Extend}\p{M}\u200d]))*/uy;
const paragraphEnd = /(?:\r\n|\r(?!\n)|[\n\u0085])[^\S\n\r]*[\n\r\u0085]|\u2029/g;
const segmenters: Readonly<Record<'sentence' | 'word' | 'grapheme', Intl.Segmenter>> = {
  sentence: new Intl.Segmenter('und', { granularity: 'sentence' }),
  word: new Intl.Segmenter('und', { granularity: 'word' }),
  grapheme: new Intl.Segmenter('und', { granularity: 'grapheme' }),
};

/** Returns how many requests a request is sent in. @param maxCharacters as in {@link splitText} */
export function requestsFor(request: MediaRequest, maxCharacters: number): number {
  return 'input' in request ? Math.max(1, splitText(request.input, maxCharacters).length) : 1;
}

/**
 * Splits a text into parts to speak one by one: at paragraphs, otherwise after sentences, otherwise between words.
 * Splits a word, or a grapheme, only if it alone is too long. Drops white space around a cut; the parts contain
 * everything else.
 *
 * @param maxCharacters maximum part length in UTF-16 code units, as `String.length` counts. That is never less than the
 *   number of characters, so it also fits services that count those. 0 or less: never split. 1 counts as 2, which a
 *   surrogate pair needs.
 * @returns no parts for a text of white space only
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

/** @param window text that starts with the part and extends beyond the limit */
function lengthOfPart(window: string, limit: number): number {
  return (
    // Do not end a part after a short paragraph: fill it up with sentences of the next one.
    lastCut(window, limit, paragraphEnds(window), limit / 2) ??
    lastCut(window, limit, boundaries(window, 'sentence')) ??
    lastCut(window, limit, blankBoundaries(window), limit / 2) ??
    lastCut(window, limit, wordBoundaries(window)) ??
    lastCut(window, limit, boundaries(window, 'grapheme')) ??
    (/^[\ud800-\udbff][\udc00-\udfff]/.test(window.slice(limit - 1)) ? limit - 1 : limit)
  );
}

/** Returns the last cut whose part, without trailing white space, is within the limit. */
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

/** Returns the boundaries without the end, which is only where the window was cut. */
function boundaries(window: string, granularity: 'sentence' | 'word' | 'grapheme'): readonly number[] {
  return [...segmenters[granularity].segment(window)].map(({ index }) => index);
}

function blankBoundaries(window: string): readonly number[] {
  return [...window.matchAll(/\s+/g)].map(({ index }) => index);
}

/** Returns word boundaries for scripts without spaces and for long URLs. Punctuation stays with its word. */
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
