import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';
import { findProgram } from '../../support/findProgram.ts';
import { skipUnless } from '../../support/skipUnless.ts';

describe('a plan of files that are not there (promise 34)', () => {
  let root: string;
  const path = process.env.PATH;
  const program = findProgram('git');

  before(function () {
    skipUnless(this, program !== undefined && process.platform !== 'win32', 'git, and a shell');
  });
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'absent-'));
    const bin = join(root, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'git'), `#!/bin/sh\necho "$@" >> '${root}/calls'\nexec '${program}' "$@"\n`);
    await chmod(join(bin, 'git'), 0o755);
    process.env.PATH = `${bin}${delimiter}${path}`;
  });
  afterEach(() => {
    process.env.PATH = path;
    return rm(root, { recursive: true });
  });

  const git = (...words: readonly string[]) => execFileSync(program ?? '', words, { cwd: root });

  async function planned(paths: readonly string[], withoutGit = false) {
    const entry = { operation: 'generateImage', prompt: 'p', model: 'm' };
    await writeFile(
      join(root, 'media.jsonc'),
      JSON.stringify({ assets: Object.fromEntries(paths.map((one) => [one, entry])) }),
    );
    const store = new Store(join(root, 'store'));
    const project = await ManifestProject.open(join(root, 'media.jsonc'), { root, library: libraryIn(root), store });
    const { evaluated } = await planAssets(project, { sandbox: false, speechMaxCharacters: 4096, withoutGit });
    return evaluated.map(({ state, action, reasons }) => [state, action, ...reasons]);
  }

  it('asks git once for all of them, runs no monitor of the repository, and quotes names for the shell', async () => {
    git('init', '-q');
    const names = ['a.png', '$(touch x) b.png', "it's.png"];
    for (const name of names) await writeFile(join(root, name), name);
    git('add', '.');
    git('config', 'core.fsmonitor', `touch '${root}/monitored'`);
    for (const name of names) await rm(join(root, name));
    const many = Array.from({ length: 500 }, (_, index) => `new/${index}.png`);
    const [a, b, c, ...others] = await planned([...names, ...many]);
    const told = (shown: string) =>
      `deleted, and git still has it: “git restore ${shown}” brings it back, “apply --anew ${shown}” makes a new one`;
    assert.deepEqual(a, ['missing', 'none', told('a.png')]);
    assert.deepEqual(b, ['missing', 'none', told("'$(touch x) b.png'")]);
    assert.deepEqual(c, ['missing', 'none', told("'it'\\''s.png'")]);
    assert(others.every(([state, action]) => state === 'missing' && action === 'request'));
    assert.equal((await readFile(join(root, 'calls'), 'utf8')).trim().split('\n').length, 1);
    assert(!existsSync(join(root, 'monitored')));
  });

  it('does not run git in an untrusted folder', async () => {
    git('init', '-q');
    await planned(['a.png'], true);
    assert(!existsSync(join(root, 'calls')));
  });

  it('makes nothing where git cannot say what it has', async () => {
    await writeFile(join(root, '.git'), 'gitdir: nowhere\n');
    const [found] = await planned(['a.png']);
    assert.deepEqual(found?.slice(0, 2), ['missing', 'none']);
    assert.match(
      String(found?.[2]),
      /^git cannot say whether it has a\.png \(fatal: not a git repository: .*nowhere\)$/,
    );
  });
});
