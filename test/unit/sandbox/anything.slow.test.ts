import assert from 'node:assert/strict';
import { operationIds, operations } from '../../../src/operations/operations.ts';
import { anyCharacter, fc } from '../../support/fastCheck.ts';
import { mp3Bytes, mp4Bytes, pngBytes, wavBytes } from '../../support/mediaBytes.ts';
import { jpegFile, transparentWebpFile, webpFile } from '../../support/pictureFiles.ts';
import type { Answer } from '../../support/sandboxClient.ts';
import { post } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

const paths = [...new Set(operationIds.map((id) => operations[id].path))];
const audioPaths = [operations.transcribe.path, operations.translate.path];
const names = [...new Set(operationIds.flatMap((id) => operations[id].fields.map(({ name }) => name)))];

/** Valid files with up to four changed bytes, some truncated. */
function damaged(...files: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const changes = fc.array(fc.tuple(fc.nat(2000), fc.nat(255)), { maxLength: 4 });
  return fc.tuple(fc.constantFrom(...files), changes, fc.nat(3000)).map(([file, places, length]) => {
    const copy = Buffer.from(file.subarray(0, length < 300 ? length : file.length));
    for (const [place, byte] of places) if (copy.length > 0) copy[place % copy.length] = byte;
    return copy;
  });
}

const pictures = [pngBytes, jpegFile, webpFile, transparentWebpFile];
const picture = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .oneof(fc.constantFrom(...pictures), damaged(...pictures))
      .map((file) => `data:image/x;base64,${file.toString('base64')}`),
  },
  fc.constantFrom('http://127.0.0.1:1/x.png', 'data:,', 'data:image/png;base64,A', 'http://[', 'https://', 'file:///'),
);
const plausible = fc.oneof(
  fc.constantFrom('m', 'A fox', 'alloy', 'wav', 'mp3', 'url', 'b64_json', 1, 2, 0, 10, 11, `video_${'0'.repeat(32)}`),
  picture,
  fc.array(picture, { maxLength: 3 }),
);
const fields = fc.dictionary(
  fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...names) }, fc.string({ unit: anyCharacter })),
  fc.oneof({ weight: 2, arbitrary: plausible }, fc.jsonValue()),
  { maxKeys: 6 },
);
const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  model: fc.constant('m'),
  prompt: fc.string({ minLength: 1 }),
  input: fc.string({ minLength: 1 }),
  n: fc.constantFrom(1, 2),
  output_format: fc.constant('url'),
  voice: fc.constant('nova'),
  response_format: fc.constant('wav'),
  image_url: picture,
  image_urls: fc.array(picture, { minLength: 1, maxLength: 3 }),
  video_id: fc.constantFrom(`video_${'0'.repeat(32)}`, '../x'),
};
/** A valid request, sometimes with one field changed or added. */
const nearly = fc.constantFrom(...operationIds).chain((id) => {
  const right = Object.fromEntries(operations[id].fields.map(({ name }) => [name, values[name] ?? fc.string()]));
  const wild = fc.dictionary(fc.constantFrom(...names), plausible, { maxKeys: 1 });
  return fc
    .tuple(fc.record(right), fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, wild))
    .map(([fields, change]) => ({
      path: operations[id].path as string,
      body: JSON.stringify({ ...fields, ...change }),
    }));
});
const path = fc.constantFrom<string>(...paths);

const part = fc.record({
  name: fc.oneof({ weight: 5, arbitrary: fc.constantFrom('model', 'file') }, fc.constantFrom(...names), fc.string()),
  fileName: fc.option(fc.oneof(fc.constantFrom('a.wav', 'a.mp3', 'a.mp4', 'a.txt', '../a.ogg', ''), fc.string())),
  content: fc.oneof(
    damaged(wavBytes, mp3Bytes, mp4Bytes),
    fc.string().map((text) => Buffer.from(text)),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  ),
});
const rightParts = damaged(wavBytes, mp3Bytes, mp4Bytes).map((content) => [
  { name: 'model', fileName: null, content: Buffer.from('m') },
  { name: 'file', fileName: 'a.wav', content },
]);
const parts = fc.oneof(rightParts, fc.array(part, { maxLength: 5 }));
const form = fc.tuple(parts, fc.nat(9)).map(([sent, end]) => {
  const chunks = sent.flatMap(({ name, fileName, content }) => [
    `--xyz\r\ncontent-disposition: form-data; name="${name}"${fileName === null ? '' : `; filename="${fileName}"`}\r\n\r\n`,
    content,
    '\r\n',
  ]);
  const whole = Buffer.concat([...chunks, '--xyz--\r\n'].map((chunk) => Buffer.from(chunk)));
  return end === 0 ? whole.subarray(0, Math.floor(whole.length / 2)) : whole;
});

describe('sandbox with arbitrary input', () => {
  const sandbox = useSandbox({ imageSize: 16, videoSeconds: 0.05, imageFetchMs: 200, maxUploadBytes: 100_000 });
  const answered = new Map<number, number>();

  interface Thrown {
    readonly path: string;
    readonly body: string | Uint8Array;
    readonly type?: string;
  }
  const throwAt = async (thrown: fc.Arbitrary<Thrown>, numRuns: number) => {
    const property = fc.asyncProperty(thrown, async ({ path: to, body, type = 'application/json' }) => {
      checkAnswer(await post(sandbox(), to, body, { 'content-type': type }));
    });
    await fc.assert(property, { numRuns });
    const { status } = await post(sandbox(), operations.generateImage.path, { model: 'm', prompt: 'still here' });
    assert.equal(status, 200);
  };

  const checkAnswer = ({ status, headers, body }: Answer): void => {
    answered.set(status, (answered.get(status) ?? 0) + 1);
    if (status === 200) return;
    assert(status >= 400 && status < 500, `${status} ${body.toString()}`);
    assert.match(String(headers['content-type']), /^application\/json/);
    const { error } = JSON.parse(body.toString()) as { readonly error: { readonly message: unknown } };
    assert(typeof error.message === 'string' && error.message.length > 10, body.toString());
  };

  it('answers any JSON with 200 or a 4xx error that gives a reason', async () => {
    const wild = fc.oneof(fields, fc.jsonValue()).map((value) => JSON.stringify(value));
    await throwAt(fc.oneof({ weight: 3, arbitrary: nearly }, fc.record({ path, body: wild })), 100);
  });

  it('answers any bytes with 200 or a 4xx error that gives a reason', async () => {
    const types = ['application/json', 'multipart/form-data; boundary=xyz', 'multipart/form-data', 'text/plain', ''];
    await throwAt(fc.record({ path, body: fc.uint8Array({ maxLength: 300 }), type: fc.constantFrom(...types) }), 100);
  });

  it('answers any form with 200 or a 4xx error that gives a reason', async () => {
    const to = fc.oneof({ weight: 4, arbitrary: fc.constantFrom<string>(...audioPaths) }, path);
    await throwAt(fc.record({ path: to, body: form, type: fc.constant('multipart/form-data; boundary=xyz') }), 150);
  });

  it('has answered with every expected status and operation above', () => {
    for (const status of [200, 400, 404, 415]) assert((answered.get(status) ?? 0) > 0, JSON.stringify([...answered]));
    for (const id of operationIds) assert(id === 'remixVideo' || sandbox().counts[id] > 0, id);
  });
});
