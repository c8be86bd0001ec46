import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type * as vscode from 'vscode';
import { LocalFolder } from '../../../../src/files/LocalFolder.ts';
import { hashOf } from '../../../../src/files/sha256.ts';
import { Library } from '../../../../src/library/Library.ts';
import { FolderEditor } from '../../../sites/editor.ts';
import { importWithEditor } from '../../../support/editorStub.ts';

const folder = mkdtempSync(join(tmpdir(), 'renamed-'));
const folderEditor = new FolderEditor();
const { api } = folderEditor;
const { Range, Uri, workspace } = api as unknown as typeof vscode;
Object.assign(workspace, {
  findFiles: async ({ pattern }: vscode.RelativePattern) =>
    globSync(pattern, { cwd: folder }).map((path) => Uri.file(join(folder, path))),
});
const load = <Module>(path: string) =>
  importWithEditor<Module>(new URL(`../../../../src/${path}`, import.meta.url), api);
const { MissingMedia } = await load<typeof import('../../../../src/features/missingMedia/MissingMedia.ts')>(
  'features/missingMedia/MissingMedia.ts',
);
const { missingActions } = await load<typeof import('../../../../src/features/missingMedia/quickFixes.ts')>(
  'features/missingMedia/quickFixes.ts',
);
const { DocumentPlaces } =
  await load<typeof import('../../../../src/editor/DocumentPlaces.ts')>('editor/DocumentPlaces.ts');
const { ReferenceWriter } =
  await load<typeof import('../../../../src/editor/ReferenceWriter.ts')>('editor/ReferenceWriter.ts');

describe('The quick fix of a file that was renamed', () => {
  let library: Library;

  beforeEach(() => {
    rmSync(folder, { recursive: true, force: true });
    write({ 'docusaurus.config.js': 'export default {}', 'docs/a.md': '![A fox](/img/fox.png)\n' });
    folderEditor.open(folder);
    library = new Library(new LocalFolder(join(folder, '.unified-media'), folder));
  });

  after(() => rmSync(folder, { recursive: true }));

  function write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }

  async function titles(): Promise<readonly string[]> {
    const projects = new DocumentPlaces({ references: () => 'auto' });
    const media = new MissingMedia({
      projects: async () => projects,
      references: async () => new ReferenceWriter(projects),
      jobs: { all: [] },
      places: { libraryOf: () => library },
    } as unknown as ConstructorParameters<typeof MissingMedia>[0]);
    const document = await workspace.openTextDocument(Uri.file(join(folder, 'docs/a.md')));
    const token = { isCancellationRequested: false };
    const [range, context] = [new Range(0, 12, 0, 12), { diagnostics: [] }];
    const actions = await missingActions(
      ...([document, range, context, media, token] as unknown as Parameters<typeof missingActions>),
    );
    projects.dispose();
    return actions.map(({ title }) => title);
  }

  const paid = 'Generate static/img/fox.png from "A fox"';
  const facts = {
    kind: 'images',
    operation: 'generateImage',
    model: 'm',
    createdAt: '2026-11-01',
    jobId: 'job',
  } as const;

  it('points to where the library says it is, before all others', async () => {
    write({ 'static/img/hero.png': 'a fox', 'static/old/fox.png': 'another' });
    await library.append({ ...facts, file: 'static/img/fox.png' });
    const [entry] = await library.entries();
    assert(entry);
    await library.append({ moved: entry.id, file: 'static/img/hero.png' });
    assert.deepEqual(await titles(), ['Point to static/img/hero.png (renamed)', 'Point to static/old/fox.png', paid]);
    rmSync(join(folder, 'static/img/hero.png'));
    assert.deepEqual(await titles(), ['Point to static/old/fox.png', paid]);
  });

  for (const [name, remember] of Object.entries({
    library: () => library.append({ ...facts, file: 'static/img/fox.png', sha256: hashOf('a fox') }),
    'lock above': async () =>
      write({ 'media.lock.jsonl': `${JSON.stringify({ path: 'static/img/Fox.png', output: hashOf('a fox') })}\n` }),
  })) {
    it(`points to a file with the content that the ${name} has of it, but not to what a build copied`, async () => {
      write({ 'build/img/hero.png': 'a fox', 'static/img/hero.png': 'a fox', 'static/img/owl.png': 'an owl' });
      assert.deepEqual(await titles(), [paid]);
      await remember();
      assert.deepEqual(await titles(), ['Point to static/img/hero.png (renamed)', paid]);
      write({ 'static/img/hero.png': 'a red fox' });
      assert.deepEqual(await titles(), [paid]);
    });
  }

  it('is not offered for a lock that is damaged', async () => {
    write({ 'static/img/hero.png': 'a fox', 'media.lock.jsonl': '<<<<<<<\n' });
    assert.deepEqual(await titles(), [paid]);
  });
});
