import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { type MediaService, startMediaService } from '../support/mediaService.ts';
import { alt, missingPictures } from '../support/missingPictures.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { choose, fixesAt, titlesOf, untilFixed, workspaceRoot, writeFiles } from './missingMedia.ts';
import { setApiKey } from './setApiKey.ts';

/** Where each framework looks is shown by `test/unit/projects/missingPictures.test.ts`. */
const projects = ['docusaurus-outside', 'latex'];

describe('missing media in a project of', () => {
  let service: MediaService;

  before(async () => {
    service = await startMediaService(() => pngBytes);
    await changeSettings({ imageBaseUrl: service.origin, models: { generateImage: ['painter'] } });
    await setApiKey('key');
  });

  after(async () => {
    await vscode.workspace.fs.delete(vscode.Uri.joinPath(workspaceRoot(), 'missing-projects'), { recursive: true });
    await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
    await resetSettings();
    await service[Symbol.asyncDispose]();
  });

  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  for (const name of projects) {
    it(`${name} are saved where it looks for them`, async () => {
      const picture = missingPictures[name];
      assert(picture);
      const { files, document: path, text, file, name: shown = file } = picture;
      const folder = vscode.Uri.joinPath(workspaceRoot(), 'missing-projects', name);
      const [before = '', href = '', after = ''] = text.split(/[«»]/);
      // The repository's marker keeps the workspace folder from counting as the project.
      await writeFiles(folder, { '.git/HEAD': '', ...files, [path]: before + href + after });
      const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, path));
      await vscode.window.showTextDocument(document);
      const paid = service.paid.length;
      const fixes = await fixesAt(document, href);
      assert.equal(titlesOf(fixes).at(-1), `Generate ${shown} from "${alt}"`);
      assert.equal(service.paid.length, paid);
      const assets = await choose<readonly Asset[]>(fixes, `Generate ${shown} from "${alt}"`);
      const uri = vscode.Uri.joinPath(folder, file);
      assert.deepEqual(
        assets.map((asset) => asset.uri),
        [uri.toString()],
      );
      assert.deepEqual(await readFile(uri.fsPath), pngBytes);
      assert.deepEqual(service.paid.slice(paid), [
        {
          path: '/v1/images/generations',
          body: { model: 'painter', prompt: alt, n: 1, output_format: 'url' },
        },
      ]);
      assert.equal(document.getText(), before + href + after);
      await untilFixed(document, href);
    });
  }
});
