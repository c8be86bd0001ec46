import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('unifiedMedia.insertAsset', () => {
  // Closing without reverting may leave a backup, which the next untitled document of the same name begins with.
  afterEach(() => vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor'));

  async function insertedInto(language: string, file: string): Promise<string> {
    const content = 'before \n';
    const document = await vscode.workspace.openTextDocument({ language, content });
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(0, 7, 0, 7);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert(folder);
    const uri = vscode.Uri.joinPath(folder, file).toString();
    assert.equal(await vscode.commands.executeCommand('unifiedMedia.insertAsset', { uri, title: 'A fox' }), true);
    return document.getText();
  }

  const rows: readonly (readonly [string, string, string])[] = [
    ['markdown', 'media/images/a fox.png', 'before ![A fox](media/images/a%20fox.png)\n'],
    ['markdown', 'media/videos/fox.mp4', 'before <video controls src="media/videos/fox.mp4" title="A fox"></video>\n'],
    ['html', 'media/speech/fox.mp3', 'before <audio controls src="media/speech/fox.mp3" title="A fox"></audio>\n'],
    ['css', 'media/images/fox.png', 'before url("media/images/fox.png")\n'],
    ['plaintext', 'media/images/fox.png', 'before media/images/fox.png\n'],
  ];
  for (const [language, file, expected] of rows) {
    it(`writes the form of ${language} for ${file}`, async () => {
      assert.equal(await insertedInto(language, file), expected);
    });
  }

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
