import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { ApiKeys } from '../../../../src/editor/ApiKeys.ts';
import { ModelSuggestions } from '../../../../src/editor/ModelSuggestions.ts';
import { ServiceConnection } from '../../../../src/editor/ServiceConnection.ts';
import type { ServiceDraft } from '../../../../src/editor/ServiceSetup.ts';
import { ServiceSetup } from '../../../../src/editor/ServiceSetup.ts';
import { Connector } from '../../../../src/features/create/Connector.ts';
import { operationIds } from '../../../../src/operations/operations.ts';
import type { BodyOf, ReplyOf } from '../../../../src/webview/protocol/messages.ts';
import { requests } from '../../../../src/webview/protocol/messages.ts';
import { FakeSecrets } from '../../../support/fakeSecrets.ts';
import { FakeServiceSettings } from '../../../support/fakeServiceSettings.ts';
import type { HttpServer } from '../../../support/httpServer.ts';
import { startHttpServer } from '../../../support/httpServer.ts';
import { startProxyServer } from '../../../support/proxyServer.ts';

const key = 'canary-key-of-a-panel';
const list = [
  { id: 'painter', type: 'image' },
  { id: 'speaker', type: 'tts' },
];

describe('Connector', () => {
  let settings: FakeServiceSettings;
  let secrets: FakeSecrets;
  let keys: ApiKeys;
  let proxy: string | undefined;
  let connector: Connector;
  let service: HttpServer;

  beforeEach(async () => {
    settings = new FakeServiceSettings();
    secrets = new FakeSecrets();
    keys = new ApiKeys(secrets);
    proxy = undefined;
    const connection = new ServiceConnection({
      usesSandbox: () => false,
      remote: () => ({ configuration: settings.service, key: (origin) => keys.keyFor(origin) }),
      sandbox: () => Promise.reject(new Error('not used')),
      network: () => (proxy === undefined ? {} : { proxy }),
      log: () => undefined,
    });
    const suggestions = new ModelSuggestions({ settings, service: connection, lastModel: () => undefined });
    const steps = async () => new ServiceSetup({ settings, keys, service: connection, suggestions });
    connector = new Connector({ steps });
    service = await startHttpServer(({ url, headers: { authorization } }, response) => {
      if (url === '/') response.end();
      else if (authorization === `Bearer ${key}`) response.end(JSON.stringify(list));
      else response.writeHead(401).end(JSON.stringify({ error: { message: `No such key: ${authorization}` } }));
    });
  });

  afterEach(async () => {
    keys.dispose();
    await service[Symbol.asyncDispose]();
  });

  const at = (host: string, more: Partial<ServiceDraft> = {}): ServiceDraft => ({
    hosts: { image: host, audio: host, video: host },
    scheme: 'Bearer',
    key,
    ...more,
  });

  /** Connects as the view does; what it replies has the shape that the view takes. */
  async function connect(draft: ServiceDraft, isTried = true): Promise<ReplyOf<'connect'>> {
    const body: BodyOf<'connect'> = { service: draft, isTried };
    assert(requests.connect.body(body));
    const reply = await connector.connect(body.service, body.isTried);
    assert(requests.connect.reply(reply), JSON.stringify(reply));
    return reply;
  }

  async function assertNothingSaved(): Promise<void> {
    assert.deepEqual(settings.service, new FakeServiceSettings().service);
    assert.equal(await keys.keyFor(service.origin), undefined);
  }

  const asked = ({ url, headers }: IncomingMessage) => `${url} ${headers.authorization ?? '-'}`;

  it('asks without the key first, then with it, saves, and gives the models of each operation', async () => {
    await settings.saveModels('generateImage', ['own']);
    const { connected } = await connect(at(service.origin));
    assert.deepEqual(service.requests.map(asked), ['/ -', `/v1/models Bearer ${key}`]);
    assert.match(connected?.summary ?? '', /^Media now come from http.*Its key is set\. Models in its list: 2\./);
    assert.equal(connected?.models.length, operationIds.length);
    assert.deepEqual(connected.models[0], { operation: 'generateImage', names: ['own', 'painter'], chosen: 'own' });
    assert.equal(await keys.keyFor(service.origin), key);
    assert.equal(settings.service.hosts.video, service.origin);
    assert(!JSON.stringify(connected).includes(key));
  });

  it('says which field is wrong before anybody is asked, and cannot be told to go on', async () => {
    const wrong = [
      [at('api.example.com'), 'address', 'image'],
      [at(service.origin, { hosts: { image: service.origin, audio: '', video: 'x' } }), 'address', 'video'],
      [at(''), 'address', undefined],
      [at(service.origin, { scheme: 'two words' }), 'scheme', undefined],
      [at(service.origin, { key: ' ' }), 'key', undefined],
    ] as const;
    for (const [draft, step, area] of wrong) {
      for (const isTried of [true, false]) {
        const { problem } = await connect(draft, isTried);
        assert.deepEqual([problem?.step, problem?.area, problem?.canSkip], [step, area, false]);
      }
    }
    assert.deepEqual(service.requests, []);
    await assertNothingSaved();
  });

  it('says that the key is wrong without repeating it, saves nothing, and can go on all the same', async () => {
    const draft = at(service.origin, { key: 'canary-of-another' });
    const { problem } = await connect(draft);
    assert.deepEqual([problem?.step, problem?.canSkip], ['key', true]);
    assert.match(problem?.sentence ?? '', /No such key: Bearer \[redacted\].*Paste the key again/);
    await assertNothingSaved();
    const before = service.requests.length;
    const { connected } = await connect(draft, false);
    assert.match(connected?.summary ?? '', /It was not tried/);
    assert.equal(service.requests.length, before);
  });

  it('suggests the word that the service wants, which is not to be skipped', async () => {
    const { problem } = await connect(at(service.origin, { scheme: '' }));
    assert.deepEqual([problem?.step, problem?.suggestion, problem?.canSkip], ['scheme', 'Bearer', false]);
    await assertNothingSaved();
  });

  it('sends no key to an address that does not answer, and names the area', async () => {
    const gone = await startHttpServer();
    await gone[Symbol.asyncDispose]();
    const hosts = { image: service.origin, audio: gone.origin, video: '' };
    const { problem } = await connect(at('', { hosts }));
    assert.deepEqual([problem?.step, problem?.area, problem?.canSkip], ['address', 'audio', true]);
    assert.deepEqual(service.requests.map(asked), ['/ -']);
  });

  it('says when it is the proxy', async () => {
    await using server = await startProxyServer({ credentials: 'ann:secret' });
    proxy = server.url;
    const { problem } = await connect(at('https://media.test'));
    assert.deepEqual([problem?.step, problem?.isProxy], ['address', true]);
  });

  it('says when the settings cannot be written', async () => {
    settings.problem = new Error('read-only');
    const { problem } = await connect(at(service.origin));
    assert.deepEqual([problem?.step, problem?.canSkip], ['settings', false]);
    assert.match(problem?.sentence ?? '', /could not be written: read-only/);
  });

  it('saves nothing when it is stopped, or begun anew', async () => {
    await using silent = await startHttpServer();
    const beginAnew = () => connect(at(service.origin, { key: 'another' }));
    for (const end of [async () => connector.stop(), beginAnew]) {
      const arrived = silent.next();
      const stopped = connect(at(silent.origin));
      await arrived;
      await end();
      assert.deepEqual(await stopped, {});
    }
    assert.deepEqual(settings.service, new FakeServiceSettings().service);
  });

  it('puts a chosen model first, and takes away what was emptied', async () => {
    await settings.saveModels('generateImage', ['old', 'painter']);
    await settings.saveModels('speak', ['speaker']);
    await settings.saveModels('editImage', ['kept']);
    await connector.saveModels({ generateImage: ' painter ', speak: '' });
    assert.deepEqual(settings.listed, { generateImage: ['painter', 'old'], speak: [], editImage: ['kept'] });
  });
});
