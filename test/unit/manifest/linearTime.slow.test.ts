import assert from 'node:assert/strict';
import { mergeLocks, readLock, readMergedLock } from '../../../src/manifest/Lock.ts';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { staysInProportion } from '../../support/growsLinearly.ts';

const output = 'a'.repeat(64);

/** The lines of a lock. */
const shapes: Readonly<Record<string, (index: number, count: number) => string>> = {
  'different paths': (index) => lineOf(`${index}.png`),
  'one path': () => lineOf('a.png'),
  'two paths in turn': (index) => lineOf(index % 2 === 0 ? 'a.png' : 'b.png'),
  'two lines of each path': (index) => lineOf(`${index >> 1}.png`),
  'a mark of a conflict at the end': (index, count) => (index === count - 1 ? '<<<<<<< ours' : lineOf(`${index}.png`)),
};

function lineOf(path: string): string {
  return JSON.stringify({ path, output });
}

const readers: Readonly<Record<string, (lock: string) => unknown>> = {
  readLock,
  readMergedLock: (lock) => readMergedLock(lock, 'media.lock.jsonl', async () => output),
  'mergeLocks without a common version': (lock) => mergeLocks('', lock, `${lock}\n`),
  'mergeLocks of one that removed all': (lock) => mergeLocks(lock, lock, ''),
};

/** Lines at first. Four times as many are about 2 MB. */
const lines = 5000;

/** What is wrong is said as soon. */
async function orProblem(read: () => unknown): Promise<void> {
  try {
    await read();
  } catch (error) {
    assert(error instanceof MediaError);
  }
}

describe('time for a lock that came with a folder (promise 17)', () => {
  for (const [shape, textOf] of Object.entries(shapes)) {
    for (const [name, read] of Object.entries(readers)) {
      it(`grows at most linearly in ${name} with ${shape}`, async () => {
        const prepare = async (count: number) => {
          const lock = Array.from({ length: count }, (_, index) => textOf(index, count)).join('\n');
          return () => orProblem(() => read(lock));
        };
        assert(await staysInProportion(prepare, lines));
      });
    }
  }
});
