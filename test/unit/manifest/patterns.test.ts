import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { Library } from '../../../src/library/Library.ts';
import { acceptAssets } from '../../../src/manifest/acceptAssets.ts';
import { describePattern } from '../../../src/manifest/describePattern.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { readManifest } from '../../../src/manifest/readManifest.ts';
import { Store } from '../../../src/work/Store.ts';

const speech = { operation: 'speak', model: 'm', voice: 'nova' };

describe('an entry that stands for several documents', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'patterns-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  }

  const declare = (assets: object) => write({ 'media.jsonc': `{\n"assets": ${JSON.stringify(assets)} }` });
  const each = { 'static/{name}.mp3': { ...speech, document: 'docs/*.md' } };
  const options = { sandbox: false, speechMaxCharacters: 4096 };

  const open = (more: object = {}) =>
    ManifestProject.open(join(root, 'media.jsonc'), {
      ...{ root, store: new Store(join(root, 'work')), ...more },
      library: new Library(new LocalFolder(join(root, '.unified-media'), root)),
    });
  const plan = async () => planAssets(await open(), options);
  const entriesOf = async (more: object = {}) =>
    (await open(more)).manifest.entries.map((entry) => [entry.path, entry.line, 'document' in entry && entry.document]);

  it('is one narration per document, each on its line, and an entry of its own wins', async () => {
    await write({ 'docs/b.md': 'Two.', 'docs/a.md': 'One.', 'docs/c.md': 'Three.', 'docs/deep/d.md': 'Four.' });
    await write({ 'docs/e.txt': 'Five.', 'docs/f.md/g.md': 'Six.', 'other.md': 'Seven.' });
    await declare({ ...each, 'static/C.mp3': { ...speech, input: 'Own.' } });
    assert.deepEqual(await entriesOf(), [
      ['static/a.mp3', 2, 'docs/a.md'],
      ['static/b.mp3', 2, 'docs/b.md'],
      ['static/C.mp3', 2, undefined],
    ]);
  });

  it('matches no document that is hidden, that git ignores or that lies elsewhere (promise 33)', async () => {
    await write({ '.gitignore': 'docs/draft.md', 'docs/draft.md': 'Draft.', 'docs/.notes.md': 'Notes.' });
    await write({ 'docs/a.md': 'One.', '.private/b.md': 'Two.' });
    const outside = await mkdtemp(join(tmpdir(), 'patterns-outside-'));
    await writeFile(join(outside, 'far.md'), 'Far.');
    await symlink(outside, join(root, 'linked'));
    execFileSync('git', ['init', '-q', root]);
    const hidden = { 'hidden/{name}.mp3': { ...speech, document: '.private/*.md' } };
    await declare({ ...each, ...hidden, 'far/{name}.mp3': { ...speech, document: 'linked/*.md' } });
    assert.deepEqual(await entriesOf(), [['static/a.mp3', 2, 'docs/a.md']]);
    // Git runs nothing of a folder that nobody trusts, and there nothing is sent.
    assert.equal((await entriesOf({ withoutGit: true })).length, 2);
    await rm(outside, { recursive: true });
  });

  it('matches what git has and is not checked out, as in a sparse checkout', async () => {
    await write({ 'docs/a.md': 'One.', 'docs/deep/b.md': 'Two.', 'docs/c.png': '', 'docs/d.md': 'Four.' });
    const git = (...words: readonly string[]) => execFileSync('git', ['-C', root, ...words]);
    git('init', '-q');
    git('add', '.');
    git('update-index', '--skip-worktree', 'docs/a.md', 'docs/deep/b.md', 'docs/c.png');
    await rm(join(root, 'docs'), { recursive: true });
    await declare(each);
    assert.deepEqual(await entriesOf(), [['static/a.mp3', 2, 'docs/a.md']]);
  });

  it('is planned and locked document by document, and is an orphan when its document goes', async () => {
    await write({ 'docs/a.md': 'One.\n\nTwo.', 'docs/b.md': 'Three.', 'static/a.mp3': 'sound' });
    await declare(each);
    const { evaluated, patterns } = await plan();
    assert.deepEqual(patterns, [{ line: 2, document: 'docs/*.md', paths: ['static/a.mp3', 'static/b.mp3'] }]);
    assert.equal(describePattern(evaluated, 'en'), '1 of 2 narrations, 1 paragraph, 6 characters');
    await acceptAssets(await open(), ['static/a.mp3'], options);
    const states = async () => (await plan()).plan.entries.map(({ path, state }) => `${path} ${state}`);
    assert.deepEqual(await states(), ['static/a.mp3 fresh', 'static/b.mp3 missing']);
    await rm(join(root, 'docs/a.md'));
    assert.deepEqual(await states(), ['static/b.mp3 missing', 'static/a.mp3 orphan']);
  });

  it('is right where no document matches', async () => {
    await declare(each);
    const { evaluated, patterns } = await plan();
    assert.deepEqual([evaluated, patterns.map(({ paths }) => paths)], [[], [[]]]);
    assert.equal(describePattern(evaluated), 'no document matches');
  });

  it('names what is wrong once, however many documents match', () => {
    const documents = new Map([['docs/*.md', ['docs/a.md', 'docs/b.md']]]);
    const problemsOf = (path: string, entry: object) =>
      readManifest(
        JSON.stringify({ assets: { [path]: { ...speech, ...entry } } }),
        '/p/media.jsonc',
        {},
        documents,
      ).problems.map((problem) => [problem.path, problem.field]);
    const document = 'docs/*.md';
    assert.deepEqual(problemsOf('a/{name}.mp3', { document }), []);
    assert.deepEqual(problemsOf('a/{name}.mp3', { document, voice: '' }), [['a/{name}.mp3', 'voice']]);
    assert.deepEqual(problemsOf('a/{name}.mp3', { document: 'docs/a.md' }), [['a/{name}.mp3', 'document']]);
    assert.deepEqual(problemsOf('a/{name}.mp3', { document: 'docs/**/a.md' }), [['a/{name}.mp3', 'document']]);
    assert.deepEqual(problemsOf('a/all.mp3', { document }), [['a/all.mp3', undefined]]);
    assert.deepEqual(problemsOf('a/{name}-{name}.mp3', { document }), [['a/{name}-{name}.mp3', undefined]]);
  });
});
