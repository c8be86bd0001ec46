import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MediaRequest } from '../../../src/operations/operations.ts';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { MediaClient } from '../../../src/service/MediaClient.ts';
import { keyOriginOf, type ServiceConfiguration } from '../../../src/service/ServiceConfiguration.ts';
import type { SendOptions } from '../../../src/service/send.ts';
import { clientOf, downloadAll, sendRequest } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';
import { pngBytes, wavBytes } from '../../support/mediaBytes.ts';

const image: MediaRequest<'generateImage'> = { model: 'm', prompt: 'a fox', n: 1, output_format: 'url' };
const honoured = { idempotencyHeader: 'Idempotency-Key' };
const key = '01234567-89ab-8cde-af01-23456789abcd';

describe('idempotency keys of paid requests', () => {
  let folder: string;
  let dispatcher: ServiceDispatcher;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'idempotency-'));
    dispatcher = createDispatcher();
  });

  afterEach(async () => {
    await dispatcher.destroy();
    await rm(folder, { recursive: true });
  });

  /** Sends a recording. @returns the headers and the body that arrive */
  async function sent(configuration: Partial<ServiceConfiguration>, options: SendOptions, file: string) {
    const arrived: { readonly headers: Readonly<Record<string, unknown>>; readonly body: string }[] = [];
    await using server = await startHttpServer(async (request, response) => {
      arrived.push({ headers: request.headers, body: String(await bodyOf(request)) });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"text": "said"}');
    });
    const request = { model: 'm', file };
    await sendRequest(clientOf(server.origin, dispatcher, configuration), 'transcribe', request, options);
    assert(arrived[0] && arrived.length === 1);
    return arrived[0];
  }

  async function recording(bytes: Uint8Array = wavBytes): Promise<string> {
    const file = join(folder, 'call.wav');
    await writeFile(file, bytes);
    return file;
  }

  it('is sent in the header of the setting, with a form of the same bytes at each repeat', async () => {
    const file = await recording();
    const [first, second] = [
      await sent(honoured, { idempotencyKey: key }, file),
      await sent(honoured, { idempotencyKey: key }, file),
    ];
    assert.equal(first.headers['idempotency-key'], key);
    assert.equal(second.headers['idempotency-key'], key);
    assert.equal(first.headers['content-type'], second.headers['content-type']);
    assert.equal(first.body, second.body);
    const other = await sent(honoured, { idempotencyKey: key.replace('0', '1') }, file);
    assert.notEqual(other.headers['content-type'], first.headers['content-type']);
  });

  it('is not sent without the setting, and a form has another boundary each time', async () => {
    const file = await recording();
    const [first, second] = [
      await sent({}, { idempotencyKey: key }, file),
      await sent({}, { idempotencyKey: key }, file),
    ];
    assert.equal(first.headers['idempotency-key'], undefined);
    assert.notEqual(first.headers['content-type'], second.headers['content-type']);
    assert.equal(await clientOf('http://127.0.0.1:9', dispatcher).fingerprint('generateImage', image), undefined);
  });

  it('is the same in automatic repeats, and goes neither to polls, nor to results, nor to another origin', async () => {
    const keys: unknown[] = [];
    const others: unknown[] = [];
    await using elsewhere = await startHttpServer((request, response) => {
      others.push(request.headers['idempotency-key']);
      response.end(pngBytes);
    });
    await using server = await startHttpServer((request, response) => {
      const { method, url = '', headers } = request;
      request.resume();
      if (method === 'GET') {
        others.push(headers['idempotency-key']);
        if (url !== '/poll') return response.writeHead(302, { location: elsewhere.origin }).end();
        return response.writeHead(200, { 'content-type': 'application/json' }).end('{"id": "j", "status": "queued"}');
      }
      keys.push(headers['idempotency-key']);
      if (keys.length === 1) return response.writeHead(429, { 'retry-after': '0' }).end('{}');
      const answer = { data: [{ url: `${server.origin}/result` }] };
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    const client = new MediaClient({
      configuration: {
        hosts: { image: server.origin, audio: '', video: '' },
        timeoutSeconds: { image: 30, audio: 30, video: 30 },
        allowPrivateResultAddresses: true,
        ...honoured,
      },
      key: () => 'key-1',
      dispatcher,
      sleep: async () => undefined,
    });
    const raw = await client.exchange('generateImage', image, { idempotencyKey: key });
    await client.status('generateImage', { id: 'j', statusUrl: `${server.origin}/poll` }, raw.source);
    await downloadAll(client, `${server.origin}/result`, raw.source);
    assert.deepEqual(keys, [key, key]);
    assert.deepEqual(others, [undefined, undefined, undefined]);
  });

  it('differs in fingerprint for another body, another content of a file and another address only', async () => {
    const of = async (host: string, request: MediaRequest<'editImage'>, more: Partial<ServiceConfiguration> = {}) =>
      await clientOf(host, dispatcher, { ...honoured, ...more }).fingerprint('editImage', request);
    const file = join(folder, 'a.png');
    await writeFile(file, pngBytes);
    const edit: MediaRequest<'editImage'> = { ...image, image_urls: [pathToFileURL(file).href] };
    const known = await of('https://a.example', edit);
    assert.deepEqual(await of('https://a.example', edit), known);
    assert.equal(known?.origin, 'https://a.example');
    const form = { ...edit, further: { values: {}, encoding: { parts: { image_urls: 'image[]' } } } };
    assert.deepEqual(await of('https://a.example', form), await of('https://a.example', form));
    const others = [
      await of('https://a.example', { ...edit, prompt: 'a hare' }),
      await of('https://b.example', edit),
      await of('https://a.example', form),
    ];
    await writeFile(file, Buffer.concat([pngBytes, Buffer.from('x')]));
    others.push(await of('https://a.example', edit));
    assert.equal(new Set([known, ...others].map((one) => one?.sha256)).size, 5);
  });

  it('is named, and the request may be billed, when the service refuses a used key (promise 34)', async () => {
    const refused = async (status: number, message: string, options: SendOptions) => {
      await using server = await startHttpServer((request, response) => {
        request.resume();
        const wait = status === 422 ? { 'retry-after': '0' } : {};
        response.writeHead(status, { 'content-type': 'application/json', ...wait });
        response.end(JSON.stringify({ error: { message } }));
      });
      const client = clientOf(server.origin, dispatcher, honoured);
      const error = await failureOf(sendRequest(client, 'generateImage', image, options));
      assert.equal(server.requests.length, 1, 'it must not be sent again');
      const { kind, field, mayBeBilled } = error;
      assert(error.message.includes(message), 'the words of the service are shown');
      return { kind, field, mayBeBilled };
    };
    const used = { kind: 'badRequest', field: 'Idempotency-Key', mayBeBilled: true };
    const plain = { kind: 'badRequest', field: undefined, mayBeBilled: false };
    const sends = { idempotencyKey: key };
    assert.deepEqual(await refused(409, 'in flight', sends), used);
    assert.deepEqual(await refused(422, 'idempotency key used with another body', sends), used);
    assert.deepEqual(await refused(422, 'no', { ...sends, repeatsKey: true }), used);
    // The words of services that validate requests with this status.
    assert.deepEqual(await refused(422, 'no', sends), plain);
    assert.deepEqual(await refused(409, 'conflict', {}), plain);
  });

  it('is sent again when the service asks to wait for the earlier request', async () => {
    const keys: unknown[] = [];
    await using server = await startHttpServer((request, response) => {
      request.resume();
      const isFirst = keys.push(request.headers['idempotency-key'] ?? 'none') % 2 === 1;
      const answer = isFirst ? {} : { data: [{ b64_json: pngBytes.toString('base64') }] };
      response.writeHead(isFirst ? 409 : 200, { 'content-type': 'application/json', 'retry-after': '0' });
      response.end(JSON.stringify(answer));
    });
    const client = clientOf(server.origin, dispatcher, honoured);
    await sendRequest(client, 'generateImage', image, { idempotencyKey: key });
    assert.deepEqual(keys, [key, key]);
    const { mayBeBilled } = await failureOf(sendRequest(client, 'generateImage', image));
    assert.deepEqual([keys.slice(2), mayBeBilled], [['none'], false]);
  });

  it('needs a header that a key may stand in', async () => {
    const names = ['Authorization', 'cookie', 'Host', 'Content-Type', 'Connection', 'Transfer-Encoding', 'a b', 'ü:'];
    for (const idempotencyHeader of names) {
      const client = clientOf('http://127.0.0.1:9', dispatcher, { idempotencyHeader });
      const { kind, field, message } = await failureOf(sendRequest(client, 'generateImage', image));
      assert.deepEqual([kind, field], ['noService', 'idempotencyHeader'], idempotencyHeader);
      assert(message.includes(idempotencyHeader));
    }
    const headers = { 'x-key': 'a' };
    const twice = clientOf('http://127.0.0.1:9', dispatcher, { idempotencyHeader: 'X-Key', headers });
    assert.equal((await failureOf(sendRequest(twice, 'generateImage', image))).field, 'idempotencyHeader');
  });

  it('is honoured by the origin of the setting only', () => {
    const hosts = { image: 'https://a.example/v1', audio: '', video: 'b' };
    const timeoutSeconds = { image: 1, audio: 1, video: 1 };
    const configuration = { hosts, timeoutSeconds, ...honoured };
    assert.equal(keyOriginOf(configuration, 'image'), 'https://a.example');
    assert.equal(keyOriginOf(configuration, 'audio'), undefined);
    assert.equal(keyOriginOf({ ...configuration, idempotencyHeader: '' }, 'image'), undefined);
    assert.equal(keyOriginOf({ ...configuration, idempotencyHeader: 'Host' }, 'image'), undefined);
  });
});
