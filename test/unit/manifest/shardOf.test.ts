import assert from 'node:assert/strict';
import { type Entry, inputsOf, shardOf, sortEntries } from '../../../src/manifest/Manifest.ts';

const derived = (path: string, from: string): Entry => ({ type: 'derived', path, line: 1, from });
const shardsOf = (entries: readonly Entry[], count: number) =>
  Array.from({ length: count }, (_, index) => {
    const includes = shardOf({ entries }, { number: index + 1, count });
    return entries.filter(({ path }) => includes(path));
  });

describe('shardOf', () => {
  it('splits entries evenly, each into one shard, whatever their order', () => {
    const entries = Array.from({ length: 10 }, (_, index) => derived(`${index}.png`, 'photo.png'));
    const shards = shardsOf(entries, 4);
    assert.deepEqual(
      shards.map((shard) => shard.length),
      [3, 3, 2, 2],
    );
    assert.equal(new Set(shards.flat()).size, 10);
    const again = shardsOf(entries.toReversed(), 4);
    assert.deepEqual(
      again.map((shard) => new Set(shard)),
      shards.map((shard) => new Set(shard)),
    );
  });

  it('keeps entries and what they are made from together, and evens out the rest', () => {
    const chain = [derived('a.png', 'photo.png'), derived('b.png', 'A.png'), derived('c.png', 'b.png')];
    const others = ['x', 'y', 'z'].map((name) => derived(`${name}.png`, 'photo.png'));
    const shards = shardsOf([...others, ...chain], 2);
    assert.deepEqual(new Set(shards[0]), new Set(chain));
    assert.deepEqual(shards[1], others);
    for (const shard of shards) {
      const paths = shard.map(({ path }) => path);
      for (const path of shard.flatMap(inputsOf)) assert(path === 'photo.png' || paths.includes(path.toLowerCase()));
    }
  });

  it('leaves shards empty when there are more than entries, and gives other paths to the first', () => {
    const entries = [derived('a.png', 'photo.png')];
    assert.deepEqual(
      shardsOf(entries, 3).map((shard) => shard.length),
      [1, 0, 0],
    );
    const of = (number: number) => shardOf({ entries }, { number, count: 3 })('orphan.png');
    assert.deepEqual([of(1), of(2), of(3)], [true, false, false]);
  });

  it('takes any number of entries of one file (promise 17)', () => {
    const entries = Array.from({ length: 130_000 }, (_, index) => derived(`${index}.png`, '0.png'));
    assert(shardOf({ entries }, { number: 1, count: 2 })('129999.png'));
  });
});

describe('sortEntries (promise 17)', () => {
  const mapOf = (entries: readonly Entry[]) => new Map(entries.map((entry) => [entry.path, entry]));

  it('takes a chain of any length', () => {
    const chain = Array.from({ length: 50_000 }, (_, index) => derived(`${index}.png`, `${index + 1}.png`));
    assert.deepEqual(sortEntries(mapOf(chain)), chain.toReversed());
  });

  it('shows the beginning of a long cycle', () => {
    const cycle = Array.from({ length: 50_000 }, (_, index) => derived(`${index}`, `${(index + 1) % 50_000}`));
    const [first, last] = [Array.from({ length: 20 }, (_, index) => index).join(' ← '), 0];
    assert.throws(() => sortEntries(mapOf(cycle)), {
      message: `Assets depend on each other in a cycle: ${first} ← … ← ${last}.`,
    });
  });
});
