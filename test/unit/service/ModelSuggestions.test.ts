import assert from 'node:assert/strict';
import type { OperationId } from '../../../src/operations/operations.ts';
import { ModelSuggestions } from '../../../src/service/ModelSuggestions.ts';
import { ServiceConnection } from '../../../src/service/ServiceConnection.ts';
import { failureOf } from '../../support/failureOf.ts';
import { type HttpServer, startHttpServer } from '../../support/httpServer.ts';

const list = [{ id: 'filmer', type: 'video' }, { id: 'painter', type: 'image' }, 'listed', 'used-last', 'set'];

describe('ModelSuggestions', () => {
  let service: HttpServer;
  let answer: { status: number; body: string };
  let modelListPath: string;
  let hosts: { image: string; audio: string; video: string };
  let suggestions: ModelSuggestions;
  let forgotten: readonly string[];

  beforeEach(async () => {
    answer = { status: 200, body: JSON.stringify(list) };
    service = await startHttpServer((_, response) => response.writeHead(answer.status).end(answer.body));
    modelListPath = '/v1/models';
    forgotten = [];
    hosts = { image: service.origin, audio: service.origin, video: '' };
    const configuration = () => ({ hosts, modelListPath, timeoutSeconds: { image: 30, audio: 30, video: 30 } });
    suggestions = new ModelSuggestions({
      settings: {
        models: (id: OperationId) => (id === 'generateImage' ? ['set', 'set-too'] : []),
        get service() {
          return configuration();
        },
      },
      service: new ServiceConnection({
        usesSandbox: () => false,
        remote: () => ({ configuration: configuration(), key: () => 'key-1' }),
        sandbox: () => Promise.reject(new Error('not used')),
        network: () => ({}),
        log: () => undefined,
      }),
      forgotten: (id) => (id === 'generateImage' ? forgotten : []),
      lastModel: (id, sandbox) => (id === 'generateImage' ? (sandbox ? 'sandbox-1' : 'used-last') : undefined),
    });
  });

  afterEach(() => service[Symbol.asyncDispose]());

  it('lists the models of the settings, those used before and, once loaded, those of the service', async () => {
    assert.deepEqual(suggestions.names('generateImage', false, ['used']), ['set', 'set-too', 'used-last', 'used']);
    assert.deepEqual(service.requests, []);
    await suggestions.load('generateImage');
    assert.deepEqual(suggestions.names('generateImage', false, ['used', 'painter']), [
      'set',
      'set-too',
      'used-last',
      'used',
      'painter',
      'listed',
    ]);
  });

  it('forgets a name that was used before, but none of the settings or of the service', async () => {
    await suggestions.load('generateImage');
    forgotten = ['used', 'set', 'painter'];
    const names = suggestions.names('generateImage', false, ['used', 'painter', 'other']);
    assert.deepEqual(names, ['set', 'set-too', 'used-last', 'other', 'painter', 'listed']);
    assert.deepEqual(
      names.filter((name) => suggestions.isForgettable('generateImage', false, name)),
      ['other'],
    );
  });

  it("suggests no default from the service's list", async () => {
    await suggestions.load('generateImage');
    assert.deepEqual(suggestions.known('editImage', false), []);
    assert.deepEqual(suggestions.known('editImage', false, ['used']), ['used']);
  });

  it('loads the list once per host, for all of its operations', async () => {
    assert.equal(suggestions.canLoad('generateImage', false), true);
    await suggestions.load('generateImage');
    for (const id of ['generateImage', 'editImage', 'speak', 'transcribe'] as const) {
      assert.equal(suggestions.canLoad(id, false), false, id);
    }
    assert.deepEqual(suggestions.names('speak', false), ['listed', 'set', 'used-last']);
    assert.equal(service.requests.length, 1);
  });

  it('loads again after the host or the path changes', async () => {
    await suggestions.load('generateImage');
    await using other = await startHttpServer((_, response) => response.end('["other"]'));
    hosts = { ...hosts, image: other.origin };
    assert.equal(suggestions.canLoad('generateImage', false), true);
    await suggestions.load('generateImage');
    assert(suggestions.names('generateImage', false).includes('other'));
    assert(!suggestions.names('generateImage', false).includes('listed'));
    modelListPath = '/models';
    assert.equal(suggestions.canLoad('generateImage', false), true);
  });

  it('loads nothing for the sandbox, without a path or without a host', async () => {
    assert.equal(suggestions.canLoad('generateImage', true), false);
    await suggestions.load('generateImage');
    assert.deepEqual(suggestions.names('generateImage', true), ['set', 'set-too', 'sandbox-1']);
    assert.equal(suggestions.canLoad('generateVideo', false), false);
    modelListPath = '';
    assert.equal(suggestions.canLoad('generateImage', false), false);
  });

  it('can load again after a failure', async () => {
    answer = { status: 401, body: '' };
    assert.equal((await failureOf(suggestions.load('generateImage'))).kind, 'unauthorized');
    assert.equal(suggestions.canLoad('generateImage', false), true);
    modelListPath = 'v1/models';
    const wrong = await failureOf(suggestions.load('generateImage'));
    assert.deepEqual([wrong.kind, /modelListPath/.test(wrong.message)], ['noService', true]);
  });

  it('lists models that fit by their names first, and those of another kind last', async () => {
    const named = ['dall-e-2', 'gpt-4o', 'text-embedding-3', 'tts-1', 'whisper-1'];
    answer = { status: 200, body: JSON.stringify({ data: [...named.map((id) => ({ id })), list[1]] }) };
    await suggestions.load('speak');
    const others = ['dall-e-2', 'text-embedding-3'];
    assert.deepEqual(suggestions.names('speak', false), ['tts-1', 'gpt-4o', ...others, 'whisper-1']);
    assert.deepEqual(suggestions.names('transcribe', false), ['whisper-1', 'gpt-4o', ...others, 'tts-1']);
    await suggestions.load('generateImage');
    assert.deepEqual(suggestions.names('editImage', false).slice(0, 3), ['painter', 'dall-e-2', 'gpt-4o']);
    assert.deepEqual(suggestions.guesses('editImage'), ['dall-e-2']);
    assert.deepEqual(suggestions.known('speak', false), [], 'a guess is no default');
  });

  it('knows the models that a list no longer has', async () => {
    const gone = new Set(['painter']);
    const listed: (readonly string[])[] = [];
    const retired = {
      read: async () => undefined,
      has: (host: string, _id: OperationId, model: string) => host === service.origin && gone.has(model),
      listed: async (_host: string, _path: string, names: readonly string[]) => void listed.push(names),
    };
    const knowing = new ModelSuggestions({
      settings: {
        models: () => [],
        service: { hosts, modelListPath, timeoutSeconds: { image: 30, audio: 30, video: 30 } },
      },
      service: { listModels: async () => [{ name: 'listed', kinds: [] }] },
      retired: async () => retired,
      forgotten: () => [],
      lastModel: () => undefined,
    });
    assert(!knowing.isGone('generateImage', false, 'painter'));
    await knowing.readGone();
    assert(knowing.isGone('generateImage', false, 'painter'));
    assert(!knowing.isGone('generateImage', true, 'painter'));
    assert(!knowing.isGone('generateVideo', false, 'painter'));
    await knowing.load('generateImage');
    assert.deepEqual(listed, [['listed']]);
  });
});
