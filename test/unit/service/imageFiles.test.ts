import assert from 'node:assert/strict';
import { rmSync, truncateSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { MediaClient } from '../../../src/service/MediaClient.ts';
import type { Progress } from '../../../src/service/send.ts';
import { clientOf, sendRequest } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';
import { lfsPointer } from '../../support/lfsPointer.ts';
import { pngBytes, wavBytes } from '../../support/mediaBytes.ts';
import { jpegFile } from '../../support/pictureFiles.ts';
import { standstill } from '../../support/standstill.ts';

const answer = JSON.stringify({ id: 'v', data: [{ b64_json: pngBytes.toString('base64') }] });

/** A picture of this many bytes without repeating parts. */
function pictureOf(head: Buffer, bytes: number): Buffer {
  const picture = Buffer.alloc(bytes);
  for (let at = 0, state = bytes; at < bytes; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    picture[at] = state >>> 24;
  }
  head.copy(picture);
  return picture;
}

describe('image files of a request', () => {
  let folder: string;
  let dispatcher: ServiceDispatcher;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'image files #1 '));
    dispatcher = createDispatcher();
  });

  afterEach(async () => {
    await dispatcher.destroy();
    await rm(folder, { recursive: true });
  });

  async function urlOf(name: string, bytes: Uint8Array): Promise<string> {
    await writeFile(join(folder, name), bytes);
    return pathToFileURL(join(folder, name)).href;
  }

  // Around the chunk size of 96 KiB, with each remainder of three.
  for (const bytes of [68, 69, 70, 98_303, 98_304, 98_305, 2_000_000]) {
    it(`are sent as a data: URL with the detected type (${bytes} bytes)`, async () => {
      const picture = pictureOf(pngBytes, bytes);
      await using server = await startHttpServer();
      const incoming = server.next();
      const request = { model: 'm', prompt: '“it” runs', image_url: await urlOf('x.jpg', picture) };
      const sent = sendRequest(clientOf(server.origin, dispatcher), 'animateImage', request);
      const [received, response] = await incoming;
      const body = await bodyOf(received);
      response.end(JSON.stringify({ id: 'v', url: 'https://a.example/x.mp4' }));
      assert.equal((await sent).type, 'media');
      assert.equal(received.headers['content-length'], String(body.length));
      assert.equal(received.headers['content-type'], 'application/json');
      assert.deepEqual(JSON.parse(String(body)), {
        ...request,
        image_url: `data:image/png;base64,${picture.toString('base64')}`,
        output_format: 'url',
      });
    });
  }

  it('keep their order among other images, even when the service reads late', async () => {
    const [first, second] = [pictureOf(pngBytes, 3_000_001), pictureOf(jpegFile, 3_000_002)];
    const data = `data:image/png;base64,${pngBytes.toString('base64')}`;
    const image_urls = [
      await urlOf('a.png', first),
      'https://a.example/x.png',
      await urlOf('b é#%.jpg', second),
      data,
      // The same file again.
      await urlOf('b é#%.jpg', second),
    ];
    await using server = await startHttpServer();
    const incoming = server.next();
    const progress: Progress[] = [];
    let bytes = 0;
    const onProgress = (step: Progress) => {
      progress.push(step);
      if (step.stage === 'sending') bytes = step.bytes;
    };
    const request = { model: 'm', prompt: 'at night', image_urls };
    const sent = sendRequest(clientOf(server.origin, dispatcher), 'editImage', request, { onProgress });
    const [received, response] = await incoming;
    await standstill(() => bytes);
    const body = await bodyOf(received);
    response.end(answer);
    await sent;
    const { image_urls: arrived } = JSON.parse(String(body)) as { image_urls: readonly string[] };
    const asPng = `data:image/png;base64,${first.toString('base64')}`;
    const asJpeg = `data:image/jpeg;base64,${second.toString('base64')}`;
    assert.deepEqual(
      arrived.map((url, index) => url === [asPng, 'https://a.example/x.png', asJpeg, data, asJpeg][index]),
      [true, true, true, true, true],
    );
    const sending = progress.filter((step) => step.stage === 'sending');
    assert.deepEqual(sending.at(-1), { stage: 'sending', bytes: body.length, total: body.length });
    assert.equal(progress.filter((step) => step.stage === 'waiting').length, 1);
  });

  it('are rejected before sending when missing or not an image', async () => {
    await using server = await startHttpServer();
    const gone = pathToFileURL(join(folder, 'gone.png')).href;
    const cases = [
      [gone, /^Images \(image_urls\): gone\.png does not exist\.$/],
      [await urlOf('notes.png', Buffer.from('Notes')), /^Images \(image_urls\): notes\.png is not an image\.$/],
      [await urlOf('sound.png', wavBytes), /sound\.png is not an image/],
      [await urlOf('lfs.png', Buffer.from(lfsPointer)), /^Images \(image_urls\): lfs\.png is a Git LFS pointer/],
      [await urlOf('empty.png', Buffer.alloc(0)), /empty\.png is not an image/],
      [pathToFileURL(folder).href, /is not a file/],
      ['file:///%2F', /cannot be read/],
    ] as const;
    for (const [url, sentence] of cases) {
      const request = { model: 'm', prompt: 'p', image_urls: ['https://a.example/x.png', url] };
      const error = await failureOf(sendRequest(clientOf(server.origin, dispatcher), 'editImage', request));
      assert.equal(error.kind, 'invalidInput');
      assert.equal(error.field, 'image_urls');
      assert.match(error.message, sentence);
      assert.equal(error.mayBeBilled, false);
    }
    assert.deepEqual(server.requests, []);
  });

  const request = (image_url: string) => ({ model: 'm', prompt: 'p', image_url });

  it('are checked again before a repeat', async () => {
    const image_urls = [
      await urlOf('a.png', pictureOf(pngBytes, 3_000_000)),
      await urlOf('b.png', pictureOf(pngBytes, 100_000)),
    ];
    await using server = await startHttpServer((incoming, response) => {
      incoming.resume().on('end', () => {
        rmSync(join(folder, 'b.png'));
        response.writeHead(429).end();
      });
    });
    const client = new MediaClient({
      configuration: {
        hosts: { image: server.origin, audio: '', video: '' },
        timeoutSeconds: { image: 30, audio: 30, video: 30 },
      },
      key: () => 'key-1',
      dispatcher,
      sleep: async () => undefined,
    });
    const error = await failureOf(sendRequest(client, 'editImage', { model: 'm', prompt: 'p', image_urls }));
    assert.match(error.message, /^Images \(image_urls\): b\.png does not exist\.$/);
    assert.equal(error.mayBeBilled, false);
    assert.equal(server.requests.length, 1);
  });

  it('end the request when they change while being sent', async () => {
    const url = await urlOf('x.png', pictureOf(pngBytes, 30_000_000));
    await using server = await startHttpServer((incoming) => {
      truncateSync(join(folder, 'x.png'), 1000);
      incoming.resume();
    });
    const error = await failureOf(sendRequest(clientOf(server.origin, dispatcher), 'animateImage', request(url)));
    assert.equal(error.kind, 'invalidInput');
    assert.equal(error.mayBeBilled, true);
    assert.match(error.message, /x\.png changed while it was being sent/);
  });

  it('may be absent: a long prompt arrives unchanged', async () => {
    await using server = await startHttpServer();
    const incoming = server.next();
    const prompt = '“Grüße” \u{1F98A} '.repeat(50_000);
    const sent = sendRequest(clientOf(server.origin, dispatcher), 'generateImage', { model: 'm', prompt });
    const [received, response] = await incoming;
    const body = await bodyOf(received);
    response.end(answer);
    await sent;
    assert.equal(received.headers['content-length'], String(body.length));
    assert.equal((JSON.parse(String(body)) as { prompt: string }).prompt, prompt);
  });
});
