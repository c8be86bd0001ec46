/** What a track holds, in steps of {@link stepSeconds}. */
export interface SoundSteps {
  /** Bytes that each step needs in a file. */
  readonly bytes: readonly number[];
  /** How loud each step is, in any unit that grows with loudness. */
  readonly loudness: readonly number[];
}

export const stepSeconds = 0.1;
/** A pause is as quiet over this many steps. */
const pauseSteps = 4;
/** How far from an even cut a pause is looked for, in steps. */
const reachSteps = 300;
const clearlyQuieter = 0.9;
/** A part is filled up to this share at most, so that there is room to look for a pause behind the even cut as well. */
const filled = 0.9;

/**
 * Where to cut a sound into parts of at most `partBytes`: as even as the quietest place near by allows.
 *
 * @returns the steps at which parts after the first begin; undefined when a single step is too large
 */
export function planParts({ bytes, loudness }: SoundSteps, partBytes: number): readonly number[] | undefined {
  if (bytes.some((one) => one > partBytes)) return undefined;
  const cuts: number[] = [];
  const until = sums(bytes);
  const total = until.at(-1) ?? 0;
  for (let start = 0; ; ) {
    const before = until[start] ?? 0;
    const left = total - before;
    if (left <= partBytes) return cuts;
    const even = before + left / Math.ceil(left / (partBytes * filled));
    // The last step at which the part is not too large.
    const last = lastBelow(until, before + partBytes);
    const middle = Math.min(lastBelow(until, even), last);
    const from = Math.max(start + 1, middle - reachSteps, Math.ceil((start + middle) / 2));
    start = quietest(loudness, from, Math.min(last, middle + reachSteps), middle);
    cuts.push(start);
  }
}

/** The step in the middle of the quietest pause; the even cut stays where nothing near is clearly quieter. */
function quietest(loudness: readonly number[], from: number, to: number, middle: number): number {
  let best = Math.max(from, Math.min(middle, to));
  let least = around(loudness, best);
  for (let distance = 1; distance <= reachSteps; distance++) {
    for (const step of [middle - distance, middle + distance]) {
      if (step < from || step > to) continue;
      const loud = around(loudness, step);
      // Where all is as loud, as in sound of a constant bit rate, noise must not decide.
      if (loud < least * clearlyQuieter) [best, least] = [step, loud];
    }
  }
  return best;
}

function around(loudness: readonly number[], step: number): number {
  const pause = loudness.slice(Math.max(0, step - pauseSteps / 2), step + pauseSteps / 2);
  return pause.reduce((sum, one) => sum + one, 0) / Math.max(1, pause.length);
}

function sums(numbers: readonly number[]): readonly number[] {
  let sum = 0;
  return [0, ...numbers.map((number) => (sum += number))];
}

/** The last step before which no more than this many bytes lie. */
function lastBelow(until: readonly number[], most: number): number {
  let low = 0;
  let high = until.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((until[middle] ?? 0) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}
