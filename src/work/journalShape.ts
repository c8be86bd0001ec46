import { count, flag, isObject, objectWith, oneOf, optional, text } from '../foreign/shape.ts';
import { operationIds } from '../operations/operations.ts';

const place = objectWith({ root: text(), path: text(), fileName: text(), transcriptFormat: text() });

const whole = objectWith({ key: text(), request: isObject, place });

const job = objectWith({
  id: text(),
  operation: oneOf(operationIds),
  request: isObject,
  createdAt: text(),
  place,
  sandbox: flag,
  whole: optional(whole),
});

const answer = { answer: objectWith({ source: objectWith({ base: text() }) }), file: text(), bytes: count };

/** What is read of each line of a journal, so that a line of another version or a damaged one is noticed. */
const shapes = {
  sending: objectWith({ job }),
  answered: objectWith(answer),
  partial: objectWith(answer),
  naming: objectWith({ index: count, named: isObject }),
  saved: objectWith({ index: count, asset: isObject }),
  ended: objectWith({
    state: oneOf(['done', 'failed', 'cancelled', 'unknown']),
    hasAnswer: flag,
    error: optional(objectWith({ kind: text(), message: text() })),
  }),
} as const;

/** Whether a line that is JSON is one that this version writes, or one of an event that it does not know. */
export function isJournalEntry(line: unknown): boolean {
  if (!isObject(line)) return false;
  const known = Object.entries(shapes).find(([event]) => event === line.event);
  return known === undefined || known[1](line);
}

/** Whether a value has what is read of a whole. */
export function isWhole(value: unknown): boolean {
  return whole(value);
}
