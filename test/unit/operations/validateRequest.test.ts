import assert from 'node:assert/strict';
import { amountsOf, unitOf } from '../../../src/operations/amounts.ts';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { type OperationId, operationIds, operations } from '../../../src/operations/operations.ts';
import { validateRequest } from '../../../src/operations/validateRequest.ts';

/** One valid request per operation, with every field. */
const complete: Readonly<Record<OperationId, Readonly<Record<string, unknown>>>> = {
  generateImage: { model: 'm', prompt: 'a fox', n: 2, output_format: 'b64_json' },
  editImage: { model: 'm', prompt: 'red', image_urls: ['https://a.example/x.png'], n: 1, output_format: 'url' },
  speak: { model: 'm', input: 'Hello.', voice: 'nova', response_format: 'wav' },
  translate: { model: 'm', file: '/tmp/talk.mp3' },
  transcribe: { model: 'm', file: 'C:\\talks\\talk.WAV' },
  generateVideo: { model: 'm', prompt: 'a fox runs', output_format: 'url' },
  animateImage: { model: 'm', prompt: 'it runs', image_url: 'data:image/png;base64,iVBORw0K', output_format: 'url' },
  remixVideo: { model: 'm', video_id: 'video_1', prompt: 'at night', output_format: 'url' },
};

describe('validateRequest', () => {
  for (const id of operationIds) {
    it(`returns a complete ${id} request unchanged`, () => {
      assert.deepEqual(validateRequest(id, complete[id]), complete[id]);
    });

    it(`returns a ${id} request that counts as something to pay for`, () => {
      assert(amountsOf(id, validateRequest(id, complete[id]), 1)[unitOf(id)] > 0);
    });

    for (const field of operations[id].fields) {
      const { [field.name]: _, ...rest } = complete[id];
      if ('default' in field) {
        it(`fills in ${field.name} of ${id}`, () => {
          assert.equal((validateRequest(id, rest) as Record<string, unknown>)[field.name], field.default);
        });
      } else {
        for (const value of [undefined, null, '', field.type === 'images' ? [] : ' \n', 7, {}]) {
          it(`rejects ${id} and names ${field.name} when it is ${JSON.stringify(value)}`, () => {
            assertInvalid(id, { ...rest, [field.name]: value }, field.name, field.label);
          });
        }
      }
    }
  }

  const wrong: readonly (readonly [OperationId, string, unknown, RegExp])[] = [
    ['generateImage', 'n', 0, /^Count \(n\) must be a whole number of 1 or more, not 0\.$/],
    ['generateImage', 'n', 1.5, /not 1\.5/],
    ['generateImage', 'n', '2', /not "2"/],
    ['generateImage', 'n', Number.NaN, /not NaN/],
    ['generateImage', 'output_format', 'png', /must be one of url, b64_json, not "png"/],
    ['generateVideo', 'output_format', 'b64_json', /must be one of url, not "b64_json"/],
    ['speak', 'voice', 'hal', /^Voice \(voice\) must be one of alloy, ash, .*verse, not "hal"\.$/],
    ['speak', 'response_format', ' ', /Audio format/],
    ['editImage', 'image_urls', ['ftp://a.example/x.png'], /must be an http/],
    ['editImage', 'image_urls', ['https://a.example/x.png', 3], /not 3/],
    ['animateImage', 'image_url', 'javascript:alert(1)', /must be an http/],
    ['animateImage', 'image_url', 'data:text/html;base64,PGI+', /must be an http/],
    ['remixVideo', 'video_id', '..', /^Video \(video_id\) must be the ID of a video, not "\.\."\.$/],
    ['remixVideo', 'video_id', ' .\n', /must be the ID of a video/],
    ['remixVideo', 'video_id', 'a\ud800', /must be the ID of a video/],
    ['transcribe', 'file', '/tmp/notes.txt', /must be an audio file \(flac, .*mov, mkv\), not "notes\.txt"/],
    ['translate', 'file', '/tmp/mp3', /must be an audio file/],
  ];
  for (const [id, name, value, sentence] of wrong) {
    it(`rejects ${name} = ${JSON.stringify(value)} of ${id}`, () => {
      assertInvalid(id, { ...complete[id], [name]: value }, name, sentence);
    });
  }

  it('accepts an audio format that the specification does not list', () => {
    assert.equal(validateRequest('speak', { ...complete.speak, response_format: 'ogg' }).response_format, 'ogg');
  });

  it('accepts a local file as an image, which the client sends as data', () => {
    const image_url = 'file:///tmp/x.png';
    assert.equal(validateRequest('animateImage', { ...complete.animateImage, image_url }).image_url, image_url);
  });

  it('rejects a field that the operation does not have', () => {
    assertInvalid('generateImage', { ...complete.generateImage, size: '1x1' }, 'size', /takes model, prompt, n/);
  });

  it('rejects anything but an object', () => {
    for (const input of [undefined, null, 'a fox', ['a fox']]) {
      assert.throws(() => validateRequest('generateImage', input), MediaError);
    }
  });

  it('trims model names and ids, but never a prompt', () => {
    const request = validateRequest('remixVideo', { model: ' m\n', video_id: ' v ', prompt: ' p ' });
    assert.deepEqual(request, { model: 'm', video_id: 'v', prompt: ' p ', output_format: 'url' });
  });

  it('accepts an id with dots, which leads to no other path', () => {
    for (const video_id of ['...', 'v.1', '..v', '../v', '%2e%2e']) {
      assert.equal(validateRequest('remixVideo', { ...complete.remixVideo, video_id }).video_id, video_id);
    }
  });

  it('shortens a long invalid value in the message', () => {
    assert.throws(
      () => validateRequest('speak', { ...complete.speak, voice: 'x'.repeat(10_000) }),
      (error: Error) => error.message.length < 300,
    );
  });
});

function assertInvalid(id: OperationId, input: unknown, field: string, sentence: RegExp | string): void {
  assert.throws(
    () => validateRequest(id, input),
    (error: unknown) => {
      assert(error instanceof MediaError);
      assert.equal(error.kind, 'invalidInput');
      assert.equal(error.field, field);
      if (typeof sentence === 'string') assert(error.message.includes(sentence), error.message);
      else assert.match(error.message, sentence);
      return true;
    },
  );
}
