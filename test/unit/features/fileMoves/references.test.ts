import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type * as vscode from 'vscode';
import { FolderEditor } from '../../../sites/editor.ts';
import { importWithEditor } from '../../../support/editorStub.ts';

const folder = mkdtempSync(join(tmpdir(), 'references-'));
const folderEditor = new FolderEditor();
const { api, messages } = folderEditor;
const { Uri, workspace, WorkspaceEdit } = api as unknown as typeof vscode;
Object.assign(workspace, {
  findFiles: async ({ pattern }: vscode.RelativePattern) =>
    globSync(pattern, { cwd: folder }).map((path) => Uri.file(join(folder, path))),
});
const own = (name: string) => new URL(`../../../../src/${name}`, import.meta.url);
const { ReferenceFollower } = await importWithEditor<
  typeof import('../../../../src/features/fileMoves/ReferenceFollower.ts')
>(own('features/fileMoves/ReferenceFollower.ts'), api);
const { DocumentPlaces } = await importWithEditor<typeof import('../../../../src/editor/DocumentPlaces.ts')>(
  own('editor/DocumentPlaces.ts'),
  api,
);

describe('References to a file that the editor renames', () => {
  let projects: InstanceType<typeof DocumentPlaces>;
  const window = {
    projects: async () => projects,
    settings: { declaredFields: undefined },
    log: { warn: assert.fail },
  };
  const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };
  const at = (path: string) => Uri.file(join(folder, path));
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');

  function open(files: Readonly<Record<string, string>>): void {
    rmSync(folder, { recursive: true, force: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    folderEditor.open(folder);
    projects = new DocumentPlaces({ references: () => 'auto' });
  }

  afterEach(() => projects.dispose());
  after(() => rmSync(folder, { recursive: true }));

  const follower = (deadline?: () => AbortSignal) => new ReferenceFollower(window as never, deadline);

  /** Renames a file as VS Code does, with what follows it. @returns the names of the files that the edit changed */
  async function rename(from: string, to: string, how: { late?: boolean; others?: readonly string[] } = {}) {
    const renames = [{ oldUri: at(from), newUri: at(to) }];
    const following = follower(how.late ? () => AbortSignal.abort() : undefined);
    const edit = new WorkspaceEdit();
    await following.follow(renames, edit, token as never, new Set(how.others?.map((path) => at(path).toString())));
    await workspace.applyEdit(edit);
    renameSync(join(folder, from), join(folder, to));
    projects.fileCreated(at(from));
    projects.fileCreated(at(to));
    await following.moved(renames);
    following.dispose();
    const { edits } = edit as unknown as { readonly edits: ReadonlyMap<string, unknown> };
    return [...edits.keys()].map((path) => path.slice(at('').path.length + 1).replace(/^\/+/, '')).sort();
  }

  const line = (path: string) => `${JSON.stringify({ path, output: '0'.repeat(64) })}\n`;
  const site = {
    'a.md': '![A](hero.png)\n',
    'docs/b.md': '![A](../hero.png) and ![B](other.png)\n',
    'c.md': '![C](other.png) of a hero\n',
    'hero.png': 'png',
    'media.jsonc': '{"assets": {"hero.png": {"operation": "generateImage", "prompt": "hero.png"}}}',
    'media.lock.jsonl': line('hero.png'),
  };
  const changed = {
    'a.md': '![A](fox.png)\n',
    'docs/b.md': '![A](../fox.png) and ![B](other.png)\n',
    'media.jsonc': '{"assets": {"fox.png": {"operation": "generateImage", "prompt": "hero.png"}}}',
    'media.lock.jsonl': line('fox.png'),
  };

  it('follow in all documents, in the manifest and in its lock, and in nothing else', async () => {
    open(site);
    assert.deepEqual(await rename('hero.png', 'fox.png'), Object.keys(changed));
    for (const [path, text] of Object.entries(changed)) assert.equal(read(path), text, path);
    assert.deepEqual(messages, []);
  });

  it('follow after the move where they take too long, with a word', async () => {
    open(site);
    assert.deepEqual(await rename('hero.png', 'fox.png', { late: true }), []);
    for (const [path, text] of Object.entries(changed)) assert.equal(read(path), text, path);
    assert.deepEqual(messages, [
      'fox.png moved first, and then 4 files that name it were changed. Undo takes back one after the other.',
    ]);
  });

  it('stay in a document that the rename changes in another way', async () => {
    open(site);
    const others = ['a.md'];
    assert.deepEqual(await rename('hero.png', 'fox.png', { others }), ['docs/b.md', 'media.jsonc', 'media.lock.jsonl']);
  });

  it('are named where they stay: in a long document, a damaged lock, and a place without an address', async () => {
    const page = '<img src="/hero.png">';
    open({
      ...site,
      'long.md': `${site['a.md']}${'x'.repeat(1_000_000)}`,
      'media.lock.jsonl': '<<<<<<<',
      'web/vite.config.ts': 'export default {}',
      'web/src/App.jsx': `x = ${page};`,
      'web/public/hero.png': 'png',
    });
    assert.deepEqual(await rename('hero.png', 'fox.png'), ['a.md', 'docs/b.md', 'media.jsonc']);
    assert.match(
      messages.join(),
      /stay as they are, .*: (?:long\.md, media\.lock\.jsonl|media\.lock\.jsonl, long\.md)$/,
    );
    messages.length = 0;
    assert.deepEqual(await rename('web/public/hero.png', 'web/hero.png'), []);
    assert.match(messages.join(), /: (?:.*, )?web\/src\/App\.jsx/);
  });
});
