import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode } from 'fast-png';
import { type MediaRequestInput, type OperationId, operationIds } from '../../../src/operations/operations.ts';
import type { Answer } from '../../../src/service/Answer.ts';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { MediaClient } from '../../../src/service/MediaClient.ts';
import { sendRequest } from '../../support/clientOf.ts';
import { readMp4 } from '../../support/readMp4.ts';
import { useSandbox } from '../../support/useSandbox.ts';

describe('MediaClient with the sandbox', () => {
  const sandbox = useSandbox({ videoSeconds: 0.5, imageSize: 256 });
  let folder: string;
  let dispatcher: ServiceDispatcher;
  let client: MediaClient;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'media-client-'));
    dispatcher = createDispatcher();
    const { imageBaseUrl, audioBaseUrl, videoBaseUrl, key } = sandbox();
    client = new MediaClient({
      configuration: {
        hosts: { image: imageBaseUrl, audio: audioBaseUrl, video: videoBaseUrl },
        timeoutSeconds: { image: 60, audio: 60, video: 60 },
      },
      key: () => key,
      dispatcher,
    });
  });

  after(async () => {
    await dispatcher.destroy();
    await rm(folder, { recursive: true });
  });

  async function mediaOf<Id extends OperationId>(id: Id, request: MediaRequestInput<Id>): Promise<Buffer[]> {
    return filesOf(id, await sendRequest(client, id, request));
  }

  async function filesOf(id: OperationId, answer: Answer): Promise<Buffer[]> {
    assert(answer.type === 'media');
    const files: Buffer[] = [];
    for (const item of answer.media) {
      const chunks: Uint8Array[] = [];
      if ('bytes' in item) chunks.push(item.bytes);
      else {
        assert('url' in item);
        for await (const chunk of (await client.download(id, item.url, { base: new URL(item.url).origin })).data)
          chunks.push(chunk);
      }
      files.push(Buffer.concat(chunks));
    }
    return files;
  }

  async function speak(input: string): Promise<Buffer> {
    const [speech] = await mediaOf('speak', { model: 'm', input, response_format: 'wav' });
    assert(speech);
    return speech;
  }

  it('generates images as URLs and as base64', async () => {
    for (const output_format of ['url', 'b64_json'] as const) {
      const images = await mediaOf('generateImage', { model: 'm', prompt: 'a fox', n: 2, output_format });
      assert.equal(images.length, 2);
      for (const image of images) assert.equal(decode(image).width, 256);
    }
  });

  it('edits an image', async () => {
    const [image] = await mediaOf('generateImage', { model: 'm', prompt: 'a fox' });
    const image_urls = [`data:image/png;base64,${image?.toString('base64')}`];
    const [edited] = await mediaOf('editImage', { model: 'm', prompt: 'at night', image_urls });
    assert(edited && image && !edited.equals(image));
  });

  it('speaks, and transcribes and translates its own speech', async () => {
    const file = join(folder, 'talk.wav');
    await writeFile(file, await speak('Grüße aus dem Wald. Good morning!'));
    for (const id of ['transcribe', 'translate'] as const) {
      const answer = await sendRequest(client, id, { model: 'm', file });
      assert(answer.type === 'transcript');
      assert.equal(answer.text, 'Grüße aus dem Wald. Good morning!');
      assert(answer.segments.length > 0);
    }
  });

  it('generates a video from text, from an image and from a video', async () => {
    const made = await sendRequest(client, 'generateVideo', { model: 'm', prompt: 'a fox runs' });
    const [image] = await mediaOf('generateImage', { model: 'm', prompt: 'a fox' });
    const image_url = `data:image/png;base64,${image?.toString('base64')}`;
    const animated = await sendRequest(client, 'animateImage', { model: 'm', prompt: 'it runs', image_url });
    assert(made.id);
    const remix = await sendRequest(client, 'remixVideo', { model: 'm', video_id: made.id, prompt: 'at night' });
    for (const answer of [made, animated, remix]) {
      const [video] = await filesOf('generateVideo', answer);
      assert(video);
      const { codec, width, height } = readMp4(video);
      assert.deepEqual([codec, width, height], ['avc1', 640, 360]);
    }
    assert.equal(new Set([made.id, animated.id, remix.id]).size, 3);
  });

  it('has sent each operation', () => {
    for (const id of operationIds) assert(sandbox().counts[id] > 0, id);
  });
});
