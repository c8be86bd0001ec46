// Prints the milliseconds in VS Code from the first byte of the first answer of a narration until its sound begins, with
// the setting that plays at once. More than 20 paragraphs would be asked about. The other paragraphs are not answered until then.
import { eventually } from '../e2e/eventually.ts';
import { setApiKey } from '../e2e/setApiKey.ts';
import { Workbench } from '../e2e/workbench.ts';
import { buildExtension } from '../host/buildExtension.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { wavOf } from '../support/mediaBytes.ts';

/** The parts of a media element that the script reads; the DOM types are not available here. */
interface Media {
  readonly currentTime: number;
}

await buildExtension();
const sound = wavOf(Buffer.alloc(8000 * 20, 0x80));
const heard = Promise.withResolvers<void>();
let firstByte: number | undefined;
await using server = await startHttpServer(async (request, response) => {
  request.resume();
  if (request.method !== 'POST') return response.writeHead(404).end();
  if (firstByte !== undefined) await heard.promise;
  firstByte ??= Date.now();
  return response.end(sound);
});
const workbench = await Workbench.start({
  files: { 'guide.md': Array.from({ length: 12 }, (_, index) => `Paragraph number ${index + 1}.`).join('\n\n') },
  machineSettings: {
    'unifiedMedia.audioBaseUrl': server.origin,
    'unifiedMedia.models': { speak: ['m'] },
    'unifiedMedia.speech.responseFormat': 'wav',
    'unifiedMedia.narration.playsAtOnce': true,
  },
});
try {
  await setApiKey(workbench, 'key');
  await workbench.openFile('guide.md');
  await workbench.openFileMenu(['guide.md']);
  await workbench.chooseInMenu('Narrate Document');
  const media = (await workbench.webview('#player .cues')).locator('video');
  await eventually('it plays', async () => (await media.evaluate((element: Media) => element.currentTime)) > 0);
  const began = await media.evaluate((element: Media) => Date.now() - element.currentTime * 1000);
  if (firstByte === undefined) throw new Error('nothing was answered');
  console.log(began - firstByte);
} finally {
  heard.resolve();
  await workbench.stop();
}
