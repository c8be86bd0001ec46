import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { startProxyServer } from '../support/proxyServer.ts';
import { answerInputBoxes } from './answerInputBoxes.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';

const request = { model: 'painter', prompt: 'A fox in the snow!' };

/** A host that only a proxy can reach, so the requests at the proxies show the effect of the settings. */
describe('the network settings of the editor (promise 7)', () => {
  beforeEach(async () => {
    await changeSettings({ service: 'remote', imageBaseUrl: 'https://media.test' });
    using _ = answerInputBoxes('key-1');
    await vscode.commands.executeCommand('unifiedMedia.setApiKey');
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
    await resetSettings();
  });

  async function assertRejected(message: RegExp): Promise<void> {
    await assert.rejects(Promise.resolve(vscode.commands.executeCommand('unifiedMedia.generateImage', request)), {
      message,
    });
  }

  it('select the proxy from the next request on', async () => {
    await using first = await startProxyServer();
    await using second = await startProxyServer({ credentials: 'ann:secret' });
    await changeSettings({ proxy: first.url }, 'http');
    await assertRejected(
      /proxy 127\.0\.0\.1:\d+ refused to open the connection \(502\)\. Nothing was sent.*\[proxy\]$/,
    );
    await changeSettings({ proxy: second.url }, 'http');
    await assertRejected(/\(407\).*"http\.proxyAuthorization"\. \[proxy\]$/);
    const proxyAuthorization = `Basic ${Buffer.from('ann:secret').toString('base64')}`;
    await changeSettings({ proxyAuthorization }, 'http');
    await assertRejected(/\(502\).*\[proxy\]$/);
    assert.deepEqual(
      [...first.asked, ...second.asked].map(({ method, url }) => `${method} ${url}`),
      Array.from({ length: 3 }, () => 'CONNECT media.test:443'),
    );
  });
});
