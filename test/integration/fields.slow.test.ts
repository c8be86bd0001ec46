import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decode, encode } from 'fast-png';
import * as vscode from 'vscode';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import { bodyOf, startHttpServer } from '../support/httpServer.ts';
import { mp4Bytes } from '../support/mediaBytes.ts';
import { changeSettings } from './changeSettings.ts';
import { setApiKey } from './setApiKey.ts';
import { useSandboxInWorkspace } from './workspaceFolder.ts';

const run = (name: string, argument: unknown): Thenable<Asset[] | undefined> =>
  vscode.commands.executeCommand(`unifiedMedia.${name}`, argument);

describe('further fields by argument', () => {
  const folder = useSandboxInWorkspace();
  const request = { model: 'gpt-image-2', prompt: 'A fox' };

  it('of a preset make a transparent picture of the size that was asked for, and are recorded', async () => {
    assert.equal(await run('usePreset', { preset: 'openai' }), 'openai');
    const fields = { size: '96x64', background: 'transparent' };
    await run('generateImage', { ...request, fields });
    const picture = decode(await readFile(join(folder, 'media/images/a-fox.png')));
    assert.deepEqual([picture.width, picture.height, picture.channels], [96, 64, 4]);
    const library = await readFile(join(folder, '.unified-media/library.jsonl'), 'utf8');
    assert.deepEqual(JSON.parse(library.trim().split('\n').at(-1) ?? '').values, {
      n: 1,
      output_format: 'png',
      ...fields,
    });
  });

  it('may be a file, which is sent beside the pictures', async () => {
    const pixels = new Uint8Array(64 * 64 * 4).fill(255);
    await writeFile(join(folder, 'source.png'), encode({ width: 64, height: 64, channels: 4, data: pixels }));
    await writeFile(join(folder, 'mask.png'), encode({ width: 64, height: 64, channels: 4, data: pixels.fill(0, 64) }));
    const edit = { model: 'gpt-image-2', prompt: 'At night', image_urls: ['source.png'], fields: { mask: 'mask.png' } };
    const [asset] = (await run('editImage', edit)) ?? [];
    assert.equal(asset?.mediaType, 'image/png');
    await assert.rejects(
      async () => run('editImage', { ...edit, fields: { mask: 'none.png' } }),
      /none\.png does not exist/,
    );
  });

  it('of a preset remix a video: the model that made it is recorded, although it is not sent', async () => {
    const bodies: string[] = [];
    await using server = await startHttpServer(async (sent, response) => {
      if (sent.method === 'GET') return response.end(mp4Bytes);
      bodies.push(String(await bodyOf(sent)));
      return response.end('{"id":"video-8","data":[{"url":"/result"}]}');
    });
    await changeSettings({ service: 'remote', videoBaseUrl: server.origin });
    await setApiKey('key-1');
    await run('addVideo', { video_id: 'video-7', model: 'sora-2', prompt: 'A boat leaves' });
    await run('remixVideo', { video_id: 'video-7', prompt: 'In the rain' });
    await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
    assert.deepEqual(bodies, ['{"prompt":"In the rain"}']);
    const library = await readFile(join(folder, '.unified-media/library.jsonl'), 'utf8');
    const record = JSON.parse(library.trim().split('\n').at(-1) ?? '');
    assert.deepEqual([record.operation, record.model, record.parentVideoId], ['remixVideo', 'sora-2', 'video-7']);
    assert(!('model' in (record.values ?? {})));
  });

  it('are taken by the commands that write into a document, and recorded', async () => {
    const document = vscode.Uri.file(join(folder, 'guide.md'));
    await writeFile(document.fsPath, '# A harbour\n\nBoats come in.\n');
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(2, 0, 2, 14);
    const speaker = { model: 'tts-1', voice: 'nova', response_format: 'wav' };
    const values = async () => {
      const library = await readFile(join(folder, '.unified-media/library.jsonl'), 'utf8');
      return JSON.parse(library.trim().split('\n').at(-1) ?? '').values;
    };
    const [spoken] = (await run('narrateSelection', { ...speaker, fields: { speed: 2 } })) ?? [];
    assert.deepEqual(await values(), { voice: 'nova', response_format: 'wav', speed: 2 });
    editor.selection = new vscode.Selection(1, 0, 1, 0);
    const [picture] = (await run('generateImageAtCursor', { ...request, fields: { size: '96x64' } })) ?? [];
    assert.equal((await values()).size, '96x64');
    const { width, height } = decode(await readFile(vscode.Uri.parse(picture?.uri ?? '').fsPath));
    assert.deepEqual([width, height], [96, 64]);
    const recording = { file: vscode.Uri.parse(spoken?.uri ?? ''), model: 'whisper-1' };
    await run('transcribeIntoDocument', { ...recording, fields: { language: 'en' } });
    assert.equal((await values()).language, 'en');
    const before = editor.document.getText();
    await assert.rejects(
      async () => run('transcribeIntoDocument', { ...recording, fields: { keywords: ['boat'] } }),
      /declared for gpt-transcribe\*.*\[invalidInput\]$/,
    );
    await assert.rejects(
      async () => run('generateImageAtCursor', { ...request, fields: { speed: 2 } }),
      /no field "speed"/,
    );
    assert.equal(editor.document.getText(), before);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('have values and models that are checked before anything is sent', async () => {
    const speak = { model: 'tts-1', input: 'Hello.' };
    await assert.rejects(async () => run('speak', { ...speak, fields: { speed: 9 } }), /at most 4/);
    await assert.rejects(
      async () => run('speak', { ...speak, fields: { instructions: 'Softly' } }),
      /declared for gpt-\*/,
    );
    await assert.rejects(async () => run('usePreset', { preset: 'x' }), /none, openai, gateway, local/);
    await changeSettings({ fields: { speak: { voice: { type: 'integer' } } } });
    await assert.rejects(async () => run('speak', speak), /fields\.speak\.voice: .* already/);
    await changeSettings({ fields: undefined });
  });
});
