import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { LibraryRecord } from '../../src/library/LibraryRecord.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { answerWarning } from './answerDialog.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { untilRead } from './untilRead.ts';
import { untilReported } from './untilReported.ts';
import { emptyFolder, remove, workspaceFolder } from './workspaceFolder.ts';

const record: LibraryRecord = {
  file: 'media/images/fox.png',
  kind: 'images',
  operation: 'generateImage',
  model: 'painter',
  prompt: 'a fox',
  createdAt: '2026-03-01T10:00:00.000Z',
  jobId: 'job-1',
};

describe('the hover on a reference (promise 14)', () => {
  let folder: string;
  let watcher: vscode.FileSystemWatcher;

  before(async () => {
    folder = workspaceFolder();
    watcher = vscode.workspace.createFileSystemWatcher('**/*');
    // VS Code reliably reports new files only in folders that it has already reported.
    const libraryFolder = join(folder, '.unified-media');
    await untilReported(watcher, libraryFolder, () => mkdir(libraryFolder));
    // A folder with a library activates the extension when it is opened.
    await vscode.extensions.getExtension('unified-media.unified-media')?.activate();
  });

  afterEach(async () => {
    await resetSettings();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const name of await readdir(folder)) if (name !== '.unified-media') await remove(join(folder, name));
    await emptyFolder(join(folder, '.unified-media'));
  });

  after(async () => {
    watcher.dispose();
    await emptyFolder(folder);
  });

  async function write(path: string, content: string | Uint8Array): Promise<void> {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), content);
  }

  async function remember(...records: readonly LibraryRecord[]): Promise<void> {
    for (const { file } of records) await write(file ?? '', pngBytes);
    const library = join(folder, '.unified-media', 'library.jsonl');
    const before = await readFile(library, 'utf8').catch(() => '');
    const lines = records.map((one) => `${JSON.stringify(one)}\n`).join('');
    // The extension reads the library again when VS Code has reported the change.
    await untilReported(watcher, library, () => writeFile(library, before + lines));
  }

  /** Returns the text of our hover at a word of a document. */
  async function hoverIn(path: string, text: string, word: string): Promise<vscode.MarkdownString | undefined> {
    await write(path, text);
    const uri = vscode.Uri.file(join(folder, path));
    await untilRead(uri, text);
    const { document } = await vscode.window.showTextDocument(uri);
    const position = document.positionAt(document.getText().indexOf(word));
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      position,
    );
    const ours = hovers
      .flatMap(({ contents }) => contents)
      .find((content) => content instanceof vscode.MarkdownString && content.value.includes('command:unifiedMedia.'));
    return ours instanceof vscode.MarkdownString ? ours : undefined;
  }

  /** The text of a hover without its character references. */
  const shown = ({ value }: vscode.MarkdownString) =>
    value.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));

  const documents: readonly (readonly [string, string])[] = [
    ['docs/a.md', 'See ![alt](../media/images/fox.png) here'],
    ['a.html', '<p><img src="media/images/fox.png" alt="alt"></p>'],
  ];
  it('shows prompt, model and date, and the picture where VS Code does not', async () => {
    await remember(record);
    for (const [path, text] of documents) {
      const hover = await hoverIn(path, text, 'fox.png');
      assert(hover, path);
      assert.match(shown(hover), /(?:^|\n)a fox\n\nGenerate Image · painter · .*2026/, path);
      // VS Code shows it itself where it finds it, which it does in Markdown.
      const picture = `![](${vscode.Uri.file(join(folder, 'media/images/fox.png'))}|height=120)`;
      assert.equal(hover.value.startsWith(picture), path !== 'docs/a.md', hover.value);
      for (const command of ['editImage', 'animateImage', 'repeatAsset', 'openLibrary']) {
        assert(hover.value.includes(`(command:unifiedMedia.${command}?`), `${command} in ${path}`);
      }
    }
  });

  it('shows the picture of a site, which VS Code does not find, and none for a web address', async () => {
    await write('docusaurus.config.js', 'export default {}');
    await remember({ ...record, file: 'static/img/fox (1).png' });
    const text = '![alt](/img/fox%20(1).png) ![alt](https://example.org/img/fox.png)';
    const hover = await hoverIn('docs/a.md', text, '/img/fox%20');
    assert.match(hover?.value ?? '', /^!\[\]\(file:[^()\s]*\/static\/img\/fox%20%281%29\.png\|height=120\)\n\na/);
    assert.equal(await hoverIn('docs/b.md', text, 'example.org'), undefined);
  });

  it('shows nothing beside the reference, for other or missing files, and when it is turned off', async () => {
    await remember(record);
    await write('other.png', pngBytes);
    const text = 'See ![alt](media/images/fox.png), ![b](other.png), ![c](gone.png)';
    assert(await hoverIn('a.md', text, 'fox.png'));
    for (const word of ['See', 'other.png', 'gone.png'])
      assert.equal(await hoverIn('a.md', text, word), undefined, word);
    await changeSettings({ hover: false });
    assert.equal(await hoverIn('a.md', text, 'fox.png'), undefined);
  });

  it('finding 2: shows nothing in a document above 1 MB', async () => {
    await remember(record);
    const text = `${'word '.repeat(199_990)}\n`;
    assert(await hoverIn('a.md', `![alt](media/images/fox.png)\n${text}`, 'fox.png'));
    assert.equal(await hoverIn('b.md', `![alt](media/images/fox.png)\n${text}${text}`, 'fox.png'), undefined);
  });

  it('shows a file made a moment ago, and the newest record of its name', async () => {
    await remember(record);
    const text = '![alt](media/images/fox.png) ![alt](media/images/hen.png)';
    assert(await hoverIn('a.md', text, 'fox.png'));
    await changeSettings({ service: 'sandbox', openAfterSave: false });
    const request = { model: 'sandbox-1', prompt: 'hen', n: 1, output_format: 'b64_json' };
    await vscode.commands.executeCommand('unifiedMedia.generateImage', request);
    const hover = await hoverIn('a.md', text, 'hen.png');
    assert(hover);
    assert.match(shown(hover), /^hen\n\nGenerate Image · sandbox-1 · .* · sandbox\n/);
  });

  it('says which marks of origin there are, or that they were not kept', async () => {
    await remember({ ...record, credentials: ['c2pa'] });
    const text = '![alt](media/images/fox.png)';
    const hover = await hoverIn('a.md', text, 'fox.png');
    assert(hover);
    assert(shown(hover).includes('\n\nMarks of origin: Content Credentials (present, not verified)\n\n'), hover.value);
    await remember({ ...record, jobId: 'job-2', credentials: 'lost', digitalSourceType: 'trainedAlgorithmicMedia' });
    const after = await hoverIn('a.md', text, 'fox.png');
    assert(after);
    const told = 'Marks of origin: made here without the credentials of its source, marked as made by AI';
    assert(shown(after).includes(told), after.value);
  });

  it('shows library data as text, and trusts only its own commands', async () => {
    const prompt =
      '[Click](command:workbench.action.quit) <img src=x onerror=alert(1)> **bold** $(trash)\n\n# Heading https://evil.example www.evil.example a@evil.example';
    await remember({ ...record, prompt, model: '[evil](command:evil) `code`' });
    const hover = await hoverIn('a.md', '![alt](media/images/fox.png)', 'fox.png');
    assert(hover);
    const links = [...hover.value.matchAll(/(?<!\\)\]\((command:[\w.]+)/g)].map(([, link]) => link);
    assert.deepEqual(
      links,
      ['editImage', 'animateImage', 'repeatAsset', 'openLibrary'].map((name) => `command:unifiedMedia.${name}`),
    );
    assert(!/[<>*`#$]|\[(?:Click|evil)/.test(hover.value.replace(/command:\S*|&#\d+;/g, '')), hover.value);
    assert(shown(hover).includes(prompt.split('\n')[0] ?? ''), hover.value);
    assert(!/https:\/\/evil|www\.evil|a@evil/.test(hover.value.replace(/command:\S*/g, '')), hover.value);
    assert(!hover.supportHtml && hover.supportThemeIcons !== true);
    assert(typeof hover.isTrusted === 'object' && hover.isTrusted.enabledCommands.length === 4);
    assert(hover.isTrusted.enabledCommands.every((command) => command.startsWith('unifiedMedia.')));
  });

  it('offers to run an edit again with its picture and its count, but not when the picture was elsewhere', async () => {
    const edit = { ...record, operation: 'editImage', values: { n: 3 } } as const;
    const input = { field: 'image_urls', sha256: 'abc' };
    const text = '![a](media/images/fox.png)';
    await remember({ ...edit, inputs: [{ ...input, file: 'hero.png' }] });
    const hover = await hoverIn('a.md', text, 'fox.png');
    const [, sent = ''] = /command:unifiedMedia\.repeatAsset\?([^)]*)\)/.exec(hover?.value ?? '') ?? [];
    const [{ n, image_urls }] = JSON.parse(decodeURIComponent(sent));
    assert.equal(n, 3);
    assert.match(String(image_urls), /^file:.*\/hero\.png$/);
    await remember({ ...edit, jobId: 'job-2', inputs: [{ ...input, name: 'hero.png' }] });
    const other = await hoverIn('a.md', text, 'fox.png');
    assert(other && !other.value.includes('repeatAsset'));
  });

  it('sends a request again after a yes, and not without', async () => {
    await remember({ ...record, model: 'sandbox-1' });
    await changeSettings({ service: 'sandbox', openAfterSave: false });
    const hover = await hoverIn('a.md', '![a](media/images/fox.png)', 'fox.png');
    const [, sent = ''] = /command:unifiedMedia\.repeatAsset\?([^)]*)\)/.exec(hover?.value ?? '') ?? [];
    const [request] = JSON.parse(decodeURIComponent(sent));
    for (const [button, files] of [
      ['Cancel', ['fox.png']],
      ['Run Again', ['a-fox.png', 'fox.png']],
    ] as const) {
      using dialogs = answerWarning(button);
      await vscode.commands.executeCommand('unifiedMedia.repeatAsset', request);
      assert.deepEqual(dialogs.questions, ['Send this to sandbox-1 again? a fox']);
      assert.deepEqual((await readdir(join(folder, 'media/images'))).toSorted(), files);
    }
  });

  it('offers Run Again only when it is possible', async () => {
    const { prompt: _, ...withoutPrompt } = record;
    await remember(
      { ...withoutPrompt, jobId: 'job-2' },
      { ...record, file: 'b.png', jobId: 'job-3', madeFrom: { file: 'media/images/fox.png', sha256: 'abc' } },
    );
    const text = '![a](media/images/fox.png) ![b](b.png)';
    for (const word of ['fox.png', 'b.png']) {
      const hover = await hoverIn('a.md', text, word);
      assert(hover && !hover.value.includes('repeatAsset'), word);
    }
  });
});
