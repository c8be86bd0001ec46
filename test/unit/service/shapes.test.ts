import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { detectMediaType } from '../../../src/operations/mediaType.ts';
import type { MediaRequestInput, OperationId } from '../../../src/operations/operations.ts';
import type { Answer, Media, RawAnswer } from '../../../src/service/Answer.ts';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import type { MediaClient } from '../../../src/service/MediaClient.ts';
import { clientOf, downloadAll } from '../../support/clientOf.ts';
import { type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { mp3Bytes, wavBytes } from '../../support/mediaBytes.ts';
import { type Expected, providers, shapeBody, storedFiles } from '../../support/providerShapes.ts';

describe('what real services send', () => {
  let dispatcher: ServiceDispatcher;
  let storage: HttpServer;
  let recording: string;
  let inputs: string;

  before(async () => {
    dispatcher = createDispatcher();
    storage = await startHttpServer((request, response) => response.end(storedFiles[request.url ?? '']));
    inputs = await mkdtemp(join(tmpdir(), 'shapes-'));
    recording = join(inputs, 'a.wav');
    await writeFile(recording, wavBytes);
  });

  after(async () => {
    await storage[Symbol.asyncDispose]();
    await dispatcher.destroy();
    await rm(inputs, { recursive: true });
  });

  function requestOf(id: OperationId, count: number): MediaRequestInput<OperationId> {
    const asked = { model: 'm', prompt: 'a fox' };
    const requests: Partial<Record<OperationId, object>> = {
      generateImage: { ...asked, n: count },
      editImage: { ...asked, image_urls: ['https://a.example/in.png'] },
      generateVideo: asked,
      speak: { model: 'm', input: 'Hi.', voice: 'alloy' },
      transcribe: { model: 'm', file: recording },
    };
    return requests[id] as MediaRequestInput<OperationId>;
  }

  async function typeOf(media: Media, client: MediaClient, origin: string): Promise<string | undefined> {
    const bytes = 'url' in media ? await downloadAll(client, media.url, origin) : undefined;
    const data = 'bytes' in media ? media.bytes : 'data' in media ? await buffer(media.data) : undefined;
    const whole = bytes ?? data ?? Buffer.alloc(0);
    const type = await detectMediaType(whole);
    if (type?.extension === 'mp3') assert.deepEqual(Buffer.from(whole), mp3Bytes);
    return type?.extension;
  }

  async function outcomeOf(answer: Answer, client: MediaClient, origin: string): Promise<object> {
    switch (answer.type) {
      case 'media':
        return { saved: await Promise.all(answer.media.map((media) => typeOf(media, client, origin))) };
      case 'transcript':
        return {
          text: answer.text,
          ...(answer.segments.length > 0 ? { segments: answer.segments } : {}),
          ...(answer.failure ? { failure: true } : {}),
        };
      case 'job':
        return { job: answer.id };
    }
  }

  for (const { name, source, date, answers } of providers) {
    it(`${name} names its source and date`, () => {
      assert(source.length > 5);
      assert.match(date, /^\d{4}-\d\d-\d\d$/);
    });
    for (const {
      title,
      operation,
      status = 200,
      contentType = 'application/json',
      count = 1,
      answer,
      expected,
    } of answers) {
      it(`${name}: ${title}`, async () => {
        await using server = await startHttpServer((_, response) => {
          response.writeHead(status, { 'content-type': contentType }).end(shapeBody(answer, storage.origin));
        });
        const client = clientOf(server.origin, dispatcher, { allowPrivateResultAddresses: true });
        const ask = async (): Promise<Answer> => {
          const raw: RawAnswer = await client.exchange(operation, requestOf(operation, count));
          return client.read(operation, raw, undefined, { count });
        };
        const read = await ask().catch((error: unknown) => {
          if (!(error instanceof MediaError)) throw error;
          return error;
        });
        const { words, ...outcome } = expected as Expected & { readonly words?: string };
        if (read instanceof MediaError) {
          assert.deepEqual({ kind: read.kind, billed: read.mayBeBilled }, outcome, read.message);
          assert.match(read.message, new RegExp(words ?? ''));
          return;
        }
        assert.deepEqual(await outcomeOf(read, client, server.origin), outcome);
        const notices = (read.notices ?? []).join(' ');
        if (words === undefined) assert.equal(notices, '');
        else assert.match(notices, new RegExp(words));
      });
    }
  }
});
