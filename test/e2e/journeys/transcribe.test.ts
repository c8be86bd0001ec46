import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wavBytes } from '../../support/mediaBytes.ts';
import { Workbench } from '../workbench.ts';

describe('the menu of a file', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({
      files: { 'standup.wav': wavBytes },
      machineSettings: { 'unifiedMedia.service': 'sandbox', 'explorer.autoReveal': false },
    });
  });

  after(() => workbench?.stop());

  it('transcribes a recording', async () => {
    await workbench.openFileMenu(['standup.wav']);
    await workbench.screenshot('menu - recording');
    await workbench.chooseInMenu('Transcribe Audio…');
    await workbench.editorTab('standup.md');
    await workbench.screenshot('menu - transcript');
    const transcript = readFileSync(join(workbench.folder, 'media/transcripts/standup.md'), 'utf8');
    assert.match(transcript, /^---\nsource: "standup\.wav"\n/);
    assert.match(transcript, /\(\.\.\/\.\.\/standup\.wav\)/);
  });
});
