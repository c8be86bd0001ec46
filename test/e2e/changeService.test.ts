import assert from 'node:assert/strict';
import { type Sandbox, startSandbox } from '../../src/sandbox/startSandbox.ts';
import { type HttpServer, startHttpServer } from '../support/httpServer.ts';
import { CreateView } from './createView.ts';
import { eventually, eventuallyEqual } from './eventually.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const key = 'key-of-the-next-service';
const list = { data: [{ id: 'painter', type: 'image' }, { id: 'speaker', type: 'tts' }, { id: 'anything' }] };

describe('one service after another', () => {
  let workbench: Workbench;
  let view: CreateView;
  /** Only lists its models. */
  let painter: HttpServer;
  /** A service with further fields and prices. */
  let sandbox: Sandbox;

  before(async () => {
    painter = await startHttpServer(({ url, headers }, response) => {
      if (url === '/') response.end('Hello');
      else if (headers.authorization === `Bearer ${key}`) response.end(JSON.stringify(list));
      else response.writeHead(401).end('{"error":{"message":"Incorrect API key provided."}}');
    });
    sandbox = await startSandbox({ key, openai: true });
    workbench = await Workbench.start({ machineSettings: { 'unifiedMedia.service': 'sandbox' } });
    await workbench.page.setViewportSize({ width: 1440, height: 900 });
    view = await CreateView.open(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await Promise.all([painter?.[Symbol.asyncDispose](), sandbox?.stop()]);
  });

  const connected = () => view.content.getByRole('region', { name: 'Service Connected' });

  story('connecting a service after the sandbox', () => {
    it('offers the models of the service, never that of the sandbox, and marks those that are gone', async () => {
      await view.type('Prompt', 'A fox');
      await view.submit();
      await view.whenMade('media/images/a-fox.png', 'A fox');
      const connect = async (): Promise<void> => {
        await workbench.runCommand('Media: Connect a Service…');
        await view.type('Address', painter.origin);
        await view.type('Authorization Scheme', 'Bearer');
        await view.type('Key', key);
        await workbench.page.keyboard.press('Enter');
        await view.whenFocused(connected());
      };
      const options = view.content.getByRole('listbox').getByRole('option');
      await connect();
      await view.tabTo(view.field('Find a Model'));
      await workbench.page.keyboard.press('ArrowDown');
      await eventuallyEqual(() => options.allInnerTexts(), ['painter', 'anything', 'speaker']);
      assert.equal(await view.field('Generate Image').inputValue(), '');
      await workbench.page.keyboard.press('ArrowDown');
      await workbench.page.keyboard.press('Enter');
      await connected().getByText('painter is chosen for: Generate Image, Edit Image.').waitFor();
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

    it('replaces the choice of models by the form, which takes the focus once, not each time that it is shown', async () => {
      await workbench.runCommand('Media: Connect a Service…');
      await view.whenFocused(view.field('Address'));
      assert.equal(await connected().count(), 0);
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

  story('the fields and the prices of a service, by clicks', () => {
    const shape = (value: string) => view.content.getByRole('radiogroup', { name: 'Shape' }).getByLabel(value);

    it('are those that were chosen when it was connected', async () => {
      await workbench.runCommand('Media: Connect a Service…');
      await view.field('Address').fill(sandbox.imageBaseUrl);
      await view.field('Authorization Scheme').fill('Bearer');
      await view.field('Key').fill(key);
      await workbench.page.keyboard.press('Enter');
      await connected().getByLabel('Which further fields does it take?').selectOption('OpenAI');
      await workbench.screenshot('fields - connect');
      await connected().getByRole('button', { name: 'Done' }).click();
      await connected().waitFor({ state: 'detached' });
    });

    it('are under More Options, and make a transparent picture of the chosen shape, which says so', async () => {
      await view.type('Prompt', 'A badger');
      await view.field('Model').fill('gpt-image-2');
      await view.button('More Options').click();
      await shape('1536x1024').check();
      await view.field('Background').selectOption('transparent');
      await workbench.screenshot('fields - more options');
      await view.press(view.button('Generate Image'));
      await view.whenMade('media/images/a-badger.png', 'A badger');
      assert.equal(await view.result('A badger').locator('.differs').count(), 0);
      await workbench.screenshot('fields - transparent');
      const library = await CreateView.openLibrary(workbench);
      await library.action('A badger', 'Show Details').click();
      const details = library.content.getByRole('region', { name: 'Details' });
      await details.getByText('transparent', { exact: true }).waitFor();
      assert.equal(await details.getByText('Differs').count(), 0);
      await workbench.screenshot('fields - details');
    });

    it('are put back into the composer by Use Prompt', async () => {
      view = await CreateView.open(workbench);
      await shape('Default').check();
      await view.field('Background').selectOption('opaque');
      await view.press(view.action('A badger', 'Use Prompt'));
      await eventually(
        'the values are back',
        async () =>
          (await shape('1536x1024').isChecked()) && (await view.field('Background').inputValue()) === 'transparent',
      );
    });

    const prices = (painter: object) => ({ currency: '$', models: { 'gpt-image-2': painter } });
    const status = () => workbench.page.locator('[id$="unifiedMedia.status"]');

    it('cost what a person’s own prices say: beside the button, in the question, and for the day in the status bar', async () => {
      assert.equal(await status().count(), 0);
      workbench.changeSettings({
        'unifiedMedia.prices': prices({ image: 0.04 }),
        'unifiedMedia.confirmAbove': { images: 1 },
      });
      await view.type('Prompt', 'A hare');
      await view.type('Count', '2');
      await view.content.getByText('gpt-image-2 · about 0.08 $').waitFor();
      await view.submit();
      const question = await workbench.dialog('Generate 2 images?');
      await question.getByText('By your prices: about 0.08 $.').waitFor();
      await workbench.screenshot('prices - question');
      await question.getByRole('button', { name: 'Send', exact: true }).click();
      // With the picture that was made before.
      await status().and(workbench.page.locator('[aria-label*="about 0.12 $ today"]')).waitFor();
      await workbench.screenshot('prices - status');
    });

    it('have prices that are named in the view when they cannot be read', async () => {
      workbench.changeSettings({ 'unifiedMedia.prices': prices({ images: 0.04 }) });
      await view.content.getByText('“models.gpt-image-2.images” in your prices is not known.').waitFor();
      await workbench.screenshot('prices - wrong');
    });
  });
});
