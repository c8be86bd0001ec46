import assert from 'node:assert/strict';
import type { Sandbox } from '../../src/sandbox/startSandbox.ts';
import { startSandbox } from '../../src/sandbox/startSandbox.ts';
import { CreateView } from './createView.ts';
import { eventually } from './eventually.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const key = 'key-of-a-service-with-fields';

story('the fields and the prices of a service, by clicks', () => {
  let workbench: Workbench;
  let view: CreateView;
  let service: Sandbox;

  before(async () => {
    service = await startSandbox({ key, openai: true });
    workbench = await Workbench.start();
    await workbench.page.setViewportSize({ width: 1440, height: 900 });
    view = await CreateView.open(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await service?.stop();
  });

  const shape = (value: string) => view.content.getByRole('radiogroup', { name: 'Shape' }).getByLabel(value);

  it('are those that were chosen when it was connected', async () => {
    await view.field('Address').fill(service.imageBaseUrl);
    await view.field('Authorization Scheme').fill('Bearer');
    await view.field('Key').fill(key);
    await workbench.page.keyboard.press('Enter');
    const connected = view.content.getByRole('region', { name: 'Service Connected' });
    await connected.getByLabel('Which further fields does it take?').selectOption('OpenAI');
    await workbench.screenshot('fields - connect');
    await connected.getByRole('button', { name: 'Done' }).click();
    await connected.waitFor({ state: 'detached' });
  });

  it('are under More Options, and make a transparent picture of the chosen shape, which says so', async () => {
    await view.type('Prompt', 'A fox');
    await view.field('Model').fill('gpt-image-2');
    await view.button('More Options').click();
    await shape('1536x1024').check();
    await view.field('Background').selectOption('transparent');
    await workbench.screenshot('fields - more options');
    await view.press(view.button('Generate Image'));
    await view.whenMade('media/images/a-fox.png', 'A fox');
    assert.equal(await view.result('A fox').locator('.differs').count(), 0);
    await workbench.screenshot('fields - transparent');
    const library = await CreateView.openLibrary(workbench);
    await library.action('A fox', 'Show Details').click();
    const details = library.content.getByRole('region', { name: 'Details' });
    await details.getByText('transparent', { exact: true }).waitFor();
    assert.equal(await details.getByText('Differs').count(), 0);
    await workbench.screenshot('fields - details');
  });

  it('are put back into the composer by Use Prompt', async () => {
    view = await CreateView.open(workbench);
    await shape('Default').check();
    await view.field('Background').selectOption('opaque');
    await view.press(view.action('A fox', 'Use Prompt'));
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
