// Prints one measurement of the player in VS Code, with a recording of 10,000 cues:
//   open   milliseconds from the start of its page until the list is drawn
//   click  milliseconds from the click on a cue until its sound plays; median of 9
import { eventually } from '../e2e/eventually.ts';
import { Workbench } from '../e2e/workbench.ts';
import { buildExtension } from '../host/buildExtension.ts';
import { wavOf } from '../support/mediaBytes.ts';

const cues = 10_000;
const cueMs = 100;
const [, what = ''] = process.argv.slice(2);

/** The parts of the page that scripts use; the DOM types are not available here. */
interface Page {
  readonly performance: {
    now(): number;
    getEntriesByName(name: string): readonly { readonly startTime: number }[];
  };
  addEventListener(type: string, listener: () => void, options: object): void;
}

interface Media {
  addEventListener(type: string, listener: () => void, options: object): void;
}

function subtitles(): string {
  const clock = (milliseconds: number) => new Date(milliseconds).toISOString().slice(11, 23);
  const blocks = Array.from({ length: cues }, (_, index) => {
    const start = index * cueMs;
    return `${clock(start)} --> ${clock(start + cueMs)}\nCue number ${index + 1}.\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

await buildExtension();
const sound = wavOf(Buffer.alloc((8000 * cues * cueMs) / 1000, 0x80));
const workbench = await Workbench.start({ files: { 'call.wav': sound, 'call.vtt': subtitles() } });
try {
  await workbench.openFile('call.vtt');
  await workbench.runCommand('Media: Play from Here');
  const content = await workbench.webview('#player .cues');
  const body = content.locator('body');
  await content.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  if (what === 'open') {
    const drawn = () =>
      body.evaluate(
        () =>
          (globalThis as unknown as Page).performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1,
      );
    await eventually('it is drawn', async () => (await drawn()) >= 0);
    console.log(await drawn());
  } else {
    const times: number[] = [];
    for (let round = 0; round < 9; round++) {
      const took = content.locator('video').evaluate((element: Media) => {
        const { addEventListener, performance } = globalThis as unknown as Page;
        return new Promise<number>((resolve) => {
          addEventListener(
            'click',
            () => {
              const start = performance.now();
              const once = { once: true };
              element.addEventListener('seeked', () => resolve(performance.now() - start), once);
            },
            { once: true, capture: true },
          );
        });
      });
      // The listener must be attached before the click.
      await body.evaluate(() => undefined);
      await content
        .getByRole('list', { name: 'Cues' })
        .getByRole('button')
        .nth(2 + round)
        .click();
      times.push(await took);
    }
    console.log(times.toSorted((one, other) => one - other)[4]);
  }
} finally {
  await workbench.stop();
}
