import assert from 'node:assert/strict';
import { decode } from 'fast-png';
import { operations } from '../../../src/operations/operations.ts';
import { assertRefused, get, jsonOf, post, send } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

interface ImagesAnswer {
  readonly created: number;
  readonly data: readonly { readonly url?: string; readonly b64_json?: string }[];
}

const { path } = operations.generateImage;

describe('sandbox: generateImage', () => {
  let now = 1_700_000_000_000;
  const sandbox = useSandbox({ now: () => now, resultLifetimeMs: 60_000 });
  const generate = async (fields: object) =>
    jsonOf<ImagesAnswer>(await post(sandbox(), path, { model: 'sandbox-1', prompt: 'A red fox', ...fields }));
  const encoded = async (fields: object) => {
    const { data } = await generate({ output_format: 'b64_json', ...fields });
    return data.map((image) => Buffer.from(image.b64_json ?? '', 'base64'));
  };
  const resultUrl = async () => (await generate({})).data[0]?.url ?? '';

  it('returns a PNG of 1024 × 1024 that names the sandbox', async () => {
    const answer = await generate({});
    assert.equal(answer.created, 1_700_000_000);
    assert.deepEqual(Object.keys(answer.data[0] ?? {}), ['url']);
    const url = answer.data[0]?.url ?? '';
    assert(url.startsWith(`${sandbox().imageBaseUrl}/results/`), url);
    const result = await get(url);
    assert.equal(result.status, 200);
    assert.equal(result.headers['content-type'], 'image/png');
    assert.equal(Number(result.headers['content-length']), result.body.length);
    const picture = decode(result.body, { checkCrc: true });
    assert.deepEqual([picture.width, picture.height, picture.depth, picture.channels], [1024, 1024, 8, 3]);
    assert.equal(picture.text.Software, 'Unified Media sandbox');
    assert(new Set(picture.data).size > 100);
  });

  it('returns the same image for the same prompt and index, and different ones otherwise', async () => {
    const [first, second] = await encoded({ n: 2 });
    const [again] = await encoded({ model: 'another' });
    const [other] = await encoded({ prompt: 'A red fox.' });
    assert(first && second && again && other);
    assert(first.equals(again));
    for (const different of [second, other]) {
      assert(differingPixels(first, different) > 10_000);
    }
  });

  it('paints any prompt, whatever its characters and length', async () => {
    for (const prompt of ['Žluťoučký kůň 東京 👩‍🚀 \u0000\u202e', 'x'.repeat(32_000), '\ud800']) {
      const [picture] = await encoded({ prompt });
      assert.equal(decode(picture ?? Buffer.alloc(0)).width, 1024);
    }
  });

  it('serves ranges of a result', async () => {
    const url = await resultUrl();
    const whole = (await get(url)).body;
    const parts: readonly (readonly [string, number, number])[] = [
      ['bytes=0-7', 0, 8],
      ['bytes=8-', 8, whole.length],
      ['bytes=-12', whole.length - 12, whole.length],
      ['bytes=5-99999999', 5, whole.length],
    ];
    for (const [range, start, end] of parts) {
      const part = await get(url, { range });
      assert.equal(part.status, 206);
      assert.equal(part.headers['content-range'], `bytes ${start}-${end - 1}/${whole.length}`);
      assert(part.body.equals(whole.subarray(start, end)), range);
    }
    for (const range of ['bytes=0-1,4-5', 'bytes=9-2', 'bytes=-', 'letters=0-1']) {
      const answer = await get(url, { range });
      assert.deepEqual([answer.status, answer.body.length], [200, whole.length], range);
    }
    const beyond = await get(url, { range: `bytes=${whole.length}-` });
    assertRefused(beyond, 416);
    assert.equal(beyond.headers['content-range'], `bytes */${whole.length}`);
    const head = await send(url, { method: 'HEAD' });
    assert.equal(head.body.length, 0);
    assert.equal(Number(head.headers['content-length']), whole.length);
    assert.equal(head.headers['accept-ranges'], 'bytes');
  });

  it('expires a result after its lifetime', async () => {
    const url = await resultUrl();
    now += 59_999;
    assert.equal((await get(url)).status, 200);
    now += 1;
    assertRefused(await get(url), 404, null, /expired/);
    assert.equal((await get(await resultUrl())).status, 200);
    assertRefused(await get(`${sandbox().imageBaseUrl}/results/../startSandbox.ts`), 404);
  });

  const wrong: readonly (readonly [object, string, RegExp])[] = [
    [{ model: undefined }, 'model', /missing/],
    [{ prompt: ' ' }, 'prompt', /missing/],
    [{ prompt: ['x'] }, 'prompt', /text/],
    [{ prompt: 'x'.repeat(32_001) }, 'prompt', /more than 32000/],
    [{ n: 0 }, 'n', /1 or more/],
    [{ n: 11 }, 'n', /at most 10/],
    [{ n: '1' }, 'n', /whole number/],
    [{ output_format: 'tiff' }, 'output_format', /url, b64_json, png/],
    [{ size: '1x1' }, 'size', /no picture of this size/],
    [{ colour: 'red' }, 'colour', /no field "colour"/],
    [JSON.parse('{"__proto__": {"n": 1}}'), '__proto__', /no field/],
  ];
  for (const [fields, param, message] of wrong) {
    it(`rejects ${JSON.stringify(fields).slice(0, 40)}`, async () => {
      const body = Object.entries({ model: 'm', prompt: 'p' }).concat(Object.entries(fields));
      const text = `{${[...new Map(body)]
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
        .join(',')}}`;
      assertRefused(await post(sandbox(), path, text), 400, param, message);
    });
  }

  it('counts accepted requests, whatever their n', async () => {
    const before = sandbox().counts.generateImage;
    await generate({ n: 2 });
    assert.equal(sandbox().counts.generateImage, before + 1);
  });

  it('keeps serving after a client disconnects', async () => {
    const leaving = new AbortController();
    const { imageBaseUrl, key, counts } = sandbox();
    const before = counts.generateImage;
    const answer = fetch(`${imageBaseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', prompt: 'gone', n: 10 }),
      signal: leaving.signal,
    });
    while (counts.generateImage === before) await new Promise(setImmediate);
    leaving.abort();
    await assert.rejects(answer, { name: 'AbortError' });
    assert.equal((await generate({})).data.length, 1);
  });
});

function differingPixels(first: Buffer, second: Buffer): number {
  const [a, b] = [decode(first).data, decode(second).data];
  let count = 0;
  for (let at = 0; at < a.length; at += 3) {
    if (a[at] !== b[at] || a[at + 1] !== b[at + 1] || a[at + 2] !== b[at + 2]) count++;
  }
  return count;
}
