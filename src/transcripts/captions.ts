import { type PlainLine, plainLine } from '../foreign/plainText.ts';
import { alignWords, endOf } from './alignWords.ts';
import {
  blankBetween,
  type Cue,
  type CueWord,
  columns,
  joinTexts,
  maxLineLength,
  type Piece,
  wrapLines,
} from './subtitles.ts';
import { piecesOf, wordsOfCues } from './times.ts';
import { blanklessScripts } from './words.ts';

// Captions are made from a text as it reads now and from the times of its recording.

/** A word of a text with the punctuation around it, and when it is spoken. */
interface CaptionWord extends CueWord, Piece {
  readonly speaker?: PlainLine;
  /** Whether its paragraph ends with it. */
  readonly isLast: boolean;
}

/** Milliseconds. */
const minDuration = 1000;
const maxDuration = 7000;
const longSilence = 1500;
const pause = 700;
const breath = 300;
const longCue = 10_000;
const maxCue = 30_000;

/** What it costs to end a caption after a word, and other reasons to prefer one division to another. */
const costs = {
  caption: 4,
  sentence: 0,
  clause: 2,
  breath: 2,
  blankless: 8,
  elsewhere: 6,
  short: 4,
  /** Only a sentence that is too short for a caption of its own shares one with a part of another. */
  mixed: 7,
  pause: 5,
  silence: 12,
};

const sentenceEnd = /[\p{Sentence_Terminal}…][\p{Pe}\p{Pf}"']*$/u;
const startsBlankless = new RegExp(`^[\\p{Ps}\\p{Pi}]*[${blanklessScripts}]`, 'u');
const clauseEnd = /[\p{Terminal_Punctuation}–—][\p{Pe}\p{Pf}"']*$/u;

/**
 * Returns when each word of a text is spoken. A speaker goes on until another one is named.
 *
 * @param cues the times of the recording
 */
export function spokenWords(
  paragraphs: readonly {
    /** Set when the speaker changes; empty where nobody knows who speaks. */
    readonly speaker?: PlainLine;
    readonly text: string;
  }[],
  cues: readonly Cue[],
): readonly CaptionWord[] {
  let speaker: PlainLine | undefined;
  const words = paragraphs.flatMap((paragraph) => {
    speaker = paragraph.speaker ?? speaker;
    const line = joinTexts(paragraph.text.split('\n'));
    const pieces = piecesOf(line);
    // A paragraph such as “♪” has no words but is shown.
    return (pieces.length > 0 || line === '' ? pieces : [{ key: '', text: line, blank: ' ' }]).map(
      ({ key, text, blank }, index) => ({ key, text, blank, speaker, isLast: index >= pieces.length - 1 }),
    );
  });
  const spans = alignWords(
    words.map(({ key }) => key),
    wordsOfCues(cues),
  );
  return whole(
    words.flatMap(({ text, blank, isLast, speaker: name }, index) => {
      const span = spans[index];
      return span ? [{ text, blank, isLast, ...span, ...(name ? { speaker: name } : {}) }] : [];
    }),
  );
}

/** Joins what is written as one word, such as “3.50” and “e-mail”, as long as it fits into a line. */
function whole(pieces: readonly CaptionWord[]): readonly CaptionWord[] {
  const words: CaptionWord[] = [];
  for (const [index, piece] of pieces.entries()) {
    const before = words.at(-1);
    if (!before || isApart(before, pieces[index - 1]?.text ?? '', piece)) words.push(piece);
    else {
      const end = Math.max(before.start, piece.end);
      words[words.length - 1] = { ...before, text: before.text + piece.text, end, isLast: piece.isLast };
    }
  }
  return words;
}

function isApart(word: CaptionWord, before: string, { text, blank }: CaptionWord): boolean {
  // Scripts without spaces have none after the end of a sentence either.
  const isAfterEnd = clauseEnd.test(before) && startsBlankless.test(text);
  const isTooWide = columns(word.text) + columns(text) > maxLineLength;
  return blank !== '' || blankBetween(before, text) === 0 || isAfterEnd || isTooWide;
}

/**
 * Returns a cue for each paragraph, or for each sentence of a long one, with the times of its words. A long sentence is
 * divided where the speaker breathes.
 */
export function cuesOfText(words: readonly CaptionWord[]): readonly Cue[] {
  const cues: CaptionWord[][] = [];
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    const isMoved = before !== undefined && (word.start < before.start || word.start - before.end >= longSilence);
    const isEnd = !before || before.isLast || isMoved || sentenceEnd.test(before.text);
    if (isEnd || isTooLong(before.end - (cues.at(-1)?.[0]?.start ?? 0), before, word)) cues.push([word]);
    else cues.at(-1)?.push(word);
  }
  return cues
    .map((cue) => {
      const [first] = cue;
      const start = first?.start ?? 0;
      const end = Math.max(start + 100, endOf(cue));
      return { ...textOf(cue), start, end, words: cue };
    })
    .toSorted((one, other) => one.start - other.start);
}

/** Whether a cue that has lasted for so many milliseconds ends between two words, though no sentence does. */
function isTooLong(duration: number, before: CaptionWord, word: CaptionWord): boolean {
  if (duration >= maxCue) return true;
  return duration >= longCue && (clauseEnd.test(before.text) || word.start - before.end >= breath);
}

/**
 * Divides spoken words into captions: at most two lines of 42 columns, for 1 to 7 seconds, ended where a sentence ends
 * or the speaker breathes. Those of two who speak at once overlap, and no others.
 *
 * @param showsSpeakers whether to put the name of a new speaker into the text
 */
export function captionsOf(words: readonly CaptionWord[], showsSpeakers: boolean): readonly Cue[] {
  const names = showsSpeakers ? named : (captions: Captions) => captions;
  const captions = inOrder(names(turnsOf(words)).flatMap(divide));
  // Whoever was interrupted is named again.
  return timed(inOrder(names(captions).flatMap(halves)));
}

/** The words of each caption. */
type Captions = readonly (readonly CaptionWord[])[];

function inOrder(captions: Captions): Captions {
  return captions.toSorted((one, other) => (one[0]?.start ?? 0) - (other[0]?.start ?? 0));
}

/** Divides a caption that has three lines, because a line breaks only between the words of scripts without spaces. */
function halves(words: readonly CaptionWord[]): Captions {
  const { lines } = textOf(words);
  if (words.length < 2 || wrapLines(lines.join(' ')).length <= 2) return [words];
  const half = Math.ceil(words.length / 2);
  return [...halves(words.slice(0, half)), ...halves(words.slice(half))];
}

/** Puts the name of the speaker before the first word after another one's. */
function named(captions: Captions): Captions {
  return captions.map((words, index) => {
    const [first, ...others] = words;
    const name = `${first?.speaker}: `;
    const isNew = first?.speaker !== captions[index - 1]?.[0]?.speaker;
    if (!first?.speaker || !isNew || first.text.startsWith(name)) return words;
    return [{ ...first, text: name + first.text }, ...others];
  });
}

/** Splits words where no caption may go on: at another speaker, another paragraph, and where a passage was moved. */
function turnsOf(words: readonly CaptionWord[]): Captions {
  const turns: CaptionWord[][] = [];
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    if (!before || before.isLast || before.speaker !== word.speaker || word.start < before.start) turns.push([word]);
    else turns.at(-1)?.push(word);
  }
  return turns;
}

/** Finds the division of a turn that costs least. */
function divide(words: readonly CaptionWord[]): Captions {
  // A name before a word, or a dash after it, can be on another line.
  const texts = words.map(({ text, blank }) =>
    text.split(' ').map((piece, index) => ({ columns: columns(piece), blank: index === 0 ? blank.length : 1 })),
  );
  const endings = words.map((_, index) => costs.caption + endingCost(words, index + 1));
  const silences = words.map((_, index) => silenceCost(words, index));
  const best = Array.from({ length: words.length + 1 }, (_, to) => ({
    cost: to === 0 ? 0 : Number.POSITIVE_INFINITY,
    from: to - 1,
  }));
  for (const [from, first] of words.entries()) {
    const lines = new Lines();
    let inner = best[from]?.cost ?? 0;
    let hasEnd = false;
    const isPart = from > 0 && !sentenceEnd.test(words[from - 1]?.text ?? '');
    for (let to = from + 1; to <= words.length; to++) {
      const last = words[to - 1];
      const isAlone = to === from + 1;
      if (!last || (!lines.add(texts[to - 1] ?? []) && !isAlone) || last.start - first.start > maxDuration) break;
      if (!isAlone) {
        inner += silences[to - 1] ?? 0;
        hasEnd ||= sentenceEnd.test(words[to - 2]?.text ?? '');
      }
      const duration = last.end - first.start;
      if (duration > maxDuration && !isAlone) continue;
      const isMixed = hasEnd && (isPart || !(to === words.length || sentenceEnd.test(last.text)));
      const cost =
        inner + (endings[to - 1] ?? 0) + (duration < minDuration ? costs.short : 0) + (isMixed ? costs.mixed : 0);
      if (cost <= (best[to]?.cost ?? 0)) best[to] = { cost, from };
    }
  }
  const captions: (readonly CaptionWord[])[] = [];
  for (let to = words.length; to > 0; ) {
    const from = best[to]?.from ?? to - 1;
    captions.push(words.slice(from, to));
    to = from;
  }
  return captions.reverse();
}

/** The lines of a caption that grows. Fewer lines than filling each as far as possible are never needed. */
class Lines {
  #count = 1;
  #length = 0;

  /** @returns whether a caption has room for all that was added */
  add(pieces: readonly { readonly columns: number; readonly blank: number }[]): boolean {
    for (const { columns: length, blank } of pieces) {
      const added = (this.#length === 0 ? 0 : blank) + length;
      const isFull = this.#length > 0 && this.#length + added > maxLineLength;
      this.#length = isFull ? length : this.#length + added;
      if (isFull) this.#count++;
    }
    return this.#count <= 2;
  }
}

function endingCost(words: readonly CaptionWord[], to: number): number {
  const [last, next] = [words[to - 1], words[to]];
  if (!last || !next || sentenceEnd.test(last.text)) return costs.sentence;
  if (clauseEnd.test(last.text)) return costs.clause;
  if (next.start - last.end >= breath) return costs.breath;
  return next.blank === '' ? costs.blankless : costs.elsewhere;
}

/** Returns what it costs not to end a caption before a word. */
function silenceCost(words: readonly CaptionWord[], index: number): number {
  const silence = (words[index]?.start ?? 0) - (words[index - 1]?.end ?? 0);
  return silence >= longSilence ? costs.silence : silence >= pause ? costs.pause : 0;
}

function textOf(words: readonly CaptionWord[]): Pick<Cue, 'lines' | 'speaker'> {
  const speaker = words[0]?.speaker;
  const lines = [plainLine(words.map(({ text, blank }) => blank + text).join(''))];
  return { lines, ...(speaker === undefined ? {} : { speaker }) };
}

/** Shows each caption for 1 to 7 seconds, up to the next one if that is later. That waits after a short one. */
function timed(captions: Captions): readonly Cue[] {
  let shown = { start: 0, end: 0 };
  let spoken = 0;
  return captions.map((words, index) => {
    const first = words[0]?.start ?? 0;
    // Only what is said at the same time is shown at the same time.
    const start = Math.max(first, first < spoken ? shown.start : shown.end);
    const next = captions[index + 1]?.[0]?.start ?? Number.POSITIVE_INFINITY;
    const end = Math.max(start + minDuration, Math.min(endOf(words), start + maxDuration, next));
    shown = { start, end };
    spoken = Math.max(spoken, endOf(words));
    const { lines, ...rest } = textOf(words);
    return { ...rest, start, end, lines: wrapLines(lines.join(' ')).map(plainLine), words };
  });
}
