import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpServer } from '../support/httpServer.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { Workbench } from './workbench.ts';

describe('an agent in the editor, in Restricted Mode', () => {
  it('is told that nothing can be made there', async () => {
    const workbench = await Workbench.start({
      moreExtensions: [join(import.meta.dirname, 'agentExtension')],
      machineSettings: { 'unifiedMedia.service': 'sandbox' },
      workspaceTrust: true,
    });
    try {
      await workbench.runCommand('Agent Tests: Generate an Image');
      await workbench.notification('The agent was told: This workspace is in Restricted Mode');
      assert(!existsSync(join(workbench.folder, 'media')));
    } finally {
      await workbench.stop();
    }
  });
});

describe('an agent in the editor, by clicks', () => {
  let workbench: Workbench;
  let server: HttpServer;

  before(async () => {
    const body = JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] });
    server = await startHttpServer((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    });
    workbench = await Workbench.start({
      moreExtensions: [join(import.meta.dirname, 'agentExtension')],
      userSettings: { 'unifiedMedia.agents.budget': { images: 1, videos: 0, characters: 0, minutes: 0 } },
      machineSettings: {
        'unifiedMedia.imageBaseUrl': server.origin,
        'unifiedMedia.models': { generateImage: ['painter'] },
        'unifiedMedia.openAfterSave': false,
      },
    });
    await workbench.runCommand('Media: Set API Key…');
    await workbench.answerInput('Paste the key', 'canary-key-1234');
    await workbench.notification('The API key is set.');
  });

  after(async () => {
    await workbench.stop();
    await server[Symbol.asyncDispose]();
  });

  /** Lets the agent ask, answers the dialog and waits for what the agent is told. */
  async function ask(button: string, told: string, shows: readonly string[] = []): Promise<void> {
    await workbench.runCommand('Agent Tests: Generate an Image');
    const dialog = await workbench.dialog('Generate Image (Chat): 1 image with painter?');
    const text = (await dialog.innerText()).replace(/\s+/g, ' ');
    for (const part of shows) assert(text.includes(part), `${part} is not in: ${text}`);
    if (shows.length > 0) await workbench.screenshot(`agents-${button}`);
    await dialog.getByRole('button', { name: button, exact: true }).click();
    const toast = await workbench.notification(told);
    await toast.hover();
    await toast.getByRole('button', { name: /Clear Notification/ }).click();
  }

  it('sends nothing when the person says no to what the budget covers, and one request when they say yes', async () => {
    await ask('Cancel', 'The agent was told: Canceled', ['A fox in the snow', 'for the start page', server.origin]);
    assert.equal(server.requests.length, 0);
    await ask('Yes', 'The agent got done: media/images/a-fox-in-the-snow.png');
    assert.equal(server.requests.length, 1);
    assert(existsSync(join(workbench.folder, 'media/images/a-fox-in-the-snow.png')));
  });

  it('asks itself beyond the budget: nothing is sent for no, one request for yes', async () => {
    await ask('Cancel', 'The agent was told: The person declined.', [
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

describe('an agent in the editor, by chat', () => {
  it('has its model call a tool, gets the picture back and writes the reference into the document', async () => {
    const workbench = await Workbench.start({
      moreExtensions: [join(import.meta.dirname, 'agentExtension')],
      files: { 'page.md': '# Foxes\n' },
      machineSettings: { 'unifiedMedia.service': 'sandbox', 'unifiedMedia.openAfterSave': false },
    });
    try {
      await workbench.openFile('page.md');
      await workbench.runCommand('Agent Tests: Ask in Chat');
      await workbench.page.getByText('Written:').first().waitFor();
      await workbench.screenshot('agents-chat');
      const written = readFileSync(join(workbench.folder, 'page.md'), 'utf8');
      assert.match(written, /^# Foxes\n!\[A fox\]\(media\/images\/a-fox-in-the-snow\.png\)/);
      assert(existsSync(join(workbench.folder, 'media/images/a-fox-in-the-snow.png')));
    } finally {
      await workbench.stop();
    }
  });
});
