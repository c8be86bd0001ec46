/** A stretch of what is sent that plays without a gap. In seconds. */
export interface ClockPiece {
  /** Where it starts in what is sent. */
  readonly sent: number;
  /** Where it stands in the recording. Negative if a part of it only prepares the decoder. */
  readonly plays: number;
}

/**
 * From the time of what is sent to the time of the recording: pieces in the order in which they are sent. What is sent
 * has no gaps, because decoders leave them out.
 *
 * The time of the recording is that of its container, by which FFmpeg plays, and Chromium after a seek. Chromium leaves
 * out a gap that it plays straight through, so the player's text is late from there until the next seek
 * (`findings/chromium-two-clocks-of-gaps.sh`). The player does not seek at gaps by itself: it would have to read the
 * whole file before it plays.
 */
export type Clock = readonly ClockPiece[];

/** How far a border may be from the time that a service heard it at, in seconds. */
const borderSeconds = 0.1;
/** Sound that is so much later or earlier than it is sent would have times that are clearly wrong. In seconds. */
export const clearlyMoved = 0.1;

/** Whether times have to be moved back. */
export function isMoved(clock: Clock): boolean {
  return clock.some(({ sent, plays }) => Math.abs(plays - sent) >= clearlyMoved);
}

/** Moves the times of a service, which count from the start of what is sent, to those of the recording. */
export function movedBack<T extends { readonly start: number; readonly end: number }>(
  clock: Clock,
  texts: readonly T[],
): readonly T[] {
  return texts.map((text) => {
    // A text that starts just before a border, or ends just behind it, is on the side where most of it is.
    const near = Math.max(0, Math.min(borderSeconds, (text.end - text.start) / 2));
    const start = playsAt(clock, text.start, near);
    const end = Math.max(start, playsAt(clock, text.end, -near));
    return { ...text, start: toMilliseconds(start), end: toMilliseconds(end) };
  });
}

/**
 * Returns when a moment of what is sent plays.
 *
 * @param near how much later than the time its piece is looked up
 */
export function playsAt(clock: Clock, time: number, near = 0): number {
  const isBefore = ({ sent }: ClockPiece) => (near < 0 ? sent < time + near : sent <= time + near);
  const index = Math.max(0, clock.findLastIndex(isBefore));
  const { sent, plays } = clock[index] ?? { sent: 0, plays: 0 };
  const until = clock[index + 1]?.sent ?? Number.POSITIVE_INFINITY;
  const from = index === 0 ? Number.NEGATIVE_INFINITY : sent;
  return Math.max(0, plays + Math.max(from, Math.min(time, until)) - sent);
}

/** Returns the clock of a recording that starts later by some seconds. */
export function delayed(clock: Clock, seconds: number): Clock {
  return seconds === 0 ? clock : clock.map(({ sent, plays }) => ({ sent, plays: plays + seconds }));
}

/**
 * Returns the clock of a part that was cut from a copy.
 *
 * @param part from the part to the copy
 * @param copy from the copy to the recording
 */
export function through(part: Clock, copy: Clock): Clock {
  return part.flatMap(({ sent, plays }, index) => {
    const next = part[index + 1];
    const end = next ? plays + next.sent - sent : Number.POSITIVE_INFINITY;
    const first = Math.max(
      0,
      copy.findLastIndex((one) => one.sent <= plays),
    );
    return copy.slice(first).flatMap((one, later) => {
      if (later > 0 && one.sent >= end) return [];
      const from = later === 0 ? plays : one.sent;
      return [{ sent: sent + from - plays, plays: one.plays + from - one.sent }];
    });
  });
}

/** Packets may be so much earlier or later than those before them end: times are rounded, and clocks shake. */
const shakeSeconds = 0.05;
/**
 * A later start is not counted in steady time. An earlier one is, because the ranges of parts that are paid for depend on
 * it.
 */
const maxLead = 60;

/** Follows packets, and tells their steady time, which has no gaps. */
export class SteadyTime {
  #shift: number | undefined;
  /** The sum of what is heard. */
  #end = 0;
  /** The end of the last packet, which may be a little later. */
  #last = Number.NEGATIVE_INFINITY;

  /**
   * Returns the steady time of the next packet.
   *
   * @param seconds how long decoders hear it
   */
  next(timestamp: number, seconds: number): number {
    if (this.#shift === undefined) {
      this.#shift = timestamp > maxLead ? timestamp : 0;
      this.#end = timestamp - this.#shift;
    }
    const gap = timestamp - this.#shift - this.#end;
    if (Math.abs(gap) > shakeSeconds) this.#shift = timestamp - Math.max(this.#end, this.#last);
    const steady = timestamp - this.#shift;
    this.#end += seconds;
    this.#last = steady + seconds;
    return steady;
  }
}

/** Makes the clock of a copy while it is written. */
export class ClockMaker {
  readonly #pieces: ClockPiece[] = [];
  #start = 0;
  #shift: number | undefined;

  /** @param steady time of the packet without gaps. @param plays its time in the recording */
  add(steady: number, plays: number): void {
    if (this.#shift === undefined) this.#start = steady;
    const shift = plays - steady;
    if (this.#shift !== undefined && Math.abs(shift - this.#shift) < shakeSeconds / 2) return;
    this.#shift = shift;
    this.#pieces.push({ sent: steady - this.#start, plays });
  }

  get clock(): Clock {
    return this.#pieces;
  }
}

function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
