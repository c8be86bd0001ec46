import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { answerDialog } from './answerDialog.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { untilReported } from './untilReported.ts';

describe('unifiedMedia.insertAsset in a project', () => {
  let root: vscode.Uri;

  before(() => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert(folder);
    root = vscode.Uri.joinPath(folder, 'projects');
  });

  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  after(async () => {
    await resetSettings();
    await vscode.workspace.fs.delete(root, { recursive: true });
  });

  async function create(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(root, path), new TextEncoder().encode(text));
    }
  }

  async function inserted(document: string, file: string): Promise<string> {
    await create({ [document]: '', [file]: '' });
    await vscode.window.showTextDocument(vscode.Uri.joinPath(root, document));
    const uri = vscode.Uri.joinPath(root, file).toString();
    assert.equal(await vscode.commands.executeCommand('unifiedMedia.insertAsset', { uri, title: 'A fox' }), true);
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    await vscode.commands.executeCommand('workbench.action.files.save');
    return text;
  }

  it('of Docusaurus writes what Markdown and MDX resolve', async () => {
    await create({ 'docusaurus/docusaurus.config.ts': "export default { baseUrl: '/project/' };" });
    assert.equal(
      await inserted('docusaurus/docs/a.md', 'docusaurus/static/img/a fox.png'),
      '![A fox](/img/a%20fox.png)',
    );
    assert.equal(await inserted('docusaurus/docs/b.md', 'docusaurus/docs/fox.png'), '![A fox](./fox.png)');
    assert.equal(
      await inserted('docusaurus/docs/c.md', 'docusaurus/docs/fox.mp3'),
      '<audio controls src={require(\'./fox.mp3\').default} title="A fox"></audio>',
    );
    assert.equal(
      await inserted('docusaurus/docs/d.md', 'docusaurus/static/fox.mp4'),
      '<video controls src="/project/fox.mp4" title="A fox"></video>',
    );
  });

  it('of VitePress writes relative addresses, and absolute ones for public files', async () => {
    await create({ 'vitepress/.vitepress/config.ts': "export default { base: '/project/' };" });
    assert.equal(await inserted('vitepress/guide/a.md', 'vitepress/public/fox.png'), '![A fox](/fox.png)');
    assert.equal(await inserted('vitepress/guide/b.md', 'vitepress/img/fox.png'), '![A fox](../img/fox.png)');
  });

  it('of Next writes the addresses of its public folder', async () => {
    await create({ 'next/next.config.mjs': "export default { basePath: '/shop' };" });
    assert.equal(await inserted('next/app/page.tsx', 'next/public/fox.png'), '<img src="/shop/fox.png" alt="A fox" />');
    assert.equal(await inserted('next/README.md', 'next/public/fox.png'), '![A fox](public/fox.png)');
  });

  it('of Next names files that it does not serve, and where to move them', async () => {
    await create({ 'unserved/next.config.mjs': '' });
    const asked = Promise.withResolvers<string>();
    using _dialog = answerDialog('showWarningMessage', (question) => asked.resolve(String(question)));
    assert.equal(await inserted('unserved/app/page.tsx', 'unserved/app/fox.png'), '<img src="fox.png" alt="A fox" />');
    const sentence = await asked.promise;
    assert.match(sentence, /projects\/unserved\/app\/fox\.png.* projects\/unserved\/public\.$/);
  });

  it('of Hugo writes names in a page bundle, and absolute addresses elsewhere', async () => {
    await create({ 'hugo/hugo.toml': "baseURL = 'https://example.org/'\n" });
    assert.equal(await inserted('hugo/content/fox/index.md', 'hugo/content/fox/fox.png'), '![A fox](fox.png)');
    assert.equal(await inserted('hugo/content/hen.md', 'hugo/static/images/hen.png'), '![A fox](/images/hen.png)');
  });

  it('follows changes of the configuration and the setting', async () => {
    const written = async () => inserted(`changing/${Math.random()}.tsx`, 'changing/public/fox.png');
    await create({ 'changing/next.config.js': '' });
    assert.equal(await written(), '<img src="/fox.png" alt="A fox" />');
    const { fsPath } = vscode.Uri.joinPath(root, 'changing/next.config.js');
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(root, '**/next.config.js'));
    try {
      await untilReported(watcher, fsPath, () =>
        create({ 'changing/next.config.js': "module.exports = { basePath: '/new' }" }),
      );
    } finally {
      watcher.dispose();
    }
    assert.equal(await written(), '<img src="/new/fox.png" alt="A fox" />');
    await changeSettings({ references: 'relative' });
    assert.equal(await written(), '<img src="public/fox.png" alt="A fox" />');
    await changeSettings({ references: { '/cdn/': 'projects/changing/public' } });
    assert.equal(await written(), '<img src="/cdn/fox.png" alt="A fox" />');
  });
});
