import assert from 'node:assert/strict';
import type { MediaRequest } from '../../../src/operations/operations.ts';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { MediaClient } from '../../../src/service/MediaClient.ts';
import type { ServiceConfiguration } from '../../../src/service/ServiceConfiguration.ts';
import { clientOf, downloadAll, sendRequest } from '../../support/clientOf.ts';
import { failureOf } from '../../support/failureOf.ts';
import { type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

const path = '/v1/videos/{id}';

describe('the source of an answer', () => {
  /** The service that answered. */
  let first: HttpServer;
  /** The service that the settings name now. */
  let second: HttpServer;
  let dispatcher: ServiceDispatcher;

  beforeEach(async () => {
    dispatcher = createDispatcher();
    first = await startHttpServer((_, response) => response.end('{"id":"v1","status":"queued"}'));
    second = await startHttpServer((_, response) => response.end(pngBytes));
  });

  afterEach(async () => {
    await dispatcher.destroy();
    await first[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
  });

  function clientAt(host: string, more: Partial<ServiceConfiguration> = {}): MediaClient {
    return new MediaClient({
      configuration: {
        hosts: { image: host, audio: host, video: host },
        timeoutSeconds: { image: 30, audio: 30, video: 30 },
        ...more,
      },
      key: (origin) => ({ [first.origin]: 'first-key', [second.origin]: 'second-key' })[origin],
      dispatcher,
    });
  }

  const asked = ({ requests }: HttpServer) => requests.map(({ url, headers }) => [url, headers.authorization]);

  it('is set by exchange and status, as plain JSON', async () => {
    const client = clientAt(`${first.origin}/media/v1/`, { videoStatusPath: path, authorizationScheme: 'Bearer' });
    const video = await client.exchange('generateVideo', { model: 'm', prompt: 'p' });
    const expected = { base: `${first.origin}/media`, videoStatusPath: path, authorizationScheme: 'Bearer' };
    assert.deepEqual(JSON.parse(JSON.stringify(video.source)), expected);
    const image = await client.exchange('generateImage', { model: 'm', prompt: 'p' });
    assert.deepEqual(image.source, { base: `${first.origin}/media`, authorizationScheme: 'Bearer' });
    const imageStatusPath = '/v1/tasks/{id}';
    const { source: ofTask } = await clientAt(first.origin, { imageStatusPath, videoStatusPath: path }).exchange(
      'generateImage',
      { model: 'm', prompt: 'p' },
    );
    assert.deepEqual(ofTask, { base: first.origin, imageStatusPath });
    const { source } = await client.status('generateVideo', { id: 'v1' }, video.source);
    assert.deepEqual(JSON.parse(JSON.stringify(source)), expected);
  });

  it('is polled with its own path, scheme and key after the settings changed to another host', async () => {
    const source = { base: `${first.origin}/media`, videoStatusPath: path, authorizationScheme: 'Bearer' };
    const client = clientAt(second.origin, { videoStatusPath: '/other/{id}', authorizationScheme: 'Key' });
    await client.status('generateVideo', { id: 'v1' }, source);
    await downloadAll(client, '/x.png', first.origin);
    assert.equal(client.contentUrl('generateVideo', 'v1', source), `${first.origin}/media/v1/videos/v1/content`);
    assert.deepEqual(asked(first), [
      ['/media/v1/videos/v1', 'Bearer first-key'],
      ['/x.png', 'first-key'],
    ]);
    assert.deepEqual(asked(second), []);
  });

  it('is polled with the current path and scheme when the settings still name its origin', async () => {
    const source = { base: `${first.origin}/media`, videoStatusPath: '/wrong/{id}', authorizationScheme: 'Wrong' };
    const client = clientAt(`${first.origin}/elsewhere`, { videoStatusPath: path });
    await client.status('generateVideo', { id: 'v1' }, source);
    assert.deepEqual(asked(first), [['/media/v1/videos/v1', 'first-key']]);
  });

  it('keeps its path when the settings name its origin without a path', async () => {
    const source = { base: first.origin, videoStatusPath: path, authorizationScheme: 'Old' };
    await clientAt(first.origin).status('generateVideo', { id: 'v1' }, source);
    assert.deepEqual(asked(first), [['/v1/videos/v1', 'first-key']]);
  });

  it('uses the current path when it has none', async () => {
    const client = clientAt(second.origin, { videoStatusPath: path, authorizationScheme: 'Bearer' });
    await client.status('generateVideo', { id: 'v1' }, { base: first.origin });
    assert.deepEqual(asked(first), [['/v1/videos/v1', 'first-key']]);
  });

  it('suffices for read, status and download when no host is configured', async () => {
    const source = { base: first.origin, videoStatusPath: path };
    const client = clientAt('');
    assert.equal((await client.status('generateVideo', { id: 'v1' }, source)).status, 200);
    const raw = await client.status('generateVideo', { id: 'v1' }, source);
    assert.equal((await client.read('generateVideo', raw)).type, 'job');
    assert.deepEqual(await downloadAll(client, `${second.origin}/x.png`, first.origin), pngBytes);
    assert.deepEqual(asked(second), [['/x.png', undefined]]);
  });

  it('allows downloading a public URL without a key, even with invalid settings', async () => {
    const client = clientAt('ftp://', { authorizationScheme: 'no word…' });
    assert.deepEqual(await downloadAll(client, `${second.origin}/x.png`, first.origin), pngBytes);
    assert.deepEqual(await downloadAll(clientAt(''), `${second.origin}/x.png`, 'http://127.0.0.1:1'), pngBytes);
    assert.deepEqual(asked(second), [
      ['/x.png', undefined],
      ['/x.png', undefined],
    ]);
  });

  it('requires the key of its own origin for a status', async () => {
    const source = { base: 'https://media.invalid', videoStatusPath: path };
    const error = await failureOf(clientAt(first.origin).status('generateVideo', { id: 'v1' }, source));
    assert.equal(error.kind, 'noKey');
    assert.match(error.message, /media\.invalid/);
    assert.deepEqual(asked(first), []);
  });

  it('receives a job id as one encoded path segment', async () => {
    const source = { base: first.origin, videoStatusPath: '/v1/videos/{id}' };
    await clientAt(first.origin, source).status('generateVideo', { id: '../keys?all=1#x/y' }, source);
    assert.deepEqual(asked(first), [['/v1/videos/..%2Fkeys%3Fall%3D1%23x%2Fy', 'first-key']]);
  });

  it('asks for no status and sends no remix where an id would lead to another path', async () => {
    const source = { base: first.origin, videoStatusPath: '/v1/videos/{id}' };
    const client = clientAt(first.origin, source);
    const remix = (video_id: string): MediaRequest<'remixVideo'> => {
      const further = { values: {}, encoding: { path: '/v1/videos/{video_id}/remix' } };
      return { model: 'm', prompt: 'p', output_format: 'url', video_id, further };
    };
    for (const id of ['.', '..', '\ud800']) {
      const unknown = await failureOf(client.status('generateVideo', { id }, source));
      assert.deepEqual([unknown.kind, unknown.mayBeBilled], ['noMedia', true]);
      const refused = await failureOf(sendRequest(client, 'remixVideo', remix(id)));
      assert.deepEqual([refused.kind, refused.field], ['invalidInput', 'video_id']);
    }
    assert.deepEqual(asked(first), []);
    await sendRequest(client, 'remixVideo', remix('../..'));
    assert.deepEqual(asked(first), [['/v1/videos/..%2F../remix', 'first-key']]);
  });

  it('follows redirects of a status within its origin, and sends the key nowhere else', async () => {
    await using other = await startHttpServer((_, response) => response.end('{}'));
    await using server = await startHttpServer((request, response) => {
      const target = { '/v1/videos/a': '/v1/videos/a/', '/v1/videos/b': `${other.origin}/b`, '/v1/videos/c': 'c' };
      const location = new Map(Object.entries(target)).get(request.url ?? '');
      if (location === undefined) response.end('{"id":"a","status":"queued"}');
      else response.writeHead(307, { location }).end();
    });
    const client = clientOf(server.origin, dispatcher, { videoStatusPath: '/v1/videos/{id}' });
    const poll = (id: string) => client.status('generateVideo', { id }, { base: server.origin });
    const answer = await client.read('generateVideo', await poll('a'));
    assert.deepEqual([answer.type, server.requests.length], ['job', 2]);
    assert.equal(server.requests[1]?.headers.authorization, 'key-1');
    const elsewhere = await client.read('generateVideo', await poll('b'), 'b');
    assert.deepEqual(elsewhere.type === 'media' && elsewhere.media, [{ url: `${other.origin}/b` }]);
    await assert.rejects(poll('c'), { status: 307 });
    assert.deepEqual([other.requests.length, server.requests.length], [0, 9]);
  });

  describe('with a status URL from the service', () => {
    it('polls the URL for images and speech, and for videos without a configured path', async () => {
      const source = { base: `${first.origin}/media` };
      for (const id of ['generateImage', 'speak', 'generateVideo'] as const) {
        await clientAt(second.origin).status(id, { id: 'j', statusUrl: `${first.origin}/jobs/j?x=1` }, source);
      }
      assert.deepEqual(asked(first), Array(3).fill(['/jobs/j?x=1', 'first-key']));
    });

    it('prefers the configured path, for videos only', async () => {
      const job = { id: 'j', statusUrl: `${first.origin}/jobs/j` };
      const client = clientAt(first.origin, { videoStatusPath: path });
      await client.status('generateVideo', job, { base: first.origin });
      await client.status('generateImage', job, { base: first.origin });
      assert.deepEqual(asked(first), [
        ['/v1/videos/j', 'first-key'],
        ['/jobs/j', 'first-key'],
      ]);
    });

    it('fetches the result when a finished job names its URL on the same origin', async () => {
      const answers: Readonly<Record<string, () => string>> = {
        '/j/status': () => JSON.stringify({ status: 'COMPLETED', request_id: 'j', response_url: `${host.origin}/j` }),
        '/j': () => '{"images":[{"url":"https://a.example/x.png"}]}',
        '/k/status': () => JSON.stringify({ status: 'IN_QUEUE', request_id: 'k', response_url: `${host.origin}/k` }),
        '/l/status': () =>
          JSON.stringify({ status: 'COMPLETED', request_id: 'l', response_url: `${second.origin}/l`, images: [] }),
      };
      await using host = await startHttpServer(({ url = '' }, response) => response.end(answers[url]?.()));
      const client = new MediaClient({
        configuration: { hosts: { image: '', audio: '', video: '' }, timeoutSeconds: { image: 9, audio: 9, video: 9 } },
        key: () => 'key-1',
        dispatcher,
      });
      const status = (id: string) =>
        client.status('generateImage', { id, statusUrl: `${host.origin}/${id}/status` }, { base: host.origin });
      const answer = await client.read('generateImage', await status('j'), 'j');
      assert.deepEqual(answer.type === 'media' && [answer.id, answer.media], [
        'j',
        [{ url: 'https://a.example/x.png' }],
      ]);
      const running = await client.read('generateImage', await status('k'), 'k');
      assert.deepEqual(running.type === 'job' && [running.id, running.state], ['k', 'running']);
      await status('l');
      assert.deepEqual(asked(host), [
        ['/j/status', 'key-1'],
        ['/j', 'key-1'],
        ['/k/status', 'key-1'],
        ['/l/status', 'key-1'],
      ]);
      assert.deepEqual(asked(second), []);
    });

    it('does not poll another origin', async () => {
      const source = { base: first.origin };
      for (const statusUrl of [undefined, `${second.origin}/jobs/j`, 'file:///etc/passwd', 'http://[']) {
        for (const [id, sentence] of [
          ['speak', /as job j, but sent no address on its own host/],
          ['generateImage', /as job j, .*"unifiedMedia\.imageStatusPath"/],
          ['generateVideo', /"unifiedMedia\.videoStatusPath"/],
        ] as const) {
          const error = await failureOf(clientAt(first.origin).status(id, { id: 'j', statusUrl }, source));
          assert.equal(error.kind, 'noMedia');
          assert.match(error.message, sentence);
        }
      }
      assert.deepEqual([asked(first), asked(second)], [[], []]);
    });
  });
});
