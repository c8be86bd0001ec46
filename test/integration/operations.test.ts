import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import { startSandbox } from '../../src/sandbox/startSandbox.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { emptyFolder, workspaceFolder } from './workspaceFolder.ts';

const model = 'sandbox-1';

async function run(command: string, argument: unknown): Promise<Asset> {
  const assets = await vscode.commands.executeCommand<Asset[]>(`unifiedMedia.${command}`, argument);
  const [asset] = assets;
  assert(asset && assets.length === 1);
  return asset;
}

describe('the other operations by argument', () => {
  let folder: string;

  before(async () => {
    folder = workspaceFolder();
    await changeSettings({ service: 'sandbox', openAfterSave: false });
  });

  after(() => resetSettings());

  afterEach(async () => {
    await emptyFolder(folder);
  });

  /** Creates a recording with the sandbox's voice. */
  async function spoken(input: string, response_format = 'wav'): Promise<Buffer> {
    const sandbox = await startSandbox();
    try {
      const answer = await fetch(`${sandbox.audioBaseUrl}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: sandbox.key, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input, voice: 'nova', response_format }),
      });
      assert.equal(answer.status, 200);
      return Buffer.from(await answer.arrayBuffer());
    } finally {
      await sandbox.stop();
    }
  }

  function pathOf({ uri }: Asset): string {
    return vscode.Uri.parse(uri).fsPath;
  }

  it('edits an image of the workspace: by Uri, by path and by data URL', async () => {
    const image = await run('generateImage', { model, prompt: 'a fox' });
    const bytes = await readFile(pathOf(image));
    const given = [
      vscode.Uri.parse(image.uri),
      'media/images/a-fox.png',
      `data:image/png;base64,${bytes.toString('base64')}`,
    ];
    const names = ['a-fox-2.png', 'a-fox-3.png', 'at-night-2.png'];
    for (const [index, image_url] of given.entries()) {
      const edited = await run('editImage', { model, prompt: `at night ${index}`, image_urls: [image_url] });
      assert.equal(edited.operation, 'editImage');
      assert.equal(pathOf(edited), join(folder, 'media/images', names[index] ?? ''));
      assert.notEqual(edited.sha256, image.sha256);
    }
  });

  it('transcribes and translates a recording of the workspace, with its source and a link to it', async () => {
    await writeFile(join(folder, 'stand up.wav'), await spoken('Good morning. The tests are green.'));
    const transcript = await run('transcribe', { model, file: 'stand up.wav' });
    assert.equal(transcript.mediaType, 'text/markdown');
    assert.match(pathOf(transcript), /media.transcripts.stand-up\.md$/);
    const text = await readFile(pathOf(transcript), 'utf8');
    assert.match(text, /^---\nsource: .*stand up\.wav/);
    assert.match(text, /\(\.\.\/\.\.\/stand%20up\.wav\)/);
    assert.match(text, /Good morning\. The tests are green\./);
    assert.match(text, /sandbox: true/);
    const translation = await run('translate', { model, file: vscode.Uri.file(join(folder, 'stand up.wav')) });
    assert.match(pathOf(translation), /stand-up-2\.md$/);
  });

  it('links a transcript to its recording by the rules of its project', async () => {
    await mkdir(join(folder, 'site/static'), { recursive: true });
    await writeFile(join(folder, 'site/docusaurus.config.js'), '');
    await writeFile(join(folder, 'site/static/call.wav'), await spoken('Good morning.'));
    await changeSettings({ outputFolder: 'site/docs/calls' });
    const transcript = await run('transcribe', { model, file: 'site/static/call.wav' });
    await changeSettings({ outputFolder: undefined });
    assert.match(await readFile(pathOf(transcript), 'utf8'), /^\[.*\]\(\/call\.wav\)$/m);
  });

  // A folder of its own: for five seconds a folder is not listed again while VS Code reports no change.
  it('speaks a selection into the project’s folder for audio', async () => {
    await mkdir(join(folder, 'manual/static/audio'), { recursive: true });
    await mkdir(join(folder, 'manual/docs'), { recursive: true });
    await writeFile(join(folder, 'manual/docusaurus.config.js'), '');
    // VS Code does not know MDX.
    const page = join(folder, 'manual/docs/a.mdx');
    await writeFile(page, "---\ntitle: Hello\n---\nimport Tabs from '@theme/Tabs';\n\nGood morning, site.\n");
    await vscode.window.showTextDocument(vscode.Uri.file(page));
    const speech = await run('narrateSelection', { model });
    assert.equal(speech.prompt, 'Good morning, site.');
    assert.match(pathOf(speech), /manual.static.audio.good-morning-site\.mp3$/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('saves pictures where the project of the active document keeps them, and edits beside their source', async () => {
    await mkdir(join(folder, 'handbook/static/img'), { recursive: true });
    await mkdir(join(folder, 'handbook/docs/guide'), { recursive: true });
    await writeFile(join(folder, 'handbook/docusaurus.config.js'), '');
    await writeFile(join(folder, 'handbook/docs/a.md'), '# Harbour\n');
    await vscode.window.showTextDocument(vscode.Uri.file(join(folder, 'handbook/docs/a.md')));
    const picture = await run('generateImage', { model, prompt: 'a harbour' });
    assert.equal(pathOf(picture), join(folder, 'handbook/static/img/a-harbour.png'));
    await copyFile(pathOf(picture), join(folder, 'handbook/docs/guide/banner.png'));
    const edit = { model, prompt: 'at night', image_urls: ['handbook/docs/guide/banner.png'] };
    assert.equal(pathOf(await run('editImage', edit)), join(folder, 'handbook/docs/guide/banner-2.png'));
    assert.equal(pathOf(await run('editImage', edit)), join(folder, 'handbook/docs/guide/banner-3.png'));
    // What a person has set counts more.
    await changeSettings({ fileName: '${prompt}' });
    assert.equal(pathOf(await run('editImage', edit)), join(folder, 'handbook/docs/guide/at-night.png'));
    await changeSettings({ outputFolder: 'pictures' });
    assert.equal(pathOf(await run('editImage', edit)), join(folder, 'pictures/at-night.png'));
    assert.equal(pathOf(await run('generateImage', { model, prompt: 'x' })), join(folder, 'pictures/x.png'));
    await changeSettings({ fileName: undefined, outputFolder: undefined });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('narrates nothing when there is nothing to read aloud', async () => {
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: '```\ncode\n```\n' });
    await vscode.window.showTextDocument(document);
    await assert.rejects(run('narrateSelection', { model }), { message: /no text to read aloud.* \[invalidInput\]$/ });
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('transcribes several recordings at once, as subtitles', async () => {
    await changeSettings({ 'transcript.format': 'srt' });
    for (const name of ['a.wav', 'b.mp3']) {
      await writeFile(join(folder, name), await spoken(`This is ${name}.`, name.slice(2)));
    }
    const assets = await vscode.commands.executeCommand<Asset[]>('unifiedMedia.transcribe', {
      model,
      files: ['a.wav', vscode.Uri.file(join(folder, 'b.mp3'))],
    });
    assert.deepEqual(
      assets.map((asset) => asset.uri.slice(asset.uri.lastIndexOf('/') + 1)),
      ['a.srt', 'b.srt'],
    );
    const [first] = assets;
    assert(first);
    assert.match(await readFile(pathOf(first), 'utf8'), /^1\n00:00:00,000 --> 00:00:0\d,\d{3}\nThis is a\.wav\./);
    await changeSettings({ 'transcript.format': 'markdown' });
  });

  const wrong: readonly (readonly [string, string, unknown, RegExp])[] = [
    ['transcribe', 'a file that is no sound', 'notes.png', /^Audio file \(file\) must be an audio file .*"notes\.png"/],
    ['transcribe', 'a file that is not there', 'absent.mp3', /absent\.mp3 does not exist/],
    ['editImage', 'an image that is not there', ['absent.png'], /^Images \(image_urls\): absent\.png does not exist\./],
    ['animateImage', 'a number', 7, /^Image \(image_url\) must be/],
  ];
  for (const [command, name, value, sentence] of wrong) {
    it(`${command} refuses ${name}`, async () => {
      await writeFile(join(folder, 'notes.png'), 'Notes of Monday.');
      const fields = { editImage: 'image_urls', animateImage: 'image_url', transcribe: 'file' };
      const prompt = command === 'transcribe' ? {} : { prompt: 'at night' };
      const field = fields[command as keyof typeof fields];
      await assert.rejects(run(command, { model, ...prompt, [field]: value }), { message: sentence });
      assert.deepEqual(await readdir(folder).then((names) => names.filter((name) => name === 'media')), []);
    });
  }

  it('reports the service’s message about an unknown video', async () => {
    await assert.rejects(run('remixVideo', { model, video_id: 'video_unknown', prompt: 'at night' }), {
      message: /video_unknown.* \[notFound\]$/,
    });
  });

  it('recognises an image by its bytes, whatever its name', async () => {
    await writeFile(join(folder, 'picture.dat'), pngBytes);
    const edited = await run('editImage', { model, prompt: 'blue', image_urls: ['picture.dat'] });
    assert.equal(edited.mediaType, 'image/png');
  });
});
