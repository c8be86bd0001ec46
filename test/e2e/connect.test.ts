import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { serverCertificate } from '../support/certificates.ts';
import type { HttpServer } from '../support/httpServer.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import type { ProxyServer } from '../support/proxyServer.ts';
import { startProxyServer } from '../support/proxyServer.ts';
import type { TcpServer } from '../support/tcpServer.ts';
import { startTcpServer } from '../support/tcpServer.ts';
import { Workbench } from './workbench.ts';

const key = 'canary-key-of-a-connection';
const models = { data: [{ id: 'painter', type: 'image' }, { id: 'speaker', type: 'tts' }, { id: 'anything' }] };

describe('connecting a service, by clicks and typed text', () => {
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
    // This machine is reached without it.
    const userSettings = { 'http.proxy': proxy.url, 'http.noProxy': ['media.invalid'] };
    workbench = await Workbench.start({ userSettings });
  });

  after(async () => {
    await workbench?.stop();
    await Promise.all([service, secure, stranger, proxy].map((server) => server[Symbol.asyncDispose]()));
  });

  /** Types an address and waits for what is said of it; it is still there. */
  async function refused(address: string, sentence: string, name: string): Promise<void> {
    const box = workbench.page.locator('.quick-input-widget:visible .quick-input-box input');
    await box.fill(address);
    await box.press('Enter');
    await workbench.quickInput(sentence);
    assert.equal(await box.inputValue(), address);
    await workbench.screenshot(`connect - ${name}`);
  }

  const asked = ({ method, url, headers }: IncomingMessage) => `${method} ${url} ${headers.authorization ?? 'no key'}`;

  it('begins where something is missing', async () => {
    await workbench.runCommand('Media: Generate Image…');
    const error = await workbench.notification('No image host is set');
    await error.getByRole('button', { name: 'Connect a Service…' }).click();
    await workbench.quickInput('Where is the service?');
    await workbench.screenshot('connect - 1 where');
    await workbench.pick('Where is the service?', 'One Address for Everything');
    await workbench.quickInput('The address of the service.');
    await workbench.screenshot('connect - 2 address');
  });

  it('says what is wrong with an address, and keeps it', async () => {
    await refused('api.example.com', 'is not a web address. It must look like', '2 address, not a URL');
    await refused('http://api.example.com', 'must begin with https://', '2 address, not encrypted');
    await refused('https://media.invalid', 'Check the address for typing errors', '2 address, unknown name');
    await refused(`http://127.0.0.1:${stranger.port}`, 'No web service answers at', '2 address, no HTTP');
    await refused(secure.origin, 'Could not connect securely to', '2 address, certificate');
    const gone = await startHttpServer();
    await gone[Symbol.asyncDispose]();
    await refused(gone.origin, 'and that the service is running', '2 address, refused');
  });

  it('says what a proxy wants, with a way to its settings', async () => {
    await refused('https://media.test', 'requires a user name and password (407)', '2 address, proxy');
    const input = await workbench.quickInput('requires a user name and password (407)');
    await input.getByRole('button', { name: 'Open the Proxy Settings' }).click();
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

  it('says that a key is wrong, and that it wants a word before it', async () => {
    await workbench.answerInput('https://api.example.com', `${service.origin}/v1/images/generations`);
    await workbench.quickInput('Does the service want a word before the key?');
    await workbench.screenshot('connect - 3 word');
    await workbench.pick('Does the service want a word before the key?', 'The Key Alone');
    await workbench.quickInput('Paste the key');
    await workbench.screenshot('connect - 4 key');
    await refused('canary-of-another', 'Incorrect API key provided.', '4 key, wrong');
    await refused(key, 'takes this key only with “Bearer” before it', '3 word, wrong').catch(() => undefined);
    const word = await workbench.quickInput('takes this key only with “Bearer” before it');
    await workbench.screenshot('connect - 3 word, wrong');
    await word.getByRole('option', { name: '“Bearer” before the Key' }).click();
    await workbench.quickInput('Paste the key');
    // What was typed is there again.
    await workbench.page.keyboard.press('Enter');
    await workbench.quickInput('Models found: 3.');
    await workbench.screenshot('connect - 5 models');
    assert.deepEqual(
      service.requests.map(asked).filter((line) => !line.startsWith('GET ')),
      [],
    );
  });

  it('lets models be chosen and typed where they are used', async () => {
    await workbench.pick('Models found: 3.', 'Generate Image');
    const input = await workbench.quickInput('Choose models, or type a name');
    assert.deepEqual(await input.locator('.label-name').allInnerTexts(), ['painter', 'anything']);
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

  it('ends by saying what is set up, and generates an image with it', async () => {
    const done = await workbench.notification(`Media now come from ${service.origin}.`);
    assert.match(
      await done.innerText(),
      /Its key is set\. Models in its list: 3\. Models are chosen for 1 of 8 operations\./,
    );
    await workbench.screenshot('connect - 6 done');
    await done.getByRole('button', { name: 'Open the Media View' }).waitFor();
    await done.getByRole('button', { name: 'Generate an Image…' }).click();
    const model = await workbench.quickInput('Choose a model, or type its name');
    const names = await model.getByRole('option').locator('.label-name').allInnerTexts();
    // The list that was read on the way is offered with them.
    assert.deepEqual(names, ['painter', 'my-own', 'anything']);
    await workbench.pick('Choose a model, or type its name', 'painter');
    await workbench.answerInput('What the image shows', 'A fox');
    await workbench.answerInput('Count', '1');
    await workbench.editorTab('a-fox.png');
    assert.equal(asked(service.requests.at(-1) as IncomingMessage), `POST /v1/images/generations Bearer ${key}`);
  });

  it('starts from what is set, and needs no key for the same address', async () => {
    await workbench.runCommand('Media: Connect a Service…');
    await workbench.pick('Where is the service?', 'One Address for Everything');
    const address = await workbench.quickInput('The address of the service.');
    assert.equal(await address.locator('.quick-input-box input').inputValue(), service.origin);
    await workbench.page.keyboard.press('Enter');
    await workbench.pick('Does the service want a word before the key?', '“Bearer” before the Key');
    const keyInput = await workbench.quickInput('Leave empty to keep the key that is set');
    await keyInput.getByRole('button', { name: 'Back' }).click();
    await workbench.pick('Does the service want a word before the key?', '“Bearer” before the Key');
    await workbench.quickInput('Leave empty to keep the key that is set');
    await workbench.page.keyboard.press('Enter');
    await workbench.quickInput('Models found: 3.');
    await workbench.page.keyboard.press('Escape');
    await workbench.notification(`Media now come from ${service.origin}.`);
  });

  it('comes back to the address when the service is gone by then, and goes on anyway when it is told to', async () => {
    const short = await startHttpServer((_, response) => response.end());
    await workbench.runCommand('Media: Connect a Service…');
    await workbench.pick('Where is the service?', 'Separate Addresses');
    await workbench.answerInput('The address for images.', '');
    await workbench.answerInput('The address for speech and transcripts.', short.origin);
    await workbench.answerInput('The address for videos.', '');
    await workbench.pick('Does the service want a word before the key?', 'The Key Alone');
    await workbench.quickInput('Paste the key');
    await short[Symbol.asyncDispose]();
    await workbench.answerInput('Paste the key', key);
    const address = await workbench.quickInput('it refuses the connection');
    await address.getByText('Connect a Service (3/7)').waitFor();
    assert.equal(await address.locator('.quick-input-box input').inputValue(), short.origin);
    await workbench.screenshot('connect - 3 of 7 address, gone');
    await address.getByRole('button', { name: 'Go On Anyway' }).click();
    await workbench.answerInput('The address for videos.', '');
    await workbench.pick('Does the service want a word before the key?', 'The Key Alone');
    // The key is there again.
    const again = await workbench.quickInput('It is kept by the editor’s secret storage');
    assert.equal(await again.locator('.quick-input-box input').inputValue(), key);
    await workbench.page.keyboard.press('Enter');
    const refusal = await workbench.quickInput('it refuses the connection');
    await refusal.getByText('Connect a Service (6/7)').waitFor();
    await refusal.getByRole('button', { name: 'Go On Anyway' }).click();
    await workbench.pick('No list of models.', 'Done');
    const done = await workbench.notification(`Media now come from ${short.origin}.`);
    assert.match(await done.innerText(), /It was not tried: the first result will show whether it works\./);
    assert.equal(await done.getByRole('button', { name: 'Generate an Image…' }).count(), 0);
  });

  it('stops asking when the person types on', async () => {
    const silent = await startHttpServer();
    try {
      await workbench.runCommand('Media: Connect a Service…');
      await workbench.pick('Where is the service?', 'One Address for Everything');
      const came = silent.next();
      await workbench.answerInput('The address of the service.', silent.origin);
      const [request] = await came;
      const left = new Promise((resolve) => request.socket.once('close', resolve));
      await workbench.quickInput('Asking whether it answers, without the key');
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

describe('the list of models in the palette', () => {
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
    await workbench.runCommand('Media: Set API Key…');
    await workbench.answerInput('Paste the key', key);
    await workbench.notification('The API key is set.');
  });

  after(async () => {
    await workbench?.stop();
    await service[Symbol.asyncDispose]();
  });

  it('is read when it is asked for, and again after a failure; what is typed stays', async () => {
    await workbench.runCommand('Media: Generate Image…');
    const model = await workbench.quickInput('Choose a model, or type its name');
    assert.deepEqual(service.requests, []);
    const load = model.getByRole('option', { name: 'Load the Service’s List…' });
    await workbench.screenshot('connect - palette, before');
    await load.click();
    await workbench.notification('Come back later.');
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
