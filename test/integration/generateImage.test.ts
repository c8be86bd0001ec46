import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode } from 'fast-png';
import * as vscode from 'vscode';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/startSandbox.ts';
import { wavBytes } from '../support/mediaBytes.ts';
import { changeSettings } from './changeSettings.ts';
import { eventually } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { useSandboxInWorkspace } from './workspaceFolder.ts';

const request = { model: 'painter', prompt: 'A fox in the snow!' };

function generateImage(argument: unknown): Thenable<Asset[] | undefined> {
  return vscode.commands.executeCommand('unifiedMedia.generateImage', argument);
}

describe('unifiedMedia.generateImage by argument (promises 1, 4)', () => {
  const folder = useSandboxInWorkspace();

  it('saves an image under the name of its prompt, records it and resolves to it', async () => {
    const assets = await generateImage(request);
    assert.equal(assets?.length, 1);
    const [asset] = assets;
    assert(asset);
    const bytes = await readFile(join(folder, 'media/images/a-fox-in-the-snow.png'));
    const { width, height } = decode(bytes);
    assert.deepEqual([width, height], [1024, 1024]);
    assert.deepEqual(asset, {
      uri: vscode.Uri.file(join(folder, 'media/images/a-fox-in-the-snow.png')).toString(),
      kind: 'images',
      operation: 'generateImage',
      ...request,
      mediaType: 'image/png',
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      createdAt: asset.createdAt,
      jobId: asset.jobId,
    });
    assert(Math.abs(Date.now() - Date.parse(asset.createdAt)) < 60_000);
    const { uri: _, ...facts } = asset;
    assert.deepEqual(await libraryOf(folder), [
      { file: 'media/images/a-fox-in-the-snow.png', ...facts, values: { n: 1 }, sandbox: true },
    ]);
    assert.deepEqual(await readdir(join(folder, 'media/images')), ['a-fox-in-the-snow.png']);
  });

  it('follows the settings for folder, name, model, count and format', async () => {
    await changeSettings({
      outputFolder: 'assets/made/${kind}',
      fileName: '${operation}-${model}-${prompt}',
      models: { generateImage: ['first', 'second'] },
      'image.count': 2,
      'image.outputFormat': 'b64_json',
    });
    const assets = await generateImage({ prompt: 'Ein Fuchs: Über/Unter' });
    assert.deepEqual((await readdir(join(folder, 'assets/made/images'))).sort(), [
      'generateImage-first-ein-fuchs-über-unter-2.png',
      'generateImage-first-ein-fuchs-über-unter.png',
    ]);
    assert.equal(assets?.[0]?.model, 'first');
  });

  it('opens the saved file', async () => {
    await changeSettings({ openAfterSave: true });
    await generateImage(request);
    const { tabGroups } = vscode.window;
    const label = () => tabGroups.activeTabGroup.activeTab?.label;
    await eventually(tabGroups.onDidChangeTabs, () => label() === 'a-fox-in-the-snow.png');
  });

  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['no object', 'a fox', /^Generate Image takes an object/],
    ['n = 0', { ...request, n: 0 }, /^Count \(n\) must be a whole number of 1 or more, not 0\. \[invalidInput\]$/],
    ['an unknown field', { ...request, size: '1x1' }, /no field "size".* \[invalidInput\]$/],
  ];
  for (const [name, argument, sentence] of wrong) {
    it(`refuses ${name} with a message that names the field, and writes nothing`, async () => {
      await assert.rejects(Promise.resolve(generateImage(argument)), { message: sentence });
      assert.deepEqual(await readdir(folder), []);
    });
  }

  it('saves nothing where the setting names a folder that cannot be', async () => {
    await changeSettings({ outputFolder: '../elsewhere' });
    await assert.rejects(Promise.resolve(generateImage(request)), {
      message: /points outside the workspace folder.* \[save\]$/,
    });
  });

  it('does not follow a link out of the workspace folder', async () => {
    await symlink(tmpdir(), join(folder, 'media'), 'junction');
    await assert.rejects(Promise.resolve(generateImage(request)), {
      message: /leads outside the workspace.* \[save\]$/,
    });
  });

  describe('at the service', () => {
    let service: Sandbox;

    beforeEach(async () => {
      service = await startSandbox();
      const { imageBaseUrl, audioBaseUrl, videoBaseUrl } = service;
      await changeSettings({ service: 'remote', imageBaseUrl, audioBaseUrl, videoBaseUrl });
    });

    afterEach(async () => {
      await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
      await service.stop();
    });

    it('sends the key that SecretStorage holds', async () => {
      await setApiKey(` Bearer ${service.key}\n`);
      assert.equal((await generateImage(request))?.length, 1);
      assert.equal(service.counts.generateImage, 1);
      const [record] = await libraryOf(folder);
      assert(record && !('sandbox' in record));
    });

    it('needs the key that a service on this computer wants, and any key for another', async () => {
      await assert.rejects(Promise.resolve(generateImage(request)), { message: /wants an API key.* \[noKey\]$/ });
      assert.equal(service.counts.generateImage, 0);
      await changeSettings({ imageBaseUrl: 'https://media.invalid' });
      await assert.rejects(Promise.resolve(generateImage(request)), { message: /no API key for http.* \[noKey\]$/ });
    });

    it('never sends the key to an origin other than the one it was entered for', async () => {
      await setApiKey(service.key);
      const other = await startSandbox({ key: service.key });
      try {
        await changeSettings({ imageBaseUrl: other.imageBaseUrl });
        await assert.rejects(Promise.resolve(generateImage(request)), { message: /\[noKey\]$/ });
        assert.equal(other.counts.generateImage, 0);
      } finally {
        await other.stop();
      }
    });

    it('uses the configured audio path', async () => {
      await setApiKey(service.key);
      await changeSettings({ transcriptionPath: '/v1/audio/elsewhere' });
      await writeFile(join(folder, 'talk.wav'), wavBytes);
      const transcribed = vscode.commands.executeCommand('unifiedMedia.transcribe', { model: 'm', file: 'talk.wav' });
      await assert.rejects(Promise.resolve(transcribed), { message: /elsewhere.* \[notFound\]$/ });
      assert.equal(service.counts.transcribe, 0);
    });

    it('detects a read-only folder before it sends', async () => {
      await setApiKey(service.key);
      await writeFile(join(folder, 'media'), 'a file where the folder should be');
      await assert.rejects(Promise.resolve(generateImage(request)), { message: /^Nothing was sent.* \[save\]$/ });
      assert.equal(service.counts.generateImage, 0);
    });

    it('ignores hosts in workspace settings', async () => {
      const configuration = vscode.workspace.getConfiguration('unifiedMedia');
      await assert.rejects(
        Promise.resolve(
          configuration.update('imageBaseUrl', 'https://evil.example', vscode.ConfigurationTarget.Workspace),
        ),
      );
      const fileName = () => vscode.workspace.getConfiguration('unifiedMedia').get('fileName');
      await mkdir(join(folder, '.vscode'));
      await writeFile(
        join(folder, '.vscode/settings.json'),
        JSON.stringify({
          'unifiedMedia.imageBaseUrl': 'https://evil.example',
          unifiedMedia: { imageBaseUrl: 'https://evil.example' },
          'unifiedMedia.fileName': 'from-the-workspace',
        }),
      );
      await eventually(vscode.workspace.onDidChangeConfiguration, () => fileName() === 'from-the-workspace');
      await setApiKey(service.key);
      const assets = await generateImage(request);
      await rm(join(folder, '.vscode'), { recursive: true });
      await eventually(vscode.workspace.onDidChangeConfiguration, () => fileName() !== 'from-the-workspace');
      assert.match(assets?.[0]?.uri ?? '', /from-the-workspace\.png$/);
      assert.equal(service.counts.generateImage, 1);
    });
  });
});

async function libraryOf(folder: string): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(join(folder, '.unified-media/library.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
