import assert from 'node:assert/strict';
import { inputsFirst } from '../../../src/operations/inputsFirst.ts';

const inputs: Readonly<Record<string, readonly string[]>> = { d: ['b', 'c'], b: ['a'], c: ['a', 'b'], e: ['e'] };
const inputsOf = (node: string) => inputs[node] ?? [];

describe('inputsFirst', () => {
  it('yields each node once, after its inputs, and otherwise in order', () => {
    assert.deepEqual([...inputsFirst(['d', 'c', 'f'], inputsOf)], ['a', 'b', 'c', 'd', 'f']);
  });

  it('reports a circle, and ends', () => {
    const ways: (readonly string[])[] = [];
    assert.deepEqual([...inputsFirst(['e'], inputsOf, (way) => ways.push(way))], ['e']);
    assert.deepEqual(ways, [['e', 'e']]);
  });

  it('takes a chain of any length, and layers that all use the one below (promise 17)', () => {
    const long = [...inputsFirst([100_000], (node) => (node > 0 ? [node - 1] : []))];
    assert.deepEqual([long[0], long.length], [0, 100_001]);
    const layered = inputsFirst([480], (node) =>
      Array.from({ length: 16 }, (_, index) => (node & ~15) - 16 + index).filter((one) => one >= 0),
    );
    assert.equal([...layered].length, 481);
  });
});
