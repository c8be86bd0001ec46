import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type HttpServer, startHttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { CreateView } from './createView.ts';
import { clickUntil, eventuallyEqual } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const assets = { 'hero.png': { operation: 'generateImage', prompt: 'A harbour at dawn', model: 'painter' } };
const image = JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] });

story('in Restricted Mode', () => {
  let workbench: Workbench;
  let view: CreateView;
  let service: HttpServer;

  before(async () => {
    service = await startHttpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(image);
    });
    workbench = await Workbench.start({
      moreExtensions: [join(import.meta.dirname, 'agentExtension')],
      files: { 'media.jsonc': JSON.stringify({ assets }) },
      workspaceTrust: true,
    });
  });

  after(async () => {
    await workbench?.stop();
    await service?.[Symbol.asyncDispose]();
  });

  it('the Create view asks for a service beside the sandbox, names the limits and works', async () => {
    view = await CreateView.open(workbench);
    await view.content.getByText('Restricted Mode').waitFor();
    await view.button('Manage Workspace Trust').waitFor();
    const panel = view.content.getByRole('region', { name: 'Connect a Service' });
    await panel.waitFor();
    await workbench.screenshot('create - restricted, no service');
    await view.press(view.button('Try the Sandbox'));
    await panel.waitFor({ state: 'detached' });
    await view.type('Prompt', 'A careful fox');
    await view.submit();
    await view.whenMade('media/images/a-careful-fox.png', 'A careful fox');
    await view.button('Close').click();
    await view.content.getByText('Restricted Mode').waitFor({ state: 'detached' });
  });

  it('an agent gets a refusal, and only the user’s own request is sent (promise 21)', async () => {
    workbench.changeSettings({
      'unifiedMedia.service': 'remote',
      'unifiedMedia.imageBaseUrl': service.origin,
      'unifiedMedia.models': { generateImage: ['painter'] },
      'unifiedMedia.openAfterSave': false,
    });
    await eventuallyEqual(() => view.field('Model').inputValue(), 'painter');
    await setApiKey(workbench);
    await workbench.runCommand('Agent Tests: Generate an Image');
    await workbench.notification('The agent was told: This workspace is in Restricted Mode');
    // A person can generate there, with the same key.
    await workbench.runCommand('Media: Generate Image…');
    await workbench.answerInput('What the image shows', 'A harbour');
    await workbench.notification('Saved a-harbour.png.');
    assert.equal(service.requests.length, 1);
  });

  it('media.jsonc is shown, and nothing is sent (promise 34)', async () => {
    // While VS Code's list of notifications is open, it shows no new one as a toast.
    await workbench.clearNotifications();
    await workbench.openFile('media.jsonc');
    const apply = workbench.page.locator('.codelens-decoration').getByText('Apply…', { exact: true });
    await clickUntil(apply, workbench.toast('Nothing was sent, because this workspace is not trusted.'));
    assert.equal(service.requests.length, 1);
    assert(!existsSync(join(workbench.folder, 'media.lock.jsonl')));
  });
});
