import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { marksIn, marksOf } from '../../../src/marks/readMarks.ts';

const folder = 'test/support/credentials';
const files = readdirSync(folder).filter((name) => !name.endsWith('.sh'));

describe('what others write is read by us', () => {
  it('in files of every kind with Content Credentials', () => {
    const extensions = [...new Set(files.map((name) => name.split('.')[1]))].sort();
    assert.deepEqual(extensions, ['avif', 'flac', 'jpg', 'm4a', 'mov', 'mp3', 'mp4', 'png', 'wav', 'webp']);
  });

  for (const name of files) {
    it(`Content Credentials of c2pa-rs in ${name}`, async () => {
      const expected = { kinds: ['c2pa'], source: 'trainedAlgorithmicMedia' };
      assert.deepEqual(marksIn(readFileSync(join(folder, name))), expected);
      assert.deepEqual(await marksOf(join(folder, name)), expected);
    });
  }
});
