import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDispatcher } from '../../src/service/createDispatcher.ts';
import { MediaClient } from '../../src/service/MediaClient.ts';

export interface Contender {
  /** Sets up what the run needs; not measured. */
  prepare?(host: string, folder: string): void;
  run(host: string, folder: string): unknown;
}

/** Size of the recording or video, in MiB; the third argument on the command line. */
export const megabytes = Number(process.argv[4] ?? 512);

/**
 * Prints how many seconds a contender takes against a server in another process, or by how many MiB this process's
 * memory grows. The command line names the contender and `seconds` or `memory`.
 */
export async function measureAgainstServer(contenders: Readonly<Record<string, Contender>>): Promise<void> {
  const [who = '', what] = process.argv.slice(2);
  const contender = contenders[who];
  if (!contender) throw new Error(`Usage: ${process.argv[1]} ${Object.keys(contenders).join('|')} seconds|memory`);
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const server = fork(join(import.meta.dirname, 'peerServer.ts'));
  try {
    const [port] = (await once(server, 'message')) as [number];
    const host = `http://127.0.0.1:${port}`;
    contender.prepare?.(host, folder);
    const before = process.memoryUsage.rss();
    const start = performance.now();
    await contender.run(host, folder);
    const seconds = (performance.now() - start) / 1000;
    // maxRSS is the peak, in KiB.
    console.log(what === 'memory' ? (process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20 : seconds);
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

/** Creates a client as the extension does. */
export function clientOf(host: string): MediaClient {
  return new MediaClient({
    configuration: {
      hosts: { image: host, audio: host, video: host },
      timeoutSeconds: { image: 90, audio: 90, video: 90 },
    },
    key: () => 'key',
    dispatcher: createDispatcher(),
  });
}
