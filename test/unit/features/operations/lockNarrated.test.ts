import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFolder } from '../../../../src/files/LocalFolder.ts';
import { Library } from '../../../../src/library/Library.ts';
import { holdManifest } from '../../../../src/manifest/applyAssets.ts';
import { ManifestProject } from '../../../../src/manifest/ManifestProject.ts';
import { Store } from '../../../../src/work/Store.ts';
import { importWithEditor, Uri } from '../../../support/editorStub.ts';
import { recordAsNarration } from '../../../support/recordAsNarration.ts';
import { settingsWith } from '../../../support/settingsWith.ts';

let root: string;
const shown: string[] = [];
const workspace = {
  isTrusted: true,
  getWorkspaceFolder: () => ({ uri: Uri.file(root) }),
  findFiles: async () => [Uri.file(join(root, 'media.jsonc'))],
  asRelativePath: ({ path }: Uri) => path.slice(path.lastIndexOf('/') + 1),
};
const window = { showWarningMessage: async (sentence: string) => void shown.push(sentence) };
const { lockNarrated } = await importWithEditor<typeof import('../../../../src/features/operations/lockNarrated.ts')>(
  new URL('../../../../src/features/operations/lockNarrated.ts', import.meta.url),
  { workspace, window },
);

describe('lockNarrated', () => {
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'lock-narrated-'));
    shown.length = 0;
    workspace.isTrusted = true;
    await writeFile(join(root, 'guide.md'), 'One.\n\nTwo.');
    await recordAsNarration(root, ['One.', 'Two.']);
  });
  afterEach(() => rm(root, { recursive: true }));

  const library = () => new Library(new LocalFolder(join(root, '.unified-media'), root));
  const store = () => new Store(join(root, 'work'));
  const locked = () => readFile(join(root, 'media.lock.jsonl'), 'utf8').catch(() => '');

  async function narrated(entry: object = {}): Promise<string> {
    const assets = {
      'guide.mp3': { operation: 'speak', document: 'guide.md', model: 'm', voice: 'nova', ...entry },
    };
    await writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets }));
    const window = {
      places: { libraryOf: library },
      runs: { forManifests: async () => ({ runner: { store: store() } }) },
      settings: { ...settingsWith(), usesSandbox: false, declaredFields: undefined, models: () => [] },
      log: { warn: assert.fail },
    };
    await lockNarrated({ uri: Uri.file(join(root, 'guide.mp3')).toString() }, window as never);
    return locked();
  }

  it('brings the line of a narration along, and says nothing', async () => {
    assert.match(await narrated(), /^\{"path":"guide\.mp3",.*"blocks":\[/);
    assert.deepEqual(shown, []);
  });

  it('leaves the lock and says so if the entry has another voice', async () => {
    assert.equal(await narrated({ voice: 'echo' }), '');
    assert.deepEqual(shown, [
      'media.jsonc asks for another voice, model or document for guide.mp3, so its lock was left as it is. Change the entry, or choose “Keep” above it.',
    ]);
  });

  it('says that another program works on the manifest', async () => {
    await narrated();
    await rm(join(root, 'media.lock.jsonl'));
    await using _ = await holdManifest(
      await ManifestProject.open(join(root, 'media.jsonc'), { root, library: library(), store: store() }),
    );
    assert.equal(await narrated(), '');
    assert.match(shown.join(), /could not be brought along: Another program is working/);
  });

  it('changes nothing in a folder that nobody trusts', async () => {
    workspace.isTrusted = false;
    assert.equal(await narrated(), '');
    assert.deepEqual(shown, []);
  });

  it('leaves a file alone that no document is entered for', async () => {
    assert.equal(await narrated({ document: undefined, input: 'One.' }), '');
    assert.deepEqual(shown, []);
  });
});
