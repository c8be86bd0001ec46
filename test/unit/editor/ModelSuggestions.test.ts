import assert from 'node:assert/strict';
import { ModelSuggestions } from '../../../src/editor/ModelSuggestions.ts';
import { ServiceConnection } from '../../../src/editor/ServiceConnection.ts';
import type { OperationId } from '../../../src/operations/operations.ts';
import { failureOf } from '../../support/failureOf.ts';
import type { HttpServer } from '../../support/httpServer.ts';
import { startHttpServer } from '../../support/httpServer.ts';

const list = [{ id: 'filmer', type: 'video' }, { id: 'painter', type: 'image' }, 'listed', 'used-last', 'set'];

describe('ModelSuggestions', () => {
  let service: HttpServer;
  let answer: { status: number; body: string };
  let modelListPath: string;
  let hosts: { image: string; audio: string; video: string };
  let suggestions: ModelSuggestions;

  beforeEach(async () => {
    answer = { status: 200, body: JSON.stringify(list) };
    service = await startHttpServer((_, response) => response.writeHead(answer.status).end(answer.body));
    modelListPath = '/v1/models';
    hosts = { image: service.origin, audio: service.origin, video: '' };
    const configuration = () => ({ hosts, modelListPath, timeoutSeconds: { image: 1, audio: 1, video: 1 } });
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
      lastModel: (id, sandbox) => (id === 'generateImage' ? (sandbox ? 'sandbox-1' : 'used-last') : undefined),
    });
  });

  afterEach(() => service[Symbol.asyncDispose]());

  it('are those of the settings, those used before, and, when it was asked for, the list', async () => {
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

  it('have no default from the list, which nobody has chosen from', async () => {
    await suggestions.load('generateImage');
    assert.deepEqual(suggestions.known('editImage', false), []);
    assert.deepEqual(suggestions.known('editImage', false, ['used']), ['used']);
  });

  it('read a list once for a host, for all of its operations', async () => {
    assert.equal(suggestions.canLoad('generateImage', false), true);
    await suggestions.load('generateImage');
    for (const id of ['generateImage', 'editImage', 'speak', 'transcribe'] as const) {
      assert.equal(suggestions.canLoad(id, false), false, id);
    }
    assert.deepEqual(suggestions.names('speak', false), ['listed', 'set', 'used-last']);
    assert.equal(service.requests.length, 1);
  });

  it('read the list of another host, or at another path, anew', async () => {
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

  it('load nothing in the sandbox, without a path or without a host', async () => {
    assert.equal(suggestions.canLoad('generateImage', true), false);
    await suggestions.load('generateImage');
    assert.deepEqual(suggestions.names('generateImage', true), ['set', 'set-too', 'sandbox-1']);
    assert.equal(suggestions.canLoad('generateVideo', false), false);
    modelListPath = '';
    assert.equal(suggestions.canLoad('generateImage', false), false);
  });

  it('can be asked for again after a failure', async () => {
    answer = { status: 401, body: '' };
    assert.equal((await failureOf(suggestions.load('generateImage'))).kind, 'unauthorized');
    assert.equal(suggestions.canLoad('generateImage', false), true);
    modelListPath = 'v1/models';
    const wrong = await failureOf(suggestions.load('generateImage'));
    assert.deepEqual([wrong.kind, /modelListPath/.test(wrong.message)], ['noService', true]);
  });
});
