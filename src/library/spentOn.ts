import { type Counted, costOf, maxSpokenAtOnce, type Prices, secondsIn } from '../operations/prices.ts';
import type { LibraryRecord } from './LibraryRecord.ts';
import { usageOf } from './recordFacts.ts';

/** Sums up what the records of a day cost. What the sandbox or a local step made costs nothing. */
export function spentOn(
  day: Date,
  records: Iterable<LibraryRecord>,
  prices: Prices,
): {
  readonly amount: number;
  /** Whether the cost of every request is known. */
  readonly isAll: boolean;
} {
  const jobs = Map.groupBy(
    [...records].filter((record) => isPaid(record) && isOn(day, record)),
    ({ jobId }) => jobId,
  );
  const costs = [...jobs.values()].map((results) => {
    const [first] = results;
    return first && costOf(prices, first.model, countedIn(first, results.length));
  });
  const known = costs.filter((cost) => cost !== undefined);
  return { amount: known.reduce((total, cost) => total + cost, 0), isAll: known.length === costs.length };
}

function isPaid({ sandbox, madeFrom, file, inputs, values }: LibraryRecord): boolean {
  // A region that was put back into its picture: the request has a record of its own, with its values.
  const isPutBack = inputs?.some(({ field }) => field.startsWith('image')) && !values;
  return !sandbox && !madeFrom && file !== undefined && !isPutBack;
}

function isOn(day: Date, { createdAt }: LibraryRecord): boolean {
  return new Date(createdAt).toDateString() === day.toDateString();
}

function countedIn({ kind, prompt, values, narration, usage }: LibraryRecord, results: number): Counted {
  switch (kind) {
    case 'images':
      return { images: results, requests: 1 };
    case 'videos':
      return { videos: 1, seconds: secondsIn(values), requests: 1 };
    case 'speech':
      // Of a narration only changed paragraphs were sent.
      if (narration || prompt === undefined) return {};
      return { characters: prompt.length, ...(prompt.length > maxSpokenAtOnce ? {} : { requests: 1 }) };
    case 'transcripts': {
      const seconds = secondsIn(usageOf(usage));
      return seconds === undefined ? {} : { minutes: seconds / 60 };
    }
  }
}
