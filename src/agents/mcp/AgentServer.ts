import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type AuthInfo,
  createMcpHandler,
  type JSONObject,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import { shortLine } from '../../foreign/plainText.ts';
import { isObject } from '../../foreign/shape.ts';
import { parseJson } from '../../operations/parseJson.ts';
import type { RunProgress } from '../../work/Attempt.ts';
import type { AgentDesk } from '../AgentDesk.ts';
import { isFailure, resultSchema } from '../ToolResult.ts';
import { type AgentTool, agentTools, toolByReferenceName } from '../tools.ts';
import { clientHeader } from './discovery.ts';

// The MCP SDK serves both generations of the protocol (460 kB, loaded only with the server). Its adapters for Node need
// hono, so requests are converted to those of fetch here.

/** A client that may call the server. */
export interface AgentClient {
  /** Display name. */
  readonly name: string;
  readonly token: string;
  /** Whether several programs share the token, so that each states its own name. */
  readonly isShared?: boolean;
}

export interface AgentServerOptions {
  readonly desk: AgentDesk;
  readonly version: string;
  /** Returns the clients that may currently call. */
  clients(): readonly AgentClient[];
  /** Called for each authorised request, with the name of the client whose token it has. */
  onCall?(client: string): void;
  /** Milliseconds that a client has to send its request. The answer may take longer. */
  readonly requestTimeout?: number;
}

const path = '/mcp';
const maxBodyBytes = 1024 * 1024;
const maxCalls = 4;
/** A code that JSON-RPC leaves to servers. */
const serverBusy = -32000;
const busySentence =
  'VS Code already runs too many calls of agents, so this one was not started. Call again when one of them has ended.';
const maxNameLength = 40;
const oneMinute = 60_000;
/** Milliseconds in which a call that is asked to end its wait must answer. */
const maxYield = 5000;

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
    const handler = createMcpHandler(({ authInfo }) => createServer(desk, authInfo, version));
    const gate = new Gate(options, handler);
    const { requestTimeout = oneMinute } = options;
    // Node applies the limit until the body is complete, so a call may wait longer for the user or for a video.
    const limits = { requestTimeout, connectionsCheckingInterval: Math.min(requestTimeout / 4, 5000) };
    const server = createHttpServer(limits, (request, response) => {
      gate.serve(request, response).catch(() => response.destroy());
    });
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
  readonly #slots = new CallSlots();

  constructor(options: AgentServerOptions, handler: McpHttpHandler) {
    this.#options = options;
    this.#handler = handler;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number, headers: Record<string, string> = {}, body?: object) => {
      response.once('finish', () => request.destroy());
      const type = body ? 'application/json' : 'text/plain';
      response.writeHead(status, { 'content-type': type, connection: 'close', ...headers });
      response.end(body && JSON.stringify(body));
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
    const message = parseJson(body.toString());
    if (message === undefined) {
      return refuse(400, {}, rpcError(ProtocolErrorCode.ParseError, 'The message is not valid JSON.'));
    }
    if (!isObject(message)) {
      const sentence = 'Send one JSON-RPC message per request. Batches are not supported.';
      return refuse(400, {}, rpcError(ProtocolErrorCode.InvalidRequest, sentence));
    }
    this.#options.onCall?.(client.name);
    const agent = { client: client.name, name: this.#nameOf(client, request) };
    const slot = callsTool(message) ? await this.#slots.take(agent) : new Slot(agent);
    if (!slot) return refuse(429, { 'retry-after': '5' }, rpcError(serverBusy, busySentence, message));
    try {
      // Only what was parsed is passed on, so what is served is what was counted.
      if (!response.destroyed) await this.#answer(request, response, JSON.stringify(message), slot);
    } finally {
      this.#slots.release(slot);
    }
  }

  /** Returns the name that a program states if it shares its token, unless another client has that name. */
  #nameOf(client: AgentClient, request: IncomingMessage): string {
    const stated = client.isShared ? statedName(request.headers[clientHeader]) : undefined;
    const isTaken = this.#options
      .clients()
      .some(({ name }) => name !== client.name && name.toLowerCase() === stated?.toLowerCase());
    return stated === undefined || isTaken ? client.name : stated;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, body: string, slot: Slot): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      // The token has been checked; nothing behind the gate may see it.
      if (typeof value === 'string' && !['authorization', 'content-length'].includes(name)) headers.set(name, value);
    }
    const answer = await this.#handler.fetch(
      new Request(`http://${request.headers.host}${path}`, {
        method: 'POST',
        headers,
        body,
        signal: left.signal,
      }),
      { authInfo: { token: '', clientId: slot.agent.name, scopes: [], extra: { yields: slot.yields } } },
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (!answer.body) response.end();
    else await pipeline(Readable.fromWeb(answer.body), response).catch(() => undefined);
  }
}

/** Who calls. */
interface CallingAgent {
  /** Name of the client whose token the call has. */
  readonly client: string;
  /** Name that the program states, which it may choose for each call. */
  readonly name: string;
}

/** One call that is being answered, or that is about to take the place of another. */
class Slot {
  readonly agent: CallingAgent;
  readonly #yield = new AbortController();
  readonly #granted = Promise.withResolvers<boolean>();
  /** The call that gets the slot when this one ends its wait. */
  heir: Slot | undefined;

  constructor(agent: CallingAgent) {
    this.agent = agent;
  }

  /** Aborted when the call must end its wait, because another agent needs the slot. */
  get yields(): AbortSignal {
    return this.#yield.signal;
  }

  /** The agent that the slot counts for. */
  get owner(): CallingAgent | undefined {
    if (this.heir) return this.heir.agent;
    return this.yields.aborted ? undefined : this.agent;
  }

  /** @returns whether the heir has the slot; it does not wait for ever, since the call may be reading a large file */
  async yieldTo(heir: Slot): Promise<boolean> {
    this.heir = heir;
    const timer = setTimeout(() => {
      this.heir = undefined;
      heir.grant(false);
    }, maxYield);
    this.#yield.abort();
    try {
      return await heir.#granted.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  grant(isFree: boolean): void {
    this.#granted.resolve(isFree);
  }
}

/** Limits how many calls run at once. */
class CallSlots {
  readonly #taken = new Set<Slot>();

  /**
   * Takes a slot. If all are taken, the oldest call of the client with the most calls ends its wait early, as if its
   * time were over, so that one client whose calls wait for the user does not keep the others out. Clients are told
   * apart by their tokens, and only the programs that share one by the names that they state.
   *
   * @returns undefined if no other client, and no other program with the token, has at least two calls more
   */
  async take(agent: CallingAgent): Promise<Slot | undefined> {
    const slot = new Slot(agent);
    if (this.#taken.size < maxCalls) {
      this.#taken.add(slot);
      return slot;
    }
    const withName = ({ client, name }: CallingAgent) => (client === agent.client ? name : undefined);
    const largest = this.#largest(({ client }) => client, agent) ?? this.#largest(withName, agent);
    return largest && (await largest.yieldTo(slot)) ? slot : undefined;
  }

  /**
   * Returns the oldest call of those who have the most, if they have at least two more than the agent.
   *
   * @param keyOf what calls are counted by; undefined for those that do not yield
   */
  #largest(keyOf: (agent: CallingAgent) => string | undefined, agent: CallingAgent): Slot | undefined {
    const all = [...this.#taken];
    const countOf = (key: string | undefined) => all.filter(({ owner }) => owner && keyOf(owner) === key).length;
    const [largest] = all
      .filter((one) => !one.yields.aborted && keyOf(one.agent) !== undefined)
      .sort((a, b) => countOf(keyOf(b.agent)) - countOf(keyOf(a.agent)));
    return largest && countOf(keyOf(largest.agent)) >= countOf(keyOf(agent)) + 2 ? largest : undefined;
  }

  release(slot: Slot): void {
    if (!this.#taken.delete(slot) || !slot.heir) return;
    this.#taken.add(slot.heir);
    slot.heir.grant(true);
  }
}

function statedName(header: string | readonly string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  try {
    return shortLine(decodeURIComponent(header), maxNameLength) || undefined;
  } catch {
    return undefined;
  }
}

/** @param request what the error answers, if it is known */
function rpcError(code: number, message: string, request: { readonly id?: unknown } = {}): object {
  const id = typeof request.id === 'string' || typeof request.id === 'number' ? request.id : null;
  return { jsonrpc: '2.0', id, error: { code, message } };
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

function callsTool(message: object): boolean {
  return 'method' in message && message.method === 'tools/call';
}

/** Interval of progress notifications, in milliseconds; they keep clients from timing out. */
const progressInterval = 5000;

const instructions =
  'Generates, edits and finds images, speech, transcripts and videos in the workspace that is open in VS Code. Check media_find_assets before creating anything new. Creating media costs money: the user has set a daily budget and is asked before it is exceeded. If the status is "running" or "waiting_for_person", call media_get_job; if it is "unknown" or "declined", do not call the tool again.';

/** Creates an MCP server for one request or connection, for clients of both generations of the protocol. */
function createServer(desk: AgentDesk, client: AuthInfo | undefined, version: string): Server {
  const yields = client?.extra?.yields;
  const server = new Server(
    { name: 'unified-media', title: 'Unified Media', version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({ tools: agentTools.map(describeTool) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = toolByReferenceName(params.name);
    if (!tool) {
      const unknown = shortLine(params.name, 80);
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${unknown}. tools/list names them all.`,
      );
    }
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
        { kind: 'mcp', name: client?.clientId ?? '' },
        {
          signal: yields instanceof AbortSignal ? AbortSignal.any([mcpReq.signal, yields]) : mcpReq.signal,
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

function describeTool({ referenceName, title, description, inputSchema, free }: AgentTool) {
  return {
    name: referenceName,
    title,
    description,
    inputSchema: schemaOf(inputSchema),
    outputSchema: schemaOf(resultSchema),
    annotations: {
      title,
      readOnlyHint: free?.effect === 'reads',
      // Paid tools only add files.
      destructiveHint: free?.effect === 'changes',
      openWorldHint: free === undefined,
    },
  };
}

/** Converts a schema to the type that the SDK takes. */
function schemaOf(schema: object): JSONObject & { readonly type: 'object' } {
  return { ...parseJson<JSONObject>(JSON.stringify(schema)), type: 'object' };
}

function messageOf(progress: RunProgress | undefined): string {
  return progress?.stage ?? 'waiting';
}
