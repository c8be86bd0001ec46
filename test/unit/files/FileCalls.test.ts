import assert from 'node:assert/strict';
import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { identityOf, isSameFile } from '../../../src/files/FileCalls.ts';

describe('identityOf and isSameFile', () => {
  const statsWith = async (changes: Partial<BigIntStats>) => {
    return Object.assign(await stat(import.meta.filename, { bigint: true }), changes);
  };

  it('identify a file by device and inode', async () => {
    const file = await statsWith({ dev: 3n, ino: 7n });
    assert.equal(identityOf(file), '3:7');
    assert.equal(isSameFile(file, await statsWith({ dev: 3n, ino: 7n })), true);
    assert.equal(isSameFile(file, await statsWith({ dev: 3n, ino: 8n })), false);
    assert.equal(isSameFile(file, await statsWith({ dev: 4n, ino: 7n })), false);
  });

  it('match 32-bit and 64-bit volume serial numbers, and compare inodes beyond 2⁵³ exactly', async () => {
    const ino = 2n ** 63n + 1n;
    const file = await statsWith({ dev: 2n ** 32n + 5n, ino });
    assert.equal(isSameFile(file, await statsWith({ dev: 5n, ino })), true);
    assert.equal(isSameFile(file, await statsWith({ dev: 5n, ino: ino + 1n })), false);
  });

  it('report no identity when the file system has no inodes', async () => {
    const file = await statsWith({ ino: 0n });
    assert.equal(identityOf(file), undefined);
    assert.equal(isSameFile(file, await statsWith({ ino: 0n })), true);
  });
});
