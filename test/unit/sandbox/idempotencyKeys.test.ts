import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { operations } from '../../../src/operations/operations.ts';
import { startSandbox } from '../../../src/sandbox/startSandbox.ts';
import { assertRefused, get, jsonOf, post } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

const path = operations.generateImage.path;
const body = { model: 'sandbox', prompt: 'a fox' };

describe('sandbox: idempotency keys', () => {
  const sandbox = useSandbox({ imageSize: 64 });
  const made = () => sandbox().counts.generateImage;

  it('answers a repeated request with the first answer, and counts it once', async () => {
    const before = made();
    const first = await post(sandbox(), path, body, { 'idempotency-key': 'a' });
    const second = await post(sandbox(), path, body, { 'idempotency-key': 'a' });
    assert.equal(first.status, 200);
    assert.deepEqual(jsonOf(second), jsonOf(first));
    assert.equal(second.headers['idempotent-replayed'], 'true');
    const { data } = jsonOf(second) as { readonly data: readonly { readonly url: string }[] };
    assert.equal((await get(data[0]?.url ?? '')).status, 200);
    assert.equal(made(), before + 1);
    await post(sandbox(), path, body, { 'idempotency-key': 'b' });
    await post(sandbox(), path, body);
    assert.equal(made(), before + 3);
  });

  it('refuses another body under a used key, and a key that is too long', async () => {
    await post(sandbox(), path, body, { 'idempotency-key': 'used' });
    const other = { ...body, prompt: 'a hare' };
    assertRefused(await post(sandbox(), path, other, { 'idempotency-key': 'used' }), 422, null, /another request/);
    assertRefused(await post(sandbox(), path, body, { 'idempotency-key': 'k'.repeat(256) }), 400, null, /255/);
    const headers = { 'idempotency-key': 'used', authorization: 'wrong' };
    assertRefused(await post(sandbox(), path, body, headers), 401, null, /key/);
  });

  it('works on when the client has gone, says 409 until it has finished, and then has the answer', async () => {
    const entered = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const intercept = async () => {
      entered.resolve();
      await held.promise;
      return false;
    };
    const service = await startSandbox({ imageSize: 64, intercept });
    try {
      const headers = { authorization: service.key, 'content-type': 'application/json', 'idempotency-key': 'gone' };
      const lost = httpRequest(`${service.imageBaseUrl}${path}`, { method: 'POST', headers });
      lost.on('error', () => undefined);
      lost.end(JSON.stringify(body));
      await entered.promise;
      lost.destroy();
      await new Promise((resolve) => lost.once('close', resolve));
      const repeat = () => post(service, path, body, { 'idempotency-key': 'gone' });
      const early = await repeat();
      assertRefused(early, 409, null, /being worked on/);
      assert.equal(early.headers['retry-after'], '1');
      held.resolve();
      let answer = early;
      while (answer.status === 409) answer = await repeat();
      assert.equal(answer.status, 200);
      assert.equal(service.counts.generateImage, 1);
    } finally {
      held.resolve();
      await service.stop();
    }
  });

  it('does not keep a refusal', async () => {
    const wrong = { ...body, n: 0 };
    assertRefused(await post(sandbox(), path, wrong, { 'idempotency-key': 'refused' }), 400, 'n');
    assert.equal((await post(sandbox(), path, body, { 'idempotency-key': 'refused' })).status, 200);
  });
});
