import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { startStandingService } from '../support/standingService.ts';
import { answerDialog } from './answerDialog.ts';
import { answerQuestions } from './answerQuestions.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { anyOf, eventually } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { untilRead } from './untilRead.ts';
import { emptyFolder } from './workspaceFolder.ts';

const prompt = 'A harbour at dawn';
const reference = '![A harbour at dawn](/img/a-harbour-at-dawn.png)';

function generate(argument?: unknown): Promise<Asset[] | undefined> {
  return Promise.resolve(
    vscode.commands.executeCommand<Asset[] | undefined>('unifiedMedia.generateImageAtCursor', argument),
  );
}

describe('unifiedMedia.generateImageAtCursor', () => {
  let root: vscode.Uri;
  let service: Awaited<ReturnType<typeof startStandingService>>;
  let paidBefore: number;

  /** VS Code takes up to half a second for each setting, so all tests share them. */
  const settings = () => ({ imageBaseUrl: service.origin, models: { generateImage: ['painter'] } });
  const paid = () => service.paid() - paidBefore;

  before(async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert(folder);
    root = folder;
    service = await startStandingService();
    await changeSettings(settings());
    await setApiKey('key');
    await write('docusaurus.config.js', 'export default {}');
    await write('static/img/logo.svg', '');
  });

  beforeEach(() => {
    paidBefore = service.paid();
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    service.release();
    service.answerHeld();
    await resetSettings(settings());
    // The site stays: VS Code reports late that its configuration is there again.
    await emptyFolder(root.fsPath, ['docusaurus.config.js', 'static']);
    await emptyFolder(join(root.fsPath, 'static/img'), ['logo.svg']);
  });

  after(async () => {
    await emptyFolder(root.fsPath);
    await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
    await resetSettings();
    await service[Symbol.asyncDispose]();
  });

  async function write(path: string, text: string): Promise<vscode.Uri> {
    const uri = vscode.Uri.joinPath(root, path);
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    await untilRead(uri, text);
    return uri;
  }

  /**
   * Opens a document with the cursor after its first line. Each test has one of its own: on a busy computer VS Code may
   * keep the text of a closed one.
   */
  async function open(path: string, text = '# Boats\n\nEnd.\n'): Promise<vscode.TextEditor> {
    const editor = await vscode.window.showTextDocument(await write(path, text), { preview: false });
    editor.selection = new vscode.Selection(1, 0, 1, 0);
    return editor;
  }

  /** Starts a request and resolves when it has reached the service, which holds it. */
  async function generateSlowly(argument: unknown = { prompt }) {
    const waiting = service.standAt('waiting');
    const generated = generate(argument);
    await Promise.race([waiting, generated]);
    return {
      answer: () => {
        service.answerHeld();
        return generated;
      },
    };
  }

  it('inserts a project reference at the cursor, saves in the project’s folder, and is undone in one step', async () => {
    const { document } = await open('docs/boats.md');
    const assets = await generate({ prompt });
    assert.deepEqual(
      assets?.map(({ uri }) => uri),
      [vscode.Uri.joinPath(root, 'static/img/a-harbour-at-dawn.png').toString()],
    );
    await access(join(root.fsPath, 'static/img/a-harbour-at-dawn.png'));
    assert.equal(document.getText(), `# Boats\n\n${reference}\n\nEnd.\n`);
    assert.equal(vscode.window.activeTextEditor?.document, document);
    assert.equal(paid(), 1);
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), '# Boats\n\nEnd.\n');
  });

  it('uses the selection as the prompt and replaces it by the reference', async () => {
    const editor = await open('docs/selected.md', `# Boats\n${prompt}\nEnd.\n`);
    editor.selection = new vscode.Selection(1, 0, 1, prompt.length);
    using asked = answerQuestions({});
    const [asset] = (await generate()) ?? [];
    assert.equal(asset?.prompt, prompt);
    assert.deepEqual(asked.questions, []);
    assert.equal(editor.document.getText(), `# Boats\n${reference}\nEnd.\n`);
  });

  it('asks only for the prompt', async () => {
    const { document } = await open('docs/asked.md');
    using asked = answerQuestions({ 'What the image shows': prompt });
    await generate();
    assert.equal(asked.questions.length, 1);
    assert.equal(document.getText(), `# Boats\n\n${reference}\n\nEnd.\n`);
  });

  it('finds its place after edits above and at the cursor, a rename and a switch to another editor', async () => {
    const { document } = await open('docs/above.md');
    const { answer } = await generateSlowly();
    const lines = 'line\n'.repeat(40);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), lines);
    edit.insert(document.uri, new vscode.Position(1, 0), 'typed on');
    await vscode.workspace.applyEdit(edit);
    await document.save();
    const renamed = vscode.Uri.joinPath(root, 'docs/ships.md');
    const rename = new vscode.WorkspaceEdit();
    rename.renameFile(document.uri, renamed);
    await vscode.workspace.applyEdit(rename);
    const other = await open('other.md', 'Other.\n\n');
    await answer();
    const ships = await vscode.workspace.openTextDocument(renamed);
    const before = `${lines}# Boats\ntyped on\nEnd.\n`;
    assert.equal(ships.getText(), before.replace('typed on', `${reference}typed on`));
    assert.equal(other.document.getText(), 'Other.\n\n');
    await vscode.window.showTextDocument(ships);
    await vscode.commands.executeCommand('undo');
    assert.equal(ships.getText(), before);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('does not replace a selection that has changed meanwhile', async () => {
    const editor = await open('docs/changed.md', '# Boats\nfox\nEnd.\n');
    editor.selection = new vscode.Selection(1, 0, 1, 3);
    const { answer } = await generateSlowly({});
    await editor.edit((edit) => edit.insert(new vscode.Position(1, 1), 'lamming'));
    await answer();
    assert.equal(editor.document.getText(), '# Boats\nflammingox![fox](/img/fox.png)\nEnd.\n');
  });

  it('reports a closed document, and inserts on request, also after changes to the file', async () => {
    const { document } = await open('docs/closed.md');
    const { answer } = await generateSlowly();
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await write('docs/closed.md', 'New.\n# Boats\n\nEnd.\n');
    const other = await open('other.md', 'Other.\n\n');
    using asked = answerDialog('showInformationMessage', () => 'Insert');
    const changed = () => vscode.window.activeTextEditor?.document.getText() ?? '';
    await answer();
    assert.deepEqual(asked.questions, [
      'static/img/a-harbour-at-dawn.png was saved. No reference was inserted, because docs/closed.md was closed in the meantime.',
    ]);
    const { onDidChangeActiveTextEditor } = vscode.window;
    await eventually(anyOf(vscode.workspace.onDidChangeTextDocument, onDidChangeActiveTextEditor), () =>
      changed().includes('!['),
    );
    assert.equal(changed(), `New.\n# Boats\n\n${reference}\n\nEnd.\n`);
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), document.uri.toString());
    assert.equal(other.document.getText(), 'Other.\n\n');
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  describe('in the Markdown editor that is not a text editor', () => {
    let beside: vscode.TextEditor;
    let hybrid: vscode.Uri;

    beforeEach(async () => {
      hybrid = await write('docs/hybrid.md', '# Hybrid\n');
      beside = await open('docs/beside.md');
      await vscode.commands.executeCommand('vscode.openWith', hybrid, 'vscode.markdown.editor', vscode.ViewColumn.Two);
      const isActive = () => {
        const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
        const isOpen = vscode.workspace.textDocuments.some(({ uri }) => uri.toString() === hybrid.toString());
        return (
          input instanceof vscode.TabInputCustom &&
          isOpen &&
          vscode.window.activeTextEditor === undefined &&
          vscode.window.visibleTextEditors.includes(beside)
        );
      };
      const { tabGroups, onDidChangeActiveTextEditor, onDidChangeVisibleTextEditors } = vscode.window;
      const documentsAndTabs = anyOf(vscode.workspace.onDidOpenTextDocument, tabGroups.onDidChangeTabs);
      await eventually(anyOf(documentsAndTabs, onDidChangeActiveTextEditor, onDidChangeVisibleTextEditors), isActive);
    });

    const refusal = /^Nothing was inserted, because the editor that shows docs\/hybrid\.md does not report its cursor/;

    it('rejects a caller, and inserts into no other document', async () => {
      await assert.rejects(generate({ prompt }), { message: new RegExp(`${refusal.source}.* \\[invalidInput\\]$`) });
      assert.equal(paid(), 0);
      assert.equal(beside.document.isDirty, false);
    });

    it('offers to reopen it as text', async () => {
      using asked = answerDialog('showInformationMessage', () => 'Reopen as Text');
      assert.equal(await generate(), undefined);
      assert.match(asked.questions[0] ?? '', refusal);
      const active = () => vscode.window.activeTextEditor?.document.uri.toString();
      await eventually(vscode.window.onDidChangeActiveTextEditor, () => active() === hybrid.toString());
      assert.equal(paid(), 0);
    });

    it('keeps insertAsset from changing the other document', async () => {
      using asked = answerDialog('showInformationMessage', () => undefined);
      const uri = vscode.Uri.joinPath(root, 'static/img/logo.svg').toString();
      assert.equal(await vscode.commands.executeCommand('unifiedMedia.insertAsset', { uri }), false);
      assert.match(asked.questions[0] ?? '', refusal);
      assert.equal(beside.document.isDirty, false);
    });
  });

  it('goes to where the person wrote last, while a picture covers it', async () => {
    const editor = await open('docs/covered.md', `# Boats\n${prompt}\nEnd.\n`);
    editor.selection = new vscode.Selection(1, 0, 1, prompt.length);
    const picture = vscode.Uri.joinPath(root, 'static/img/logo.png');
    await vscode.workspace.fs.writeFile(picture, pngBytes);
    await vscode.commands.executeCommand('vscode.open', picture, { preview: false });
    await eventually(vscode.window.onDidChangeActiveTextEditor, () => vscode.window.activeTextEditor === undefined);
    await generate();
    assert.equal(editor.document.getText(), `# Boats\n${reference}\nEnd.\n`);
    assert.equal(vscode.window.activeTextEditor?.document, editor.document);
  });

  it('offers a person to open a file where none is open', async () => {
    using asked = answerDialog('showInformationMessage', () => undefined);
    assert.equal(await generate(), undefined);
    assert.deepEqual(asked.questions, ['No document is open to insert into.']);
    assert.equal(paid(), 0);
  });

  it('says that no document is open', async () => {
    await assert.rejects(generate({ prompt }), { message: 'Open the document to insert into first. [invalidInput]' });
    assert.equal(paid(), 0);
  });
});
