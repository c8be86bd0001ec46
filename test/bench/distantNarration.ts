// Prints the seconds that a narration of 60 paragraphs takes, 4 at a time, from a service that is reached by TLS and 50 ms of
// round trip: saved by the client, only received by it, or by undici with an Agent that keeps its connections.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createService } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { Agent, request } from 'undici';
import { authority, serverCertificate } from '../support/certificates.ts';
import { narrateDocument } from '../support/narrateDocument.ts';
import { soundOf } from '../support/narrations.ts';
import { clientOf } from './measureAgainstServer.ts';

const atOnce = 4;
const roundTrip = 50;
const texts = Array.from({ length: 60 }, (_, index) => `Paragraph ${index} says what a paragraph of its length says.`);

async function narrated(host: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'distant-'));
  try {
    await narrateDocument({ host, root: folder, storage: join(folder, '.storage'), texts, atOnce });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function byClient(host: string): Promise<void> {
  const client = clientOf(host);
  const rest = [...texts];
  const speaker = { model: 'm', voice: 'nova', response_format: 'mp3' } as const;
  const speak = async () => {
    for (let input = rest.shift(); input; input = rest.shift()) await client.exchange('speak', { ...speaker, input });
  };
  await Promise.all(Array.from({ length: atOnce }, speak));
}

async function byUndici(host: string): Promise<void> {
  const dispatcher = new Agent({ connections: atOnce });
  const send = async (input: string) => {
    const body = JSON.stringify({ model: 'm', voice: 'nova', input, response_format: 'mp3' });
    const headers = { authorization: 'key', 'content-type': 'application/json' };
    const response = await request(`${host}/v1/audio/speech`, { method: 'POST', headers, body, dispatcher });
    await response.body.arrayBuffer();
  };
  await Promise.all(texts.map(send));
  await dispatcher.destroy();
}

/** Serves speech, behind a network in which each byte takes half a round trip. */
async function serve(): Promise<void> {
  const service = createService(serverCertificate, async (incoming, response) => {
    const { input } = JSON.parse(await text(incoming)) as { input: string };
    response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(soundOf('mp3', input));
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const network = createServer((near) => {
    const far = connect((service.address() as AddressInfo).port, '127.0.0.1');
    // The handshake of TCP takes a round trip, after which the first bytes leave.
    delay(near, far, roundTrip);
    delay(far, near);
  });
  await once(network.listen(0, '127.0.0.1'), 'listening');
  process.send?.((network.address() as AddressInfo).port);
  // The measuring process may have been killed.
  process.on('disconnect', () => process.exit());
}

/** Passes on what a socket receives, in order and half a round trip later. */
function delay(from: Socket, to: Socket, before = 0): void {
  const start = performance.now() + before;
  const later = async (work: () => unknown) => {
    await sleep(Math.max(0, start - performance.now()) + roundTrip / 2);
    work();
  };
  from.setNoDelay().on('data', (chunk) => later(() => to.write(chunk)));
  from.on('end', () => later(() => to.end())).on('error', () => to.destroy());
}

if (process.argv[2] === 'serve') await serve();
else {
  const [who, what] = process.argv.slice(2);
  const contenders: Readonly<Record<string, (host: string) => Promise<void>>> = {
    client: what === 'narration' ? narrated : byClient,
    undici: byUndici,
  };
  const contender = contenders[who ?? ''];
  if (!contender) throw new Error('Usage: distantNarration.ts client|undici requests|narration');
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), authority]);
  const service = fork(import.meta.filename, ['serve']);
  try {
    const [port] = (await once(service, 'message')) as [number];
    const start = performance.now();
    await contender(`https://127.0.0.1:${port}`);
    console.log((performance.now() - start) / 1000);
  } finally {
    service.kill();
  }
}
