// Resizes a PNG of 4096 × 4096 pixels to a WebP of 1024. Prints the total milliseconds (`time`), or the longest time
// that the event loop of the caller (in VS Code, the extension host) was blocked (`block`).
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { transformImage } from '../../src/images/transformImage.ts';
import { patternPng } from '../support/patterns.ts';

const side = 4096;
// Gradients with a little noise, like a photograph.
const noise = (x: number, y: number) => ((x * 7919 + y * 104_729) % 17) - 8;
const picture = patternPng(side, side, (x, y) => [
  128 + 90 * Math.sin(x / 300) + noise(x, y),
  128 + 90 * Math.sin(y / 200) + noise(y, x),
  (x + y) >> 5,
  255,
]);

const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
// The histogram starts with its first timer.
await sleep(20);
delays.reset();
const start = performance.now();
const { width } = await transformImage(picture, { width: 1024, format: 'webp' });
const time = performance.now() - start;
if (width !== 1024) throw new Error(`The result is ${width} pixels wide.`);
const block = delays.max / 1e6;
console.log(process.argv[3] === 'block' ? block : time);
