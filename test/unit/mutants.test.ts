import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mutant } from '../mutants/Mutant.ts';
import { mutate } from '../mutants/Mutant.ts';
import { mutants } from '../mutants/mutants.ts';

describe('mutants', () => {
  it('have texts that occur exactly once in their files', async () => {
    const problems: unknown[] = [];
    for (const mutant of mutants) {
      const source = await readFile(join(import.meta.dirname, '../..', mutant.file), 'utf8');
      try {
        assert.notEqual(mutate(source, mutant), source, `${mutant.name} changes nothing`);
      } catch (error) {
        problems.push(error instanceof Error ? error.message : error);
      }
    }
    assert.deepEqual(problems, []);
  });

  it('name tests that exist', () => {
    const named = new Set(mutants.flatMap(({ tests }) => tests));
    const missing = [...named].filter((test) => globSync(`test/unit/${test}{,.slow}.test.ts`).length === 0);
    assert.deepEqual(missing, []);
  });

  it('have unique names per file', () => {
    const names = mutants.map(({ file, name }) => `${file}: ${name}`);
    assert.deepEqual(names, [...new Set(names)]);
  });

  it('cannot be applied when their text is missing or occurs twice (mutate)', () => {
    const mutant: Mutant = { name: 'the sum is wrong', file: 'a.ts', text: 'a + b', replacement: '$&', tests: [] };
    assert.equal(mutate('return a + b;', mutant), 'return $&;');
    assert.throws(
      () => mutate('return a - b;', mutant),
      /a\.ts holds the text of the mutant “the sum is wrong” 0 times/,
    );
    assert.throws(() => mutate('a + b; a + b', mutant), /2 times instead of once: a \+ b$/);
  });
});
