import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as vscode from 'vscode';
import { type HttpServer, startHttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { setApiKey } from './setApiKey.ts';

const megabyte = 2 ** 20;
const photo = Buffer.concat([pngBytes, Buffer.alloc(6 * megabyte, 7)]);

describe('the memory of the extension host', () => {
  let folder: string;
  let server: HttpServer;

  before(async () => {
    folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    assert(folder);
    await writeFile(join(folder, 'photo.png'), photo);
    server = await startHttpServer((request, response) => {
      request.resume().on('end', () => response.writeHead(400).end('{"error":{"message":"no"}}'));
    });
    await changeSettings({ imageBaseUrl: server.origin });
    await setApiKey('key-1');
  });

  after(async () => {
    await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
    await resetSettings();
    await server[Symbol.asyncDispose]();
    await rm(join(folder, 'photo.png'));
  });

  /** Memory in use after garbage collection, in bytes. */
  function memory(): number {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  async function edit(): Promise<void> {
    const request = { model: 'm', prompt: 'at night', image_urls: ['photo.png'] };
    await assert.rejects(Promise.resolve(vscode.commands.executeCommand('unifiedMedia.editImage', request)), /no/);
  }

  it('keeps none of the photos that 30 refused edits have sent', async () => {
    await edit();
    const before = memory();
    await Promise.all(Array.from({ length: 30 }, edit));
    assert.equal(server.requests.length, 31);
    const grown = (memory() - before) / megabyte;
    assert(grown < 64, `${grown.toFixed(1)} MiB`);
  });
});
