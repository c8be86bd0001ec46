import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Workbench } from './workbench.ts';

const agentExtension = join(import.meta.dirname, 'agentExtension');

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
