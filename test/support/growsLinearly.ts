type Read = (text: string) => unknown;

/** CPU time of this thread only, so that other processes do not affect it. */
function millisecondsFor(read: Read, text: string): number {
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
  for (let short = 48; short < 260; short += 12) {
    if (!isQuick(read, textOf(short))) return false;
  }
  const [whole, quarter] = [textOf(length), textOf(length / 4)];
  if (millisecondsFor(read, whole) < length / 1000) return true;
  let [slow, quick] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < 5; attempt++) {
    quick = Math.min(quick, millisecondsFor(read, quarter));
    slow = Math.min(slow, millisecondsFor(read, whole));
    if (slow < 8 * quick + length / 5000) return true;
  }
  return false;
}

/** A second attempt shows whether the first one only compiled something. */
function isQuick(read: Read, text: string): boolean {
  return millisecondsFor(read, text) < longest || millisecondsFor(read, text) < longest;
}
