/** How loud a piece of sound is, in steps of equal length. */
export interface MeasuredSteps {
  /** Duration of a step, in seconds. */
  readonly step: number;
  /** Loudness of each step, in any unit; never less than it is. */
  readonly loudness: readonly number[];
  /** A step is quiet if it is at most this share of the loudest. */
  readonly quietShare: number;
  /** What a quiet step is at most, where the unit has a scale. */
  readonly quietLimit?: number;
}

/** The steps of a piece of sound that are kept; `end` is exclusive. */
export interface KeptSteps {
  readonly start: number;
  readonly end: number;
}

/** A pause of a speaker lasts longer than the silence in a consonant. In seconds. */
const leastPause = 0.2;
/** Bounds of the pause between two parts, in seconds, and its length where the parts have no pauses of their own. */
const shortest = 0.3;
const longest = 0.8;
const usual = 0.4;
/** Sound fades away, so some silence stays after it, in seconds. */
const leastTail = 0.1;

/** Where a piece of sound is quiet. */
export interface Silences {
  /** Duration of a step, in seconds. */
  readonly step: number;
  readonly steps: number;
  /** Quiet steps at the start. */
  readonly lead: number;
  /** Quiet steps at the end. */
  readonly tail: number;
  /** Pauses in between, in seconds. */
  readonly pauses: readonly number[];
  /** Quiet steps at the start that have to stay. */
  readonly leastLead?: number;
}

/** @returns no silence for a piece without any sound */
export function silencesOf({
  step,
  loudness,
  quietShare,
  quietLimit = Number.POSITIVE_INFINITY,
}: MeasuredSteps): Silences {
  const steps = loudness.length;
  const limit = Math.min(quietLimit, quietShare * loudness.reduce((most, one) => Math.max(most, one), 0));
  const loud = [...loudness.keys()].filter((index) => (loudness[index] ?? 0) > limit);
  const [first, last] = [loud[0], loud.at(-1)];
  if (first === undefined || last === undefined) return { step, steps, lead: 0, tail: 0, pauses: [] };
  const gaps = loud.map((index, at) => (index - (loud[at - 1] ?? index - 1) - 1) * step);
  const pauses = gaps.filter((seconds) => seconds >= leastPause);
  return { step, steps, lead: first, tail: steps - 1 - last, pauses };
}

/**
 * Shortens the silence where parts of speech meet to one pause, the median of those inside the parts. Shorter silences,
 * and those at the start and the end of the whole, stay as they are.
 *
 * @param parts undefined for a part whose silences are not known
 * @param isJoint whether something else begins with a part, and not only more of the same
 * @returns what is kept of each part; undefined for all of it
 */
export function shortenJoints(
  parts: readonly (Silences | undefined)[],
  isJoint = (_index: number) => true,
): readonly (KeptSteps | undefined)[] {
  const pause = pauseOf(parts.flatMap((part) => part?.pauses ?? []));
  const joints = parts.map((after, index) => (isJoint(index) ? cutAt(parts[index - 1], after, pause) : undefined));
  return parts.map((part, index) => {
    const start = joints[index]?.lead ?? 0;
    const tail = joints[index + 1]?.tail ?? 0;
    return part && start + tail > 0 ? { start, end: part.steps - tail } : undefined;
  });
}

/** Returns how many steps are cut before and after the place where two parts meet. */
function cutAt(before: Silences | undefined, after: Silences | undefined, pause: number) {
  if (!before || !after) return { tail: 0, lead: 0 };
  const [tail, lead] = [before.tail * before.step, after.lead * after.step];
  // Half of the pause on each side, unless the silence on one of them is shorter.
  const leastLead = (after.leastLead ?? 0) * after.step;
  const keptLead = Math.min(lead, Math.max(pause / 2, pause - tail, leastLead));
  const cut = stepsIn(lead - keptLead, after.step);
  // The lead may keep a part of a step more.
  const keptTail = Math.min(tail, Math.max(leastTail, pause - (lead - cut * after.step)));
  return { tail: stepsIn(tail - keptTail, before.step), lead: cut };
}

/** Returns the whole steps in a duration. A duration that was added up may lack a tiny part of one. */
function stepsIn(seconds: number, step: number): number {
  return Math.floor(seconds / step + 1e-6);
}

function pauseOf(pauses: readonly number[]): number {
  const median = pauses.toSorted((one, other) => one - other)[Math.floor(pauses.length / 2)] ?? usual;
  return Math.min(longest, Math.max(shortest, median));
}
