import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect as connectTo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { freeToolIds } from '../../../src/agents/freeTools.ts';
import { type AgentClient, AgentServer } from '../../../src/agents/mcp/AgentServer.ts';
import {
  createSecret,
  discoveryFor,
  readDiscoveries,
  tokenFor,
  writeDiscovery,
} from '../../../src/agents/mcp/discovery.ts';
import { bridgeStdio, discoveryFolders, findWindow, runMcp } from '../../../src/agents/mcp/runMcp.ts';
import type { AgentAnswer } from '../../../src/agents/prepareCall.ts';
import { agentTools, toolOf } from '../../../src/agents/tools.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/startSandbox.ts';
import { type DeskOptions, openDesk } from '../../support/agentDesk.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { startProxyServer } from '../../support/proxyServer.ts';
import { send } from '../../support/sandboxClient.ts';
import { skipUnless } from '../../support/skipUnless.ts';
import { startStandingService } from '../../support/standingService.ts';

interface Called {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly mimeType?: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

/** A client of one generation of the protocol, as its vendor publishes it. */
interface Generation {
  connect(
    url: string,
    token: string,
  ): Promise<{
    listTools(): Promise<{ readonly tools: readonly Listed[] }>;
    callTool(name: string, input: object, onProgress?: () => void): Promise<Called>;
    close(): Promise<void>;
  }>;
}

interface Listed {
  readonly name: string;
  readonly annotations?: { readonly readOnlyHint?: boolean };
}

const earlier: Generation = {
  async connect(url, token) {
    const client = new Client({ name: 'earlier', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return {
      listTools: () => client.listTools() as Promise<{ readonly tools: readonly Listed[] }>,
      callTool: (name, input, onProgress) =>
        client.callTool(
          { name, arguments: { ...input } },
          undefined,
          onProgress ? { onprogress: onProgress } : {},
        ) as unknown as Promise<Called>,
      close: () => client.close(),
    };
  },
};

const modern = (mode: 'auto' | 'legacy' | { readonly pin: string }): Generation => ({
  async connect(url, token) {
    const client = new ModernClient({ name: 'modern', version: '2' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new ModernTransport(new URL(url), { requestInit }));
    return {
      listTools: () => client.listTools() as Promise<{ readonly tools: readonly Listed[] }>,
      callTool: (name, input, onProgress) =>
        client.callTool(
          { name, arguments: { ...input } },
          onProgress ? { onprogress: onProgress } : {},
        ) as unknown as Promise<Called>,
      close: () => client.close(),
    };
  },
});

const generations: readonly (readonly [string, Generation])[] = [
  ['the 2025 SDK', earlier],
  ['the 2026 SDK in its default mode', modern('legacy')],
  ['the 2026 SDK with protocol 2026-07-28', modern({ pin: '2026-07-28' })],
];

describe('AgentServer (promises 27, 28, 29, 31)', () => {
  let service: Sandbox;
  const opened: (() => Promise<unknown>)[] = [];
  const clients: AgentClient[] = [];

  before(async () => {
    service = await startSandbox({ key: 'key-1', imageSize: 64 });
  });

  after(() => service.stop());

  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
    clients.splice(0);
  });

  async function start(options: DeskOptions = {}, origin = service.imageBaseUrl, requestTimeout?: number) {
    const desk = openDesk(origin, options);
    const token = createSecret();
    clients.push({ name: 'Tester', token });
    const server = await AgentServer.start({
      desk: desk.desk,
      version: '1.2.3',
      clients: () => clients,
      ...(requestTimeout === undefined ? {} : { requestTimeout }),
    });
    opened.push(async () => {
      await server.stop();
      await desk[Symbol.asyncDispose]();
      rmSync(desk.folder, { recursive: true, force: true });
    });
    const connect = async (generation: Generation) => {
      const client = await generation.connect(server.url, token);
      opened.push(() => client.close());
      return client;
    };
    return { desk, server, token, connect };
  }

  for (const [name, generation] of generations) {
    describe(`with ${name}`, () => {
      it('lists all tools in table order and marks the free ones as read-only', async () => {
        const { connect } = await start();
        const { tools } = await (await connect(generation)).listTools();
        assert.deepEqual(
          tools.map((tool) => tool.name),
          agentTools.map(({ referenceName }) => referenceName),
        );
        assert.deepEqual(
          tools.filter(({ annotations }) => annotations?.readOnlyHint).map((tool) => tool.name),
          ['media_get_job', 'media_find_assets', 'media_get_options'],
        );
      });

      it('returns structured content, a preview image and progress for a generated image', async () => {
        const preview = async () =>
          ({ bytes: Buffer.from('JPEG'), mediaType: 'image/jpeg', width: 8, height: 8 }) as const;
        const { connect, desk } = await start({ preview });
        const client = await connect(generation);
        await client.listTools();
        let progressReports = 0;
        const result = await client.callTool('media_generate_image', { prompt: 'A fox' }, () => progressReports++);
        assert.equal(result.structuredContent.status, 'done');
        assert.deepEqual(
          result.content.map(({ type, mimeType }) => [type, mimeType]),
          [
            ['text', undefined],
            ['image', 'image/jpeg'],
          ],
        );
        assert.deepEqual(JSON.parse(result.content[0]?.text ?? ''), result.structuredContent);
        assert.doesNotMatch(JSON.stringify(result.structuredContent), /[A-Za-z0-9+/]{200}|key-1/);
        assert(progressReports > 0);
        assert.equal(desk.jobs.all[0]?.agent?.name, 'Tester');
      });

      it('returns an answer of every free tool that its published schema allows', async () => {
        const { connect } = await start();
        const client = await connect(generation);
        // From here on the client checks each answer by the schemas.
        await client.listTools();
        const made = await client.callTool('media_generate_image', { prompt: 'A fox' });
        const { job_id } = made.structuredContent;
        for (const { inputSchema, referenceName } of freeToolIds.map(toolOf)) {
          assert.deepEqual(
            (inputSchema.required ?? []).filter((one) => one !== 'job_id'),
            [],
            'this test gives no other input',
          );
          const input = 'job_id' in inputSchema.properties ? { job_id } : {};
          const { structuredContent } = await client.callTool(referenceName, input);
          assert.equal(structuredContent.status, 'done', referenceName);
        }
      });

      it('reports invalid input as an error result and sends nothing', async () => {
        const { connect } = await start();
        const before = service.counts.generateImage;
        const result = await (await connect(generation)).callTool('media_generate_image', { prompt: 'a', n: 99 });
        assert.equal(result.isError, true);
        assert.match(result.content[0]?.text ?? '', /\\"n\\" must be a whole number/);
        assert.equal(service.counts.generateImage, before);
      });

      it('reports an unknown tool as an error of the protocol', async () => {
        const { connect } = await start();
        const calling = (await connect(generation)).callTool('media_\u202egenerate\nanything', {});
        await assert.rejects(calling, { code: -32602, message: /There is no tool media_generate anything\./ });
      });

      it('reports waiting_for_person, and finishes the job once the person approves', async () => {
        const asking = Promise.withResolvers<AgentAnswer>();
        const { connect } = await start({ limit: { images: 0 }, answer: () => asking.promise });
        const client = await connect(generation);
        const before = service.counts.generateImage;
        const first = await client.callTool('media_generate_image', { prompt: 'a', wait_seconds: 0 });
        assert.equal(first.structuredContent.status, 'waiting_for_person');
        assert.equal(service.counts.generateImage, before);
        asking.resolve('yes');
        const { job_id } = first.structuredContent;
        const done = await client.callTool('media_get_job', { job_id, wait_seconds: 25 });
        assert.equal(done.structuredContent.status, 'done');
        assert.equal(service.counts.generateImage, before + 1);
      });
    });
  }

  it('pays once when the connection is lost and the call is repeated', async () => {
    const slow = await startStandingService();
    opened.push(() => slow[Symbol.asyncDispose]());
    const { connect } = await start({}, slow.origin);
    const stands = slow.standAt('waiting');
    const first = await connect(earlier);
    const lost = first.callTool('media_generate_image', { prompt: 'a', request_id: 'r1' });
    lost.catch(() => undefined);
    await stands;
    await first.close();
    const second = (await connect(modern('legacy'))).callTool('media_generate_image', {
      prompt: 'a',
      request_id: 'r1',
    });
    slow.release();
    slow.answerHeld();
    assert.equal((await second).structuredContent.status, 'done');
    assert.equal(slow.paid(), 1);
  });

  const headers = (token: string, more = {}) => ({
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...more,
  });

  describe('HTTP access', () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    it('accepts only POST requests with a valid token, its own host name and no foreign origin', async () => {
      const { server, token } = await start();
      const status = async (given: object, method = 'POST') =>
        (await send(server.url, { method, headers: { ...given }, ...(method === 'POST' ? { body } : {}) })).status;
      assert.equal(await status(headers(token)), 200);
      assert.equal(await status(headers('wrong')), 401);
      assert.equal(await status(headers('')), 401);
      const { authorization: _, ...without } = headers(token);
      assert.equal(await status(without), 401);
      assert.equal(await status(headers(token), 'GET'), 405);
      assert.equal(await status(headers(token), 'DELETE'), 405);
      assert.equal(await status(headers(token, { host: 'evil.example' })), 403);
      assert.equal(await status(headers(token, { host: `evil.example:${server.port}` })), 403);
      assert.equal(await status(headers(token, { origin: 'https://evil.example' })), 403);
      assert.equal(await status(headers(token, { origin: 'null' })), 403);
      assert.equal(await status(headers(token, { origin: 'http://localhost:3000' })), 403);
      assert.equal((await send(server.url.replace('/mcp', '/other'), { headers: headers(token), body })).status, 404);
    });

    it('rejects a body larger than 1 MiB', async () => {
      const { server, token } = await start();
      const long = { headers: headers(token), body: JSON.stringify({ long: 'x'.repeat(2 ** 20) }) };
      const answer = await send(server.url, long).catch((error: unknown) => error);
      // The connection may be closed while the client still writes.
      if (answer instanceof Error) assert.match(String(Reflect.get(answer, 'code')), /^(ECONNRESET|EPIPE)$/);
      else assert.equal((answer as { readonly status: number }).status, 413);
    });

    it('rejects a revoked token at once', async () => {
      const { server, token } = await start();
      assert.equal((await send(server.url, { headers: headers(token), body })).status, 200);
      clients.splice(0, 1, { name: 'Tester', token: createSecret() });
      assert.equal((await send(server.url, { headers: headers(token), body })).status, 401);
    });

    it('handles four calls at once and answers a fifth with 429 and a sentence in JSON-RPC', async () => {
      const asking = Promise.withResolvers<AgentAnswer>();
      const { server, token, desk, connect } = await start({ limit: { images: 0 }, answer: () => asking.promise });
      const other = createSecret();
      clients.push({ name: 'Other', token: other });
      const call = (index: number) => ({
        headers: headers(index % 2 === 0 ? other : token),
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: index,
          method: 'tools/call',
          params: { name: 'media_generate_image', arguments: { prompt: `p${index}` } },
        }),
      });
      const four = [1, 2, 3, 4].map((index) => send(server.url, call(index)));
      while (desk.asked.length < 4) await new Promise((resolve) => setImmediate(resolve));
      assert.equal((await send(server.url, call(5))).status, 429);
      // The sentence arrives in whatever way each SDK tells errors of HTTP.
      for (const [, generation] of generations) {
        const fifth = (await connect(generation)).callTool('media_generate_image', { prompt: 'p5' });
        await assert.rejects(fifth, { message: /runs too many calls of agents, so this one was not started/ });
      }
      asking.resolve('no');
      for (const answer of await Promise.all(four)) assert.equal(answer.status, 200);
      assert.equal((await send(server.url, call(6))).status, 200);
    });

    it('refuses JSON-RPC batches, and whatever is no JSON object, without running a call [22.12]', async () => {
      const { server, token, desk } = await start({ limit: { images: 0 } });
      const calls = Array.from({ length: 50 }, (_, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'media_generate_image', arguments: { prompt: `p${id}` } },
      }));
      const [one] = calls;
      // The SDK skips a byte order mark, so a call behind one would not be counted.
      const hidden = `\ufeff${JSON.stringify(one)}`;
      for (const sent of [JSON.stringify(calls), `\n ${JSON.stringify([one])}`, hidden, '[]', 'null', '"x"', '', '{']) {
        const answer = await send(server.url, { headers: headers(token), body: sent });
        assert.equal(answer.status, 400, sent.slice(0, 20));
        const { error } = JSON.parse(answer.body.toString()) as { readonly error: { readonly code: number } };
        assert.equal(error.code, [hidden, '', '{'].includes(sent) ? -32700 : -32600, sent.slice(0, 20));
      }
      assert.equal(desk.asked.length, 0);
    });

    it('lets no client keep the others out, under however many names it waits for the user (promise 29) [22]', async () => {
      const asking = Promise.withResolvers<AgentAnswer>();
      const { server, token, desk } = await start({ limit: { images: 0 }, answer: () => asking.promise });
      const shared = createSecret();
      clients.push({ name: 'Terminal', token: shared, isShared: true });
      const call = (id: number, by: string, name = '') => {
        const params = { name: 'media_generate_image', arguments: { prompt: `p${id}` } };
        const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
        return send(server.url, { headers: headers(by, { 'x-unified-media-client': name }), body });
      };
      const askedFor = async (count: number) => {
        while (desk.asked.length < count) await new Promise((resolve) => setImmediate(resolve));
      };
      const first = call(1, shared, 'one');
      await askedFor(1);
      const held = ['two', 'three', 'four'].map((name, index) => call(2 + index, shared, name));
      await askedFor(4);
      assert.equal((await call(5, shared, 'five')).status, 429);

      const [sixth, ended] = [call(6, token), await first];
      assert.match(ended.body.toString(), /waiting_for_person/);
      await askedFor(5);
      const seventh = call(7, token);
      assert.match((await Promise.race(held)).body.toString(), /waiting_for_person/);
      await askedFor(6);
      // Now both have two.
      assert.equal((await call(8, token)).status, 429);
      assert.equal((await call(9, shared, 'nine')).status, 429);
      assert.equal(desk.asked.length, 6);
      asking.resolve('no');
      for (const answer of await Promise.all([...held, sixth, seventh])) assert.equal(answer.status, 200);
      assert.equal((await call(10, token)).status, 200);
    });

    it('lets no program keep out the others that share its token (promise 29)', async () => {
      const asking = Promise.withResolvers<AgentAnswer>();
      const { server, desk } = await start({ limit: { images: 0 }, answer: () => asking.promise });
      const shared = createSecret();
      clients.push({ name: 'Terminal', token: shared, isShared: true });
      const call = (id: number, name: string) => {
        const params = { name: 'media_generate_image', arguments: { prompt: `p${id}` } };
        const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
        return send(server.url, { headers: headers(shared, { 'x-unified-media-client': name }), body });
      };
      const first = [1, 2, 3].map((id) => call(id, 'one'));
      while (desk.asked.length < 3) await new Promise((resolve) => setImmediate(resolve));
      const fourth = call(4, 'two');
      while (desk.asked.length < 4) await new Promise((resolve) => setImmediate(resolve));
      const fifth = call(5, 'three');
      assert.match((await Promise.race(first)).body.toString(), /waiting_for_person/);
      asking.resolve('no');
      for (const answer of await Promise.all([...first, fourth, fifth])) assert.equal(answer.status, 200);
    });

    it('ends a slow body after its time, but not a call that waits longer [22.21]', async () => {
      const asking = Promise.withResolvers<AgentAnswer>();
      const answer = () => asking.promise;
      const { server, token, desk } = await start({ limit: { images: 0 }, answer }, service.imageBaseUrl, 400);
      const params = { name: 'media_generate_image', arguments: { prompt: 'p' } };
      const waiting = send(server.url, {
        headers: headers(token),
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      while (desk.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const socket = connectTo(server.port, '127.0.0.1');
      opened.push(async () => socket.destroy());
      const lines = Object.entries(headers(token, { host: `127.0.0.1:${server.port}`, 'content-length': 1000 }));
      socket.write(`POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
      // A byte now and then keeps it alive as far as idle time goes.
      const dripping = setInterval(() => socket.write(' '), 50);
      opened.push(async () => clearInterval(dripping));
      // The server closes the connection, which is then reset, because this end still writes.
      socket.on('error', () => undefined);
      const [answered] = await once(socket, 'data');
      assert.match(String(answered), /^HTTP\/1\.1 408 /);
      asking.resolve('no');
      const { status, body } = await waiting;
      assert.equal(status, 200);
      assert.match(body.toString(), /declined/);
    });

    it('shows the name that a program states, if the token is shared', async () => {
      const { server, token, desk } = await start();
      const shared = createSecret();
      clients.push({ name: 'Terminal', token: shared, isShared: true });
      const call = (by: string, name: string, id: number) => {
        const params = { name: 'media_generate_image', arguments: { prompt: `p${id}` } };
        const stated = { 'x-unified-media-client': name };
        return send(server.url, {
          headers: headers(by, stated),
          body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
        });
      };
      await call(token, 'Someone', 1);
      await call(shared, encodeURIComponent('Clau\u202ede\nCode — 2'), 2);
      await call(shared, '%ZZ', 3);
      await call(shared, '', 4);
      // Another client's name.
      await call(shared, 'tester', 5);
      assert.deepEqual(desk.jobs.all.map(({ agent }) => agent?.name).sort(), [
        'Claude Code — 2',
        'Terminal',
        'Terminal',
        'Terminal',
        'Tester',
      ]);
    });

    it('does not listen on other network interfaces', async function () {
      const { server } = await start();
      const outside = Object.values(networkInterfaces())
        .flat()
        .find((one) => one && !one.internal && one.family === 'IPv4');
      skipUnless(this, outside !== undefined, 'a network interface');
      await assert.rejects(send(`http://${outside?.address}:${server.port}/mcp`, {}), { code: 'ECONNREFUSED' });
    });

    it('closes its port when it stops', async () => {
      const { server, token } = await start();
      await opened.pop()?.();
      await assert.rejects(send(server.url, { headers: headers(token), body }), { code: 'ECONNREFUSED' });
    });
  });

  describe('tokens [22.11]', () => {
    const secret = createSecret();
    const port = { number: 40123, salt: 'a' };

    it('belong to one client, one port and one secret', () => {
      const token = tokenFor(secret, port, 'MCP');
      assert.match(token, /^[\w-]{43}$/);
      assert.equal(tokenFor(secret, { ...port }, 'MCP'), token);
      const others = [
        tokenFor(secret, port, 'Terminal'),
        tokenFor(secret, { ...port, number: 40124 }, 'MCP'),
        tokenFor(secret, { ...port, salt: 'b' }, 'MCP'),
        tokenFor(createSecret(), port, 'MCP'),
        tokenFor(secret, { number: 4012, salt: '3a' }, 'MCP'),
      ];
      assert.equal(new Set([token, ...others]).size, 6);
    });
  });

  describe('discovery', () => {
    let folder: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'unified-media-discovery-'));
    });

    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    const facts = { url: 'http://127.0.0.1:1/mcp', token: 't', version: '1', workspaceFolders: [join(tmpdir(), 'a')] };

    it('removes files of processes that have exited', async () => {
      const agents = join(folder, 'agents');
      await writeDiscovery(agents, { ...facts, pid: process.pid });
      // No process has this id.
      writeFileSync(join(agents, '2147483646.json'), JSON.stringify({ ...facts, pid: 2147483646 }));
      assert.equal((await readDiscoveries(agents)).length, 1);
      await writeDiscovery(agents, { ...facts, pid: process.pid });
      assert.deepEqual(readdirSync(agents), [`${process.pid}.json`]);
    });

    it('creates a file that only its owner can read', async function () {
      skipUnless(this, process.platform !== 'win32', 'POSIX permissions');
      const agents = join(folder, 'agents');
      const file = await writeDiscovery(agents, { ...facts, pid: process.pid });
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal(statSync(agents).mode & 0o777, 0o700);
    });

    it('picks the window that shows the innermost folder', () => {
      const outer = { ...facts, pid: 1, workspaceFolders: [join(folder, 'a')] };
      const inner = { ...facts, pid: 2, workspaceFolders: [join(folder, 'a', 'b')] };
      assert.equal(discoveryFor(join(folder, 'a', 'b', 'c'), [outer, inner])?.pid, 2);
      assert.equal(discoveryFor(join(folder, 'a', 'x'), [outer, inner])?.pid, 1);
      assert.equal(discoveryFor(join(folder, 'ab'), [outer, inner]), undefined);
    });

    it('searches the data folders of editors', () => {
      const linux = discoveryFolders({}, '/home/me', 'linux');
      assert(linux.includes(join('/home/me/.config/Code/User/globalStorage/unified-media.unified-media/agents')));
      const windows = discoveryFolders({ APPDATA: 'C:\\Data' }, 'C:\\me', 'win32');
      assert(windows.some((path) => path.startsWith('C:\\Data')));
    });

    for (const version of ['2025-06-18', '2026-07-28']) {
      it(`serves MCP over stdio with protocol ${version}`, async () => {
        const { server, token, desk } = await start();
        await writeDiscovery(join(folder, 'agents'), {
          ...facts,
          url: server.url,
          token,
          pid: process.pid,
          workspaceFolders: [desk.root],
        });
        const input = new PassThrough();
        const output = new PassThrough();
        const errors = new PassThrough();
        const folders = [join(folder, 'agents')];
        const running = runMcp({ input, output, errors, environment: {}, cwd: desk.root, folders });
        const call = { name: 'media_generate_image', arguments: { prompt: 'A fox' } };
        const meta = {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        };
        const messages =
          version === '2026-07-28'
            ? [{ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { ...call, _meta: meta } }]
            : [
                {
                  jsonrpc: '2.0',
                  id: 1,
                  method: 'initialize',
                  params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
                },
                { jsonrpc: '2.0', method: 'notifications/initialized' },
                { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call },
              ];
        input.end(`${messages.map((message) => JSON.stringify(message)).join('\n')}\nno json\n`);
        assert.equal(await running, 0);
        output.end();
        const answers = (await text(output))
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as { id?: number | null; result?: Called; error?: { code: number } });
        const made = answers.find(({ id }) => id === 2);
        assert.equal(made?.result?.structuredContent.status, 'done', JSON.stringify(answers));
        assert.equal(answers.find(({ id }) => id === null)?.error?.code, -32700);
      });
    }

    it('finds a window whose folder was opened by a link', async () => {
      mkdirSync(join(folder, 'real'));
      symlinkSync(join(folder, 'real'), join(folder, 'link'), 'junction');
      const agents = join(folder, 'agents');
      await writeDiscovery(agents, { ...facts, pid: process.pid, workspaceFolders: [join(folder, 'link')] });
      const cwd = realpathSync(join(folder, 'real'));
      assert.equal((await findWindow(cwd, {}, [agents]))?.url, facts.url);
    });

    it('finds the window that started the program, if the configuration asks for it', async () => {
      const agents = join(folder, 'agents');
      await writeDiscovery(agents, { ...facts, pid: process.pid });
      const elsewhere = realpathSync(folder);
      const asking = { UNIFIED_MEDIA_MCP_WINDOW: 'parent' };
      assert.equal((await findWindow(elsewhere, asking, [agents], process.pid))?.url, facts.url);
      assert.equal(await findWindow(elsewhere, {}, [agents], process.pid), undefined);
      assert.equal(await findWindow(elsewhere, asking, [agents], process.pid + 1), undefined);
    });

    it('refuses a batch over stdio, and states the name of the client', async () => {
      const { server, desk } = await start();
      const shared = createSecret();
      clients.push({ name: 'Terminal', token: shared, isShared: true });
      const input = new PassThrough();
      const output = new PassThrough();
      const running = bridgeStdio({ url: server.url, token: shared }, { input, output });
      const clientInfo = { name: 'codex-mcp-client', title: 'Codex “ü”', version: '1' };
      const call = { name: 'media_generate_image', arguments: { prompt: 'A fox' } };
      const messages = [
        [{ jsonrpc: '2.0', id: 7, method: 'tools/call', params: call }],
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
        },
        { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call },
      ];
      input.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
      await running;
      output.end();
      const [refused] = (await text(output)).split('\n');
      assert.match(refused ?? '', /"id":null,"error":\{"code":-32600/);
      assert.deepEqual(
        desk.jobs.all.map(({ agent }) => agent?.name),
        ['Codex “ü”'],
      );
    });

    it('reaches the window without the proxy of the environment, and follows no redirect (promise 7)', async () => {
      const { server, token } = await start();
      await using proxy = await startProxyServer();
      await using redirect = await startHttpServer((_, response) =>
        response.writeHead(307, { location: server.url }).end(),
      );
      for (const [url, expected] of [
        [server.url, '{"result":{}'],
        [`${redirect.origin}/mcp`, 'status 307'],
      ] as const) {
        const environment = {
          ...process.env,
          ...{ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, http_proxy: proxy.url, NO_PROXY: '', no_proxy: '' },
          ...{ UNIFIED_MEDIA_MCP_URL: url, UNIFIED_MEDIA_MCP_TOKEN: token },
        };
        const command = spawn(process.execPath, ['src/cli.ts', 'mcp'], { env: environment });
        command.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
        const answer = await text(command.stdout);
        assert(answer.includes(expected), answer);
      }
      assert.equal(proxy.asked.length, 0);
    });

    /** Lets another client make two calls, which wait for the user. */
    function holdTwo(server: AgentServer) {
      const token = createSecret();
      clients.push({ name: 'Other', token });
      return Promise.all(
        ['a', 'b'].map((prompt) => {
          const params = { name: 'media_generate_image', arguments: { prompt } };
          const body = JSON.stringify({ jsonrpc: '2.0', id: prompt, method: 'tools/call', params });
          return send(server.url, { headers: headers(token), body });
        }),
      );
    }

    it('says over stdio that too many calls run, instead of that the window is gone', async () => {
      const asking = Promise.withResolvers<AgentAnswer>();
      const { server, token, desk } = await start({ limit: { images: 0 }, answer: () => asking.promise });
      const input = new PassThrough();
      const output = new PassThrough();
      const running = bridgeStdio({ url: server.url, token }, { input, output });
      const call = (id: number) => {
        const params = { name: 'media_generate_image', arguments: { prompt: `p${id}` } };
        input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
      };
      const others = holdTwo(server);
      for (const id of [1, 2]) call(id);
      while (desk.asked.length < 4) await new Promise((resolve) => setImmediate(resolve));
      const refused = once(output, 'data');
      call(5);
      assert.match(String(await refused), /"id":5,.*runs too many calls/);
      asking.resolve('no');
      input.end();
      await Promise.all([running, others]);
    });

    it('makes room for another call when one is cancelled over stdio, and does not answer it', async () => {
      const asking = Promise.withResolvers<AgentAnswer>();
      const { server, token, desk } = await start({ limit: { images: 0 }, answer: () => asking.promise });
      const input = new PassThrough();
      const output = new PassThrough();
      const running = bridgeStdio({ url: server.url, token }, { input, output });
      const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      const call = (id: number) =>
        send({ id, method: 'tools/call', params: { name: 'media_generate_image', arguments: { prompt: `p${id}` } } });
      const others = holdTwo(server);
      for (const id of [1, 2]) call(id);
      while (desk.asked.length < 4) await new Promise((resolve) => setImmediate(resolve));
      send({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'The user stopped it.' } });
      let answers = '';
      output.on('data', (chunk) => {
        answers += String(chunk);
      });
      for (let id = 5; desk.asked.length < 5 && id < 100; id++) {
        const before = answers.length;
        call(id);
        while (desk.asked.length < 5 && answers.length === before)
          await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(desk.asked.length, 5);
      asking.resolve('no');
      input.end();
      await Promise.all([running, others]);
      assert.match(answers, /"id":2,|,"id":2\}/);
      assert.doesNotMatch(answers, /"id":1,|,"id":1\}/);
    });

    it('forwards over stdio a text that holds line and paragraph separators', async () => {
      const { server, token, desk } = await start({ limit: { images: 0 } });
      const input = new PassThrough();
      const output = new PassThrough();
      const params = { name: 'media_generate_image', arguments: { prompt: 'One\u2028two\u2029three \u{1f98a}' } };
      const message = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\r\n`);
      const running = bridgeStdio({ url: server.url, token }, { input, output });
      // In the middle of a character.
      input.write(message.subarray(0, message.indexOf(0xf0) + 2));
      input.end(message.subarray(message.indexOf(0xf0) + 2));
      await running;
      assert.match(String(output.read()), /"id":1,|,"id":1\}/);
      assert.deepEqual(
        desk.asked.map(({ call }) => 'prompt' in call.request && call.request.prompt),
        [params.arguments.prompt],
      );
    });

    it('sends the token of a window to no other computer (promise 27)', async () => {
      const errors = new PassThrough();
      const input = new PassThrough();
      input.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
      const output = new PassThrough();
      // An address that is refused, and still of this computer, if that is tried all the same.
      const environment = { UNIFIED_MEDIA_MCP_URL: 'http://127.0.0.2:9/mcp', UNIFIED_MEDIA_MCP_TOKEN: 'token' };
      assert.equal(await runMcp({ input, output, errors, environment, cwd: folder, folders: [] }), 1);
      errors.end();
      assert.match(await text(errors), /is not an address of this computer, so the token is not sent there/);
      assert.equal(output.read(), null);
    });

    it('reports over stdio that no window was found and exits with 1', async () => {
      const errors = new PassThrough();
      const streams = { input: new PassThrough(), output: new PassThrough(), errors };
      const cwd = join(folder, 'a\u202eb ##[error]c');
      mkdirSync(cwd);
      const code = await runMcp({ ...streams, environment: {}, cwd, folders: [join(folder, 'none')] });
      errors.end();
      assert.equal(code, 1);
      const written = await text(errors);
      assert.match(written, /No VS Code window .* “Media: Connect an Agent…”\.\n$/);
      assert.doesNotMatch(written, /\p{Cf}|##\[/u);
    });
  });
});
