import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '../jobs/isAlive.ts';
import { appendLines } from '../library/appendLines.ts';
import { hasCode } from '../library/FileCalls.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { AgentEnd, Booking, BookingLine, LedgerLine, Outcome } from './AgentLedger.ts';
import { AgentLedger } from './AgentLedger.ts';
import type { Amounts } from './Amounts.ts';
import { amountNames, readAmounts } from './Amounts.ts';

/** How long the file of a day is kept. */
const keptDays = 30;
const fileName = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;

/**
 * What agents have spent, shared by all windows of this computer and on disk before anything is sent. One append-only
 * file per day, one line per event. A window books by appending a line and then reading the lines before it, so two
 * windows cannot both take the rest of the budget.
 */
export class AgentJournal {
  readonly #folder: string;
  readonly #now: () => Date;

  /** @param folder absolute path in the extension's global storage; created with the first booking */
  constructor(folder: string, now: () => Date = () => new Date()) {
    this.#folder = folder;
    this.#now = now;
  }

  /** Books a request. Once this resolves to `booked`, the booking is on disk and counts. @throws errors of node:fs */
  async book(booking: Omit<BookingLine, 'event' | 'at' | 'process'>): Promise<Outcome> {
    const now = this.#now();
    const day = dayOf(now);
    await this.#append(day, { event: 'booked', at: now.toISOString(), process: process.pid, ...booking });
    const outcome = (await this.#read(now)).outcomeOf(booking.id);
    if (!outcome) throw new Error('the booking is not in the journal');
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
    return (await this.#read(this.#now())).booking(id);
  }

  async #dayOf(id: string, now: Date): Promise<string | undefined> {
    for (const day of [dayOf(now), dayBefore(now)]) {
      if ((await this.#lines(day)).some((line) => line.event === 'booked' && line.id === id)) return day;
    }
    return undefined;
  }

  /** Reads two days: today's bookings count, yesterday's can only be joined. */
  async #read(now: Date): Promise<AgentLedger> {
    const ledger = new AgentLedger(isAlive);
    for (const line of await this.#lines(dayBefore(now))) ledger.add(line);
    ledger.startDay();
    for (const line of await this.#lines(dayOf(now))) ledger.add(line);
    return ledger;
  }

  async #lines(day: string): Promise<readonly LedgerLine[]> {
    const text = await readFile(this.#fileOf(day), 'utf8').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return '';
      throw error;
    });
    return text.split('\n').flatMap((line) => lineIn(line) ?? []);
  }

  async #append(day: string, line: LedgerLine): Promise<void> {
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

/** Returns the day in local time, because the budget is per day of the user. */
function dayOf(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function dayBefore(date: Date): string {
  return dayOf(new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1));
}

/** Decodes a line. A damaged line is ignored; no request was sent for it. */
function lineIn(text: string): LedgerLine | undefined {
  const value = text === '' ? undefined : parseJson<Partial<LedgerLine>>(text);
  if (typeof value !== 'object' || value === null || typeof value.id !== 'string' || typeof value.at !== 'string') {
    return undefined;
  }
  if (value.event === 'ended') return typeof value.end === 'string' ? (value as LedgerLine) : undefined;
  const isBooking = value.event === 'booked' && typeof value.input === 'string' && isAmounts(value.amounts);
  return isBooking && isAmounts(value.limit) ? (value as LedgerLine) : undefined;
}

function isAmounts(value: unknown): boolean {
  const read = readAmounts(value, { images: -1, videos: -1, characters: -1, minutes: -1 });
  return amountNames.every((name) => read[name] >= 0);
}
