import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mp4Bytes, pngBytes } from '../support/mediaBytes.ts';
import type { Stage } from '../support/standingService.ts';
import { startStandingService } from '../support/standingService.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

/** A kill during the download of an image is one of the journeys. */
const kinds = [
  {
    kind: 'image',
    command: 'Media: Generate Image…',
    bytes: pngBytes,
    folder: 'media/images',
    extension: 'png',
    stages: ['sending', 'waiting', 'saving'],
  },
  {
    kind: 'video',
    command: 'Media: Generate Video…',
    bytes: mp4Bytes,
    folder: 'media/videos',
    extension: 'mp4',
    stages: ['sending', 'waiting', 'downloading', 'saving'],
  },
] as const;

for (const { kind, command, bytes, folder, extension, stages } of kinds) {
  story(`when the extension host is killed: ${kind} (promise 8)`, () => {
    let workbench: Workbench;
    let service: Awaited<ReturnType<typeof startStandingService>>;

    before(async () => {
      service = await startStandingService();
      workbench = await Workbench.start({
        machineSettings: {
          'unifiedMedia.imageBaseUrl': service.origin,
          'unifiedMedia.videoBaseUrl': service.origin,
          'unifiedMedia.models': { generateImage: ['painter'], generateVideo: ['painter'] },
        },
      });
      await setApiKey(workbench);
    });

    after(async () => {
      await workbench?.stop();
      await service?.[Symbol.asyncDispose]();
    });

    /** Starts a job and resolves when it has reached the stage. @returns the number of paid requests before it */
    async function runTo(stage: Stage): Promise<number> {
      const paid = service.paid();
      const reached = service.standAt(stage);
      await workbench.runCommand(command);
      await workbench.pick('Choose a model', 'painter');
      await workbench.answerInput(kind === 'image' ? 'What the image shows' : 'What happens in the video', stage);
      if (kind === 'image') await workbench.answerInput('Count', '1');
      await reached;
      return paid;
    }

    // VS Code restarts the extension host twice by itself. After that, the test reloads the window as a person would.
    for (const stage of stages) {
      const isPaid = stage === 'downloading' || stage === 'saving';
      it(`while ${stage}: it is ${isPaid ? 'saved' : 'unknown'}, and paid once`, async () => {
        const paid = await runTo(stage);
        workbench.killExtensionHost();
        service.release();
        if (isPaid) await workbench.reload();

        if (isPaid) {
          await workbench.notification(`Saved ${stage}.${extension}`);
          assert.deepEqual(readFileSync(join(workbench.folder, folder, `${stage}.${extension}`)), bytes);
        } else {
          const told = await workbench.notification('The editor closed before the whole answer was received');
          await told.getByRole('button', { name: 'Run Again (May Be Billed Again)' }).waitFor();
        }
        await workbench.screenshot(`crash - ${kind} while ${stage}`);
        assert.equal(service.paid(), paid + 1);
        if (stage === 'downloading') await setApiKey(workbench);
        await workbench.clearNotifications();
      });
    }

    it('leaves one file and one record for each saved result', () => {
      const saved = stages.filter((stage) => stage === 'downloading' || stage === 'saving');
      const files = saved.map((name) => `${name}.${extension}`);
      assert.deepEqual(readdirSync(join(workbench.folder, folder)).sort(), files);
      const library = readFileSync(join(workbench.folder, '.unified-media/library.jsonl'), 'utf8').trimEnd();
      const recorded = library.split('\n').map((line) => (JSON.parse(line) as { file: string }).file);
      assert.deepEqual(
        recorded.sort(),
        files.map((file) => `${folder}/${file}`),
      );
    });

    it('is unknown after a reload while waiting, and runs again on request', async () => {
      await setApiKey(workbench);
      const paid = await runTo('waiting');
      service.release();
      await workbench.reload();
      const told = await workbench.notification('The editor closed before the whole answer was received');
      assert.equal(service.paid(), paid + 1);
      await setApiKey(workbench);
      await told.getByRole('button', { name: 'Run Again (May Be Billed Again)' }).click();
      await workbench.editorTab(`waiting.${extension}`);
      assert.equal(service.paid(), paid + 2);
    });
  });
}
