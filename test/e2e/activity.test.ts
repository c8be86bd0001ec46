import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { actUntil, eventually } from './eventually.ts';
import { choose, clickAction, itemOf, openMedia, photograph } from './mediaViews.ts';
import { type Painter, painterKey, startPainter } from './startPainter.ts';
import { story } from './story.ts';
import type { Workbench } from './workbench.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

describe('with an image service', () => {
  let painter: Painter;
  let workbench: Workbench;
  let server: HttpServer;
  /** Answers the next requests. */
  let answer: Answer;

  before(async () => {
    painter = await startPainter((request, response) => answer(response, request));
    ({ workbench, server } = painter);
  });

  after(() => painter?.[Symbol.asyncDispose]());

  async function generate(prompt: string, how: Answer): Promise<void> {
    answer = how;
    await workbench.runCommand('Media: Generate Image…');
    await workbench.answerInput('What the image shows', prompt);
  }

  story('the Activity tree, by clicks', () => {
    const job = (name: string) => itemOf(workbench, 'Activity', name);

    const fail = (response: ServerResponse) =>
      response
        .writeHead(500, { 'content-type': 'application/json', 'x-request-id': 'req_7' })
        .end(JSON.stringify({ error: { message: 'The painter is out of paint.' } }));
    const succeed = (response: ServerResponse) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] }));

    it('starts empty and says what it will list', async () => {
      await openMedia(workbench);
      await workbench.runCommand('Media: Focus on Activity View');
      await workbench.page.getByText('What you generate, transcribe or speak is shown here').waitFor();
    });

    const listed = () => workbench.listedCommands('Media: ', 'Media: Add Video by ID…');
    const onJobs = ['Media: Cancel Job…', 'Media: Dismiss Job…'];

    it('keeps commands on jobs and on a manifest out of the palette while there is none', async () => {
      const titles = await listed();
      assert(titles.includes('Media: Connect a Service…'), titles.join('\n'));
      for (const title of [...onJobs, 'Media: Apply Assets…', 'Media: Check Assets'])
        assert(!titles.includes(title), title);
    });

    it('shows failed, unknown and running jobs in the view, the badge and the status bar', async () => {
      await generate('A fox in the snow', fail);
      await job('A fox in the snow, failed').waitFor();
      await generate('An owl at dusk', (response) => response.destroy());
      await job('An owl at dusk, outcome unknown, may be billed').waitFor();
      await generate('A lighthouse in a storm', () => undefined);
      await job('A lighthouse in a storm, waiting for the service').waitFor();
      await workbench.page.getByRole('tab', { name: /^Media.*Running media jobs: 1/ }).waitFor();
      await workbench.page.getByRole('button', { name: 'Running media jobs: 1' }).waitFor();
      await photograph(workbench, 'activity');
      const titles = await listed();
      for (const title of onJobs) assert(titles.includes(title), titles.join('\n'));
    });

    it('cancels a running job', async () => {
      const cancelled = job('A lighthouse in a storm, cancelled');
      await actUntil(cancelled, () => clickAction(job('A lighthouse in a storm'), 'Cancel'));
      await workbench.page.getByRole('button', { name: 'Running media jobs: 1' }).waitFor({ state: 'detached' });
    });

    it('shows the whole error', async () => {
      await actUntil(workbench.tab('Job Error'), () => choose(workbench, job('A fox in the snow'), 'Show Error'));
      const lines = workbench.page.locator('.editor-instance .view-lines');
      await lines.getByText('The painter is out of paint.').waitFor();
      await workbench.screenshot('activity - error');
    });

    it('runs a failed job again after a warning, and lists the result', async () => {
      answer = succeed;
      const before = server.requests.length;
      const warning = workbench.dialogBox('Run this job again?');
      await actUntil(warning, () => clickAction(job('A fox in the snow'), 'Run Again'));
      assert.equal(server.requests.length, before, 'nothing is sent before the answer');
      await warning.getByRole('button', { name: 'Run Again' }).click();
      await job('A fox in the snow, done').waitFor();
      await job('A fox in the snow, failed').waitFor({ state: 'detached' });
      assert.equal(server.requests.length, before + 1);
      const message = await workbench.notification('Saved a-fox-in-the-snow.png.');
      await message.getByRole('button', { name: 'Insert at Cursor' }).waitFor();
      await actUntil(workbench.tab('a-fox-in-the-snow.png'), () => clickAction(job('A fox in the snow'), 'Open'));
    });
  });

  /** After work with a key, searches everything on the disk for it. */
  story('the secrets of a user (promise 3)', () => {
    const canaries = { key: painterKey, signature: 'canary-signature-0815', prompt: 'Canarybird' };

    it('appear in no message', async () => {
      const { length } = server.requests;
      await generate(canaries.prompt, (response, { method }) => {
        if (method === 'GET') response.end(pngBytes);
        else response.end(JSON.stringify({ data: [{ url: `/result?signature=${canaries.signature}` }] }));
      });
      await workbench.notification('Saved canarybird.png.');
      // Some services echo the request.
      await generate(`${canaries.prompt} again`, (response, { headers }) =>
        response.writeHead(401).end(JSON.stringify({ error: { message: `Bad key ${headers.authorization}` } })),
      );
      const message = await workbench.notification('The service did not accept the API key.');
      const text = await message.innerText();
      assert.match(text, /Bad key \[redacted\]/);
      assert(!text.includes(canaries.key), text);
      const sent = server.requests.slice(length).filter(({ headers }) => headers.authorization === canaries.key);
      assert.equal(sent.length, 3);
    });

    it('appear in no file of the extension, the editor or the workspace', () => {
      assert.deepEqual(workbench.filesWith(canaries.key), []);
      assert.deepEqual(workbench.filesWith(canaries.signature), []);
    });

    it('appear in no log, and neither does a prompt', async () => {
      await eventually('the requests are logged', async () => /generateImage: POST http/.test(workbench.log()));
      const log = workbench.log();
      for (const [name, canary] of Object.entries(canaries)) assert(!log.includes(canary), name);
    });
  });
});
