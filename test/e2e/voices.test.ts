import assert from 'node:assert/strict';
import type { MediaService } from '../support/mediaService.ts';
import { startMediaService } from '../support/mediaService.ts';
import { CreateView } from './createView.ts';
import { eventually } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

story('a voice is heard before it is used', () => {
  let workbench: Workbench;
  let service: MediaService;
  let view: CreateView;

  before(async () => {
    service = await startMediaService();
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.audioBaseUrl': service.origin, 'unifiedMedia.models': { speak: ['reader'] } },
    });
    await workbench.page.setViewportSize({ width: 1280, height: 760 });
    await setApiKey(workbench);
    view = await CreateView.open(workbench);
    await view.tab('Speech').click();
  });

  after(async () => {
    await workbench?.stop();
    await service[Symbol.asyncDispose]();
  });

  const hear = () => view.button('Play Voice').click();
  const whenPlayed = () =>
    eventually('the sample has played', () =>
      view.content.locator('.voice audio').evaluate((audio) => (audio as unknown as Sound).currentTime > 0),
    );

  it('says what it costs, and sends nothing without a yes', async () => {
    await view.field('Voice').selectOption('nova');
    await hear();
    const question = await workbench.dialog('Hear the voice nova?');
    await workbench.screenshot('voices - question');
    assert.match((await question.textContent()) ?? '', /27 characters once/);
    await workbench.page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await view.button('Play Voice').and(view.content.locator('[aria-disabled=false]')).waitFor();
    assert.deepEqual(service.received, []);
  });

  it('is paid for once, and is no result', async () => {
    await hear();
    const question = await workbench.dialog('Hear the voice nova?');
    await question.getByRole('button', { name: 'Generate', exact: true }).click();
    await whenPlayed();
    assert.deepEqual(
      service.received.map(({ body }) => [body.model, body.voice, body.input]),
      [['reader', 'nova', 'Hello, this is how I sound.']],
    );
    await workbench.reload();
    view = await CreateView.open(workbench);
    await view.tab('Speech').click();
    await view.field('Voice').selectOption('nova');
    await hear();
    await whenPlayed();
    assert.equal(service.received.length, 1);
    assert.equal(await view.results.getByRole('listitem').count(), 0);
  });

  it('comes first as a favourite', async () => {
    await view.button('Favourite Voice').click();
    const first = view.field('Voice').locator('option').first();
    await eventually('it is the first', async () => (await first.textContent()) === '★ nova – bright');
    await workbench.screenshot('voices - favourite');
  });

  it('tells when it could not be spoken', async () => {
    // The key of this computer's secret storage lasts as long as its window.
    await view.field('Voice').selectOption('sage');
    await hear();
    await workbench.notification(`There is no API key for ${service.origin}`);
    assert.equal(service.received.length, 1);
  });
});

/** The DOM types are not available here. */
interface Sound {
  readonly currentTime: number;
}
