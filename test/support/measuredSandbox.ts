// Forked with --expose-gc: starts a sandbox, sends its address, and answers each message with its memory use.
import { startSandbox } from '../../src/sandbox/startSandbox.ts';

const sandbox = await startSandbox({ imageSize: 400, videoSeconds: 0.1, videoWaitMs: 0 });
process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage.rss());
});
process.on('disconnect', () => sandbox.stop());
const { imageBaseUrl, audioBaseUrl, videoBaseUrl, key } = sandbox;
process.send?.({ imageBaseUrl, audioBaseUrl, videoBaseUrl, key });
