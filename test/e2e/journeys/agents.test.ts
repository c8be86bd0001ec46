import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import type { HttpServer } from '../../support/httpServer.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { type Painter, startPainter } from '../startPainter.ts';
import { story } from '../story.ts';
import type { Workbench } from '../workbench.ts';

const agentExtension = join(import.meta.dirname, '../agentExtension');
const image = JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] });
const paint: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(image);
};

story('an agent in the editor, by clicks', () => {
  let painter: Painter;
  let workbench: Workbench;
  let server: HttpServer;

  before(async () => {
    painter = await startPainter(paint, {
      moreExtensions: [agentExtension],
      userSettings: {
        'unifiedMedia.agents.budget': { images: 1, videos: 0, characters: 0, minutes: 0, requests: 100 },
      },
    });
    ({ workbench, server } = painter);
  });

  after(() => painter?.[Symbol.asyncDispose]());

  /** Makes the agent ask, clicks a button of the dialog and waits for the reply to the agent. */
  async function ask(button: string, told: string, shows: readonly string[] = []): Promise<void> {
    await workbench.runCommand('Agent Tests: Generate an Image');
    const dialog = await workbench.dialog('Generate Image (Chat): 1 image with “painter”?');
    const text = (await dialog.innerText()).replace(/\s+/g, ' ');
    for (const part of shows) assert(text.includes(part), `${part} is not in: ${text}`);
    if (shows.length > 0) await workbench.screenshot(`agents-${button}`);
    await dialog.getByRole('button', { name: button, exact: true }).click();
    await workbench.notification(told);
    // The button of the toast may be hidden by the next one.
    await workbench.runCommand('Notifications: Clear All Notifications');
  }

  it('within the budget: sends nothing after Cancel, one request after Yes', async () => {
    await ask('Cancel', 'The agent was told: Canceled', ['A fox in the snow', 'for the start page', server.origin]);
    assert.equal(server.requests.length, 0);
    await ask('Yes', 'The agent got done: media/images/a-fox-in-the-snow.png');
    assert.equal(server.requests.length, 1);
    assert(existsSync(join(workbench.folder, 'media/images/a-fox-in-the-snow.png')));
  });

  it('beyond the budget: asks by itself, sends nothing after Cancel, one request after Generate', async () => {
    await ask('Cancel', 'The agent was told: The user declined.', [
      'Prompt: A fox in the snow',
      'For: for the start page',
      `Service: ${server.origin}`,
      'Price: unknown',
      'Left for agents today: 0 images',
      'Nothing is sent unless you agree.',
    ]);
    assert.equal(server.requests.length, 1);
    await ask('Generate', 'The agent got done: media/images/a-fox-in-the-snow-2.png');
    assert.equal(server.requests.length, 2);
  });
});
