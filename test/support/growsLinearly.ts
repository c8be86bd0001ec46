type Read = (text: string) => unknown;

/** CPU time of this thread only, so that other processes do not affect it. */
export function millisecondsFor(read: Read, text: string): number {
  const start = process.threadCpuUsage();
  read(text);
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

/** Most time that a short text may take, in milliseconds. */
const longest = 200;

/**
 * Checks that a text of four times the length does not take sixteen times as long, if it takes long at all.
 *
 * Short texts come first, because exponential time for a long one would never end.
 */
export function growsLinearly(read: Read, textOf: (length: number) => string, length = 100_000): boolean {
  if (!isQuickWhenShort(read, textOf)) return false;
  const [whole, quarter] = [textOf(length), textOf(length / 4)];
  let slow = millisecondsFor(read, whole);
  if (slow < length / 1000) return true;
  let quick = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 10; attempt++) {
    quick = Math.min(quick, millisecondsFor(read, quarter));
    if (slow < 8 * quick + length / 5000) return true;
    slow = Math.min(slow, millisecondsFor(read, whole));
  }
  return false;
}

/** Checks texts that grow slowly, so that the first one that takes exponential time still ends. */
export function isQuickWhenShort(read: Read, textOf: (length: number) => string): boolean {
  for (let length = 48; length < 260; length += 24) {
    const text = textOf(length);
    // A second attempt shows whether the first one only compiled something.
    if (millisecondsFor(read, text) >= longest && millisecondsFor(read, text) >= longest) return false;
  }
  return true;
}

/** Halfway between linear (4) and quadratic (16): caches that other programs use too make linear time look longer. */
const mostGrowth = 8;
/** Shorter times are mostly those of the garbage collector, in milliseconds. */
const measurable = 100;

/**
 * Checks that four times as much takes at most {@link mostGrowth} times as long.
 *
 * @param prepare returns a function that reads this much, whose time counts
 */
export async function staysInProportion(
  prepare: (size: number) => Promise<() => unknown>,
  size: number,
): Promise<boolean> {
  const [few, many] = [await prepare(size), await prepare(4 * size)];
  let [quick, slow] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < 10; attempt++) {
    quick = Math.min(quick, await timeOf(few));
    slow = Math.min(slow, await timeOf(many));
    if (slow < measurable || slow <= mostGrowth * quick) return true;
  }
  return false;
}

async function timeOf(read: () => unknown): Promise<number> {
  const start = process.threadCpuUsage();
  await read();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
