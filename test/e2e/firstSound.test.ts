import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { bodyOf, type HttpServer, startHttpServer } from '../support/httpServer.ts';
import { wavOf } from '../support/mediaBytes.ts';
import { eventually } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

/** The parts of a media element that the test reads; the DOM types are not available here. */
interface Media {
  currentTime: number;
  readonly duration: number;
  readonly ended: boolean;
}

const guide = 'The lamps come on one by one.\n\nBoats leave before dawn.\n';
/** Duration of a paragraph: words are marked only while it plays. */
const seconds = 60;

story('the first sound of a narration', () => {
  let server: HttpServer;
  let workbench: Workbench;
  let content: Frame;
  const second = Promise.withResolvers<void>();
  const spoken: string[] = [];

  before(async () => {
    server = await startHttpServer(async (request, response) => {
      if (request.method !== 'POST') return response.writeHead(404).end();
      const { input } = JSON.parse(String(await bodyOf(request))) as { input: string };
      spoken.push(input);
      if (spoken.length > 1) await second.promise;
      return response.end(wavOf(Buffer.alloc(8000 * seconds, 128)));
    });
    workbench = await Workbench.start({
      files: { 'guide.md': guide },
      machineSettings: {
        'unifiedMedia.audioBaseUrl': server.origin,
        'unifiedMedia.models': { speak: ['m'] },
        'unifiedMedia.speech.responseFormat': 'wav',
      },
    });
    await setApiKey(workbench, 'key');
    await workbench.clearNotifications();
  });

  after(async () => {
    second.resolve();
    await workbench?.stop();
    await server?.[Symbol.asyncDispose]();
  });

  const media = () => content.locator('video');
  const read = () => media().evaluate(({ currentTime, duration, ended }: Media) => ({ currentTime, duration, ended }));
  const lens = (text: string) => workbench.page.locator('.codelens-decoration').getByText(text);
  const marked = () => workbench.page.locator('.editor-instance .view-overlays [class*="ced-"]');

  it('is heard while the rest is spoken, with its words marked, and goes on as that comes', async () => {
    await workbench.openFile('guide.md');
    await workbench.openFileMenu(['guide.md']);
    await workbench.chooseInMenu('Narrate Document');
    await lens('Play What Is There').waitFor();
    for (const theme of ['Light Modern', 'Dark Modern'] as const) {
      await workbench.setTheme(theme);
      await workbench.screenshot(`first sound - ${theme}`);
    }
    await lens('Play What Is There').click();
    content = await workbench.webview('#player .cues');
    await eventually('the words are marked', async () => (await marked().count()) > 0);
    await media().evaluate((element: Media, to: number) => {
      element.currentTime = to;
    }, seconds - 1);
    await eventually('the first paragraph was heard', async () => (await read()).ended);
    assert.equal((await read()).duration, seconds);
    assert.equal(spoken.length, 2);
    second.resolve();
    await workbench.notification('Saved guide.wav. 2 paragraphs were spoken.');
    await eventually('it goes on', async () => (await read()).currentTime > seconds);
    await workbench.screenshot('first sound - goes on');
    assert.equal(await content.getByText('This is what is there so far').count(), 0);
    assert.equal(spoken.length, 2);
    const file = readFileSync(join(workbench.folder, 'media/speech/guide.wav'));
    assert(file.length > 2 * 8000 * seconds);
  });
});
