import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { hashOf } from '../../../src/files/sha256.ts';
import { Library } from '../../../src/library/Library.ts';
import { acceptAssets, lockNarration } from '../../../src/manifest/acceptAssets.ts';
import type { LockLine } from '../../../src/manifest/Lock.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';
import { lfsPointer } from '../../support/lfsPointer.ts';
import { recordAsNarration } from '../../support/recordAsNarration.ts';

const ten = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'].map((word) => `${word}.`);
const changed = ten.map((text, index) => (index < 2 ? `New ${text}` : text));
const entry = { operation: 'speak', document: 'guide.md', model: 'm', voice: 'nova' };

describe('a narration of the editor that media.jsonc lists', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'narrations-'));
    await declare();
    await write(ten);
  });
  afterEach(() => rm(root, { recursive: true }));

  const at = (name: string) => join(root, name);
  const declare = (more: object = {}) =>
    writeFile(at('media.jsonc'), JSON.stringify({ assets: { 'guide.mp3': { ...entry, ...more } } }));
  const write = (texts: readonly string[]) => writeFile(at('guide.md'), texts.join('\n\n'));
  const library = () => new Library(new LocalFolder(at('.unified-media'), root));
  const open = () =>
    ManifestProject.open(at('media.jsonc'), { root, library: library(), store: new Store(at('work')) });
  const options = { sandbox: false, speechMaxCharacters: 4096 };
  const locked = async () => {
    const text = await readFile(at('media.lock.jsonl'), 'utf8').catch(() => '');
    return text === '' ? undefined : (JSON.parse(text) as LockLine);
  };

  const narrate = (...more: readonly [readonly string[], { sandbox?: boolean; content?: string }?]) =>
    recordAsNarration(root, ...more);

  async function planned(given: object = { seesWork: true }) {
    const { plan } = await planAssets(await open(), { ...options, ...given });
    const [found] = plan.entries;
    return [found?.state, found?.requests, found?.reasons.join()];
  }

  it('is fresh, and stale by its paragraphs when some have changed, though the lock does not know it', async () => {
    await narrate(ten);
    assert.deepEqual(await planned(), ['fresh', 0, 'not in the lock yet']);
    await write(changed);
    assert.deepEqual(await planned(), ['stale', 2, '2 of 10 paragraphs out of date']);
    await write(ten.toReversed());
    assert.deepEqual(await planned(), ['stale', 0, 'paragraphs moved or removed']);
  });

  it('counts for check only once it is locked, as for a colleague without the library', async () => {
    await narrate(ten);
    assert.deepEqual(await planned({}), ['unlocked', 0, '']);
    assert.equal(await lockNarration(await open(), 'guide.mp3', options), true);
    assert.deepEqual(await planned({}), ['fresh', 0, '']);
  });

  for (const [what, more] of [
    ['voice', { voice: 'echo' }],
    ['model', { model: 'n' }],
    ['document', { document: 'other.md' }],
  ] as const) {
    it(`is not known for another ${what}, and the lock is left as it is`, async () => {
      await writeFile(at('other.md'), ten.join('\n\n'));
      await narrate(ten);
      await declare(more);
      assert.deepEqual(await planned(), ['unlocked', 0, '']);
      assert.equal(await lockNarration(await open(), 'guide.mp3', options), false);
      assert.equal(await locked(), undefined);
    });
  }

  it('is not known while its file is a Git LFS pointer, whose paragraphs cannot be taken', async () => {
    await narrate(ten);
    await writeFile(at('guide.mp3'), lfsPointer.replace(/a{64}/, hashOf(ten.join(''))));
    await write(changed);
    assert.deepEqual(await planned(), ['unlocked', 0, '']);
  });

  it('is not taken for changed by hand when it was narrated again, and brings its line along', async () => {
    await narrate(ten);
    await lockNarration(await open(), 'guide.mp3', options);
    await write(changed);
    await narrate(changed, { content: 'another sound' });
    assert.deepEqual(await planned({}), ['changed', 0, '']);
    assert.deepEqual(await planned(), ['fresh', 0, 'not in the lock yet']);
    await lockNarration(await open(), 'guide.mp3', options);
    assert.deepEqual(await planned({}), ['fresh', 0, '']);
    await writeFile(at('guide.mp3'), 'by hand');
    assert.deepEqual(await planned(), ['changed', 0, '']);
  });

  describe('and that a person keeps', () => {
    const keep = async (sandbox = false) => acceptAssets(await open(), ['guide.mp3'], { ...options, sandbox });

    it('stays out of date by the paragraphs that were spoken, until the text has them again', async () => {
      await narrate(ten);
      await write(changed);
      await keep();
      const line = await locked();
      assert.equal(line?.blocks?.length, 10);
      assert.equal(line.accepted, true);
      assert.equal(line.inputs?.['./guide.md'], undefined);
      // Also without the library.
      await rm(at('.unified-media'), { recursive: true });
      assert.deepEqual(await planned({}), ['stale', 2, '2 of 10 paragraphs out of date']);
      await write(ten);
      assert.deepEqual(await planned({}), ['fresh', 0, '']);
    });

    it('is not current for the service if the sandbox made it, whatever it says', async () => {
      await narrate(ten, { sandbox: true });
      await assert.rejects(keep(), /is a sample of the sandbox/);
      await keep(true);
      assert.equal((await locked())?.sandbox, true);
      assert.deepEqual(await planned({ sandbox: true }), ['fresh', 0, 'a sample of the sandbox']);
      assert.deepEqual(await planned({}), ['stale', 10, 'the sandbox made it']);
    });

    it('is one of the sandbox also if its entry has another voice', async () => {
      await narrate(ten, { sandbox: true });
      await declare({ voice: 'echo' });
      await keep(true);
      const { sandbox, blocks } = (await locked()) ?? {};
      assert.deepEqual([sandbox, blocks], [true, undefined]);
    });

    it('is kept for another voice that its entry asks for by now', async () => {
      await narrate(ten);
      await lockNarration(await open(), 'guide.mp3', options);
      await declare({ voice: 'echo' });
      assert.deepEqual(await planned({}), ['stale', 10, 'voice changed']);
      await keep();
      assert.deepEqual(await planned({}), ['fresh', 0, '']);
    });

    it('is a work of their own if nobody has recorded it', async () => {
      await narrate(ten);
      await writeFile(at('guide.mp3'), 'spoken by a person');
      await write(changed);
      await keep();
      const { sandbox, blocks, accepted } = (await locked()) ?? {};
      assert.deepEqual([sandbox, blocks, accepted], [undefined, undefined, true]);
      assert.deepEqual(await planned({}), ['fresh', 0, '']);
    });
  });
});
