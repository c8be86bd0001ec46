import assert from 'node:assert/strict';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { operationIds } from '../../../src/operations/operations.ts';
import type { Answer, Json, JsonObject, RawAnswer } from '../../../src/service/Answer.ts';
import { errorFromAnswer } from '../../../src/service/errors.ts';
import { readAnswer } from '../../../src/service/readAnswer.ts';
import { fc, runs } from '../../support/fastCheck.ts';
import { mp3Bytes, mp4Bytes, pngBytes } from '../../support/mediaBytes.ts';
import { rawOf } from '../../support/rawOf.ts';

const png = pngBytes.toString('base64');

/** Whatever a service sends, the result must be a non-empty answer or a MediaError. */
describe('readAnswer with arbitrary input', () => {
  const operation = fc.constantFrom(...operationIds);

  it('handles any bytes', async () => {
    const head = fc.constantFrom(...[pngBytes, mp3Bytes, mp4Bytes, Buffer.alloc(0), Buffer.from('{"data":')]);
    const bytes = fc.tuple(head, fc.nat(80), fc.uint8Array({ maxLength: 200 }));
    await fc.assert(
      fc.asyncProperty(operation, bytes, typeOf(), async (id, [start, length, rest], contentType) => {
        const body = Buffer.concat([start.subarray(0, length), rest]);
        await readOrRefuse(() => readAnswer(id, raw(body, contentType)));
      }),
      { numRuns: runs(500) },
    );
  });

  it('handles any JSON, including the names that services use', async () => {
    await fc.assert(
      fc.asyncProperty(operation, json(), async (id, value) => {
        await readOrRefuse(() => readAnswer(id, raw(Buffer.from(JSON.stringify(value)))));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('errorFromAnswer turns any refusal into a message without the key', () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), json(), (status, value) => {
        const body = Buffer.from(JSON.stringify({ error: value, message: 'bad key canary-key' }));
        const error = errorFromAnswer({ ...raw(body), status }, ['canary-key']);
        assert(error.message.length > 20 && error.message.length < 1500, error.message);
        assert(!error.message.includes('canary-key'), error.message);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('reads media under any name and at any depth, and is never silent about an error beside them', async () => {
    const url = 'https://storage.example/a';
    const media = fc.constantFrom<Json[]>(url, png, `data:image/png;base64,${png}`);
    const name = fc.stringMatching(/^x[a-z]{0,6}(_[xz][a-z]{0,4})?$/);
    const path = fc.array(fc.oneof(name, fc.nat({ max: 2 })), { minLength: 1, maxLength: 20 });
    const errors: readonly JsonObject[] = [
      {},
      { error: 'upstream gone' },
      { success: false },
      { error: { code: 'x', message: 'upstream gone' } },
    ];
    await fc.assert(
      fc.asyncProperty(media, path, fc.constantFrom(...errors), async (medium, names, beside) => {
        const inside = names.reduceRight<Json>(
          (inner, one) => (typeof one === 'number' ? [...Array(one).fill(null), inner] : { xid: 7, [one]: inner }),
          medium,
        );
        const body = Buffer.from(JSON.stringify({ xroot: inside, ...beside }));
        const answer = await readAnswer('generateImage', raw(body));
        assert(answer.type === 'media');
        const [first, ...others] = answer.media;
        assert.deepEqual(others, []);
        assert.deepEqual('bytes' in first ? Buffer.from(first.bytes) : first, medium === url ? { url } : pngBytes);
        assert.equal(answer.notices?.length ?? 0, Object.keys(beside).length, String(answer.notices));
      }),
      { numRuns: runs(400) },
    );
  });

  async function readOrRefuse(read: () => Promise<Answer>): Promise<void> {
    try {
      assertNotEmpty(await read());
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      assert(error.message.length > 20, error.message);
    }
  }

  function assertNotEmpty(answer: Answer): void {
    switch (answer.type) {
      case 'media':
        assert(answer.media.length > 0);
        for (const item of answer.media)
          assert('url' in item ? item.url !== '' : 'bytes' in item && item.bytes.length > 0);
        break;
      case 'transcript':
        assert(answer.text.trim() !== '' || answer.segments.some(({ text }) => text.trim() !== ''));
        break;
      case 'job':
        assert(answer.id !== '');
    }
  }
});

function raw(body: Uint8Array, contentType = 'application/json'): RawAnswer {
  return rawOf(body, { contentType });
}

function typeOf(): fc.Arbitrary<string> {
  return fc.constantFrom('application/json', 'text/plain', 'audio/mpeg', 'image/png', 'video/mp4', '');
}

function json(): fc.Arbitrary<unknown> {
  const names =
    'data url b64_json id video_id task_id status error message code images image video videos audio output result ' +
    'results text segments start end choices content usage progress base64 urls get success detail words speaker';
  const name = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names.split(' ')) }, fc.string());
  const texts = ['completed', 'failed', 'queued', 'https://a.example/x.png?sig=1', '/r', 'data:image/png;base64,aGk='];
  const text = fc.oneof(fc.constantFrom(...texts, pngBytes.toString('base64'), '', ' ', '__proto__'), fc.string());
  const leaf = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      leaf,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value'), { maxKeys: 5 }),
    ),
  })).value;
}
