/**
 * Does the work for each item, for a few at a time. Begins with no other after a failure, and waits for those that have
 * begun.
 *
 * @throws the first failure
 */
export async function eachInTurn<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const waiting = items.entries();
  const failures: unknown[] = [];
  const go = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      await work(item, index).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(atOnce, items.length)) }, go));
  if (failures.length > 0) throw failures[0];
}
