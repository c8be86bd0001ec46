import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { operationIds, operations } from '../../../src/operations/operations.ts';
import { createWorkFolder, startSandbox } from '../../../src/sandbox/startSandbox.ts';
import { assertRefused, get, jsonOf, post, send, urlOf } from '../../support/sandboxClient.ts';
import { skipUnless } from '../../support/skipUnless.ts';
import { useSandbox } from '../../support/useSandbox.ts';
import { whileHeld } from '../../support/whileHeld.ts';

const images = operations.generateImage.path;
const paths = [...new Set(operationIds.map((id) => operations[id].path))];

describe('sandbox: access control', () => {
  const sandbox = useSandbox({ maxJsonBytes: 100_000 });
  const url = () => `${sandbox().imageBaseUrl}${images}`;

  for (const path of paths) {
    it(`rejects ${path} without the key before reading the body`, async () => {
      const body = '{';
      assertRefused(await send(urlOf(sandbox(), path), { body }), 401, null, /key is missing/);
      for (const authorization of ['wrong', `Bearer ${sandbox().key}`, `${sandbox().key}x`, '']) {
        const answer = await send(urlOf(sandbox(), path), { headers: { authorization }, body });
        assertRefused(answer, 401, null, /key/);
      }
    });
  }

  it('does not wait for the body of a request without the key', async () => {
    const { host, port } = new URL(sandbox().imageBaseUrl);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`POST ${images} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 1000\r\n\r\n`);
    const [start] = (await once(socket, 'data')) as [Buffer];
    assert.match(start.toString(), /^HTTP\/1\.1 401 /);
    socket.destroy();
  });

  it('rejects a foreign Host header', async () => {
    const { port } = new URL(sandbox().imageBaseUrl);
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${Number(port) - 1}`]) {
      assertRefused(await send(url(), { headers: { host, authorization: sandbox().key }, body: '{}' }), 403);
    }
    const answer = await post(sandbox(), images, {}, { host: `localhost:${port}` });
    assertRefused(answer, 400, 'model');
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('POST /v1/images/generations HTTP/1.1\r\nconnection: close\r\n\r\n');
    assert.match(await text(socket), /^HTTP\/1\.1 403 [\s\S]*"wrong_host"/);
  });

  it('rejects every Origin, preflights and cross-site requests', async () => {
    for (const origin of ['https://evil.example', 'null', sandbox().imageBaseUrl]) {
      assertRefused(await post(sandbox(), images, {}, { origin }), 403, null, /web page/);
      assertRefused(await send(url(), { method: 'OPTIONS', headers: { origin } }), 403);
    }
    for (const site of ['cross-site', 'same-site']) {
      assertRefused(await post(sandbox(), images, {}, { 'sec-fetch-site': site }), 403, null, /web page/);
      assertRefused(await get(`${sandbox().imageBaseUrl}/results/x.png`, { 'sec-fetch-site': site }), 403);
    }
    // As when a person types the address.
    assertRefused(await get(`${sandbox().imageBaseUrl}/results/x.png`, { 'sec-fetch-site': 'none' }), 404);
  });

  it('responds with 404 to paths of another area', async () => {
    const { imageBaseUrl, audioBaseUrl, videoBaseUrl, key } = sandbox();
    assert.equal(new Set([imageBaseUrl, audioBaseUrl, videoBaseUrl]).size, 3);
    for (const path of paths) {
      for (const host of [imageBaseUrl, audioBaseUrl, videoBaseUrl]) {
        const answer = await send(`${host}${path}`, { headers: { authorization: key } });
        assertRefused(answer, urlOf(sandbox(), path) === `${host}${path}` ? 415 : 404);
      }
    }
  });

  it('responds with 404 to an unknown path and 405 to another method', async () => {
    assertRefused(await post(sandbox(), '/v1/images', {}), 404);
    assertRefused(await post(sandbox(), '//', {}), 404);
    assertRefused(await get(`${sandbox().imageBaseUrl}/`), 404);
    const answer = await get(url(), { authorization: sandbox().key });
    assertRefused(answer, 405);
    assert.equal(answer.headers.allow, 'POST');
    const deleted = await send(`${sandbox().imageBaseUrl}/results/x.png`, { method: 'DELETE' });
    assertRefused(deleted, 405);
    assert.equal(deleted.headers.allow, 'GET, HEAD');
  });

  it('accepts only JSON', async () => {
    for (const type of ['text/plain', 'application/json; charset=latin1', 'multipart/form-data; boundary=x', '']) {
      assertRefused(await post(sandbox(), images, '{}', { 'content-type': type }), 415);
    }
    assertRefused(await post(sandbox(), images, '{}', { 'content-encoding': 'gzip' }), 415);
    const answer = await post(sandbox(), images, '{}', { 'content-type': 'Application/JSON; charset="UTF-8"' });
    assertRefused(answer, 400, 'model');
  });

  it('rejects bodies over the limit, with and without a declared length', async function () {
    skipUnless(this, process.platform !== 'win32', 'a system that keeps what arrives before a reset');
    const large = JSON.stringify({ prompt: 'x'.repeat(300_000) });
    assertRefused(await post(sandbox(), images, large), 413);
    assertRefused(await post(sandbox(), images, large, { 'transfer-encoding': 'chunked' }), 413);
  });

  const broken: readonly (readonly [string, string | Uint8Array])[] = [
    ['an empty body', ''],
    ['half an object', '{"model":'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['deeply nested brackets', '['.repeat(50_000)],
    ['a list', '[1]'],
    ['null', 'null'],
    ['a string', '"model"'],
  ];
  for (const [name, body] of broken) {
    it(`responds with 400 to ${name}`, async () => {
      assertRefused(await post(sandbox(), images, body), 400);
    });
  }

  it('responds with 400 to anything that is not HTTP', async () => {
    const socket = connect(Number(new URL(sandbox().imageBaseUrl).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('rubbish\r\n\r\n');
    assert.match(await text(socket), /^HTTP\/1\.1 400 [\s\S]*x-request-id: req_[\s\S]*"invalid_http"/);
  });

  it('does not count rejected requests', () => {
    assert.deepEqual(
      Object.values(sandbox().counts),
      operationIds.map(() => 0),
    );
  });
});

describe('startSandbox', () => {
  it('creates a new key each time, or uses the given one', async () => {
    const [first, second] = [await startSandbox(), await startSandbox({ key: 'given' })];
    await Promise.all([first.stop(), second.stop()]);
    assert.match(first.key, /^[\w-]{32}$/);
    assert.equal(second.key, 'given');
  });

  it('listens on 127.0.0.1 only, and rejects when a port is taken', async () => {
    const sandbox = await startSandbox();
    const port = Number(new URL(sandbox.imageBaseUrl).port);
    assert.equal(new URL(sandbox.imageBaseUrl).hostname, '127.0.0.1');
    const storage = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
    const taken = startSandbox({ storage, ports: { image: 0, audio: port, video: 0 } });
    await assert.rejects(taken, { code: 'EADDRINUSE' });
    assert.deepEqual(await readdir(storage), []);
    await rm(storage, { recursive: true });
    await sandbox.stop();
    await assert.rejects(get(sandbox.imageBaseUrl), { code: 'ECONNREFUSED' });
  });

  it('serves all areas on one port, or as configured', async () => {
    const one = await startSandbox({ ports: 0 });
    assert.equal(one.imageBaseUrl, one.audioBaseUrl);
    assert.equal(one.imageBaseUrl, one.videoBaseUrl);
    for (const path of paths) {
      assertRefused(await send(`${one.imageBaseUrl}${path}`, { headers: { authorization: one.key } }), 415);
    }
    await one.stop();
    const port = Number(new URL(one.imageBaseUrl).port);
    const two = await startSandbox({ ports: { image: port, audio: 0, video: port } });
    assert.equal(two.imageBaseUrl, one.imageBaseUrl);
    assert.equal(two.videoBaseUrl, one.imageBaseUrl);
    assert.notEqual(two.audioBaseUrl, one.imageBaseUrl);
    await two.stop();
  });

  it('stops with a client connected and when stopped twice, and deletes its results', async () => {
    const storage = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
    const sandbox = await startSandbox({ storage });
    const socket = connect(Number(new URL(sandbox.imageBaseUrl).port), '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket.resume(), 'close');
    await sandbox.stop();
    await sandbox.stop();
    await closed;
    assert(existsSync(storage));
    assert.deepEqual(
      (await readdir(storage)).filter((name) => name.startsWith('sandbox-')),
      [],
    );
    await rm(storage, { recursive: true });
  });

  it('deletes expired results', async () => {
    const storage = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
    const sandbox = await startSandbox({ storage, imageSize: 16, resultLifetimeMs: 1 });
    const [folder = ''] = await readdir(storage);
    const answer = await post(sandbox, images, { model: 'm', prompt: 'p' });
    const { url } = jsonOf<{ readonly data: readonly [{ readonly url: string }] }>(answer).data[0];
    while (!(await get(url).then(({ status }) => status === 404))) await new Promise(setImmediate);
    while ((await readdir(join(storage, folder))).length > 0) await new Promise(setImmediate);
    await sandbox.stop();
    await rm(storage, { recursive: true });
  });

  it('removes the folders of crashed runs, but not of running ones', async () => {
    const storage = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
    const then = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await mkdir(join(storage, 'sandbox-crashed'));
    await using living = await createWorkFolder(storage, 5);
    for (const path of [join(storage, 'sandbox-crashed'), living.path]) await utimes(path, then, then);
    while ((await stat(living.path)).mtimeMs <= then.getTime() + 1000) await new Promise(setImmediate);
    await using next = await createWorkFolder(storage);
    assert.deepEqual((await readdir(storage)).sort(), [living.path, next.path].map((path) => basename(path)).sort());
    await rm(storage, { recursive: true });
  });

  it('starts and stops also when a folder cannot be removed', async () => {
    const storage = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
    const then = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await mkdir(join(storage, 'sandbox-crashed'));
    await utimes(join(storage, 'sandbox-crashed'), then, then);
    await whileHeld('sandbox-', async () => {
      const folder = await createWorkFolder(storage);
      await folder[Symbol.asyncDispose]();
    });
    assert.equal((await readdir(storage)).length, 2);
    await rm(storage, { recursive: true });
  });

  it('stops while it works', async () => {
    const storage = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
    const sandbox = await startSandbox({ storage });
    // Ten images, so that they are not finished before the video has begun.
    const requests = [
      [images, { n: 10 }],
      [operations.generateVideo.path, {}],
    ] as const;
    const answers = requests.map(([path, more]) =>
      assert.rejects(post(sandbox, path, { model: 'm', prompt: 'p', ...more })),
    );
    while (sandbox.counts.generateImage + sandbox.counts.generateVideo < 2) await new Promise(setImmediate);
    await sandbox.stop();
    await Promise.all(answers);
    assert.deepEqual(await readdir(storage), []);
    await rm(storage, { recursive: true });
  });
});
