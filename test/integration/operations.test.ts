import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Asset } from '../../src/library/Asset.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { readMp4 } from '../support/readMp4.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';

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
    folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    assert(folder);
    await changeSettings({ service: 'sandbox', openAfterSave: false });
  });

  after(resetSettings);

  afterEach(async () => {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
  });

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
    for (const [index, image_url] of given.entries()) {
      const edited = await run('editImage', { model, prompt: `at night ${index}`, image_urls: [image_url] });
      assert.equal(edited.operation, 'editImage');
      assert.match(pathOf(edited), /media.images.at-night-\d\.png$/);
      assert.notEqual(edited.sha256, image.sha256);
    }
  });

  it('makes a video, one from an image, and a remix that knows its parent', async () => {
    const image = await run('generateImage', { model, prompt: 'a fox' });
    const video = await run('generateVideo', { model, prompt: 'a fox runs' });
    const animated = await run('animateImage', { model, prompt: 'it runs', image_url: vscode.Uri.parse(image.uri) });
    const remix = await run('remixVideo', { model, video_id: video.videoId, prompt: 'at night' });
    for (const asset of [video, animated, remix]) {
      assert.equal(asset.mediaType, 'video/mp4');
      assert.equal(readMp4(await readFile(pathOf(asset))).width, 640);
    }
    assert.equal(remix.parentVideoId, video.videoId);
    assert.equal(new Set([video, animated, remix].map(({ videoId }) => videoId)).size, 3);
  });

  const wrong: readonly (readonly [string, string, unknown, RegExp])[] = [
    [
      'editImage',
      'an image that is none',
      ['notes.png'],
      /^Images \(image_urls\): notes\.png is no image\. \[invalidInput\]$/,
    ],
    ['editImage', 'an image that is not there', ['absent.png'], /^Images \(image_urls\): absent\.png does not exist\./],
    ['editImage', 'no image at all', [], /^Images \(image_urls\) must hold at least one image\./],
    ['animateImage', 'a number', 7, /^Image \(image_url\) must be/],
  ];
  for (const [command, name, value, sentence] of wrong) {
    it(`${command} refuses ${name}`, async () => {
      await writeFile(join(folder, 'notes.png'), 'notes');
      const field = command === 'editImage' ? 'image_urls' : 'image_url';
      await assert.rejects(run(command, { model, prompt: 'at night', [field]: value }), { message: sentence });
    });
  }

  it('says what the service says of a video it does not know', async () => {
    await assert.rejects(run('remixVideo', { model, video_id: 'video_unknown', prompt: 'at night' }), {
      message: /video_unknown.* \[notFound\]$/,
    });
  });

  it('tells an image from its bytes, whatever its name', async () => {
    await writeFile(join(folder, 'picture.dat'), pngBytes);
    const edited = await run('editImage', { model, prompt: 'blue', image_urls: ['picture.dat'] });
    assert.equal(edited.mediaType, 'image/png');
  });
});
