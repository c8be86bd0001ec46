// Run by fork with --expose-gc: a sandbox that tells its address, and on each message the memory of its process.
import { startSandbox } from '../../src/sandbox/startSandbox.ts';

const { imageBaseUrl, audioBaseUrl, videoBaseUrl, key } = await startSandbox({
  imageSize: 400,
  videoSeconds: 0.1,
  videoWaitMs: 0,
});
process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage.rss());
});
process.send?.({ imageBaseUrl, audioBaseUrl, videoBaseUrl, key });
