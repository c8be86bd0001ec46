import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import type { Locator } from 'playwright-core';
import { type HttpServer, startHttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { type ProxyServer, startProxyServer } from '../support/proxyServer.ts';
import { tooWide, violations } from './barriers.ts';
import { CreateView } from './createView.ts';
import { clickUntil, eventually, eventuallyEqual, succeeds } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { storageHolds } from './storageHolds.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const keys = { right: 'canary-key-of-a-panel', wrong: 'canary-key-that-is-wrong' };
const list = { data: [{ id: 'painter', type: 'image' }, { id: 'speaker', type: 'tts' }, { id: 'anything' }] };
const filmList = { data: [{ id: 'filmer', type: 'video' }, { id: 'speaker', type: 'tts' }, { id: 'anything' }] };
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
  let silent: HttpServer;
  let proxy: ProxyServer;

  before(async () => {
    service = await startService();
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
    await Promise.all([service, silent, proxy].map((server) => server?.[Symbol.asyncDispose]()));
  });

  const panel = () => view.content.getByRole('region', { name: 'Connect a Service' });
  const connected = () => view.content.getByRole('region', { name: 'Service Connected' });

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

  /** Runs the command, and waits until its form has the focus. */
  async function openForm(): Promise<void> {
    // Again when VS Code has moved the focus meanwhile.
    await eventually('the address has the focus', async () => {
      await workbench.runCommand('Media: Connect a Service…');
      return succeeds(view.whenFocused(view.field('Address'), 10_000));
    });
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
    await view.type('Address', 'https://media.test');
    await refused('Key', 'Paste the key from the service’s API page.', '2 no key');
    await view.type('Key', keys.wrong);
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

  it('leaves a key that is only typed nowhere', async () => {
    await view.type('Prompt', 'Typed beside a key');
    await workbench.whenKept('Typed beside a key');
    assert.equal(await view.field('Key').inputValue(), keys.wrong);
    await assertNoKeys();
  });

  it('connects with the word that the service expects before the key', async () => {
    await view.type('Address', `${service.origin}/v1/images/generations`);
    await view.type('Key', keys.right);
    await workbench.page.keyboard.press('Enter');
    await view.whenFocused(connected());
    await connected()
      .getByText(
        `Media are now generated by ${service.origin}. Its key is set; the service accepts it only with “Bearer” before it. Models listed: 3.`,
      )
      .waitFor();
    assert(service.requests.map(asked).every((line) => line.startsWith('GET ')));
  });

  it('lists the models and asks which operation uses which', async () => {
    await workbench.screenshot('connect panel - 5 models');
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
    await view.press(view.button('Done'));
    await view.whenFocused(view.field('Prompt'));
    assert.equal(await connected().count(), 0);
  });

  it('starts from the current settings, with one key between the inputs, and connects again with Enter', async () => {
    const { keyboard } = workbench.page;
    await openForm();
    assert.equal(await view.field('Address').inputValue(), service.origin);
    assert.equal(await view.field('Authorization Scheme').inputValue(), 'Bearer');
    assert.equal(await view.field('Key').getAttribute('placeholder'), 'Leave empty to keep the current key');
    for (const name of ['Separate Addresses', 'Authorization Scheme', 'Key']) {
      await keyboard.press('Tab');
      await view.whenFocused(view.field(name));
    }
    await keyboard.press('Enter');
    await view.whenFocused(connected());
    await connected().getByText('Its key is set. Models listed: 3.').waitFor();
    await keyboard.press('Escape');
    await view.whenFocused(view.field('Prompt'));
    assert.equal(await connected().count(), 0);
    assert(service.requests.map(asked).every((line) => line.startsWith('GET ')));
  });

  it('closes by Escape without a change, and when the sandbox is tried instead', async () => {
    const { length } = service.requests;
    const waysOut = [() => workbench.page.keyboard.press('Escape'), () => view.press(view.button('Try the Sandbox'))];
    for (const leave of waysOut) {
      await openForm();
      await leave();
      await panel().waitFor({ state: 'detached' });
      await view.whenFocused(view.field('Prompt'));
    }
    assert.equal(service.requests.length, length);
  });

  it('stops the test when the form is left', async () => {
    for (const name of ['Cancel', 'Try the Sandbox']) {
      await openForm();
      await view.type('Address', silent.origin);
      await view.type('Key', keys.right);
      const arrived = silent.next();
      await workbench.page.keyboard.press('Enter');
      const [request] = await arrived;
      const stopped = new Promise((resolve) => request.once('close', resolve));
      await view.press(view.button(name));
      await panel().waitFor({ state: 'detached' });
      await view.whenFocused(view.field('Prompt'));
      await stopped;
    }
  });

  it('connects a service that has stopped only when asked to', async () => {
    const short = await startHttpServer();
    await short[Symbol.asyncDispose]();
    await openForm();
    await view.type('Address', short.origin);
    await view.type('Key', keys.right);
    await refused('Address', 'it refuses the connection', '6 stopped');
    await view.press(view.button('Connect Anyway'));
    await view.whenFocused(connected());
    await connected()
      .getByText('The connection was not tested; the first result will show whether it works.')
      .waitFor();
    await workbench.page.keyboard.press('Escape');
  });

  it('leaves the keys in no file, window storage or log', async () => {
    await view.type('Prompt', 'Kept by the window');
    await workbench.whenKept('Kept by the window');
    await assertNoKeys();
    assert.match(workbench.log(), /models: GET http/);
    assert.equal(await panel().count(), 0);
  });
});

story('the models of a connected service (promise 6)', () => {
  let workbench: Workbench;
  let service: HttpServer;
  /** The list is loaded once for each host, so the palette has one of its own. */
  let filmService: HttpServer;
  let isDown: boolean;

  before(async () => {
    const startWith = (models: object) =>
      startHttpServer((_, response) => {
        if (isDown) response.writeHead(503).end('{"error":{"message":"Come back later."}}');
        else response.end(JSON.stringify(models));
      });
    service = await startWith(list);
    filmService = await startWith(filmList);
    workbench = await Workbench.start({
      machineSettings: {
        'unifiedMedia.imageBaseUrl': service.origin,
        'unifiedMedia.videoBaseUrl': filmService.origin,
        'unifiedMedia.modelListPath': '/v1/models',
      },
    });
  });

  after(async () => {
    await workbench?.stop();
    await Promise.all([service, filmService].map((server) => server?.[Symbol.asyncDispose]()));
  });

  it('are loaded when the field is first used; a failure is only logged, and any name can be typed', async () => {
    isDown = true;
    await setApiKey(workbench, keys.right);
    const view = await CreateView.open(workbench);
    await view.type('Prompt', 'A fox');
    assert.deepEqual(service.requests, []);
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

  it('are loaded in the palette on request, and again after a failure', async () => {
    isDown = true;
    await workbench.runCommand('Media: Generate Video…');
    await workbench.answerInput('What happens in the video', 'A fox');
    const model = await workbench.quickInput('Choose a model, or type its name');
    assert.deepEqual(filmService.requests, []);
    const load = model.getByRole('option', { name: 'Load the Service’s List…' });
    await workbench.screenshot('connect - palette, before');
    await load.click();
    await workbench.notification('Come back later.');
    // The entry is replaced when the request has ended, and VS Code ignores clicks on the old one.
    await model.locator('.monaco-progress-container.active').waitFor({ state: 'detached' });
    await workbench.screenshot('connect - palette, failed');
    isDown = false;
    await clickUntil(load, model.getByRole('option', { name: 'filmer' }));
    const names = () => model.getByRole('option').locator('.label-name').allInnerTexts();
    await eventuallyEqual(names, ['filmer', 'anything']);
    await workbench.screenshot('connect - palette, loaded');
    await workbench.page.keyboard.press('Escape');
    assert.equal(filmService.requests.length, 2);
  });
});
