import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { operationIds } from '../../src/operations/operations.ts';
import { serverCertificate } from '../support/certificates.ts';
import type { HttpServer } from '../support/httpServer.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import type { ProxyServer } from '../support/proxyServer.ts';
import { startProxyServer } from '../support/proxyServer.ts';
import type { TcpServer } from '../support/tcpServer.ts';
import { startTcpServer } from '../support/tcpServer.ts';
import { eventuallyEqual } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const key = 'canary-key-of-a-connection';
const models = { data: [{ id: 'painter', type: 'image' }, { id: 'speaker', type: 'tts' }, { id: 'anything' }] };

story('connecting a service, by clicks and typed text', () => {
  let workbench: Workbench;
  let service: HttpServer;
  let secure: HttpServer;
  let stranger: TcpServer;
  let proxy: ProxyServer;

  before(async () => {
    service = await startHttpServer((request, response) => {
      const isAllowed = request.headers.authorization === `Bearer ${key}`;
      if (request.url === '/') response.end('Hello');
      else if (!isAllowed) response.writeHead(401).end('{"error":{"message":"Incorrect API key provided."}}');
      else if (request.method === 'GET') response.end(JSON.stringify(models));
      else response.end(JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] }));
    });
    secure = await startHttpServer((_, response) => response.end(), serverCertificate);
    stranger = await startTcpServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    proxy = await startProxyServer({ credentials: 'ann:secret' });
    // VS Code reaches 127.0.0.1 without the proxy.
    const userSettings = { 'http.proxy': proxy.url, 'http.noProxy': ['media.invalid'] };
    workbench = await Workbench.start({ userSettings });
  });

  after(async () => {
    await workbench?.stop();
    await Promise.all([service, secure, stranger, proxy].map((server) => server[Symbol.asyncDispose]()));
  });

  /** Types an address, waits for the message about it and checks that the address stays in the input. */
  async function refused(address: string, sentence: string, name: string): Promise<void> {
    const box = workbench.page.locator('.quick-input-widget:visible .quick-input-box input');
    await box.fill(address);
    await box.press('Enter');
    await workbench.quickInput(sentence);
    assert.equal(await box.inputValue(), address);
    await workbench.screenshot(`connect - ${name}`);
  }

  const asked = ({ method, url, headers }: IncomingMessage) => `${method} ${url} ${headers.authorization ?? 'no key'}`;

  it('starts from the error that no service is set up', async () => {
    await workbench.runCommand('Media: Generate Image…');
    const error = await workbench.notification('No image host is set');
    await error.getByRole('button', { name: 'Connect a Service…' }).click();
    await workbench.quickInput('Where is the service?');
    await workbench.screenshot('connect - 1 where');
    await workbench.pick('Where is the service?', 'One Address for Everything');
    await workbench.quickInput('The address of the service.');
    await workbench.screenshot('connect - 2 address');
  });

  it('says what is wrong with an address and keeps the input', async () => {
    await refused('api.example.com', 'is not a web address. It must look like', '2 address, not a URL');
    await refused('http://api.example.com', 'must begin with https://', '2 address, not encrypted');
    await refused('https://media.invalid', 'Check the address for typos', '2 address, unknown name');
    await refused(`http://127.0.0.1:${stranger.port}`, 'No web service answers at', '2 address, no HTTP');
    await refused(secure.origin, 'Could not connect securely to', '2 address, certificate');
    const gone = await startHttpServer();
    await gone[Symbol.asyncDispose]();
    await refused(gone.origin, 'and check that the service is running', '2 address, refused');
  });

  it('says that a proxy needs credentials, with a button for its settings', async () => {
    await refused('https://media.test', 'requires a user name and password (407)', '2 address, proxy');
    const input = await workbench.quickInput('requires a user name and password (407)');
    await input.getByRole('button', { name: 'Open Proxy Settings' }).click();
    await workbench.page.getByText('Proxy Authorization').first().waitFor();
    await workbench.quickInput('requires a user name and password (407)');
    await workbench.screenshot('connect - 2 address, proxy settings');
    await workbench.page
      .getByRole('button', { name: /^Close/ })
      .first()
      .click();
    assert.deepEqual(
      proxy.asked.map(({ url }) => url),
      ['media.test:443'],
    );
  });

  it('reports a wrong key and a missing “Bearer” before the key', async () => {
    await workbench.answerInput('https://api.example.com', `${service.origin}/v1/images/generations`);
    await workbench.quickInput('Does the service expect a word before the key?');
    await workbench.screenshot('connect - 3 word');
    await workbench.pick('Does the service expect a word before the key?', 'The Key Alone');
    await workbench.quickInput('Paste the key');
    await workbench.screenshot('connect - 4 key');
    await refused('canary-of-another', 'Incorrect API key provided.', '4 key, wrong');
    await refused(key, 'accepts this key only with “Bearer” before it', '3 word, wrong').catch(() => undefined);
    const word = await workbench.quickInput('accepts this key only with “Bearer” before it');
    await workbench.screenshot('connect - 3 word, wrong');
    await word.getByRole('option', { name: '“Bearer” before the Key' }).click();
    // The input still contains what was typed.
    await workbench.acceptInput('Paste the key');
    await workbench.quickInput('Models found: 3.');
    await workbench.screenshot('connect - 5 models');
    assert.deepEqual(
      service.requests.map(asked).filter((line) => !line.startsWith('GET ')),
      [],
    );
  });

  it('lets the user choose and type models for each operation', async () => {
    await workbench.pick('Models found: 3.', 'Generate Image');
    const input = await workbench.quickInput('Choose models, or type a name');
    await eventuallyEqual(() => input.locator('.label-name').allInnerTexts(), ['painter', 'anything']);
    await input.locator('.monaco-list-row', { hasText: 'painter' }).click();
    const box = input.locator('.quick-input-box input');
    await box.fill('my-own');
    await input.locator('.monaco-list-row', { hasText: 'my-own' }).waitFor();
    await workbench.screenshot('connect - 5 models of an operation');
    await box.press('Enter');
    await workbench.quickInput('Models found: 3.');
    await workbench.page.getByText('painter, my-own').waitFor();
    await workbench.screenshot('connect - 5 models, chosen');
    await (await workbench.quickInput('Models found: 3.')).getByRole('option', { name: 'Done' }).click();
  });

  it('summarises the setup and generates an image with it', async () => {
    const done = await workbench.notification(`Media are now generated by ${service.origin}.`);
    assert.match(
      await done.innerText(),
      new RegExp(
        `Its key is set\\. Models listed: 3\\. Models are chosen for 1 of ${operationIds.length} operations\\.`,
      ),
    );
    await workbench.screenshot('connect - 6 done');
    await done.getByRole('button', { name: 'Open the Media View' }).waitFor();
    await done.getByRole('button', { name: 'Generate an Image…' }).click();
    const model = await workbench.quickInput('Choose a model, or type its name');
    const names = () => model.getByRole('option').locator('.label-name').allInnerTexts();
    // The palette also offers the models from the service's list.
    await eventuallyEqual(names, ['painter', 'my-own', 'anything']);
    await workbench.pick('Choose a model, or type its name', 'painter');
    await workbench.answerInput('What the image shows', 'A fox');
    await workbench.answerInput('Count', '1');
    await workbench.editorTab('a-fox.png');
    assert.equal(asked(service.requests.at(-1) as IncomingMessage), `POST /v1/images/generations Bearer ${key}`);
  });

  it('starts from the current settings, and keeps the key for the same address', async () => {
    await workbench.clearNotifications();
    await workbench.runCommand('Media: Connect a Service…');
    await workbench.pick('Where is the service?', 'One Address for Everything');
    const address = await workbench.quickInput('The address of the service.');
    await eventuallyEqual(() => address.locator('.quick-input-box input').inputValue(), service.origin);
    await workbench.acceptInput('The address of the service.');
    await workbench.pick('Does the service expect a word before the key?', '“Bearer” before the Key');
    const keyInput = await workbench.quickInput('Leave empty to keep the current key');
    await keyInput.getByRole('button', { name: 'Back' }).click();
    await workbench.pick('Does the service expect a word before the key?', '“Bearer” before the Key');
    await workbench.acceptInput('Leave empty to keep the current key');
    await workbench.quickInput('Models found: 3.');
    await workbench.page.keyboard.press('Escape');
    await workbench.notification(`Media are now generated by ${service.origin}.`);
  });

  it('returns to the address when the service has stopped, and continues anyway when asked to', async () => {
    const short = await startHttpServer((_, response) => response.end());
    await workbench.runCommand('Media: Connect a Service…');
    await workbench.pick('Where is the service?', 'Separate Addresses');
    await workbench.answerInput('The address for images.', '');
    await workbench.answerInput('The address for speech and transcripts.', short.origin);
    await workbench.answerInput('The address for videos.', '');
    await workbench.pick('Does the service expect a word before the key?', 'The Key Alone');
    await workbench.quickInput('Paste the key');
    await short[Symbol.asyncDispose]();
    await workbench.answerInput('Paste the key', key);
    const address = await workbench.quickInput('it refuses the connection');
    await address.getByText('Connect a Service (3/7)').waitFor();
    await eventuallyEqual(() => address.locator('.quick-input-box input').inputValue(), short.origin);
    await workbench.screenshot('connect - 3 of 7 address, gone');
    await address.getByRole('button', { name: 'Continue Anyway' }).click();
    await workbench.answerInput('The address for videos.', '');
    await workbench.pick('Does the service expect a word before the key?', 'The Key Alone');
    // The input still contains the key.
    const again = await workbench.quickInput('The key is kept in the editor’s secret storage');
    await eventuallyEqual(() => again.locator('.quick-input-box input').inputValue(), key);
    await workbench.acceptInput('The key is kept in the editor’s secret storage');
    const refusal = await workbench.quickInput('it refuses the connection');
    await refusal.getByText('Connect a Service (6/7)').waitFor();
    await refusal.getByRole('button', { name: 'Continue Anyway' }).click();
    await workbench.pick('The service lists no models.', 'Done');
    const done = await workbench.notification(`Media are now generated by ${short.origin}.`);
    assert.match(
      await done.innerText(),
      /The connection was not tested; the first result will show whether it works\./,
    );
    assert.equal(await done.getByRole('button', { name: 'Generate an Image…' }).count(), 0);
  });

  it('aborts its request when the user types on', async () => {
    const silent = await startHttpServer();
    try {
      await workbench.runCommand('Media: Connect a Service…');
      await workbench.pick('Where is the service?', 'One Address for Everything');
      const came = silent.next();
      await workbench.answerInput('The address of the service.', silent.origin);
      const [request] = await came;
      const left = new Promise((resolve) => request.socket.once('close', resolve));
      await workbench.quickInput('Checking whether the service responds');
      await workbench.screenshot('connect - 2 address, asking');
      await workbench.page.keyboard.press('End');
      await workbench.page.keyboard.type('/x');
      await left;
      await workbench.quickInput('The address of the service.');
      await workbench.page.keyboard.press('Escape');
    } finally {
      await silent[Symbol.asyncDispose]();
    }
  });

  it('leaves the key in no file and no log', () => {
    assert.deepEqual(workbench.filesWith(key), []);
    assert.match(workbench.log(), /models: GET http/);
    assert(!workbench.log().includes(key));
  });

  it('asks in every theme', async () => {
    for (const theme of ['Dark 2026', 'Default High Contrast', 'Default High Contrast Light'] as const) {
      await workbench.setTheme(theme);
      await workbench.runCommand('Media: Connect a Service…');
      await workbench.pick('Where is the service?', 'One Address for Everything');
      await workbench.quickInput('The address of the service.');
      await refused('http://api.example.com', 'must begin with https://', `2 address, not encrypted, ${theme}`);
      await workbench.page.keyboard.press('Escape');
    }
  });
});

describe('the list of models in the palette (promise 6)', () => {
  let workbench: Workbench;
  let service: HttpServer;
  let isDown = true;

  before(async () => {
    service = await startHttpServer((_, response) => {
      if (isDown) response.writeHead(503).end('{"error":{"message":"Come back later."}}');
      else response.end(JSON.stringify(models));
    });
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.imageBaseUrl': service.origin, 'unifiedMedia.modelListPath': '/v1/models' },
    });
    await setApiKey(workbench, key);
  });

  after(async () => {
    await workbench?.stop();
    await service[Symbol.asyncDispose]();
  });

  it('is loaded on request, and again after a failure; a typed model stays available', async () => {
    await workbench.runCommand('Media: Generate Image…');
    const model = await workbench.quickInput('Choose a model, or type its name');
    assert.deepEqual(service.requests, []);
    const load = model.getByRole('option', { name: 'Load the Service’s List…' });
    await workbench.screenshot('connect - palette, before');
    await load.click();
    await workbench.notification('Come back later.');
    // The entry is replaced when the request has ended, and VS Code ignores clicks on the old one.
    await model.locator('.monaco-progress-container.active').waitFor({ state: 'detached' });
    await workbench.screenshot('connect - palette, failed');
    isDown = false;
    await load.click();
    await model.getByRole('option', { name: 'painter' }).waitFor();
    await load.waitFor({ state: 'detached' });
    await workbench.screenshot('connect - palette, loaded');
    await model.locator('.quick-input-box input').fill('my-own');
    await model.getByRole('option', { name: 'my-own' }).click();
    await workbench.quickInput('What the image shows');
    await workbench.page.keyboard.press('Escape');
    assert.equal(service.requests.length, 2);
  });
});
