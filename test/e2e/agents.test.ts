import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { pngBytes } from '../support/mediaBytes.ts';
import { startPainter } from './startPainter.ts';
import { Workbench } from './workbench.ts';

const agentExtension = join(import.meta.dirname, 'agentExtension');
const image = JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] });
const paint: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(image);
};

describe('an agent in the editor, in Restricted Mode (promise 21)', () => {
  it('gets a refusal, and only the user’s own request is sent', async () => {
    await using painter = await startPainter(paint, { moreExtensions: [agentExtension], workspaceTrust: true });
    const { workbench, server } = painter;
    await workbench.runCommand('Agent Tests: Generate an Image');
    await workbench.notification('The agent was told: This workspace is in Restricted Mode');
    // A person can generate there, with the same key.
    await workbench.runCommand('Media: Generate Image…');
    await workbench.answerInput('What the image shows', 'A harbour');
    await workbench.notification('Saved a-harbour.png.');
    assert.equal(server.requests.length, 1);
  });
});

describe('an agent in the editor, by chat (promise 21)', () => {
  it('calls the tool for its model, gets the picture back and writes the reference into the document', async () => {
    const workbench = await Workbench.start({
      moreExtensions: [agentExtension],
      files: { 'page.md': '# Foxes\n' },
      userSettings: { 'chat.disableAIFeatures': false },
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
