import assert from 'node:assert/strict';
import { decode } from 'fast-png';
import type { Disobedience } from '../../../src/sandbox/Exchange.ts';
import { startSandbox } from '../../../src/sandbox/startSandbox.ts';
import { jsonOf, post } from '../../support/sandboxClient.ts';

describe('sandbox: a service that does not do what it is asked for', () => {
  async function pictureOf(disobeys: Disobedience): Promise<Buffer> {
    const sandbox = await startSandbox({ imageSize: 64, disobeys });
    try {
      const body = { model: 'm', prompt: 'a fox', size: '96x64', background: 'transparent', output_format: 'png' };
      const answer = await post(sandbox, '/v1/images/generations', body);
      const { data } = jsonOf<{ readonly data: readonly { readonly b64_json: string }[] }>(answer);
      return Buffer.from(data[0]?.b64_json ?? '', 'base64');
    } finally {
      await sandbox.stop();
    }
  }

  it('obeys without a switch', async () => {
    const { width, height, channels } = decode(await pictureOf({}));
    assert.deepEqual([width, height, channels], [96, 64, 4]);
  });

  it('makes another size', async () => assert.equal(decode(await pictureOf({ size: [64, 64] })).width, 64));

  it('paints a checkerboard instead of a transparent background', async () => {
    const { channels, data } = decode(await pictureOf({ background: 'checkerboard' }));
    assert.equal(channels, 3);
    assert.deepEqual([data[0], data[3 * 16]], [255, 204]);
  });

  it('makes an opaque background, or another format', async () => {
    assert.equal(decode(await pictureOf({ background: 'opaque' })).channels, 3);
    assert.match((await pictureOf({ format: 'webp' })).toString('latin1', 0, 4), /RIFF/);
  });
});
