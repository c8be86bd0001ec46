import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { JSONObject, McpHttpHandler } from '@modelcontextprotocol/server';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { parseJson } from '../../operations/parseJson.ts';
import type { RunProgress } from '../../work/JobRun.ts';
import type { AgentDesk } from '../AgentDesk.ts';
import { isFailure, resultSchema } from '../ToolResult.ts';
import type { AgentTool } from '../tools.ts';
import { agentTools, toolByReferenceName } from '../tools.ts';

// The MCP SDK serves both generations of the protocol (460 kB, loaded only with the server). Its adapters for Node need
// hono, so requests are converted to those of fetch here.

/** A client that may call the server. */
export interface AgentClient {
  /** Display name. */
  readonly name: string;
  readonly token: string;
}

export interface AgentServerOptions {
  readonly desk: AgentDesk;
  readonly version: string;
  /** Returns the clients that may currently call. */
  clients(): readonly AgentClient[];
  /** Called for each authorised request. */
  onCall?(name: string): void;
}

const path = '/mcp';
const maxBodyBytes = 1024 * 1024;
const maxCalls = 4;

/** The MCP server for agents outside of VS Code. It listens on 127.0.0.1 only, and requires a token. */
export class AgentServer {
  readonly url: string;
  readonly port: number;
  readonly #stop: () => Promise<void>;

  private constructor(port: number, stop: () => Promise<void>) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}${path}`;
    this.#stop = stop;
  }

  /**
   * @param port preferred port; another one is chosen if it is taken
   * @throws errors of node:net
   */
  static async start(options: AgentServerOptions, port = 0): Promise<AgentServer> {
    const { desk, version } = options;
    const handler = createMcpHandler((request) => createServer(desk, request.authInfo?.clientId ?? '', version));
    const gate = new Gate(options, handler);
    const server = createHttpServer((request, response) => {
      gate.serve(request, response).catch(() => response.destroy());
    });
    // Waiting for the user or for a video has no time limit.
    server.requestTimeout = 0;
    const listen = async (requested: number) => {
      server.listen(requested, '127.0.0.1');
      await once(server, 'listening');
    };
    await listen(port).catch((error: unknown) => (port === 0 ? Promise.reject(error) : listen(0)));
    const { port: actual } = server.address() as AddressInfo;
    gate.port = actual;
    return new AgentServer(actual, async () => {
      await handler.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
  }

  async stop(): Promise<void> {
    await this.#stop();
  }
}

/** Authorises requests. Refusals reveal as little as possible. */
class Gate {
  port = 0;
  readonly #options: AgentServerOptions;
  readonly #handler: McpHttpHandler;
  #calls = 0;

  constructor(options: AgentServerOptions, handler: McpHttpHandler) {
    this.#options = options;
    this.#handler = handler;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number, headers: Record<string, string> = {}) => {
      response.once('finish', () => request.destroy());
      response.writeHead(status, { 'content-type': 'text/plain', connection: 'close', ...headers }).end();
    };
    const { host = '', origin } = request.headers;
    const own = [`127.0.0.1:${this.port}`, `localhost:${this.port}`];
    // Refuse web pages: after DNS rebinding their Host is foreign, and browsers send their Origin.
    if (!own.includes(host)) return refuse(403);
    if (origin !== undefined && !own.includes(origin.replace(/^http:\/\//, ''))) return refuse(403);
    if (request.url !== path) return refuse(404);
    if (request.method !== 'POST') return refuse(405, { allow: 'POST' });
    const client = clientOf(request.headers.authorization, this.#options.clients());
    if (!client) return refuse(401, { 'www-authenticate': 'Bearer' });
    const body = await readBody(request);
    if (body === undefined) return refuse(413);
    this.#options.onCall?.(client.name);
    const isCall = callsTool(body);
    if (isCall && this.#calls >= maxCalls) return refuse(429, { 'retry-after': '5' });
    this.#calls += isCall ? 1 : 0;
    try {
      await this.#answer(request, response, body, client);
    } finally {
      this.#calls -= isCall ? 1 : 0;
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, body: Buffer, client: AgentClient): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      // The token has been checked; nothing behind the gate may see it.
      if (typeof value === 'string' && name !== 'authorization') headers.set(name, value);
    }
    const answer = await this.#handler.fetch(
      new Request(`http://${request.headers.host}${path}`, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
        signal: left.signal,
      }),
      { authInfo: { token: '', clientId: client.name, scopes: [] } },
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (!answer.body) response.end();
    else await pipeline(Readable.fromWeb(answer.body), response).catch(() => undefined);
  }
}

function clientOf(authorization: string | undefined, clients: readonly AgentClient[]): AgentClient | undefined {
  const given = digest(/^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? '');
  // Compare with every client, in constant time.
  return clients.filter(({ token }) => timingSafeEqual(digest(token), given)).find(({ token }) => token !== '');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** @returns undefined if the body is too large */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) continue;
    length += chunk.length;
    if (length > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function callsTool(body: Buffer): boolean {
  const message = parseJson(body.toString());
  return (Array.isArray(message) ? message : [message]).some(
    (one: unknown) => typeof one === 'object' && one !== null && 'method' in one && one.method === 'tools/call',
  );
}

/** Interval of progress notifications, in milliseconds; they keep clients from timing out. */
const progressInterval = 5000;

const instructions =
  'Generates, edits and finds images, speech, transcripts and videos in the workspace that is open in VS Code. Check media_find_assets before creating anything new. Creating media costs money: the user has set a daily budget and is asked before it is exceeded. If the status is "running" or "waiting_for_person", call media_get_job; if it is "unknown" or "declined", do not call the tool again.';

/**
 * Creates an MCP server for one request or connection, for clients of both generations of the protocol.
 *
 * @param caller display name of the client
 */
function createServer(desk: AgentDesk, caller: string, version: string): Server {
  const server = new Server(
    { name: 'unified-media', title: 'Unified Media', version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({ tools: agentTools.map(describeTool) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = toolByReferenceName(params.name);
    if (!tool) return failed(`There is no tool ${params.name.slice(0, 80)}.`);
    const token = mcpReq._meta?.progressToken;
    let latest: RunProgress | undefined;
    let count = 0;
    const notify = () => {
      if (token === undefined) return;
      const progress = { progressToken: token, progress: ++count, message: messageOf(latest) };
      mcpReq.notify({ method: 'notifications/progress', params: progress }).catch(() => undefined);
    };
    const timer = setInterval(notify, progressInterval);
    // Notify at once, so that the answer becomes a stream and the client sees progress.
    if (tool.operation) notify();
    try {
      const { result, previews } = await desk.ask(
        tool,
        params.arguments ?? {},
        { kind: 'mcp', name: caller },
        {
          signal: mcpReq.signal,
          endsWithCaller: false,
          onProgress: (progress) => {
            if (progress.stage === latest?.stage) return;
            latest = progress;
            notify();
          },
        },
      );
      return {
        content: [
          { type: 'text', text: JSON.stringify(result) },
          ...previews.map(({ bytes, mediaType }) => ({
            type: 'image' as const,
            data: Buffer.from(bytes).toString('base64'),
            mimeType: mediaType,
          })),
        ],
        structuredContent: { ...result },
        isError: isFailure(result),
      };
    } finally {
      clearInterval(timer);
    }
  });
  return server;
}

function describeTool({ referenceName, title, description, inputSchema, operation, id }: AgentTool) {
  return {
    name: referenceName,
    title,
    description,
    inputSchema: schemaOf(inputSchema),
    outputSchema: schemaOf(resultSchema),
    annotations: {
      title,
      readOnlyHint: operation === undefined && id !== 'cancelJob',
      // Paid tools only add files.
      destructiveHint: id === 'cancelJob',
      openWorldHint: operation !== undefined,
    },
  };
}

/** Converts a schema to the type that the SDK takes. */
function schemaOf(schema: object): JSONObject & { readonly type: 'object' } {
  return { ...parseJson<JSONObject>(JSON.stringify(schema)), type: 'object' };
}

function failed(message: string) {
  const next = 'Call one of the tools that tools/list returns.';
  const error = { kind: 'invalidInput', message, retryable: false, charged: 'no' };
  const result = { status: 'failed', error, next };
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(result) }],
    structuredContent: result,
    isError: true,
  };
}

function messageOf(progress: RunProgress | undefined): string {
  return progress?.stage ?? 'waiting';
}
