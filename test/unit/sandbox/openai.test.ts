import assert from 'node:assert/strict';
import { decode } from 'fast-png';
import OpenAI, { toFile } from 'openai';
import { get } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

/** An independent client, whose requests were not written with this sandbox in mind. */
describe('sandbox: the openai package as a client', () => {
  const sandbox = useSandbox({ imageSize: 64 });
  const clientOf = (host: string) =>
    new OpenAI({
      apiKey: sandbox().key,
      baseURL: `${host}/v1`,
      maxRetries: 0,
      // It would send "Bearer" before the key.
      defaultHeaders: { Authorization: sandbox().key },
    });

  it('generates images as URLs and as base64', async () => {
    const client = clientOf(sandbox().imageBaseUrl);
    const { data: [linked] = [] } = await client.images.generate({ model: 'm', prompt: 'A fox', n: 1 });
    const file = await get(linked?.url ?? '');
    const { data: [coded] = [] } = await client.images.generate({
      model: 'm',
      prompt: 'A fox',
      // @ts-expect-error OpenAI's field of this name has other values.
      output_format: 'b64_json',
    });
    assert(Buffer.from(coded?.b64_json ?? '', 'base64').equals(file.body));
    assert.equal(decode(file.body).width, 64);
  });

  it('speaks, and transcribes its own speech', async () => {
    const client = clientOf(sandbox().audioBaseUrl);
    const speech = await client.audio.speech.create({
      model: 'm',
      input: 'Good morning from the wood.',
      voice: 'nova',
      response_format: 'wav',
    });
    const file = await toFile(await speech.arrayBuffer(), 'morning.wav');
    assert.equal((await client.audio.transcriptions.create({ model: 'm', file })).text, 'Good morning from the wood.');
    assert.equal((await client.audio.translations.create({ model: 'm', file })).text, 'Good morning from the wood.');
  });

  it('returns errors that the client understands', async () => {
    const client = clientOf(sandbox().imageBaseUrl);
    const refused = client.images.generate({ model: 'm', prompt: 'A fox', size: '1024x1024' });
    await assert.rejects(refused, { status: 400, param: 'size', message: /There is no field "size"/ });
    const stranger = new OpenAI({ apiKey: 'wrong', baseURL: `${sandbox().imageBaseUrl}/v1`, maxRetries: 0 });
    await assert.rejects(stranger.images.generate({ model: 'm', prompt: 'A fox' }), OpenAI.AuthenticationError);
  });
});
