import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ignoredByGit } from '../../../src/files/ignoredByGit.ts';

describe('what git ignores', () => {
  // A hook of git sets the first, and some tools the others, with which check-ignore of git 2.39 refuses to run.
  for (const name of ['GIT_DIR', 'GIT_LITERAL_PATHSPECS', 'GIT_ICASE_PATHSPECS']) {
    it(`is known whatever ${name} says`, async () => {
      const root = await realpath(await mkdtemp(join(tmpdir(), 'ignored-')));
      try {
        execFileSync('git', ['init', '--quiet', root]);
        await writeFile(join(root, '.gitignore'), '*.tmp\n');
        process.env[name] = '1';
        const [ignored, kept] = ['a[1].tmp', 'a.png'].map((one) => join(root, one));
        assert.deepEqual([...(await ignoredByGit([ignored ?? '', kept ?? ''], root))], [ignored]);
      } finally {
        delete process.env[name];
        await rm(root, { recursive: true });
      }
    });
  }
});
