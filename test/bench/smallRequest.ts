// Prints the median milliseconds of a small request to a server of this process: by the client, by undici with the
// client's dispatcher, and by undici with an Agent of its own, which keeps connections alive.
import { Agent, type Dispatcher, request } from 'undici';
import { createDispatcher } from '../../src/service/createDispatcher.ts';
import { MediaClient } from '../../src/service/MediaClient.ts';
import { sendRequest } from '../support/clientOf.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';

const requests = 300;
const answer = JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] });
const body = { model: 'm', prompt: 'a fox', n: 1, output_format: 'b64_json' } as const;

await using server = await startHttpServer((incoming, response) => {
  incoming.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer));
});
const dispatcher = createDispatcher();
const keepAlive = new Agent();
const host = server.origin;
const client = new MediaClient({
  configuration: { hosts: { image: host, audio: host, video: host }, timeoutSeconds: { image: 9, audio: 9, video: 9 } },
  key: () => 'key',
  dispatcher,
});

const work: Readonly<Record<string, () => Promise<unknown>>> = {
  client: () => sendRequest(client, 'generateImage', body),
  undici: () => sendBy(dispatcher),
  'undici+keepAlive': () => sendBy(keepAlive),
};

async function sendBy(connections: Dispatcher): Promise<readonly Buffer[]> {
  const { body: stream } = await request(`${host}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: 'key', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    dispatcher: connections,
  });
  const { data } = (await stream.json()) as { data: { b64_json: string }[] };
  return data.map((item) => Buffer.from(item.b64_json, 'base64'));
}

const once = work[process.argv[2] ?? ''];
if (!once) throw new Error('Usage: smallRequest.ts client|undici|undici+keepAlive');
const times: number[] = [];
for (let index = 0; index < requests * 2; index++) {
  const start = performance.now();
  await once();
  // The first half warms up the compiler.
  if (index >= requests) times.push(performance.now() - start);
}
console.log(times.sort((a, b) => a - b)[requests / 2]);
await dispatcher.destroy();
await keepAlive.destroy();
