import assert from 'node:assert/strict';
import type { HttpServer } from '../support/httpServer.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { CreateView } from './createView.ts';
import { setApiKey } from './setApiKey.ts';
import { Workbench } from './workbench.ts';

describe('a person’s own prices', () => {
  let workbench: Workbench;
  let view: CreateView;
  let service: HttpServer;

  before(async () => {
    const data = [{ b64_json: pngBytes.toString('base64') }, { b64_json: pngBytes.toString('base64') }];
    service = await startHttpServer((request, response) => {
      request.resume().on('end', () => response.end(JSON.stringify({ data })));
    });
    workbench = await Workbench.start({
      machineSettings: {
        'unifiedMedia.imageBaseUrl': service.origin,
        'unifiedMedia.models': { generateImage: ['painter'] },
        'unifiedMedia.confirmAbove': { images: 1 },
        'unifiedMedia.prices': prices({ image: 0.04 }),
      },
    });
    await setApiKey(workbench, 'canary-key-of-prices');
    view = await CreateView.open(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await service?.[Symbol.asyncDispose]();
  });

  const prices = (painter: object) => ({ currency: '$', models: { painter } });
  const status = () => workbench.page.locator('[id$="unifiedMedia.status"]');

  it('are said beside the button, in the question, and for the day in the status bar', async () => {
    await view.type('Prompt', 'A fox');
    await view.type('Count', '2');
    await view.content.getByText('painter · about 0.08 $').waitFor();
    assert.equal(await status().count(), 0);
    await view.submit();
    const question = await workbench.dialog('Generate 2 images?');
    await question.getByText('By your prices: about 0.08 $.').waitFor();
    await workbench.screenshot('prices - question');
    await question.getByRole('button', { name: 'Send', exact: true }).click();
    await status().and(workbench.page.locator('[aria-label*="about 0.08 $ today"]')).waitFor();
    await workbench.screenshot('prices - status');
  });

  it('are still said of the day after the window was loaded again', async () => {
    await workbench.reload();
    view = await CreateView.open(workbench);
    await status().and(workbench.page.locator('[aria-label*="about 0.08 $ today"]')).waitFor();
  });

  it('that cannot be read are named in the view', async () => {
    workbench.changeSettings({ 'unifiedMedia.prices': prices({ images: 0.04 }) });
    await view.content.getByText('“models.painter.images” in your prices is not known.').waitFor();
    await workbench.screenshot('prices - wrong');
    workbench.changeSettings({ 'unifiedMedia.prices': prices({ image: 0.04 }) });
  });

  it('are not said of the sandbox, which is free', async () => {
    await workbench.runCommand('Media: Use the Sandbox');
    await view.content.getByText('sandbox, free').waitFor();
    await view.type('Prompt', 'A free fox');
    await view.type('Count', '2');
    await view.submit();
    const question = await workbench.dialog('Generate 2 images?');
    await question.getByText('The sandbox is free: nothing is billed.').waitFor();
    assert.equal(await question.getByText('may bill').count(), 0);
    assert.equal(await question.getByText('By your prices').count(), 0);
    await question.getByRole('button', { name: 'Send', exact: true }).click();
    await view.whenMade('media/images/a-free-fox.png', 'A free fox');
    await status().and(workbench.page.locator('[aria-label*="about 0.08 $ today"]')).waitFor();
  });
});
