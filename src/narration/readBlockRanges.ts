import type { BlockRange } from '../library/LibraryRecord.ts';

const maxHeaderBytes = 65_536;

/**
 * Validates the blocks of a record or a lock, which may come from an untrusted source.
 *
 * @param bytes size of the file that contains the blocks
 * @returns undefined unless they are consecutive ranges within the file
 */
export function readBlockRanges(value: unknown, bytes: number): readonly BlockRange[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const ranges: BlockRange[] = [];
  for (const item of value) {
    const range = readRange(item);
    const from = ranges.at(-1)?.end ?? 0;
    if (!range || range.start < from || range.end <= range.start || range.end > bytes) return undefined;
    ranges.push(range);
  }
  return (ranges[0]?.start ?? 0) <= maxHeaderBytes ? ranges : undefined;
}

function readRange(item: unknown): BlockRange | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { key, start, end } = item as { readonly [name: string]: unknown };
  const isRange = typeof key === 'string' && /^[0-9a-f]{64}$/.test(key) && isOffset(start) && isOffset(end);
  return isRange ? { key, start, end } : undefined;
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
