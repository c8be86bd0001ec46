import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Repository } from '../../support/repository.ts';

describe('a file that is not there', () => {
  it('is named with the option that names another: the manifest', async () => {
    await using repository = await Repository.make('https://media.example.com', {});
    for (const verb of ['plan', 'apply', 'check', 'prune']) {
      const { code, stderr } = await repository.run([verb, '--manifest', 'site/media.jsonc']);
      const file = join(repository.root, 'site', 'media.jsonc');
      const sentence = `There is no ${file}. Go to the folder of the manifest, or name it with --manifest.\n`;
      assert.deepEqual([code, stderr], [1, sentence], verb);
    }
  });

  it('is named in a sentence: a version of a lock', async () => {
    await using repository = await Repository.make('https://media.example.com', { base: '', ours: '' });
    const versions = ['base', 'ours', 'theirs'].map((name) => join(repository.root, name));
    const { code, stderr } = await repository.run(['merge-lock', ...versions]);
    assert.equal(code, 1);
    assert(stderr.startsWith(`${versions[2]} could not be read (ENOENT`), stderr);
  });
});

describe('a lock to merge (promise 38)', () => {
  it('is read up to 8 MB', async () => {
    await using repository = await Repository.make('https://media.example.com', {
      ...{ base: '', ours: '', theirs: ' '.repeat(8_000_001) },
    });
    const versions = ['base', 'ours', 'theirs'].map((name) => join(repository.root, name));
    const { code, stderr } = await repository.run(['merge-lock', ...versions]);
    assert.deepEqual([code, stderr], [1, 'theirs is larger than 8 MB, so it is not used.\n']);
    await repository.write({ theirs: ' '.repeat(8_000_000) });
    assert.equal((await repository.run(['merge-lock', ...versions])).code, 0);
  });
});
