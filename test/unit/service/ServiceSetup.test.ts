import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener } from 'node:http';
import tls from 'node:tls';
import { secretIds } from '../../../src/contributions.ts';
import { operationIds, operations } from '../../../src/operations/operations.ts';
import type { NetworkSettings } from '../../../src/service/createDispatcher.ts';
import { ModelSuggestions } from '../../../src/service/ModelSuggestions.ts';
import { ApiKeys, ServiceConnection } from '../../../src/service/ServiceConnection.ts';
import { describeConnection, hostOf, type ServiceDraft, ServiceSetup } from '../../../src/service/ServiceSetup.ts';
import { authority, serverCertificate } from '../../support/certificates.ts';
import { failureOf } from '../../support/failureOf.ts';
import { FakeSecrets } from '../../support/fakeSecrets.ts';
import { FakeServiceSettings } from '../../support/fakeServiceSettings.ts';
import { type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { startProxyServer } from '../../support/proxyServer.ts';
import { startTcpServer } from '../../support/tcpServer.ts';

const key = 'canary-key-of-a-service';
const list = { data: [{ id: 'painter', type: 'image' }, { id: 'speaker', type: 'tts' }, { id: 'anything' }] };

/** A service that expects the key after the given word, and lists models at a path. */
function serviceWith(word: string, path = '/v1/models'): RequestListener {
  return ({ url, headers }, response) => {
    if (url !== path) return void response.writeHead(404).end('{"error":{"message":"Not found"}}');
    if (headers.authorization === (word ? `${word} ${key}` : key)) return void response.end(JSON.stringify(list));
    response.writeHead(401).end(`{"error":{"message":"Incorrect key ${headers.authorization}"}}`);
  };
}

describe('ServiceSetup (promise 6)', () => {
  let settings: FakeServiceSettings;
  let secrets: FakeSecrets;
  let keys: ApiKeys;
  let network: NetworkSettings;
  let setup: ServiceSetup;
  let suggestions: ModelSuggestions;
  let service: HttpServer;
  let listener: RequestListener;

  beforeEach(async () => {
    settings = new FakeServiceSettings();
    secrets = new FakeSecrets();
    keys = new ApiKeys(secrets, secretIds.apiKey);
    network = {};
    const connection = new ServiceConnection({
      usesSandbox: () => false,
      remote: () => ({ configuration: settings.service, key: (origin) => keys.keyFor(origin) }),
      sandbox: () => Promise.reject(new Error('not used')),
      network: () => network,
      log: () => undefined,
    });
    suggestions = new ModelSuggestions({
      settings,
      service: connection,
      lastModel: () => undefined,
      forgotten: () => [],
    });
    setup = new ServiceSetup({ settings, keys, service: connection, suggestions });
    listener = serviceWith('');
    service = await startHttpServer((request, response) => listener(request, response));
  });

  afterEach(async () => {
    keys.dispose();
    await service[Symbol.asyncDispose]();
  });

  const at = (host: string, more: Partial<ServiceDraft> = {}): ServiceDraft => ({
    hosts: { image: host, audio: host, video: host },
    scheme: '',
    key,
    ...more,
  });

  const asked = ({ method, url, headers }: IncomingMessage) => `${method} ${url} ${headers.authorization ?? '-'}`;

  describe('checkAddress', () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['', /^Enter the address, such as https:\/\/api\.example\.com\.$/],
      ['api.example.com', /^“api\.example\.com” is not a web address/],
      [
        'http://api.example.com',
        /must begin with https:\/\/, so that what is sent is encrypted.*“unifiedMedia\.insecureHosts” lists api\.example\.com\.$/,
      ],
      ['ftp://api.example.com', /must begin with https:\/\//],
      ['https://ann:secret@api.example.com', /Remove the user name and password/],
      ['https://api.example.com?key=1', /Remove the “\?” or “#” and everything after it/],
    ];
    for (const [address, sentence] of wrong) {
      it(`rejects an invalid address before sending a request: ${JSON.stringify(address)}`, async () => {
        const problem = await setup.checkAddress(address);
        assert.deepEqual([problem?.step, problem?.reason], ['address', 'address']);
        assert.match(problem?.sentence ?? '', sentence);
      });
    }

    it('accepts an address that responds, without sending the key', async () => {
      assert.equal(await setup.checkAddress(` ${service.origin}/v1/images/generations/ `), undefined);
      assert.deepEqual(service.requests.map(asked), ['GET / -']);
    });

    it('reports a host name that cannot be resolved', async () => {
      const problem = await setup.checkAddress('https://media.invalid');
      assert.equal(problem?.reason, 'address');
      assert.match(problem.sentence, /name cannot be resolved.*Check the address for typos, and check that this/);
    });

    it('reports a refused connection', async () => {
      const gone = await startHttpServer();
      await gone[Symbol.asyncDispose]();
      const problem = await setup.checkAddress(gone.origin);
      assert.equal(problem?.reason, 'address');
      assert.match(
        problem.sentence,
        /refuses the connection.*Check the address and its port, and check that the service is/,
      );
    });

    it('reports a server that does not speak HTTP', async () => {
      await using server = await startTcpServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
      const problem = await setup.checkAddress(`http://127.0.0.1:${server.port}`);
      assert.equal(problem?.reason, 'address');
      assert.match(problem.sentence, /^No web service answers at .*Check the address and its port\.$/);
    });

    it('reports a wrong address, not a wrong certificate, when the port does not speak https', async () => {
      const problem = await setup.checkAddress(service.origin.replace('http:', 'https:'));
      assert.equal(problem?.reason, 'address');
      assert.match(problem.sentence, /does not use https on this port\. Check the address and its port\.$/);
    });

    it('reports an untrusted certificate', async () => {
      await using secure = await startHttpServer(serviceWith(''), serverCertificate);
      const problem = await setup.checkAddress(secure.origin);
      assert.deepEqual([problem?.step, problem?.reason], ['address', 'certificate']);
      assert.match(problem?.sentence ?? '', /^Could not connect securely to 127\.0\.0\.1.*NODE_EXTRA_CA_CERTS/);
    });

    it('reports a proxy that requires credentials, refuses the connection or is down', async () => {
      await using proxy = await startProxyServer({ credentials: 'ann:secret' });
      network = { proxy: proxy.url };
      const unknown = await setup.checkAddress('https://media.test');
      assert.deepEqual([unknown?.step, unknown?.reason], ['address', 'proxy']);
      assert.match(
        unknown?.sentence ?? '',
        /^The proxy .* requires a user name and password \(407\)\..*"http\.proxyAuthorization"/,
      );
      network = { proxy: proxy.url.replace('//', '//ann:secret@') };
      const refused = await setup.checkAddress('https://media.test');
      assert.equal(refused?.reason, 'proxy');
      assert.match(refused.sentence, /refused to open the connection \(502\)\..*Check the setting "http\.proxy"/);
      const gone = proxy.url;
      await proxy[Symbol.asyncDispose]();
      network = { proxy: gone };
      const dead = await setup.checkAddress('https://media.test');
      assert.equal(dead?.reason, 'proxy');
      assert.match(dead.sentence, /the proxy .*it refuses the connection.*Check the setting "http\.proxy"/);
    });

    it('connects through a proxy with a trusted certificate', async () => {
      const trusted = tls.getCACertificates('default');
      await using secure = await startHttpServer(serviceWith(''), serverCertificate);
      await using proxy = await startProxyServer({ routes: { 'media.test:443': secure.port } });
      network = { proxy: proxy.url };
      tls.setDefaultCACertificates([...trusted, authority]);
      try {
        assert.equal(await setup.checkAddress('https://media.test'), undefined);
        assert.equal((await setup.tryService(at('https://media.test'))).lists.image?.length, 3);
      } finally {
        tls.setDefaultCACertificates(trusted);
      }
    });

    it('rejects with "cancelled" when aborted', async () => {
      listener = () => undefined;
      const controller = new AbortController();
      const came = service.next();
      const checking = failureOf(setup.checkAddress(service.origin, controller.signal).then(() => undefined));
      await came;
      controller.abort();
      assert.equal((await checking).kind, 'cancelled');
    });
  });

  it('reduces a pasted address to its base (hostOf)', () => {
    for (const [pasted, kept] of [
      [' https://api.example.com/ ', 'https://api.example.com'],
      ['https://api.example.com/v1/', 'https://api.example.com/v1'],
      ['https://api.example.com/v1/images/generations', 'https://api.example.com'],
      ['https://gateway.example.com/v1/account/media/v1/models', 'https://gateway.example.com/v1/account/media'],
      ['', ''],
    ] as const) {
      assert.equal(hostOf(pasted), kept);
    }
  });

  describe('tryService', () => {
    it('reads the list at the usual path, once per host', async () => {
      const { problem, lists, modelListPath } = await setup.tryService(at(service.origin));
      assert.equal(problem, undefined);
      assert.equal(modelListPath, '/v1/models');
      for (const area of ['image', 'audio', 'video'] as const) {
        assert.deepEqual(
          lists[area]?.map(({ name }) => name),
          ['anything', 'painter', 'speaker'],
        );
      }
      assert.deepEqual(service.requests.map(asked), [`GET /v1/models ${key}`]);
    });

    it('reads the list at the configured path, with the word before the key', async () => {
      listener = serviceWith('Token', '/models');
      settings.service.modelListPath = '/models';
      const trial = await setup.tryService(at(service.origin, { scheme: ' Token ' }));
      assert.deepEqual([trial.problem, trial.modelListPath, trial.lists.image?.length], [undefined, '/models', 3]);
    });

    it('asks each of several hosts and skips empty ones', async () => {
      await using other = await startHttpServer((_, response) => response.end('["filmer"]'));
      const hosts = { image: service.origin, audio: '', video: other.origin };
      const { lists } = await setup.tryService(at('', { hosts }));
      assert.deepEqual([Object.keys(lists), lists.video?.[0]?.name], [['image', 'video'], 'filmer']);
    });

    for (const answer of [404, 405, 500, 200]) {
      it(`accepts a host that answers ${answer} without a list`, async () => {
        listener = (_, response) => response.writeHead(answer).end('<html></html>');
        assert.deepEqual(await setup.tryService(at(service.origin)), { lists: {}, modelListPath: '' });
      });
    }

    it('sends only GET requests', async () => {
      for (const scheme of ['', 'Bearer', 'Token']) await setup.tryService(at(service.origin, { scheme }));
      assert.deepEqual([...new Set(service.requests.map(({ method }) => method))], ['GET']);
    });

    it('reports a wrong key without showing it', async () => {
      const { problem } = await setup.tryService(at(service.origin, { key: 'canary-of-another' }));
      assert.deepEqual([problem?.step, problem?.reason, problem?.area], ['key', 'key', 'image']);
      assert.match(
        problem?.sentence ?? '',
        /^127\.0\.0\.1:\d+: The service did not accept the API key\. It says: “Incorrect key \[redacted\]” Paste the key again/,
      );
    });

    it('reports a key without permission', async () => {
      listener = (_, response) => response.writeHead(403).end();
      const { problem } = await setup.tryService(at(service.origin));
      assert.equal(problem?.step, 'key');
      assert.match(problem.sentence, /does not allow this API key to do that\. .*Use another key, or continue/);
    });

    for (const [entered, found, sentence] of [
      ['', 'Bearer', /the service accepts it only with “Bearer” before it\./],
      ['Token', '', /the service accepts it only without a word before it\./],
    ] as const) {
      it(`connects with “${found}” where the service refuses “${entered}” before the key`, async () => {
        listener = serviceWith(found);
        const draft = at(service.origin, { scheme: entered });
        const trial = await setup.tryService(draft);
        assert.deepEqual([trial.problem, trial.scheme, trial.lists.audio?.length], [undefined, found, 3]);
        const saved = await setup.saveConnection(draft, trial);
        assert.equal(settings.service.authorizationScheme, found);
        assert.match(describeConnection(setup, { saved, isTried: true }), sentence);
      });
    }

    for (const status of [404, 405, 410, 200]) {
      it(`connects with “Bearer” where the service has no list (${status}) and refuses the key alone`, async () => {
        listener = ({ headers }, response) => {
          const isRight = headers.authorization === `Bearer ${key}`;
          response.writeHead(isRight ? status : 401).end('No such page');
        };
        const trial = await setup.tryService(at(service.origin));
        assert.deepEqual(trial, { lists: {}, modelListPath: '', scheme: 'Bearer' });
      });
    }

    for (const status of [429, 500, 502, 403]) {
      it(`does not take ${status} for a key that the service accepts with “Bearer”`, async () => {
        listener = ({ headers }, response) => {
          response.writeHead(headers.authorization === `Bearer ${key}` ? status : 401).end();
        };
        assert.equal((await setup.tryService(at(service.origin))).problem?.step, 'key');
      });
    }

    it('suggests the other word where another host has accepted the one that was entered', async () => {
      await using other = await startHttpServer(serviceWith('Bearer'));
      const hosts = { image: service.origin, audio: other.origin, video: '' };
      const { problem } = await setup.tryService(at('', { hosts }));
      assert.deepEqual([problem?.step, problem?.suggestion], ['scheme', 'Bearer']);
      assert.match(problem?.sentence ?? '', /accepts this key only with “Bearer” before it\.$/);
    });

    it('uses the word that the first host wants for the others, too', async () => {
      listener = serviceWith('Bearer');
      await using other = await startHttpServer(serviceWith('Bearer'));
      const hosts = { image: service.origin, audio: other.origin, video: '' };
      const trial = await setup.tryService(at('', { hosts }));
      assert.deepEqual([trial.problem, trial.scheme], [undefined, 'Bearer']);
      assert.deepEqual(other.requests.map(asked), [`GET /v1/models Bearer ${key}`]);
    });

    it('needs no key for a service on this computer, and sends none', async () => {
      listener = (_, response) => response.end(JSON.stringify(list));
      const draft = at(service.origin, { key: '', scheme: 'Bearer' });
      const trial = await setup.tryService(draft);
      assert.equal(trial.lists.image?.length, 3);
      assert.deepEqual(service.requests.map(asked), ['GET /v1/models -']);
      const saved = await setup.saveConnection(draft, trial);
      assert.deepEqual([saved.hasKey, await keys.keyFor(service.origin)], [false, undefined]);
      assert.match(describeConnection(setup, { saved, isTried: true }), / It is used without a key\. /);
    });

    it('asks for the key that a service on this computer wants after all, once', async () => {
      const { problem } = await setup.tryService(at(service.origin, { key: '' }));
      assert.deepEqual([problem?.step, problem?.area], ['key', 'image']);
      assert.match(problem?.sentence ?? '', /^The service wants an API key, and none is set\. It says: /);
      assert.deepEqual(service.requests.map(asked), ['GET /v1/models -']);
    });

    it('allows plain http to a host of one’s own network when the person says so, and to no other', async () => {
      for (const [host, isOwn] of [
        ['192.168.1.5:8080', true],
        ['nas.local:8000', true],
        ['nas', true],
        ['[fd00::1]:8080', true],
        ['api.example.com', false],
        ['8.8.8.8', false],
      ] as const) {
        const draft = at(`http://${host}`);
        const problem = await setup.checkDraft(draft);
        assert.equal(problem?.insecureHost, isOwn ? host : undefined, host);
        await setup.allowInsecureHost(draft, 'elsewhere.local');
        assert(await setup.checkDraft(draft));
        await setup.allowInsecureHost(draft, host);
        assert.equal((await setup.checkDraft({ ...draft, key: isOwn ? '' : key })) === undefined, isOwn, host);
      }
      assert.equal(settings.service.insecureHosts.length, 4);
    });

    const incomplete: readonly (readonly [string, Partial<ServiceDraft>, RegExp])[] = [
      ['address', { hosts: { image: '', audio: ' ', video: '' } }, /at least one host/],
      ['address', { hosts: { image: '', audio: 'x', video: '' } }, /“x” is not a web address/],
      ['scheme', { scheme: 'two words' }, /one word/],
      ['key', { key: ' ', hosts: { image: 'https://media.invalid', audio: '', video: '' } }, /Paste the key/],
      ['key', { key: 'two words' }, /may contain only ASCII characters/],
    ];
    for (const [step, more, sentence] of incomplete) {
      it(`sends nothing when the ${step} is invalid: ${JSON.stringify(more)}`, async () => {
        const { problem } = await setup.tryService(at(service.origin, more));
        assert.equal(problem?.step, step);
        assert.match(problem.sentence, sentence);
        assert.match(
          (await failureOf(setup.saveConnection(at(service.origin, more), setup.untried))).message,
          sentence,
        );
        assert.deepEqual([service.requests, settings.service.hosts.image], [[], '']);
      });
    }

    it('names the host that does not respond', async () => {
      const hosts = { image: service.origin, audio: 'https://media.invalid', video: '' };
      const { problem } = await setup.tryService(at('', { hosts }));
      assert.deepEqual([problem?.step, problem?.area], ['address', 'audio']);
    });
  });

  describe('saveConnection', () => {
    it('saves the addresses, the scheme and the list path, and stores the key for these addresses only', async () => {
      listener = serviceWith('Bearer');
      const draft = at(` ${service.origin}/v1/models `, { scheme: 'Bearer', key: ` Bearer ${key} ` });
      const saved = await setup.saveConnection(draft, await setup.tryService(draft));
      assert.deepEqual(saved, { origins: [service.origin], hasKey: true, keyIsStored: true });
      const { hosts, authorizationScheme, modelListPath } = settings.service;
      assert.deepEqual(hosts, { image: service.origin, audio: service.origin, video: service.origin });
      assert.deepEqual([authorizationScheme, modelListPath], ['Bearer', '/v1/models']);
      assert.equal(await keys.keyFor(service.origin), key);
      assert.equal(await keys.keyFor('https://elsewhere.example.com'), undefined);
    });

    it('keeps the list path that was set when nothing was listed', async () => {
      listener = (_, response) => response.writeHead(404).end();
      for (const path of ['', '/models']) {
        settings.service.modelListPath = path;
        await setup.saveConnection(at(service.origin), await setup.tryService(at(service.origin)));
        assert.equal(settings.service.modelListPath, path);
      }
    });

    it('keeps the key that these addresses already have, and requires one otherwise', async () => {
      await keys.set(key, [service.origin]);
      const draft = at(service.origin, { key: '' });
      assert.equal(await setup.hasKey(draft.hosts), true);
      assert.equal((await setup.tryService(draft)).lists.image?.length, 3);
      await setup.saveConnection(draft, setup.untried);
      assert.equal(await keys.keyFor(service.origin), key);
      const moved = at('', { key: '', hosts: { ...draft.hosts, video: 'https://videos.example.com' } });
      assert.equal(await setup.hasKey(moved.hosts), false);
      assert.equal((await setup.tryService(moved)).problem?.step, 'key');
      assert.equal(service.requests.length, 1);
    });

    it('reports that the key lasts only for this window when the store fails', async () => {
      secrets.state = 'throws';
      assert.equal((await setup.saveConnection(at(service.origin), setup.untried)).keyIsStored, false);
      assert.equal(await keys.keyFor(service.origin), key);
    });

    it('rejects with the reason when the settings cannot be written', async () => {
      settings.problem = new Error('settings.json has errors');
      const error = await failureOf(setup.saveConnection(at(service.origin), setup.untried));
      assert.equal(error.message, 'The settings could not be written: settings.json has errors');
    });
  });

  describe('models', () => {
    beforeEach(async () => {
      const draft = at('', { hosts: { image: service.origin, audio: service.origin, video: '' } });
      await setup.saveConnection(draft, await setup.tryService(draft));
    });

    it('are offered for matching operations that have a host', () => {
      assert.deepEqual(
        setup.operations,
        operationIds.filter((id) => operations[id].area !== 'video'),
      );
      assert.equal(setup.listedModels, 3);
      assert.deepEqual(setup.models('generateImage').names, ['painter', 'anything']);
      assert.deepEqual(setup.models('speak').names, ['speaker', 'anything']);
      assert.deepEqual(setup.models('transcribe').names, ['anything']);
      assert.equal(service.requests.length, 1, 'the list is read once');
    });

    it('are saved for an operation and listed first', async () => {
      await setup.saveModels('generateImage', ['anything', 'my-own']);
      assert.deepEqual(settings.listed, { generateImage: ['anything', 'my-own'] });
      const { names, chosen } = setup.models('generateImage');
      assert.deepEqual(
        [names, chosen],
        [
          ['anything', 'my-own', 'painter'],
          ['anything', 'my-own'],
        ],
      );
    });
  });

  it('returns the current settings as a draft without the key', async () => {
    await setup.saveConnection(at(service.origin, { scheme: 'Token' }), setup.untried);
    assert.deepEqual(setup.draft, at(service.origin, { scheme: 'Token', key: '' }));
  });
});
