import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decode } from 'fast-png';
import type { Disobedience } from '../../src/sandbox/Exchange.ts';
import type { Sandbox } from '../../src/sandbox/startSandbox.ts';
import { startSandbox } from '../../src/sandbox/startSandbox.ts';
import { CreateView } from './createView.ts';
import { eventually } from './eventually.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const key = 'key-of-a-service-with-fields';

story('the fields of a service, by clicks', () => {
  let workbench: Workbench;
  let view: CreateView;
  let service: Sandbox;
  const disobeys: { -readonly [Name in keyof Disobedience]: Disobedience[Name] } = {};

  before(async () => {
    service = await startSandbox({ key, openai: true, disobeys });
    workbench = await Workbench.start();
    await workbench.page.setViewportSize({ width: 1440, height: 900 });
    view = await CreateView.open(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await service?.stop();
  });

  /** Returns width, height and the share of pixels that can be seen through. */
  async function pictureAt(path: string): Promise<readonly [width: number, height: number, share: number]> {
    const { width, height, channels, data } = decode(await readFile(join(workbench.folder, path)));
    const seenThrough = data.filter((value, at) => channels === 4 && at % 4 === 3 && value === 0).length;
    return [width, height, seenThrough / (width * height)];
  }

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
    const [width, height, share] = await pictureAt('media/images/a-fox.png');
    assert.deepEqual([width, height], [1536, 1024]);
    assert(share > 0.05, `${share} of the pixels are transparent`);
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

  it('are told on the tile where the service only painted a checkerboard', async () => {
    disobeys.background = 'checkerboard';
    await view.type('Prompt', 'A hare');
    await view.press(view.button('Generate Image'));
    await view.whenMade('media/images/a-hare.png', 'A hare');
    assert.equal((await pictureAt('media/images/a-hare.png'))[2], 0);
    await view.result('A hare').getByText('background is opaque instead of transparent').waitFor();
    await workbench.screenshot('fields - checkerboard');
  });
});
