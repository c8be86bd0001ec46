import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { eventually } from './eventually.ts';
import { useSandboxInWorkspace } from './workspaceFolder.ts';

/** VS Code keeps the text of a closed document for a while, so each test has a document of its own. */
let documents = 0;

describe('unifiedMedia.insertAsset', () => {
  afterEach(() => vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor'));

  async function insertedInto(language: string, file: string): Promise<string> {
    const document = await vscode.workspace.openTextDocument({ language });
    const editor = await vscode.window.showTextDocument(document);
    // It may begin with what VS Code has kept of an earlier untitled document of the same name.
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    await editor.edit((edit) => edit.replace(whole, 'before \n'));
    editor.selection = new vscode.Selection(0, 7, 0, 7);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert(folder);
    const uri = vscode.Uri.joinPath(folder, file);
    await vscode.workspace.fs.writeFile(uri, new Uint8Array());
    const argument = { uri: uri.toString(), title: 'A fox' };
    assert.equal(await vscode.commands.executeCommand('unifiedMedia.insertAsset', argument), true);
    await vscode.workspace.fs.delete(uri);
    return document.getText();
  }

  it('writes the form of the language', async () => {
    const sound = '<audio controls src="media/speech/fox.mp3" title="A fox"></audio>';
    assert.equal(await insertedInto('html', 'media/speech/fox.mp3'), `before ${sound}\n`);
  });

  describe('while a picture covers the document', () => {
    const root = () => vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/');
    const picture = () => vscode.Uri.joinPath(root(), 'looked-at.png');
    const guide = () => vscode.Uri.joinPath(root(), `guide-${documents}.md`);
    const insert = (uri = picture()) =>
      vscode.commands.executeCommand('unifiedMedia.insertAsset', { uri: uri.toString(), title: 'A fox' });

    beforeEach(async () => {
      documents++;
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await vscode.workspace.fs.writeFile(picture(), pngBytes);
      await vscode.workspace.fs.writeFile(guide(), Buffer.from('one two\n'));
      const editor = await vscode.window.showTextDocument(guide(), { preview: false });
      editor.selection = new vscode.Selection(0, 4, 0, 4);
      await vscode.commands.executeCommand('vscode.open', picture(), { preview: false });
      await eventually(vscode.window.onDidChangeActiveTextEditor, () => vscode.window.activeTextEditor === undefined);
    });

    afterEach(async () => {
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      for (const uri of [picture(), guide()]) await vscode.workspace.fs.delete(uri);
    });

    it('inserts where the person wrote, follows edits, and leaves the cursor behind the reference', async () => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(guide(), new vscode.Position(0, 0), 'zero ');
      await vscode.workspace.applyEdit(edit);
      assert.equal(await insert(), true);
      const { activeTextEditor: editor } = vscode.window;
      assert(editor);
      const line = 'zero one ![A fox](looked-at.png)two';
      assert.equal(editor.document.lineAt(0).text, line);
      assert.deepEqual(editor.selection, new vscode.Selection(0, line.length - 3, 0, line.length - 3));
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));
      assert.deepEqual(tabs.sort(), [`guide-${documents}.md`, 'looked-at.png']);
    });

    it('inserts where the person wrote last of two places, in the group that showed it', async () => {
      await vscode.window.showTextDocument(guide(), { preview: false });
      const options = { preview: false, viewColumn: vscode.ViewColumn.Two };
      const beside = await vscode.window.showTextDocument(guide(), options);
      beside.selection = new vscode.Selection(0, 7, 0, 7);
      await vscode.commands.executeCommand('vscode.open', picture(), options);
      await eventually(vscode.window.onDidChangeActiveTextEditor, () => vscode.window.activeTextEditor === undefined);
      assert.equal(await insert(), true);
      const { activeTextEditor: editor } = vscode.window;
      assert.equal(editor?.document.lineAt(0).text, 'one two![A fox](looked-at.png)');
      assert.equal(editor.viewColumn, vscode.ViewColumn.Two);
    });

    it('inserts into the cell of a notebook where the person wrote last', async () => {
      const notebookUri = vscode.Uri.joinPath(root(), 'cells.ipynb');
      // VS Code's own serializer does not run in this window.
      const provider = vscode.workspace.registerNotebookSerializer('jupyter-notebook', {
        deserializeNotebook: (bytes) => {
          const texts = Buffer.from(bytes).toString().split('\n');
          const { Markup } = vscode.NotebookCellKind;
          return new vscode.NotebookData(texts.map((text) => new vscode.NotebookCellData(Markup, text, 'markdown')));
        },
        serializeNotebook: ({ cells }) => Buffer.from(cells.map(({ value }) => value).join('\n')),
      });
      try {
        await vscode.workspace.fs.writeFile(notebookUri, Buffer.from('one\ntwo three'));
        const notebook = await vscode.workspace.openNotebookDocument(notebookUri);
        const cell = notebook.cellAt(1).document;
        await vscode.window.showNotebookDocument(notebook, { preview: false });
        const selection = new vscode.Range(0, 4, 0, 4);
        await vscode.commands.executeCommand('vscode.open', cell.uri, { selection, preview: false });
        await vscode.commands.executeCommand('vscode.open', picture(), { preview: false });
        await eventually(vscode.window.onDidChangeActiveTextEditor, () => vscode.window.activeTextEditor === undefined);
        assert.equal(await insert(), true);
        assert.equal(vscode.window.activeTextEditor?.document, cell);
        assert.equal(cell.getText(), 'two ![A fox](looked-at.png)three');
      } finally {
        await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
        await vscode.workspace.fs.delete(notebookUri);
        provider.dispose();
      }
    });

    it('inserts into no file that is inserted itself', async () => {
      const transcript = vscode.Uri.joinPath(root(), 'call.txt');
      await vscode.workspace.fs.writeFile(transcript, Buffer.from('words'));
      await vscode.window.showTextDocument(transcript, { preview: false });
      assert.equal(await insert(transcript), true);
      const { activeTextEditor: editor } = vscode.window;
      assert.equal(editor?.document.lineAt(0).text, 'one [A fox](call.txt)two');
      await vscode.workspace.fs.delete(transcript);
    });
  });

  describe('beside an earlier version of a file', () => {
    const root = () => vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/');
    const guide = () => vscode.Uri.joinPath(root(), `guide-${documents}.md`);
    const picture = () => vscode.Uri.joinPath(root(), 'looked-at.png');
    const earlier = vscode.Uri.parse('earlier:/guide.md');
    const insert = () =>
      vscode.commands.executeCommand('unifiedMedia.insertAsset', { uri: picture().toString(), title: 'A fox' });
    let provider: vscode.Disposable;

    beforeEach(async () => {
      documents++;
      provider = vscode.workspace.registerTextDocumentContentProvider(earlier.scheme, {
        provideTextDocumentContent: () => 'one\n',
      });
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await vscode.workspace.fs.writeFile(picture(), pngBytes);
      await vscode.workspace.fs.writeFile(guide(), Buffer.from('one two\n'));
    });

    afterEach(async () => {
      await vscode.commands.executeCommand('workbench.action.files.revert');
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      for (const uri of [picture(), guide()]) await vscode.workspace.fs.delete(uri);
      provider.dispose();
    });

    it('inserts into the document that can be written to, not into the one that is shown', async () => {
      const editor = await vscode.window.showTextDocument(guide(), { preview: false });
      editor.selection = new vscode.Selection(0, 4, 0, 4);
      await vscode.window.showTextDocument(earlier, { preview: false });
      assert.equal(await insert(), true);
      const { activeTextEditor } = vscode.window;
      assert.equal(activeTextEditor?.document.uri.toString(), guide().toString());
      assert.equal(activeTextEditor?.document.lineAt(0).text, 'one ![A fox](looked-at.png)two');
    });

    it('inserts where the person wrote in a comparison, after they have looked at a picture', async () => {
      await vscode.commands.executeCommand('vscode.diff', earlier, guide(), 'guide', { preview: false });
      const { activeTextEditor: compared } = vscode.window;
      assert.equal(compared?.document.uri.toString(), guide().toString());
      compared.selection = new vscode.Selection(0, 4, 0, 4);
      await vscode.commands.executeCommand('vscode.open', picture(), { preview: false });
      await eventually(vscode.window.onDidChangeActiveTextEditor, () => vscode.window.activeTextEditor === undefined);
      assert.equal(await insert(), true);
      assert.equal(vscode.window.activeTextEditor?.document.lineAt(0).text, 'one ![A fox](looked-at.png)two');
    });
  });

  it('imports a picture at the top of a component of Vite, and puts the cursor behind its tag', async () => {
    const root = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert(root);
    const app = vscode.Uri.joinPath(root, 'vite-app');
    const component = vscode.Uri.joinPath(app, 'src/App.tsx');
    const files = ['hero.png', 'hero-2.png'].map((name) => vscode.Uri.joinPath(app, 'src/assets', name));
    try {
      await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(app, 'vite.config.ts'), Buffer.from('export default {}'));
      for (const file of files) await vscode.workspace.fs.writeFile(file, pngBytes);
      const text = "import { useState } from 'react';\n\nexport const App = () => <main></main>;\n";
      await vscode.workspace.fs.writeFile(component, Buffer.from(text));
      const editor = await vscode.window.showTextDocument(component, { preview: false });
      const at = editor.document.positionAt(text.indexOf('</main>'));
      editor.selection = new vscode.Selection(at, at);
      const argument = { uris: files.map(String), titles: ['A fox', 'An owl'] };
      assert.equal(await vscode.commands.executeCommand('unifiedMedia.insertAsset', argument), true);
      const expected = [
        "import { useState } from 'react';",
        "import hero from './assets/hero.png';",
        "import hero2 from './assets/hero-2.png';",
        '',
        'export const App = () => <main><img src={hero} alt="A fox" />',
        '<img src={hero2} alt="An owl" /></main>;',
        '',
      ].join('\n');
      assert.equal(editor.document.getText(), expected);
      const { selection } = vscode.window.activeTextEditor ?? editor;
      assert.equal(editor.document.offsetAt(selection.active), expected.indexOf('</main>'));
      // VS Code would open a document again that it was saving when its file was deleted.
      await editor.document.save();
    } finally {
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      await vscode.workspace.fs.delete(app, { recursive: true });
    }
  });

  it('offers the open documents where the person wrote nowhere yet', async () => {
    const root = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert(root);
    const [one, other, picture] = ['one.md', 'other.md', 'shown.png'].map((name) => vscode.Uri.joinPath(root, name));
    assert(one && other && picture);
    const { showQuickPick } = vscode.window;
    const offered: string[] = [];
    try {
      // An editor whose file was deleted while VS Code saved it by itself is not closed with all others.
      while (vscode.window.tabGroups.all.some(({ tabs }) => tabs.length > 0))
        await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      await vscode.workspace.fs.writeFile(picture, pngBytes);
      for (const uri of [one, other]) {
        await vscode.workspace.fs.writeFile(uri, Buffer.from('text\n'));
        await vscode.window.showTextDocument(uri, { preview: false });
      }
      await vscode.commands.executeCommand('vscode.open', picture, { preview: false });
      await eventually(vscode.window.onDidChangeActiveTextEditor, () => vscode.window.activeTextEditor === undefined);
      // Like a new window, whose tabs were restored and never had the focus.
      const { insertAsset } = await import('../../src/features/references/assetCommands.ts');
      const { ReferenceWriter } = await import('../../src/editor/ReferenceWriter.ts');
      const { DocumentPlaces } = await import('../../src/editor/DocumentPlaces.ts');
      Object.assign(vscode.window, {
        showQuickPick: (items: readonly vscode.QuickPickItem[]) => {
          offered.push(...items.map(({ label }) => label));
          return Promise.resolve(items.find(({ label }) => label === 'other.md'));
        },
      });
      const argument = { uri: picture.toString(), title: 'A fox' };
      assert.equal(
        await insertAsset(
          new ReferenceWriter(new DocumentPlaces({ references: () => 'auto' })),
          { places: [] },
          { places: { chosen: undefined, libraryOf: () => assert.fail('no library is needed') }, jobs: { all: [] } },
          argument,
        ),
        true,
      );
      assert.deepEqual(offered, ['one.md', 'other.md']);
      const { activeTextEditor: editor } = vscode.window;
      assert.equal(editor?.document.uri.toString(), other.toString());
      assert.equal(editor?.document.lineAt(0).text, '![A fox](shown.png)text');
    } finally {
      Object.assign(vscode.window, { showQuickPick });
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      for (const uri of [one, other, picture]) await vscode.workspace.fs.delete(uri);
    }
  });

  it("honours Markdown's own snippet for sound", async () => {
    const configuration = vscode.workspace.getConfiguration('markdown.editor.filePaste');
    await configuration.update('audioSnippet', '{{audio ${src}}}', vscode.ConfigurationTarget.Global);
    try {
      assert.equal(await insertedInto('markdown', 'fox.mp3'), 'before {{audio fox.mp3}}\n');
    } finally {
      await configuration.update('audioSnippet', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});

describe('Insert Last Result', () => {
  useSandboxInWorkspace();

  it('inserts the newest result whose file is still there', async () => {
    const made: Asset[] = [];
    for (const prompt of ['A fox', 'An owl']) {
      const request = { model: 'sandbox-1', prompt };
      made.push(...((await vscode.commands.executeCommand<Asset[]>('unifiedMedia.generateImage', request)) ?? []));
    }
    const [fox, owl] = made;
    assert(fox && owl);
    const { document } = await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ language: 'markdown', content: '' }),
    );
    const insert = () => vscode.commands.executeCommand('unifiedMedia.insertAsset', { last: true });
    assert.equal(await insert(), true);
    await vscode.workspace.fs.delete(vscode.Uri.parse(owl.uri));
    assert.equal(await insert(), true);
    assert.equal(document.getText(), '![An owl](media/images/an-owl.png)![A fox](media/images/a-fox.png)');
    // What an edit shows is said by its source.
    const edit = { model: 'sandbox-1', prompt: 'At night', image_urls: [vscode.Uri.parse(fox.uri)] };
    await vscode.commands.executeCommand('unifiedMedia.editImage', edit);
    assert.equal(await insert(), true);
    assert(document.getText().endsWith('![A fox](media/images/a-fox-2.png)'), document.getText());
  });
});
