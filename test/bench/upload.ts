// Prints the seconds of an upload of 512 MiB to a server process of its own, or by how much memory grows (MiB).
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wavOf } from '../support/mediaBytes.ts';

const megabytes = 512;
const [who, what] = process.argv.slice(2);

if (process.send) serve();
else await measure();

/** Counts what comes in and answers a transcript. */
function serve(): void {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{"text":"hello"}'));
  }).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const server = fork(import.meta.filename);
  try {
    const [port] = (await once(server, 'message')) as [number];
    const file = join(folder, 'talk.wav');
    writeFileSync(file, wavOf(Buffer.alloc(80, 0x80)));
    truncateSync(file, megabytes * 2 ** 20);
    const host = `http://127.0.0.1:${port}`;
    console.log(who === 'curl' ? byCurl(host, file) : await byClient(host, file));
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

function byCurl(host: string, file: string): number {
  const start = performance.now();
  execFileSync('curl', ['-sS', '-F', 'model=m', '-F', `file=@${file}`, `${host}/v1/audio/transcriptions`]);
  return (performance.now() - start) / 1000;
}

async function byClient(host: string, file: string): Promise<number> {
  const [{ MediaClient }, { createDispatcher }] = await Promise.all([
    import('../../src/service/MediaClient.ts'),
    import('../../src/service/createDispatcher.ts'),
  ]);
  const dispatcher = createDispatcher();
  const client = new MediaClient({
    configuration: {
      hosts: { image: host, audio: host, video: host },
      timeoutSeconds: { image: 90, audio: 90, video: 90 },
    },
    key: () => 'key',
    dispatcher,
  });
  const before = process.memoryUsage().rss;
  const start = performance.now();
  await client.send('transcribe', { model: 'm', file });
  const seconds = (performance.now() - start) / 1000;
  await dispatcher.destroy();
  // maxRSS is the peak, in KiB.
  return what === 'memory' ? (process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20 : seconds;
}
