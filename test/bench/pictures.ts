// Prints the seconds that 24 pictures take with a service that needs one second for each.
//   client   `unified-media apply` with four requests at a time
//   oneByOne the same with one at a time
//   service  what the service needs for them, four at a time, without any of our code
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pngBytes } from '../support/mediaBytes.ts';

const [who = ''] = process.argv.slice(2);
const atOnce = 4;
const pictures = 24;
const secondsOfService = 1;

const start = performance.now();
if (who === 'service') {
  for (let left = pictures; left > 0; left -= atOnce) await sleep(secondsOfService * 1000);
  console.log((performance.now() - start) / 1000);
} else {
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    await sleep(secondsOfService * 1000);
    const data = [{ b64_json: pngBytes.toString('base64') }];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  await mkdir(join(folder, '.git'));
  const entries = Array.from({ length: pictures }, (_, index) => {
    return [`${index}.png`, { operation: 'generateImage', prompt: `number ${index}`, model: 'm' }] as const;
  });
  await writeFile(join(folder, 'media.jsonc'), JSON.stringify({ assets: Object.fromEntries(entries) }));
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(folder, 'state'),
    UNIFIED_MEDIA_API_KEY: 'key-1',
    UNIFIED_MEDIA_IMAGE_BASE_URL: host,
  };
  const cli = join(import.meta.dirname, '../../dist/cli.js');
  const words = [cli, 'apply', '--yes', '--jobs', who === 'client' ? String(atOnce) : '1'];
  const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`apply exited with ${code}`);
  console.log((performance.now() - start) / 1000);
  server.close();
  await rm(folder, { recursive: true });
}
