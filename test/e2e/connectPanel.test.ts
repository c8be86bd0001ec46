import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import type { Locator } from 'playwright-core';
import { serverCertificate } from '../support/certificates.ts';
import type { HttpServer } from '../support/httpServer.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import type { ProxyServer } from '../support/proxyServer.ts';
import { startProxyServer } from '../support/proxyServer.ts';
import { tooWide, violations } from './barriers.ts';
import { CreateView } from './createView.ts';
import { eventually, eventuallyEqual } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { storageHolds } from './storageHolds.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const keys = { right: 'canary-key-of-a-panel', wrong: 'canary-key-that-is-wrong' };
const list = { data: [{ id: 'painter', type: 'image' }, { id: 'speaker', type: 'tts' }, { id: 'anything' }] };
const asked = ({ method, url, headers }: IncomingMessage) => `${method} ${url} ${headers.authorization ?? 'no key'}`;

function startService(): Promise<HttpServer> {
  return startHttpServer((request, response) => {
    const isAllowed = request.headers.authorization === `Bearer ${keys.right}`;
    if (request.url === '/') response.end('Hello');
    else if (!isAllowed) response.writeHead(401).end('{"error":{"message":"Incorrect API key provided."}}');
    else if (request.method === 'GET') response.end(JSON.stringify(list));
    else response.end(JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] }));
  });
}

story('connecting a service in the Create view', () => {
  let workbench: Workbench;
  let view: CreateView;
  let service: HttpServer;
  let secure: HttpServer;
  let silent: HttpServer;
  let proxy: ProxyServer;

  before(async () => {
    service = await startService();
    secure = await startHttpServer((_, response) => response.end(), serverCertificate);
    silent = await startHttpServer();
    proxy = await startProxyServer({ credentials: 'ann:secret' });
    // VS Code reaches 127.0.0.1 without the proxy.
    workbench = await Workbench.start({ userSettings: { 'http.proxy': proxy.url } });
    await workbench.page.setViewportSize({ width: 1280, height: 760 });
    view = await CreateView.open(workbench);
    await view.resize(300);
  });

  after(async () => {
    await workbench?.stop();
    await Promise.all([service, secure, silent, proxy].map((server) => server?.[Symbol.asyncDispose]()));
  });

  const panel = () => view.content.getByRole('region', { name: 'Connect a Service' });

  /** Submits, then checks that a message is announced, belongs to the field, and that the field has the focus. */
  async function refused(field: string, sentence: string, name: string): Promise<Locator> {
    await workbench.page.keyboard.press('Enter');
    await view.alert.getByText(sentence).waitFor();
    const control = view.field(field);
    await view.whenFocused(control);
    assert.equal(await control.getAttribute('aria-invalid'), 'true');
    const [id] = (await control.getAttribute('aria-describedby'))?.split(' ') ?? [];
    assert((await view.content.locator(`[id="${id}"]`).innerText()).includes(sentence), field);
    assert.equal(await panel().locator('[aria-invalid=true]').count(), 1);
    await workbench.screenshot(`connect panel - ${name}`);
    return control;
  }

  /** Shows the Explorer instead of the view, and then the view again. */
  async function shownAgain(): Promise<CreateView> {
    await workbench.runCommand('View: Show Explorer');
    await workbench.page.locator('iframe.webview:visible').waitFor({ state: 'detached' });
    return CreateView.open(workbench);
  }

  async function assertNoKeys(): Promise<void> {
    for (const key of Object.values(keys)) {
      assert.deepEqual(workbench.filesWith(key), []);
      assert.equal(await workbench.page.evaluate(storageHolds, key), false);
      assert(!workbench.log().includes(key));
    }
  }

  it('is shown without a dialog when no service is connected, beside the sandbox', async () => {
    await panel().waitFor();
    await view.button('Try the Sandbox').waitFor();
    assert.equal(await view.button('Connect a Service…').count(), 0);
    await view.whenFocused(view.field('Prompt'));
    await view.type('Prompt', 'A fox in the snow');
    // No service is connected, so the focus goes to its address.
    assert.equal(await view.content.locator('.primary').count(), 1);
    await view.submit();
    await view.whenFocused(view.field('Address'));
    await view.alert.getByText('Connect a service first, or try the sandbox.').waitFor();
    await workbench.screenshot('connect panel - 0 asked to generate');
  });

  for (const [body, theme, widths, rules] of [
    ['vscode-light', 'Light 2026', [200, 300], 'all'],
    ['vscode-high-contrast', 'Default High Contrast', [200], 'ofColour'],
    ['vscode-dark', 'Dark 2026', [200], 'ofColour'],
  ] as const) {
    it(`meets WCAG 2.1 AA in ${theme} and fits into 200 px`, async () => {
      await workbench.setTheme(theme);
      await view.content.locator(`body.${body}`).waitFor();
      for (const width of widths) {
        await view.resize(width);
        assert.deepEqual(await violations(view, 'sideBar', rules), []);
        assert.deepEqual(await tooWide(view), []);
        const label = panel().locator('label').filter({ hasText: 'Authorization Scheme' });
        const { height = 0 } = (await label.boundingBox()) ?? {};
        assert(height > 0 && height < 24, `the label has one line, not ${height} px, at ${width} px`);
        await workbench.screenshot(`connect panel - 1 empty, ${theme}, ${width} px`);
      }
    });
  }

  it('reports a wrong address at its field and keeps the input', async () => {
    await view.type('Address', 'api example');
    await refused('Address', 'is not a web address. It must look like', '2 not a URL');
    await view.type('Address', 'http://api.example.com');
    await refused('Address', 'must begin with https://', '2 not encrypted');
    await view.type('Address', secure.origin);
    await refused('Key', 'Paste the key from the service’s API page.', '2 no key');
    await view.type('Key', keys.wrong);
    await refused('Address', 'Could not connect securely to', '2 certificate');
    await view.type('Address', 'https://media.test');
    const address = await refused('Address', 'requires a user name and password (407)', '2 proxy');
    assert.deepEqual(await violations(view), []);
    assert.equal(await address.inputValue(), 'https://media.test');
    assert.equal(await view.field('Key').inputValue(), keys.wrong);
    await view.press(view.button('Open Proxy Settings'));
    await workbench.page.getByText('Proxy Authorization').first().waitFor();
    await workbench.page
      .getByRole('button', { name: /^Close/ })
      .first()
      .click();
    assert.deepEqual(secure.requests, []);
  });

  it('takes an address for each kind of media and reports which one is wrong', async () => {
    await view.content.getByLabel('Separate Addresses').check();
    await view.type('Address for Images', service.origin);
    await view.type('Address for Video', 'nowhere');
    await refused('Address for Video', '“nowhere” is not a web address', '3 separate');
    assert.deepEqual(await tooWide(view), []);
    view = await shownAgain();
    assert.equal(await view.field('Address for Images').inputValue(), service.origin);
    assert.equal(await view.field('Address for Video').inputValue(), 'nowhere');
    assert.equal(await view.field('Key').inputValue(), '', 'a key is not kept');
    await view.type('Key', keys.wrong);
    await view.content.getByLabel('Separate Addresses').uncheck();
    assert.equal(await view.field('Address').inputValue(), service.origin);
    assert.deepEqual(service.requests, []);
  });

  it('can be stopped by a button and by typing', async () => {
    for (const stop of [() => view.press(view.button('Stop')), () => workbench.page.keyboard.type('/x')]) {
      await view.type('Address', silent.origin);
      const arrived = silent.next();
      await workbench.page.keyboard.press('Enter');
      const [request] = await arrived;
      const left = new Promise((resolve) => request.once('close', resolve));
      await view.content.getByText('No paid request is sent').waitFor();
      await stop();
      await left;
      await view.button('Test and Connect').waitFor();
    }
    assert.equal(await panel().locator('[aria-invalid=true]').count(), 0);
  });

  it('forgets the key on reload and leaves it nowhere', async () => {
    assert.equal(await view.field('Key').inputValue(), keys.wrong);
    await workbench.reload();
    view = await CreateView.open(workbench);
    await panel().waitFor();
    assert.equal(await view.field('Key').inputValue(), '');
    // The prompt was restored, so the view did restore its state.
    assert.equal(await view.field('Prompt').inputValue(), 'A fox in the snow');
    await assertNoKeys();
  });

  it('reports a wrong key, and the word that the service expects before it', async () => {
    await view.type('Address', `${service.origin}/v1/images/generations`);
    await view.type('Key', keys.wrong);
    await refused('Key', 'Incorrect API key provided.', '4 wrong key');
    await view.button('Connect Anyway').waitFor();
    await view.type('Key', keys.right);
    assert.equal(await view.button('Connect Anyway').count(), 0);
    const word = await refused('Authorization Scheme', 'accepts this key only with “Bearer” before it', '4 wrong word');
    assert.equal(await word.inputValue(), 'Bearer');
    assert(service.requests.map(asked).every((line) => line.startsWith('GET ')));
  });

  it('lists the models and asks which operation uses which', async () => {
    await workbench.page.keyboard.press('Enter');
    const connected = () => view.content.getByRole('region', { name: 'Service Connected' });
    await view.whenFocused(connected());
    await connected()
      .getByText(`Media are now generated by ${service.origin}. Its key is set. Models listed: 3.`)
      .waitFor();
    await workbench.screenshot('connect panel - 5 models');
    assert.deepEqual(await violations(view), []);
    // One list with search; the model is chosen for what it fits, and nothing else is filled in.
    await view.type('Find a Model', 'SPEAK');
    await eventuallyEqual(() => view.content.getByRole('listbox').getByRole('option').allInnerTexts(), ['speaker']);
    await workbench.screenshot('connect panel - 5 models, searching');
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Enter');
    await connected().getByText('speaker is chosen for: Generate Speech.').waitFor();
    assert.equal(await view.field('Generate Speech').inputValue(), 'speaker');
    for (const name of ['Generate Image', 'Generate Video', 'Transcribe Audio']) {
      assert.equal(await view.field(name).inputValue(), '', name);
    }
    await view.tabTo(view.field('Generate Image'));
    await workbench.page.keyboard.press('ArrowDown');
    const options = view.content.getByRole('listbox').getByRole('option');
    await eventuallyEqual(() => options.allInnerTexts(), ['painter', 'anything']);
    assert.deepEqual(await tooWide(view), []);
    assert.deepEqual(await violations(view), []);
    await workbench.screenshot('connect panel - 5 models, choosing');
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Enter');
    await view.type('Edit Image', 'my-own');
    view = await shownAgain();
    assert.equal(await view.field('Edit Image').inputValue(), 'my-own');
    assert.equal(await view.field('Generate Speech').inputValue(), 'speaker');
    for (const width of [200, 300]) {
      await view.resize(width);
      assert.deepEqual(await tooWide(view), []);
      await workbench.screenshot(`connect panel - 5 models, ${width} px`);
    }
    await view.press(view.button('Done'));
    await view.whenFocused(view.field('Prompt'));
    assert.equal(await connected().count(), 0);
  });

  it('leaves the keys in no file, window storage or log', async () => {
    await view.type('Prompt', 'Kept by the window');
    await workbench.whenKept('Kept by the window');
    await assertNoKeys();
    assert.match(workbench.log(), /models: GET http/);
    assert.equal(await panel().count(), 0);
  });
});

describe('connecting a service after the sandbox', () => {
  let workbench: Workbench;
  let view: CreateView;
  let service: HttpServer;

  before(async () => {
    service = await startService();
    workbench = await Workbench.start({ machineSettings: { 'unifiedMedia.service': 'sandbox' } });
    view = await CreateView.open(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await service?.[Symbol.asyncDispose]();
  });

  it('offers the models of the service, never that of the sandbox, and marks those that are gone', async () => {
    await view.type('Prompt', 'A fox');
    await view.submit();
    await view.whenMade('media/images/a-fox.png', 'A fox');
    const connected = view.content.getByRole('region', { name: 'Service Connected' });
    const connect = async (): Promise<void> => {
      await workbench.runCommand('Media: Connect a Service…');
      await view.type('Address', service.origin);
      await view.type('Authorization Scheme', 'Bearer');
      await view.type('Key', keys.right);
      await workbench.page.keyboard.press('Enter');
      await view.whenFocused(connected);
    };
    const options = view.content.getByRole('listbox').getByRole('option');
    await connect();
    await view.tabTo(view.field('Find a Model'));
    await workbench.page.keyboard.press('ArrowDown');
    await eventuallyEqual(() => options.allInnerTexts(), ['painter', 'anything', 'speaker']);
    assert.equal(await view.field('Generate Image').inputValue(), '');
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Enter');
    await connected.getByText('painter is chosen for: Generate Image, Edit Image.').waitFor();
    await view.press(view.button('Done'));
    const listed = list.data.splice(0, 1);
    try {
      await connect();
      await view.tabTo(view.field('Find a Model'));
      await workbench.page.keyboard.press('ArrowDown');
      await options.getByText('painter the service no longer has it').waitFor();
      await workbench.screenshot('connect panel - 7 model that is gone');
    } finally {
      list.data.unshift(...listed);
    }
  });
});

story('the form that connects a service, on request', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({ machineSettings: { 'unifiedMedia.service': 'sandbox' } });
  });

  after(() => workbench?.stop());

  it('takes the focus once, not each time that the view is shown', async () => {
    let view = await CreateView.open(workbench);
    await workbench.runCommand('Media: Connect a Service…');
    await view.whenFocused(view.field('Address'));
    await workbench.runCommand('View: Show Explorer');
    view = await CreateView.open(workbench);
    await view.field('Address').waitFor();
    assert.equal(await view.content.locator(':focus').and(view.field('Address')).count(), 0);
    await view.button('Cancel').click();
    await view.field('Address').waitFor({ state: 'detached' });
    await workbench.runCommand('Media: Connect a Service…');
    await view.whenFocused(view.field('Address'));
  });
});

describe('the models of a connected service in the Create view', () => {
  let workbench: Workbench;
  let view: CreateView;
  let service: HttpServer;
  let isDown = true;

  before(async () => {
    service = await startHttpServer((_, response) => {
      if (isDown) response.writeHead(503).end('{"error":{"message":"Come back later."}}');
      else response.end(JSON.stringify(list));
    });
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.imageBaseUrl': service.origin, 'unifiedMedia.modelListPath': '/v1/models' },
    });
    view = await CreateView.open(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await service?.[Symbol.asyncDispose]();
  });

  it('are loaded when the field is first used; a failure is only logged, and any name can be typed', async () => {
    // Without a key, the service is not asked.
    await view.tabTo(view.field('Model'));
    await setApiKey(workbench, keys.right);
    await view.content.locator('.notice').waitFor({ state: 'detached' });
    assert.deepEqual(service.requests, []);
    await view.type('Prompt', 'A fox');
    const refused = service.next();
    await view.type('Model', 'my-own');
    await refused;
    // The view loads the list again only after the failure has reached it.
    await eventually('the failure is logged', async () => /overloaded|unavailable|503/.test(workbench.log()));
    assert.equal(await view.field('Model').inputValue(), 'my-own');
    assert.equal(await view.alert.getByText('Come back later.').count(), 0);
    isDown = false;
    await view.type('Prompt', 'A fox');
    await view.tabTo(view.field('Model'));
    await workbench.page.keyboard.press('ArrowDown');
    await view.content.getByRole('option', { name: 'painter' }).waitFor();
    const options = view.content.getByRole('listbox').getByRole('option');
    await eventuallyEqual(() => options.allInnerTexts(), ['painter', 'anything']);
    // A typed name stays.
    assert.equal(await view.field('Model').inputValue(), 'my-own');
    await workbench.screenshot('connect panel - the composer’s models');
    const { length } = service.requests;
    await view.type('Prompt', 'Another fox');
    await view.tabTo(view.field('Model'));
    assert.equal(service.requests.length, length);
    assert.equal(length, 2);
  });
});
