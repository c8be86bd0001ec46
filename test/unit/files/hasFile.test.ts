import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasFile } from '../../../src/files/Folder.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';

describe('hasFile', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'has-file-'));
  });

  afterEach(() => rm(root, { recursive: true }));

  const factsOf = (bytes: Buffer) => ({
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });

  it('matches a file by name and content', async () => {
    const bytes = Buffer.alloc(3 * 2 ** 20 + 1, 'abc');
    const changed = Buffer.from(bytes);
    changed[changed.length - 1] = 0;
    const folder = new LocalFolder(root, root);
    await writeFile(join(root, 'a.png'), bytes);
    await writeFile(join(root, 'b.png'), changed);
    await writeFile(join(root, 'c.png'), bytes.subarray(1));
    await mkdir(join(root, 'd.png'));
    for (const [name, expected] of Object.entries({ 'a.png': true, 'b.png': false, 'c.png': false, 'd.png': false })) {
      assert.equal(await hasFile(folder, name, factsOf(bytes)), expected, name);
    }
    assert.equal(await hasFile(folder, 'missing.png', factsOf(bytes)), false);
    assert.equal(await hasFile(new LocalFolder(join(root, 'missing'), root), 'a.png', factsOf(bytes)), false);
  });

  it('does not read a file of another size', async () => {
    await writeFile(join(root, 'a.png'), 'longer');
    class Unread extends LocalFolder {
      override stream(): AsyncGenerator<Uint8Array> {
        assert.fail('it was read');
      }
    }
    assert.equal(await hasFile(new Unread(root, root), 'a.png', factsOf(Buffer.from('short'))), false);
  });
});
