import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../files/FileCalls.ts';
import { appendLines } from '../files/LocalFolder.ts';
import { anything, objectWith, oneOf, text } from '../foreign/shape.ts';
import {
  type Amounts,
  amountNames,
  checkAmounts,
  difference,
  eachAmount,
  fits,
  noAmounts,
  readAmounts,
  sum,
} from '../operations/amounts.ts';
import { parseJson } from '../operations/parseJson.ts';
import { hasEnded, type ProcessMark, thisProcess } from '../work/Lease.ts';

/** How long the file of a day is kept. */
const keptDays = 30;
const fileName = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;

/** How a job of an agent ended, for the budget; `refused` was certainly not billed. */
export type AgentEnd = 'done' | 'failed' | 'unknown' | 'cancelled' | 'refused';

/** A request, written before it is sent. */
interface BookedLine {
  readonly event: 'booked';
  /** The id of the call, and of the job that runs it. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The process that runs it. */
  readonly process: ProcessMark;
  /** Key of the paid work in the store. */
  readonly key: string;
  /** Hash of the caller and its `request_id`. */
  readonly requestKey?: string;
  readonly amounts: Amounts;
  /** The daily budget, as this window knows it. */
  readonly limit: Amounts;
  /** Whether the user has agreed to this request. */
  readonly approved?: true;
}

interface EndedLine {
  readonly event: 'ended';
  readonly id: string;
  readonly at: string;
  readonly end: AgentEnd;
  /** Ids of the jobs that ran it, if they differ from `id`. */
  readonly jobs?: readonly string[];
}

type BudgetLine = BookedLine | EndedLine;

export interface Booking extends BookedLine {
  /** `over`: beyond the budget, so not sent unless the user agrees. */
  readonly outcome: 'booked' | 'over';
  readonly end?: AgentEnd;
  readonly jobs?: readonly string[];
  /** Whether it has not ended, and its process runs on this machine. */
  readonly isOpen: boolean;
}

/** The outcome of an attempt to book. */
type BookingOutcome =
  | { readonly kind: 'booked' }
  | { readonly kind: 'over' }
  /** Another call makes the same request; this one joins it. */
  | { readonly kind: 'joined'; readonly id: string }
  /** The caller has used the `request_id` for a different request. */
  | { readonly kind: 'mismatch' };

/**
 * What agents may spend and have spent, shared by all windows of this computer and on disk before anything is sent. One
 * append-only file per day, one line per event. A window books by appending a line and then reading the lines before
 * it, so two windows cannot both take the rest of the budget, and the second of two same calls sees the first. What
 * became of a request is in the store of paid work.
 */
export class AgentBudget {
  readonly #folder: string;
  readonly #now: () => Date;

  /** @param folder absolute path in the extension's global storage; created with the first booking */
  constructor(folder: string, now: () => Date = () => new Date()) {
    this.#folder = folder;
    this.#now = now;
  }

  /**
   * Books a request. Once this resolves to `booked`, the booking is on disk and counts.
   *
   * @throws MediaError `invalidInput` for amounts that cannot be counted, before anything is written
   * @throws errors of node:fs
   */
  async book(booking: Omit<BookedLine, 'event' | 'at' | 'process'>): Promise<BookingOutcome> {
    checkAmounts(booking.amounts);
    const now = this.#now();
    const day = dayOf(now);
    await this.#append(day, { event: 'booked', at: now.toISOString(), process: await thisProcess(), ...booking });
    const outcome = (await this.#read(now)).outcomes.get(booking.id);
    if (!outcome) throw new Error('the booking is not in its file');
    // Nothing runs under this id. Tomorrow, without the lines of the other request, this one would look like a booking.
    if (outcome.kind === 'joined' || outcome.kind === 'mismatch') {
      const line = { event: 'ended', id: booking.id, at: now.toISOString(), end: 'refused' } as const;
      await this.#append(day, line).catch(() => undefined);
    }
    return outcome;
  }

  /** Records how a job ended. A refused request, which was certainly not billed, no longer counts. */
  async ended(id: string, end: AgentEnd, jobs: readonly string[] = []): Promise<void> {
    const now = this.#now();
    const others = jobs.some((job) => job !== id) ? { jobs } : {};
    // The line belongs to the day of the booking.
    const day = (await this.#dayOf(id, now)) ?? dayOf(now);
    await this.#append(day, { event: 'ended', id, at: now.toISOString(), end, ...others });
  }

  async spent(): Promise<Amounts> {
    return (await this.#read(this.#now())).spent;
  }

  /** Returns a booking of today or yesterday. */
  async booking(id: string): Promise<Booking | undefined> {
    return (await this.#read(this.#now())).bookings.get(id);
  }

  /**
   * Returns the keys of today's and yesterday's bookings of one request, under whichever `request_id`.
   *
   * @param keyWith key that the request has with a `requestKey`
   */
  async keysOf(keyWith: (requestKey: string | undefined) => string): Promise<ReadonlySet<string>> {
    const bookings = [...(await this.#read(this.#now())).bookings.values()];
    return new Set(bookings.flatMap(({ key, requestKey }) => (keyWith(requestKey) === key ? [key] : [])));
  }

  async #dayOf(id: string, now: Date): Promise<string | undefined> {
    for (const day of [dayOf(now), dayBefore(now)]) {
      if ((await this.#lines(day)).some((line) => line.event === 'booked' && line.id === id)) return day;
    }
    return undefined;
  }

  /** Reads two days: today's bookings count, yesterday's can only be joined. */
  async #read(now: Date): Promise<Account> {
    const [yesterday, today] = [await this.#lines(dayBefore(now)), await this.#lines(dayOf(now))];
    const account = new Account(await begunIn([...yesterday, ...today]));
    for (const line of yesterday) account.add(line);
    account.spent = noAmounts;
    for (const line of today) account.add(line);
    return account;
  }

  async #lines(day: string): Promise<readonly BudgetLine[]> {
    const text = await readFile(this.#fileOf(day), 'utf8').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return '';
      throw error;
    });
    return text.split('\n').flatMap((line) => lineIn(line) ?? []);
  }

  async #append(day: string, line: BudgetLine): Promise<void> {
    if ((await mkdir(this.#folder, { recursive: true, mode: 0o700 })) === undefined) await this.#sweep();
    await using handle = await open(this.#fileOf(day), 'a+', 0o600);
    await appendLines(handle, `${JSON.stringify(line)}\n`);
    await handle.sync();
  }

  async #sweep(): Promise<void> {
    const oldest = dayOf(new Date(this.#now().getTime() - keptDays * 24 * 60 * 60 * 1000));
    for (const name of await readdir(this.#folder)) {
      const day = fileName.exec(name)?.[1];
      if (day !== undefined && day < oldest) await rm(join(this.#folder, name), { force: true });
    }
  }

  #fileOf(day: string): string {
    return join(this.#folder, `${day}.jsonl`);
  }
}

/**
 * The sum of the lines. A booking counts if the budget covers it together with all bookings before it. Every process
 * reads the same lines in the same order, so all come to the same decision without locking.
 */
class Account {
  readonly bookings = new Map<string, Booking>();
  /** The outcome of the latest attempt to book under each id. */
  readonly outcomes = new Map<string, BookingOutcome>();
  spent: Amounts = noAmounts;
  readonly #begun: ReadonlySet<string>;
  /** The bookings by their `requestKey`, except those that were refused. */
  readonly #named = new Map<string, BookedLine>();
  /** The bookings that have not ended, by their `key`. */
  readonly #open = new Map<string, BookedLine>();

  /** @param begun the calls that were open until their end, or still are; the processes of the others were killed */
  constructor(begun: ReadonlySet<string>) {
    this.#begun = begun;
  }

  add(line: BudgetLine): void {
    if (line.event === 'ended') this.#end(line);
    else this.#book(line);
  }

  #book(line: BookedLine): void {
    // A line may have been appended twice.
    if (this.bookings.get(line.id)?.outcome === 'booked') return;
    const same = this.#sameAs(line);
    const isWithin = line.approved === true || fits(line.limit, this.spent, line.amounts);
    const outcome = isWithin ? 'booked' : 'over';
    this.outcomes.set(line.id, same ?? { kind: outcome });
    if (same) return;
    const isOpen = isWithin && this.#begun.has(line.id);
    this.bookings.set(line.id, { ...line, outcome, isOpen });
    if (!isWithin) return;
    this.spent = sum(this.spent, line.amounts);
    if (line.requestKey !== undefined) this.#named.set(line.requestKey, line);
    if (isOpen) this.#open.set(line.key, line);
  }

  #end({ id, end, jobs }: EndedLine): void {
    const booking = this.bookings.get(id);
    if (booking?.outcome !== 'booked' || booking.end !== undefined) return;
    this.bookings.set(id, { ...booking, end, isOpen: false, ...(jobs ? { jobs } : {}) });
    if (booking.isOpen) this.#open.delete(booking.key);
    if (end !== 'refused') return;
    this.spent = difference(this.spent, booking.amounts);
    // A refused request was not billed, so it may be repeated, also with the same `request_id`.
    if (booking.requestKey !== undefined) this.#named.delete(booking.requestKey);
  }

  #sameAs({ requestKey, key }: BookedLine): BookingOutcome | undefined {
    const named = requestKey === undefined ? undefined : this.#named.get(requestKey);
    if (named && named.key !== key) return { kind: 'mismatch' };
    const same = named ?? this.#open.get(key);
    return same && { kind: 'joined', id: same.id };
  }
}

/**
 * Returns the calls that have ended or whose process may still work. A process of another machine, or from before a
 * restart of this one, does not count: the lease of the work in the store shows whether it lives.
 */
async function begunIn(lines: readonly BudgetLine[]): Promise<ReadonlySet<string>> {
  const { machine } = await thisProcess();
  const ids = new Set(lines.flatMap((line) => (line.event === 'ended' ? [line.id] : [])));
  const alive = new Map<string, boolean>();
  for (const line of lines) {
    if (line.event === 'ended' || ids.has(line.id)) continue;
    const { process: mark } = line;
    const isAlive = alive.get(mark.run) ?? (mark.machine === machine && !(await hasEnded(mark)));
    alive.set(mark.run, isAlive);
    if (isAlive) ids.add(line.id);
  }
  return ids;
}

/** Returns the day in local time, because the budget is per day of the user. */
function dayOf(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function dayBefore(date: Date): string {
  return dayOf(new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1));
}

const isEnded = objectWith({ event: oneOf(['ended']), id: text(), at: text(), end: text() });
const isBooked = objectWith({
  event: oneOf(['booked']),
  id: text(),
  at: text(),
  key: text(),
  process: objectWith({ run: text() }),
  amounts: anything,
  limit: anything,
});

/** Decodes a line. A damaged line is ignored; no request was sent for it. */
function lineIn(written: string): BudgetLine | undefined {
  const value = parseJson(written);
  if (isEnded(value)) return value as EndedLine;
  if (!isBooked(value)) return undefined;
  const amounts = amountsIn(value.amounts);
  const limit = amountsIn(value.limit);
  return amounts && limit && { ...(value as BookedLine), amounts, limit };
}

function amountsIn(value: unknown): Amounts | undefined {
  const read = readAmounts(
    value,
    eachAmount(() => -1),
  );
  return amountNames.every((name) => read[name] >= 0) ? read : undefined;
}
