import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { type MediaService, startMediaService } from '../support/mediaService.ts';
import { answerDialog } from './answerDialog.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { eventually, repeatedly } from './eventually.ts';
import { choose, fixesAt, titlesOf, workspaceRoot, writeFiles } from './missingMedia.ts';
import { setApiKey } from './setApiKey.ts';
import { remove } from './workspaceFolder.ts';

describe('media that the site does not serve', () => {
  let service: MediaService;
  let folder: vscode.Uri;
  let count = 0;

  beforeEach(async () => {
    service = await startMediaService(() => pngBytes);
    await changeSettings({ imageBaseUrl: service.origin, models: { generateImage: ['painter'] } });
    await setApiKey('key');
    folder = vscode.Uri.joinPath(workspaceRoot(), `unserved-${++count}`);
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
    await resetSettings();
    await service[Symbol.asyncDispose]();
    await remove(folder.fsPath);
  });

  after(async () => {
    await vscode.workspace.fs.delete(vscode.Uri.joinPath(workspaceRoot(), '.unified-media'), { recursive: true });
  });

  async function open(files: Readonly<Record<string, string | Uint8Array>>, path: string, text: string) {
    await writeFiles(folder, { ...files, [path]: text });
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, path));
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  }

  const fileAt = (path: string) => vscode.Uri.joinPath(folder, path).fsPath;

  /** Fixes with an edit have no command. */
  async function correctionsAt(document: vscode.TextDocument, text: string): Promise<readonly vscode.CodeAction[]> {
    const start = document.positionAt(document.getText().indexOf(text));
    const range = new vscode.Range(start, start);
    const all = await vscode.commands.executeCommand<readonly vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      range,
    );
    return all.filter(({ title }) => title.startsWith('Correct the Address'));
  }

  it('are marked, and corrected in one step', async () => {
    const files = { 'docusaurus.config.js': "export default { baseUrl: '/project/' }" };
    const text = '<img src="/img/fox.png" />\n\n![x][fox]\n\n[fox]: /img/fox.png\n\n<audio src="./talk.mp3"></audio>\n';
    const media = { 'static/img/fox.png': pngBytes, 'docs/talk.mp3': 'x' };
    const document = await open({ ...files, ...media }, 'docs/a.md', text);
    const marks = () =>
      vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === 'Unified Media');
    await eventually(vscode.languages.onDidChangeDiagnostics, () => marks().length === 3);
    assert.equal(marks()[0]?.message, 'static/img/fox.png exists, but the site does not serve it at this address.');
    const [root] = await correctionsAt(document, '/img/fox.png');
    assert.equal(root?.title, 'Correct the Address to /project/img/fox.png');
    assert(root.edit && (await vscode.workspace.applyEdit(root.edit)));
    const [code] = await correctionsAt(document, './talk.mp3');
    assert(code?.edit && (await vscode.workspace.applyEdit(code.edit)));
    assert.equal(
      document.getText(),
      text
        .replaceAll('/img/fox.png', '/project/img/fox.png')
        .replace('"./talk.mp3"', "{require('./talk.mp3').default}"),
    );
    await eventually(vscode.languages.onDidChangeDiagnostics, () => marks().length === 0);
    assert.deepEqual(service.paid, []);
  });

  it('are generated with the address that the site serves', async () => {
    const files = { 'astro.config.mjs': "export default { base: '/repo' }" };
    const document = await open(files, 'src/pages/a.astro', '<img src="/fox.png" alt="A fox">\n');
    const title = 'Generate public/fox.png from "A fox" and Correct the Address';
    const fixes = await fixesAt(document, '/fox.png');
    assert.deepEqual(titlesOf(fixes), [title]);
    assert.equal((await choose<readonly Asset[]>(fixes, title)).length, 1);
    assert.equal(document.getText(), '<img src="/repo/fox.png" alt="A fox">\n');
    assert.deepEqual(await readFile(fileAt('public/fox.png')), pngBytes);
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), '<img src="/fox.png" alt="A fox">\n');
  });

  it('are not paid for where the site would not serve them', async () => {
    const document = await open({ 'mkdocs.yml': '' }, 'docs/a.md', '![A fox](../media/fox.png)\n');
    assert.deepEqual(titlesOf(await fixesAt(document, '../media/fox.png')), []);
    assert.deepEqual(
      await vscode.commands.executeCommand('unifiedMedia.generateMissingMedia', { uri: document.uri.toString() }),
      [],
    );
    assert.deepEqual(service.paid, []);
  });

  it('are not paid for when only the case of their names differs', async () => {
    const files = { 'mkdocs.yml': '', 'docs/img/hero.png': pngBytes };
    const document = await open(files, 'docs/a.md', '![A hero](img/Hero.png)\n');
    const given = { uri: document.uri.toString() };
    assert.deepEqual(await vscode.commands.executeCommand('unifiedMedia.generateMissingMedia', given), []);
    assert.deepEqual(service.paid, []);
    const [fix] = await correctionsAt(document, 'img/Hero.png');
    assert.equal(fix?.title, 'Correct the Address to img/hero.png');
  });

  it('are moved to where it serves them, and the library follows', async () => {
    const files = { 'mkdocs.yml': '', 'docs/images/fox.png': 'another' };
    const document = await open(files, 'docs/guide/a.md', '![x](../../media/fox.png)\n');
    const place = {
      uri: vscode.Uri.joinPath(folder, 'README.md').toString(),
      paths: [`unserved-${count}/media/fox.png`],
    };
    await writeFiles(folder, { 'README.md': '![A fox](media/fox.png)\n' });
    await vscode.commands.executeCommand('unifiedMedia.generateMissingMedia', place);
    await eventually(repeatedly, async () => (await fixesAt(document, '../../media/fox.png')).length === 2);
    const fixes = await fixesAt(document, '../../media/fox.png');
    assert.deepEqual(titlesOf(fixes), ['Move media/fox.png to docs/images', 'Copy media/fox.png to docs/images']);
    await choose(fixes, 'Move media/fox.png to docs/images');
    assert.equal(document.getText(), '![x](../images/fox-2.png)\n');
    assert.deepEqual(await readFile(fileAt('docs/images/fox-2.png')), pngBytes);
    assert.equal(String(await readFile(fileAt('docs/images/fox.png'))), 'another');
    await assert.rejects(access(fileAt('media/fox.png')));
    const library = vscode.Uri.joinPath(workspaceRoot(), '.unified-media/library.jsonl').fsPath;
    const moved = `"file":"unserved-${count}/docs/images/fox-2.png"`;
    await eventually(repeatedly, async () => (await readFile(library, 'utf8')).includes(moved));
  });

  it('are copied from the warning after an insertion', async () => {
    const files = { 'mkdocs.yml': '', 'media/fox.png': pngBytes };
    const document = await open(files, 'docs/a.md', '');
    using warned = answerDialog('showWarningMessage', (_question, _move, copy) => copy);
    await vscode.commands.executeCommand('unifiedMedia.insertAsset', { uri: vscode.Uri.file(fileAt('media/fox.png')) });
    await eventually(repeatedly, async () => document.getText() === '![fox](fox.png)');
    assert.match(warned.questions[0] ?? '', /media\/fox\.png\. It serves the files in unserved-\d+\/docs\.$/);
    assert.deepEqual(await readFile(fileAt('docs/fox.png')), pngBytes);
    assert.deepEqual(await readFile(fileAt('media/fox.png')), pngBytes);
  });
});
