import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mutant } from '../mutants/Mutant.ts';
import { mutate } from '../mutants/Mutant.ts';
import { mutants } from '../mutants/mutants.ts';

describe('the table of mutants', () => {
  it('names texts that each occur once in their file', async () => {
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

  it('names each mutant of a file differently', () => {
    const names = mutants.map(({ file, name }) => `${file}: ${name}`);
    assert.deepEqual(names, [...new Set(names)]);
  });

  it('does not let a mutant rot: text that is gone or occurs twice is an error', () => {
    const mutant: Mutant = { name: 'the sum is wrong', file: 'a.ts', text: 'a + b', replacement: '$&', tests: [] };
    assert.equal(mutate('return a + b;', mutant), 'return $&;');
    assert.throws(
      () => mutate('return a - b;', mutant),
      /a\.ts holds the text of the mutant “the sum is wrong” 0 times/,
    );
    assert.throws(() => mutate('a + b; a + b', mutant), /2 times instead of once: a \+ b$/);
  });
});
