import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { operations } from '../../../src/operations/operations.ts';
import { startFaultySandbox } from '../../support/faultySandbox.ts';
import { assertRefused, get, jsonOf, post, urlOf } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

const images = operations.generateImage.path;

describe('sandbox: faults', () => {
  const sandbox = useSandbox({ imageSize: 64 });
  const ask = () => post(sandbox(), images, { model: 'm', prompt: 'p' });
  const made = async () => {
    const { data } = jsonOf<{ readonly data: readonly { readonly url: string }[] }>(await ask());
    return data[0]?.url ?? '';
  };
  const speak = () => post(sandbox(), operations.speak.path, { model: 'm', input: 'One two.', response_format: 'wav' });

  afterEach(() => sandbox().faults.clear());

  it('responds with the given statuses, one per request', async () => {
    const { faults, counts } = sandbox();
    const before = counts.generateImage;
    faults.nextStatus(503, { headers: { 'retry-after': '2' } });
    faults.nextStatus(502, { body: '<html>Bad Gateway</html>', headers: { 'content-type': 'text/html' } });
    faults.nextStatus(418, { body: { detail: 'short and stout' } });
    const first = await ask();
    assertRefused(first, 503, null, /requested/);
    assert.equal(first.headers['retry-after'], '2');
    const second = await ask();
    assert.deepEqual([second.status, second.body.toString()], [502, '<html>Bad Gateway</html>']);
    assert.equal(second.headers['content-type'], 'text/html');
    const third = await ask();
    assert.deepEqual([third.status, JSON.parse(third.body.toString())], [418, { detail: 'short and stout' }]);
    assert.equal(counts.generateImage, before);
    await made();
  });

  it('applies a fault only to its target', async () => {
    const { faults } = sandbox();
    faults.nextStatus(500, { target: 'result' });
    const url = await made();
    assertRefused(await get(url), 500);
    assert.equal((await get(url)).status, 200);
    faults.nextStatus(429, { target: 'operation' });
    assert.equal((await get(url)).status, 200);
    assertRefused(await ask(), 429);
  });

  it('cuts the next response after the given number of bytes', async () => {
    const { faults } = sandbox();
    const url = await made();
    const whole = (await get(url)).body;
    for (const [bytes, target] of [
      [0, 'result'],
      [100, undefined],
      [whole.length - 1, 'result'],
    ] as const) {
      faults.cutAfter(bytes, { target });
      const answer = await partOf(url);
      assert.deepEqual([answer.status, Number(answer.length), answer.complete], [200, whole.length, false]);
      assert(answer.body.equals(whole.subarray(0, bytes)), `${bytes}`);
    }
    faults.cutAfter(20, { target: 'operation' });
    assert((await get(url)).body.equals(whole));
    await assert.rejects(ask(), { code: 'ECONNRESET' });
    await made();
    faults.cutAfter(1000);
    await assert.rejects(speak(), { code: 'ECONNRESET' });
    assert.equal((await speak()).status, 200);
  });

  it('sends a response completely that is shorter than the cut', async () => {
    const { faults } = sandbox();
    faults.cutAfter(1_000_000);
    await made();
    assert.equal((await get(await made())).status, 200);
  });

  it('delays every response by latencyMs', async () => {
    const { faults } = sandbox();
    const url = await made();
    faults.latencyMs = 40;
    for (let turn = 0; turn < 2; turn++) {
      const started = performance.now();
      assert.equal((await get(url)).status, 200);
      assert(performance.now() - started >= 39);
    }
  });

  it('holds every response until it is released', async () => {
    const { faults } = sandbox();
    const url = await made();
    const started = performance.now();
    await get(url);
    const usual = performance.now() - started;
    const release = faults.hold();
    let isReleased = false;
    const held = get(url).then(() => assert(isReleased));
    await setTimeout(3 * usual + 20);
    isReleased = true;
    release();
    await held;
    assert.equal((await get(url)).status, 200);
  });

  it('stops waiting when the client disconnects', async () => {
    const own = await startFaultySandbox({ imageSize: 64 });
    own.faults.latencyMs = 600_000;
    // The server sends "100 Continue" when it starts to handle the request.
    const headers = { authorization: own.key, expect: '100-continue', 'content-length': 2 };
    const leaving = request(urlOf(own, images), { method: 'POST', headers });
    leaving.on('error', () => undefined).flushHeaders();
    await once(leaving, 'continue');
    leaving.destroy();
    // Resolves once no request is being handled.
    await own.stop();
  });
});

/** Reads what arrives of a response before its connection closes. */
async function partOf(url: string) {
  const response = await fetch(url);
  const chunks: Uint8Array[] = [];
  let complete = true;
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
  } catch {
    complete = false;
  }
  const length = response.headers.get('content-length');
  return { status: response.status, length, complete, body: Buffer.concat(chunks) };
}
