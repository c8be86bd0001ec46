// Prints one measurement of the Create view in VS Code:
//   open      milliseconds from the click that opens the view until the prompt accepts keys
//   generate  milliseconds from Ctrl+Enter to the decoded picture, against a service that responds at once; median of 9
//   gallery   milliseconds from the click that opens the view until the newest of 10,000 results are drawn
//   task      the longest task of the view while scrolling through 10,000 results, in milliseconds
//   media     the largest number of media elements in the view while scrolling
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encode } from 'fast-png';
import { CreateView } from '../e2e/createView.ts';
import { eventually } from '../e2e/eventually.ts';
import { Workbench } from '../e2e/workbench.ts';
import { buildExtension } from '../host/buildExtension.ts';
import { galleryFiles } from '../support/largeLibrary.ts';

const results = 10_000;
const [, what = ''] = process.argv.slice(2);

/** The parts of the page that scripts use; the DOM types are not available here. */
interface Page {
  readonly document: {
    querySelector(selector: string): Element | null;
    querySelectorAll(selector: string): { readonly length: number };
  };
  requestAnimationFrame(then: () => void): void;
  readonly performance: {
    readonly timeOrigin: number;
    getEntriesByName(name: string): readonly { readonly startTime: number }[];
    mark(name: string): void;
  };
  readonly MutationObserver: new (take: () => void) => { observe(target: object, options: object): void };
  readonly PerformanceObserver: new (
    take: (list: { getEntries(): readonly { readonly name: string; readonly duration: number }[] }) => void,
  ) => { observe(options: object): void; disconnect(): void };
}

interface Element {
  onfocus: (() => void) | null;
  readonly contentWindow: Page;
  scrollTop: number;
  readonly scrollHeight: number;
  decode(): Promise<void>;
  matches(selector: string): boolean;
}

/** A picture with this many pixels on each side. */
function pictureOf(size: number): Buffer {
  const data = Uint8Array.from({ length: size * size * 3 }, (_, index) => (index * 7919) % 251);
  return Buffer.from(encode({ width: size, height: size, channels: 3, data }));
}

/** Starts a service whose images are ready before they are requested. */
async function startService() {
  const png = pictureOf(512);
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method !== 'POST') {
        response.end(png);
        return;
      }
      const { port } = server.address() as AddressInfo;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ created: 1, data: [{ url: `http://127.0.0.1:${port}/a.png` }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

async function generate(view: CreateView, round: number): Promise<number> {
  const { page } = view.workbench;
  const prompt = `Picture number ${round}`;
  await view.field('Prompt').fill(prompt);
  const decoded = view.content.locator('body').evaluate((_, name) => {
    const { document, requestAnimationFrame } = globalThis as unknown as Page;
    const { addEventListener, performance } = globalThis as unknown as typeof globalThis & {
      addEventListener(type: string, listener: () => void, options: object): void;
    };
    return new Promise<number>((resolve) => {
      addEventListener(
        'keydown',
        () => {
          const start = performance.now();
          const look = () => {
            const image = document.querySelector(`li[aria-label="${name}"] img`);
            if (image) void image.decode().then(() => resolve(performance.now() - start));
            else requestAnimationFrame(look);
          };
          look();
        },
        { once: true, capture: true },
      );
    });
  }, prompt);
  // The listener must be attached before the key is pressed.
  await page.waitForTimeout(100);
  await page.keyboard.press('Control+Enter');
  return decoded;
}

/** Scrolls through the whole list in big steps. @returns the longest task and the largest number of media elements */
function scrollThrough(): Promise<{ readonly task: number; readonly media: number }> {
  const { document, PerformanceObserver, requestAnimationFrame } = globalThis as unknown as Page;
  const scroller = document.querySelector('.scroller');
  if (!scroller) throw new Error('There is nothing to scroll.');
  let [task, media] = [0, 0];
  const tasks = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) task = Math.max(task, duration);
  });
  tasks.observe({ type: 'longtask', buffered: false });
  return new Promise((resolve) => {
    let step = 0;
    const next = () => {
      media = Math.max(media, document.querySelectorAll('img, video, audio').length);
      if (++step > 240) {
        tasks.disconnect();
        return resolve({ task, media });
      }
      // Scroll slowly first, then in leaps.
      scroller.scrollTop += step < 120 ? 60 : scroller.scrollHeight / 120;
      requestAnimationFrame(next);
    };
    next();
  });
}

/**
 * Measures the milliseconds from the click on *Media* until the prompt accepts keys or the newest results are drawn.
 */
async function opened(workbench: Workbench, moment: 'typing' | 'results'): Promise<number> {
  const { page } = workbench;
  await page.addInitScript(markMoments);
  // Opens twice first: what VS Code itself loads to show its first webview view is not ours to measure.
  for (let round = 0; round < 2; round++) {
    const view = await CreateView.open(workbench);
    await view.whenFocused(view.field('Prompt'));
    await page.getByRole('tab', { name: /^Explorer/ }).click();
    await page.waitForTimeout(1000);
  }
  const media = page.getByRole('tab', { name: /^Media/ });
  await media.hover();
  const start = Date.now();
  await media.click();
  const view = await CreateView.at(workbench, 'view');
  return eventually(`the view has reached "${moment}"`, async () => {
    const at = await view.content.locator('body').evaluate(momentOf, moment);
    return at === undefined ? undefined : at - start;
  });
}

/**
 * Runs in each new frame. In the outer frame of a webview it waits until VS Code has written the page into the inner one,
 * and marks there when the prompt has the focus, and when the newest results are drawn.
 */
function markMoments(): void {
  const { document, PerformanceObserver, MutationObserver } = globalThis as unknown as Page;
  const watch = ({ document: page, performance }: Page) => {
    const mark = (moment: string) => {
      if (performance.getEntriesByName(moment).length === 0) performance.mark(moment);
    };
    const look = () => {
      const prompt = page.querySelector('.prompt');
      if (prompt?.matches(':focus')) mark('typing');
      else if (prompt) prompt.onfocus = () => mark('typing');
      if (page.querySelector('.grid .tile:not(.loading)')) mark('results');
    };
    new MutationObserver(look).observe(page, { childList: true, subtree: true });
    look();
  };
  new PerformanceObserver((list) => {
    if (!list.getEntries().some(({ name }) => name.endsWith('/wroteInnerContent'))) return;
    const frame = document.querySelector('#pending-frame') ?? document.querySelector('#active-frame');
    if (frame) watch(frame.contentWindow);
  }).observe({ type: 'mark' });
}

/** Runs in the page. @returns milliseconds since 1970 */
function momentOf(_: unknown, moment: 'typing' | 'results'): number | undefined {
  const { performance } = globalThis as unknown as Page;
  const [mark] = performance.getEntriesByName(moment);
  return mark && performance.timeOrigin + mark.startTime;
}

buildExtension();
const service = await startService();
const isGallery = what === 'gallery' || what === 'task' || what === 'media';
const workbench = await Workbench.start({
  isLean: false,
  machineSettings: { 'unifiedMedia.imageBaseUrl': service.address, 'unifiedMedia.models': { generateImage: ['m'] } },
  ...(isGallery ? { files: galleryFiles(results, pictureOf(256)) } : {}),
});
try {
  if (what === 'open') console.log(await opened(workbench, 'typing'));
  else if (what === 'gallery') console.log(await opened(workbench, 'results'));
  else if (what === 'task' || what === 'media') {
    const view = await CreateView.open(workbench);
    await view.results.getByRole('listitem', { name: `take ${results - 1}` }).waitFor();
    const found = await view.content.locator('body').evaluate(scrollThrough);
    console.log(found[what]);
  } else if (what === 'generate') {
    const view = await CreateView.open(workbench);
    await workbench.runCommand('Media: Set API Key…');
    await workbench.answerInput('Paste the key', 'any-key');
    await view.button('Set API Key').waitFor({ state: 'detached' });
    await workbench.runCommand('Media: Focus on Create View');
    const times: number[] = [];
    for (let round = 0; round < 10; round++) times.push(await generate(view, round));
    // The first round loads what the others reuse.
    console.log(times.slice(1).sort((a, b) => a - b)[4]);
  } else throw new Error('Usage: createView.ts client open|generate|gallery|task|media');
} catch (error) {
  await workbench.saveEvidence(`bench ${what}`);
  throw error;
} finally {
  await workbench.stop();
  service.stop();
}
