import type { Entry, Manifest } from './Manifest.ts';
import { inputsOf, keyOf } from './Manifest.ts';

/** One of several machines that share the work. */
export interface Shard {
  /** Starts at 1. */
  readonly number: number;
  readonly count: number;
}

/**
 * Returns which paths a shard takes care of. An entry is in the same shard as the entries that it is made from, and the
 * shards have about the same number of entries. Paths without an entry belong to the first shard.
 */
export function shardOf({ entries }: Pick<Manifest, 'entries'>, { number, count }: Shard): (path: string) => boolean {
  const sizes = new Array<number>(count).fill(0);
  const shards = new Map<string, number>();
  // The largest groups first, so that the small ones even out the rest.
  const groups = groupsOf(entries).sort((a, b) => b.length - a.length || (first(a) < first(b) ? -1 : 1));
  for (const group of groups) {
    const smallest = sizes.indexOf(Math.min(...sizes));
    sizes[smallest] = (sizes[smallest] ?? 0) + group.length;
    for (const key of group) shards.set(key, smallest);
  }
  return (path) => (shards.get(keyOf(path)) ?? 0) === number - 1;
}

/** Returns the keys of entries that depend on each other, sorted. */
function groupsOf(entries: readonly Entry[]): (readonly string[])[] {
  const neighbours = new Map(entries.map(({ path }) => [keyOf(path), [] as string[]]));
  for (const entry of entries) {
    for (const input of inputsOf(entry)) {
      neighbours.get(keyOf(entry.path))?.push(keyOf(input));
      neighbours.get(keyOf(input))?.push(keyOf(entry.path));
    }
  }
  const seen = new Set<string>();
  return [...neighbours.keys()].flatMap((start) => {
    const group: string[] = [];
    const open = [start];
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      const next = neighbours.get(key);
      if (!next || seen.has(key)) continue;
      seen.add(key);
      group.push(key);
      open.push(...next);
    }
    return group.length > 0 ? [group.sort()] : [];
  });
}

function first(group: readonly string[]): string {
  return group[0] ?? '';
}
