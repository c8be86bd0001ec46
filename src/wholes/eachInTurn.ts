import pLimit from 'p-limit';

/**
 * Does the work for each item: for the first alone, which shows whether the service takes such requests, and then for a
 * few at a time. Begins with no other after a failure, and waits for those that have begun.
 *
 * @throws the first failure
 */
export async function eachInTurn<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const [first, ...others] = items.entries();
  const failures: unknown[] = [];
  const begin = ([index, item]: readonly [number, T]) =>
    work(item, index).catch((error: unknown) => failures.push(error));
  if (first) await begin(first);
  const inTurn = pLimit(Math.max(1, atOnce));
  await inTurn.map(others, async (next) => (failures.length === 0 ? begin(next) : undefined));
  if (failures.length > 0) throw failures[0];
}
