// Text and times belong together by alignment: the words of a document are matched with the words that were recognised
// in the recording, each time anew. So the text can be edited with any program, and no second copy of the times exists.

/** A recognised word. */
export interface TimedWord extends Span {
  /** As in `wordsIn`. */
  readonly key: string;
}

/** A stretch of a recording. */
export interface Span {
  /** Milliseconds from the start of the recording. */
  readonly start: number;
  readonly end: number;
}

/** Returns the last moment of spans, of which there may be more than a call takes arguments. */
export function endOf(spans: readonly Span[]): number {
  return spans.reduce((latest, { end }) => Math.max(latest, end), 0);
}

/** Fewer words in a row are not a moved passage: everybody says “and then I”. */
const minMovedWords = 6;
/** Insertions and deletions that a diff looks for in one stretch; beyond, the texts have nothing in common. */
const maxEdits = 1000;
const none = -1;

/**
 * Returns when each word of a document is spoken. Words that the recording has, keep its time, also in passages that
 * were moved; edited words take the time of their place, and inserted ones lie between their neighbours.
 *
 * @param keys the words of the document
 * @param timed the words of the recording: what one person says, in a row, also where others speak at the same time
 * @returns a span for each word; empty when nothing is timed
 */
export function alignWords(keys: readonly string[], timed: readonly TimedWord[]): readonly Span[] {
  if (timed.length === 0) return [];
  const { matches, isMoved } = matchWords(
    keys,
    timed.map(({ key }) => key),
  );
  return spansOf(keys, timed, matches, isMoved);
}

/** Returns for each word of one text its place in the other one, or -1. */
function matchWords(keys: readonly string[], others: readonly string[]) {
  const numbers = new Map<string, number>();
  const numbered = (texts: readonly string[]) =>
    Int32Array.from(texts, (text) => {
      const known = numbers.get(text) ?? numbers.size;
      numbers.set(text, known);
      return known;
    });
  const matches = new Int32Array(keys.length).fill(none);
  const isMoved = new Uint8Array(keys.length);
  const a = numbered(keys);
  const b = numbered(others);
  new Diff(a, b, numbers.size, matches).run();
  matchMoved(a, b, matches, isMoved);
  return { matches, isMoved };
}

/** A stretch of both texts; the ends are exclusive. */
interface Stretch {
  readonly a0: number;
  readonly a1: number;
  readonly b0: number;
  readonly b1: number;
}

/** Patience diff, with Myers' in linear space where no word is unique in both texts. */
class Diff {
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #matches: Int32Array;
  /** Counts and places of words in the current stretch, by their numbers. */
  readonly #countsA: Uint32Array;
  readonly #countsB: Uint32Array;
  readonly #places: Int32Array;

  constructor(a: Int32Array, b: Int32Array, count: number, matches: Int32Array) {
    this.#a = a;
    this.#b = b;
    this.#matches = matches;
    this.#countsA = new Uint32Array(count);
    this.#countsB = new Uint32Array(count);
    this.#places = new Int32Array(count);
  }

  run(): void {
    const waiting: Stretch[] = [{ a0: 0, a1: this.#a.length, b0: 0, b1: this.#b.length }];
    for (let stretch = waiting.pop(); stretch; stretch = waiting.pop()) {
      const rest = this.#withoutEnds(stretch);
      if (rest.a0 >= rest.a1 || rest.b0 >= rest.b1) continue;
      for (const part of this.#split(rest)) waiting.push(part);
    }
  }

  /** Matches what both begin and end with. */
  #withoutEnds({ a0, a1, b0, b1 }: Stretch): Stretch {
    while (a0 < a1 && b0 < b1 && this.#a[a0] === this.#b[b0]) this.#matches[a0++] = b0++;
    while (a0 < a1 && b0 < b1 && this.#a[a1 - 1] === this.#b[b1 - 1]) this.#matches[--a1] = --b1;
    return { a0, a1, b0, b1 };
  }

  #split(stretch: Stretch): readonly Stretch[] {
    const anchors = increasing(this.#unique(stretch));
    if (anchors.length === 0) return this.#middle(stretch);
    const parts: Stretch[] = [];
    let { a0, b0 } = stretch;
    for (const [a, b] of anchors) {
      // A word can be matched as the end of the stretch before it.
      parts.push({ a0, a1: a + 1, b0, b1: b + 1 });
      a0 = a + 1;
      b0 = b + 1;
    }
    return [...parts, { ...stretch, a0, b0 }];
  }

  /** Returns the places of the words that each text has once in the stretch, in the order of the first text. */
  #unique({ a0, a1, b0, b1 }: Stretch): readonly Pair[] {
    for (let at = a0; at < a1; at++) this.#countsA[this.#a[at] ?? 0] = 0;
    for (let at = b0; at < b1; at++) this.#countsB[this.#b[at] ?? 0] = 0;
    for (let at = a0; at < a1; at++) {
      const number = this.#a[at] ?? 0;
      this.#countsA[number] = (this.#countsA[number] ?? 0) + 1;
      this.#countsB[number] = 0;
    }
    for (let at = b0; at < b1; at++) {
      const number = this.#b[at] ?? 0;
      this.#countsB[number] = (this.#countsB[number] ?? 0) + 1;
      this.#places[number] = at;
    }
    const pairs: Pair[] = [];
    for (let at = a0; at < a1; at++) {
      const number = this.#a[at] ?? 0;
      if (this.#countsA[number] === 1 && this.#countsB[number] === 1) pairs.push([at, this.#places[number] ?? 0]);
    }
    return pairs;
  }

  /** Splits a stretch at the middle of its shortest edit script, found from both ends at once. */
  #middle({ a0, a1, b0, b1 }: Stretch): readonly Stretch[] {
    const a = this.#a;
    const b = this.#b;
    const [n, m] = [a1 - a0, b1 - b0];
    const delta = n - m;
    const limit = Math.min(Math.ceil((n + m) / 2), maxEdits);
    const width = 2 * limit + 2;
    const forward = new Int32Array(width + 1);
    const backward = new Int32Array(width + 1);
    const at = (diagonal: number) => diagonal + limit + 1;
    for (let edits = 0; edits <= limit; edits++) {
      for (let k = -edits; k <= edits; k += 2) {
        const down = k === -edits || (k !== edits && (forward[at(k - 1)] ?? 0) < (forward[at(k + 1)] ?? 0));
        let x = down ? (forward[at(k + 1)] ?? 0) : (forward[at(k - 1)] ?? 0) + 1;
        let y = x - k;
        while (x < n && y < m && x >= 0 && y >= 0 && a[a0 + x] === b[b0 + y]) {
          x++;
          y++;
        }
        forward[at(k)] = x;
        const other = delta - k;
        if (delta % 2 !== 0 && Math.abs(other) < edits && x + (backward[at(other)] ?? 0) >= n) {
          return halves({ a0, a1, b0, b1 }, x, y);
        }
      }
      for (let k = -edits; k <= edits; k += 2) {
        const down = k === -edits || (k !== edits && (backward[at(k - 1)] ?? 0) < (backward[at(k + 1)] ?? 0));
        let x = down ? (backward[at(k + 1)] ?? 0) : (backward[at(k - 1)] ?? 0) + 1;
        let y = x - k;
        while (x < n && y < m && x >= 0 && y >= 0 && a[a1 - 1 - x] === b[b1 - 1 - y]) {
          x++;
          y++;
        }
        backward[at(k)] = x;
        const other = delta - k;
        if (delta % 2 === 0 && Math.abs(other) <= edits && x + (forward[at(other)] ?? 0) >= n) {
          return halves({ a0, a1, b0, b1 }, n - x, m - y);
        }
      }
    }
    return [];
  }
}

type Pair = readonly [a: number, b: number];

function halves({ a0, a1, b0, b1 }: Stretch, x: number, y: number): readonly Stretch[] {
  const [a, b] = [a0 + Math.min(Math.max(x, 0), a1 - a0), b0 + Math.min(Math.max(y, 0), b1 - b0)];
  const parts = [
    { a0, a1: a, b0, b1: b },
    { a0: a, a1, b0: b, b1 },
  ];
  // A part that is the whole again would be split forever.
  return parts.filter((part) => part.a1 - part.a0 + part.b1 - part.b0 < a1 - a0 + b1 - b0);
}

/** Returns the longest series of pairs in which both places increase. */
function increasing(pairs: readonly Pair[]): readonly Pair[] {
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(none);
  for (const [index, [, b]] of pairs.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < b) low = middle + 1;
      else high = middle;
    }
    before[index] = ends[low - 1] ?? none;
    ends[low] = index;
  }
  const series: Pair[] = [];
  for (let index = ends.at(-1) ?? none; index !== none; index = before[index] ?? none) {
    const pair = pairs[index];
    if (pair) series.push(pair);
  }
  return series.reverse();
}

/** Finds passages that were moved: words in a row that are unmatched in both texts and stand there only once. */
function matchMoved(a: Int32Array, b: Int32Array, matches: Int32Array, isMoved: Uint8Array): void {
  const isFree = new Uint8Array(b.length).fill(1);
  for (const match of matches) if (match !== none) isFree[match] = 0;
  const passages = new Map<string, number>();
  for (const at of passagesIn(b, (place) => isFree[place] === 1)) {
    const key = b.subarray(at, at + minMovedWords).join(' ');
    passages.set(key, passages.has(key) ? none : at);
  }
  if (passages.size === 0) return;
  for (const at of passagesIn(a, (place) => matches[place] === none)) {
    // It was matched as the continuation of the passage before.
    if (matches[at] !== none) continue;
    const found = passages.get(a.subarray(at, at + minMovedWords).join(' ')) ?? none;
    if (found === none) continue;
    for (let length = 0; a[at + length] === b[found + length]; length++) {
      if (matches[at + length] !== none || isFree[found + length] !== 1) break;
      matches[at + length] = found + length;
      isMoved[at + length] = 1;
      isFree[found + length] = 0;
    }
    // The word before the moved passage may have been matched to the wrong occurrence; move it too.
    const [first, place] = [at - 1, found - 1];
    const isAlone = matches[first - 1] !== (matches[first] ?? none) - 1;
    if (first < 0 || place < 0 || !isAlone || isFree[place] !== 1 || a[first] !== b[place]) continue;
    isFree[matches[first] ?? none] = 1;
    matches[first] = place;
    isMoved[first] = 1;
    isFree[place] = 0;
  }
  for (let at = a.length - 2; at >= 0; at--) {
    const place = (matches[at + 1] ?? none) - 1;
    if (matches[at] !== none || place < 0 || isFree[place] !== 1 || a[at] !== b[place]) continue;
    matches[at] = place;
    isMoved[at] = isMoved[at + 1] ?? 0;
    isFree[place] = 0;
  }
}

/** Yields the places where at least six words in a row fulfil a condition. */
function* passagesIn(words: Int32Array, holds: (place: number) => boolean): Generator<number> {
  let length = 0;
  for (let place = 0; place < words.length; place++) {
    length = holds(place) ? length + 1 : 0;
    if (length >= minMovedWords) yield place - minMovedWords + 1;
  }
}

function spansOf(
  keys: readonly string[],
  timed: readonly TimedWord[],
  matches: Int32Array,
  isMoved: Uint8Array,
): readonly Span[] {
  const spans: Span[] = [];
  const used = new Uint8Array(timed.length);
  for (const match of matches) if (match !== none) used[match] = 1;
  for (let from = 0; from < keys.length; ) {
    const match = matches[from] ?? none;
    const own = timed[match];
    if (own) {
      spans.push({ start: own.start, end: Math.max(own.start, own.end) });
      from++;
      continue;
    }
    let to = from;
    while (to < keys.length && (matches[to] ?? none) === none) to++;
    const last = from > 0 ? (matches[from - 1] ?? none) : none;
    const next = to < keys.length ? (matches[to] ?? none) : timed.length;
    // At the edge of a moved passage, words that are adjacent in the document are not adjacent in the recording.
    const isBroken = next <= last || (from > 0 && to < keys.length && isMoved[from - 1] !== isMoved[to]);
    const edited = isBroken ? [] : timed.slice(last + 1, next).filter((_, index) => used[last + 1 + index] === 0);
    // Somebody who interrupts begins before the other one ends.
    const isInterrupted = (timed[next]?.start ?? 0) < (timed[last]?.start ?? 0);
    const after = isBroken || isInterrupted ? undefined : timed[next];
    const between = spansBetween(keys.slice(from, to), edited, timed[last], after);
    for (const span of between) spans.push(span);
    from = to;
  }
  return spans;
}

/** Gives words the time of those that they replace; otherwise the time between their neighbours. */
function spansBetween(
  keys: readonly string[],
  replaced: readonly TimedWord[],
  before: Span | undefined,
  after: Span | undefined,
): readonly Span[] {
  if (replaced.length === keys.length) return replaced.map(({ start, end }) => ({ start, end: Math.max(start, end) }));
  const first = replaced[0]?.start ?? before?.end ?? after?.start ?? 0;
  const least = before?.start ?? 0;
  const start = Math.min(Math.max(first, least), after?.start ?? Number.POSITIVE_INFINITY);
  const last = replaced.length > 0 ? endOf(replaced) : (after?.start ?? start);
  const end = Math.max(start, Math.min(last, after?.start ?? Number.POSITIVE_INFINITY));
  return divided(start, end, keys);
}

/** Divides a time by the lengths of words. */
export function divided(start: number, end: number, texts: readonly string[]): readonly Span[] {
  const whole = texts.reduce((sum, text) => sum + text.length, 0);
  let length = 0;
  const at = () => Math.round(start + ((end - start) * length) / Math.max(1, whole));
  return texts.map((text) => {
    const from = at();
    length += text.length;
    return { start: from, end: at() };
  });
}
