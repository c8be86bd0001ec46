import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../../src/cli/libraryIn.ts';
import { hashOf } from '../../../../src/files/sha256.ts';
import { ManifestProject } from '../../../../src/manifest/ManifestProject.ts';
import { pruneAssets } from '../../../../src/manifest/pruneAssets.ts';
import { Store } from '../../../../src/work/Store.ts';
import { importWithEditor } from '../../../support/editorStub.ts';

type Module = typeof import('../../../../src/features/manifest/ManifestCommands.ts');
type Given = ConstructorParameters<Module['ManifestCommands']>;

const options = { sandbox: false, speechMaxCharacters: 4096 };
const lineOf = (path: string) => `${JSON.stringify({ path, request: '0'.repeat(64), output: hashOf(path) })}\n`;

describe('Prune Assets, while its question is open', () => {
  let root: string;
  let details: string;
  let meanwhile: () => Promise<unknown>;
  let prune: () => Promise<unknown>;

  const at = (name: string) => join(root, name);
  const open = () =>
    ManifestProject.open(at('media.jsonc'), { root, library: libraryIn(root), store: new Store(at('work')) });

  before(async () => {
    const file = new URL('../../../../src/features/manifest/ManifestCommands.ts', import.meta.url);
    const { ManifestCommands } = await importWithEditor<Module>(file, {
      window: {
        showWarningMessage: async (_: string, { detail }: { readonly detail: string }, button: string) => {
          details = detail;
          await meanwhile();
          return button;
        },
      },
      workspace: { isTrusted: true },
    });
    const projects = {
      all: async () => [root],
      find: async () => root,
      open,
      options: async () => options,
      plan: open,
    };
    const commands = new ManifestCommands(...([projects, {}] as unknown as Given));
    prune = () => commands.prune(undefined);
  });

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'prune-'));
    await writeFile(at('media.jsonc'), '{"assets": {}}');
    for (const name of ['a.png', 'b.png']) await writeFile(at(name), name);
    await writeFile(at('media.lock.jsonl'), lineOf('a.png') + lineOf('b.png'));
  });
  afterEach(() => rm(root, { recursive: true }));

  it('keeps a file that a person edits', async () => {
    meanwhile = () => writeFile(at('a.png'), 'painted');
    await prune();
    assert.equal(details, 'Files to delete: a.png, b.png');
    assert.equal(await readFile(at('a.png'), 'utf8'), 'painted');
    await assert.rejects(readFile(at('b.png')), { code: 'ENOENT' });
    assert.equal(await readFile(at('media.lock.jsonl'), 'utf8'), lineOf('a.png'));
  });

  it('keeps a file that a person puts back as it was made', async () => {
    await writeFile(at('a.png'), 'painted');
    meanwhile = () => writeFile(at('a.png'), 'a.png');
    await prune();
    assert.match(details, /^Files to delete: b\.png\nFiles to keep.*: a\.png$/);
    assert.equal(await readFile(at('a.png'), 'utf8'), 'a.png');
  });

  it('keeps a file whose entry comes back, and one that is locked only then', async () => {
    const assets = { 'a.png': { operation: 'generateImage', model: 'm', prompt: 'a' } };
    meanwhile = async () => {
      await writeFile(at('media.jsonc'), JSON.stringify({ assets }));
      await writeFile(at('c.png'), 'c.png');
      await writeFile(at('media.lock.jsonl'), lineOf('a.png') + lineOf('b.png') + lineOf('c.png'));
    };
    await prune();
    for (const name of ['a.png', 'c.png']) assert.equal(await readFile(at(name), 'utf8'), name);
    assert.equal(await readFile(at('media.lock.jsonl'), 'utf8'), lineOf('a.png') + lineOf('c.png'));
  });

  it('judges each file anew before it is removed', async () => {
    const project = await open();
    const states = async (removes: boolean) =>
      (await pruneAssets(project, { ...options, removes })).map(({ state }) => state);
    assert.deepEqual(await states(false), ['untouched', 'untouched']);
    await writeFile(at('a.png'), 'painted');
    assert.deepEqual(await states(true), ['changed', 'untouched']);
    assert.equal(await readFile(at('a.png'), 'utf8'), 'painted');
  });
});
