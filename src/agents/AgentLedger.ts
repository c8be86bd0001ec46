import type { Amounts } from './Amounts.ts';
import { difference, fits, noAmounts, sum } from './Amounts.ts';

/** How long a request whose outcome is unknown stands for the same request made again, in milliseconds. */
const unknownFor = 10 * 60 * 1000;

/** How a job of an agent ended, as far as money goes: `refused` was certainly not paid for. */
export type AgentEnd = 'done' | 'failed' | 'unknown' | 'cancelled' | 'refused';

/** A request as it is written down before it is sent. */
export interface BookingLine {
  readonly event: 'booked';
  /** Of the job. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The process that runs it. */
  readonly process: number;
  /** Hash of what is asked for: the same request has the same. */
  readonly input: string;
  /** Hash of the caller and its own id of the request. */
  readonly requestKey?: string;
  readonly amounts: Amounts;
  /** What all of a day may come to, as this window knows it. */
  readonly limit: Amounts;
  /** Whether the person has agreed to this one. */
  readonly approved?: true;
}

export type LedgerLine =
  | BookingLine
  | {
      readonly event: 'ended';
      readonly id: string;
      readonly at: string;
      readonly end: AgentEnd;
      /** Ids of the jobs that did it, where that is not this one. */
      readonly jobs?: readonly string[];
    };

export interface Booking extends BookingLine {
  /** `over`: beyond the budget, not sent without the person. */
  readonly outcome: 'booked' | 'over';
  readonly end?: AgentEnd;
  readonly endedAt?: string;
  readonly jobs?: readonly string[];
}

/** What became of an attempt to book. */
export type Outcome =
  | { readonly kind: 'booked' }
  | { readonly kind: 'over' }
  /** Another request is the same, and stands for this one. */
  | { readonly kind: 'joined'; readonly id: string }
  /** The caller's own id of the request was used for something else. */
  | { readonly kind: 'mismatch' };

/**
 * What the lines of a ledger come to. Every process reads the same lines in the same order and so decides the same: a
 * booking counts when it fits after all that stand before it. So no process needs to wait for another.
 */
export class AgentLedger {
  readonly #bookings = new Map<string, Booking>();
  readonly #outcomes = new Map<string, Outcome>();
  /** Says whether a process of this machine is alive. */
  readonly #isAlive: (process: number) => boolean;
  #spent: Amounts = noAmounts;

  constructor(isAlive: (process: number) => boolean) {
    this.#isAlive = isAlive;
  }

  get spent(): Amounts {
    return this.#spent;
  }

  /** Of an attempt to book under this id: the latest one. */
  outcomeOf(id: string): Outcome | undefined {
    return this.#outcomes.get(id);
  }

  booking(id: string): Booking | undefined {
    return this.#bookings.get(id);
  }

  /** @param counts false for lines of an earlier day, which can be joined but do not count */
  add(line: LedgerLine, counts = true): void {
    if (line.event === 'ended') this.#end(line, counts);
    else this.#book(line, counts);
  }

  #book(line: BookingLine, counts: boolean): void {
    const known = this.#bookings.get(line.id);
    // A line may have been appended twice.
    if (known?.outcome === 'booked') return;
    const same = this.#sameAs(line);
    if (same) {
      this.#outcomes.set(line.id, same);
      return;
    }
    const isWithin = line.approved === true || !counts || fits(line.limit, this.#spent, line.amounts);
    const outcome = isWithin ? 'booked' : 'over';
    this.#bookings.set(line.id, { ...line, outcome });
    this.#outcomes.set(line.id, { kind: outcome });
    if (isWithin && counts) this.#spent = sum(this.#spent, line.amounts);
  }

  #end({ id, end, at, jobs }: Extract<LedgerLine, { readonly event: 'ended' }>, counts: boolean): void {
    const booking = this.#bookings.get(id);
    if (booking?.outcome !== 'booked' || booking.end !== undefined) return;
    this.#bookings.set(id, { ...booking, end, endedAt: at, ...(jobs ? { jobs } : {}) });
    if (end === 'refused' && counts) this.#spent = difference(this.#spent, booking.amounts);
  }

  #sameAs({ id, requestKey, input, at }: BookingLine): Outcome | undefined {
    const others = [...this.#bookings.values()].filter((one) => one.id !== id && one.outcome === 'booked');
    // What was certainly not paid for may be tried again, under the same id too.
    const named = others.find(
      (one) => requestKey !== undefined && one.requestKey === requestKey && one.end !== 'refused',
    );
    if (named) return named.input === input ? { kind: 'joined', id: named.id } : { kind: 'mismatch' };
    const open = others.find((one) => one.input === input && this.#isOpen(one, Date.parse(at)));
    return open && { kind: 'joined', id: open.id };
  }

  /** Whether it runs, or nobody has known for ten minutes what became of it. */
  #isOpen(booking: Booking, now: number): boolean {
    if (booking.end === 'unknown') return now - Date.parse(booking.endedAt ?? booking.at) < unknownFor;
    if (booking.end !== undefined) return false;
    return this.#isAlive(booking.process) || now - Date.parse(booking.at) < unknownFor;
  }
}
