import type { Amounts } from './Amounts.ts';
import { difference, fits, noAmounts, sum } from './Amounts.ts';

/** How long an identical request joins one whose outcome is unknown, in milliseconds. */
const joinUnknownFor = 10 * 60 * 1000;

/** How a job of an agent ended, for the budget; `refused` was certainly not billed. */
export type AgentEnd = 'done' | 'failed' | 'unknown' | 'cancelled' | 'refused';

/** A request, written before it is sent. */
export interface BookingLine {
  readonly event: 'booked';
  /** The id of the job. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The process that runs it. */
  readonly process: number;
  /** Hash of the request; identical requests have the same hash. */
  readonly input: string;
  /** Hash of the caller and its `request_id`. */
  readonly requestKey?: string;
  readonly amounts: Amounts;
  /** The daily budget, as this window knows it. */
  readonly limit: Amounts;
  /** Whether the user has agreed to this request. */
  readonly approved?: true;
}

export type LedgerLine =
  | BookingLine
  | {
      readonly event: 'ended';
      readonly id: string;
      readonly at: string;
      readonly end: AgentEnd;
      /** Ids of the jobs that ran it, if they differ from `id`. */
      readonly jobs?: readonly string[];
    };

export interface Booking extends BookingLine {
  /** `over`: beyond the budget, so not sent unless the user agrees. */
  readonly outcome: 'booked' | 'over';
  readonly end?: AgentEnd;
  readonly endedAt?: string;
  readonly jobs?: readonly string[];
}

/** The outcome of an attempt to book. */
export type Outcome =
  | { readonly kind: 'booked' }
  | { readonly kind: 'over' }
  /** An identical request exists; this one joins it. */
  | { readonly kind: 'joined'; readonly id: string }
  /** The caller has used the `request_id` for a different request. */
  | { readonly kind: 'mismatch' };

/**
 * Evaluates the lines of the journal. A booking counts if the budget covers it together with all bookings before it.
 * Every process reads the same lines in the same order, so all come to the same decision without locking.
 */
export class AgentLedger {
  readonly #bookings = new Map<string, Booking>();
  readonly #outcomes = new Map<string, Outcome>();
  /** Whether a process of this computer is alive. */
  readonly #isAlive: (process: number) => boolean;
  #spent: Amounts = noAmounts;

  constructor(isAlive: (process: number) => boolean) {
    this.#isAlive = isAlive;
  }

  get spent(): Amounts {
    return this.#spent;
  }

  /** Returns the outcome of the latest attempt to book under this id. */
  outcomeOf(id: string): Outcome | undefined {
    return this.#outcomes.get(id);
  }

  booking(id: string): Booking | undefined {
    return this.#bookings.get(id);
  }

  add(line: LedgerLine): void {
    if (line.event === 'ended') this.#end(line);
    else this.#book(line);
  }

  /** Starts a new budget. The bookings so far can still be joined. */
  startDay(): void {
    this.#spent = noAmounts;
  }

  #book(line: BookingLine): void {
    const known = this.#bookings.get(line.id);
    // A line may have been appended twice.
    if (known?.outcome === 'booked') return;
    const same = this.#sameAs(line);
    if (same) {
      this.#outcomes.set(line.id, same);
      return;
    }
    const isWithin = line.approved === true || fits(line.limit, this.#spent, line.amounts);
    const outcome = isWithin ? 'booked' : 'over';
    this.#bookings.set(line.id, { ...line, outcome });
    this.#outcomes.set(line.id, { kind: outcome });
    if (isWithin) this.#spent = sum(this.#spent, line.amounts);
  }

  #end({ id, end, at, jobs }: Extract<LedgerLine, { readonly event: 'ended' }>): void {
    const booking = this.#bookings.get(id);
    if (booking?.outcome !== 'booked' || booking.end !== undefined) return;
    this.#bookings.set(id, { ...booking, end, endedAt: at, ...(jobs ? { jobs } : {}) });
    if (end === 'refused') this.#spent = difference(this.#spent, booking.amounts);
  }

  #sameAs({ id, requestKey, input, at }: BookingLine): Outcome | undefined {
    const others = [...this.#bookings.values()].filter((one) => one.id !== id && one.outcome === 'booked');
    // A refused request was not billed, so it may be repeated, also with the same `request_id`.
    const named = others.find(
      (one) => requestKey !== undefined && one.requestKey === requestKey && one.end !== 'refused',
    );
    if (named) return named.input === input ? { kind: 'joined', id: named.id } : { kind: 'mismatch' };
    const open = others.find((one) => one.input === input && this.#isOpen(one, Date.parse(at)));
    return open && { kind: 'joined', id: open.id };
  }

  /** Whether an identical request joins this one: it is running, or its outcome has been unknown for a short time. */
  #isOpen(booking: Booking, now: number): boolean {
    if (booking.end === 'unknown') return now - Date.parse(booking.endedAt ?? booking.at) < joinUnknownFor;
    if (booking.end !== undefined) return false;
    return this.#isAlive(booking.process) || now - Date.parse(booking.at) < joinUnknownFor;
  }
}
