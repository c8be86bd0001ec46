import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text as allText } from 'node:stream/consumers';
import { realPath } from '../../files/FileCalls.ts';
import { printableText } from '../../foreign/escape.ts';
import { shortLine } from '../../foreign/plainText.ts';
import { checked, objectWith, text } from '../../foreign/shape.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import { parseJson } from '../../operations/parseJson.ts';
import { clientHeader, type Discovery, discoveryFor, readDiscoveries } from './discovery.ts';
import { folderName, windowName } from './launcher.ts';

export interface McpCommand {
  /** One JSON-RPC message per line. */
  readonly input: Readable;
  readonly output: Writable;
  readonly errors: NodeJS.WritableStream;
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Folders with discovery files. Defaults to those of the installed editors. */
  readonly folders?: readonly string[];
  /** Id of the process that started this one. */
  readonly parent?: number;
}

/** Runs `unified-media mcp`, an MCP server over stdio that forwards to an open window. @returns the exit code */
export async function runMcp(command: McpCommand): Promise<number> {
  const { errors, environment, cwd, folders, parent = process.ppid, ...streams } = command;
  const target = await findWindow(await realPath(cwd), environment, folders, parent);
  if (target && !isOnThisComputer(target.url)) {
    errors.write(
      printableText(
        `${target.url} is not an address of this computer, so the token is not sent there. Use http://127.0.0.1 with the port of the window.\n`,
      ),
    );
    return 1;
  }
  if (target) {
    await bridgeStdio(target, streams);
    return 0;
  }
  errors.write(
    printableText(
      `No VS Code window has ${cwd} open with agents connected. Open the folder in VS Code and run “Media: Connect an Agent…”.\n`,
    ),
  );
  return 1;
}

/** The file of a project may set the address, while the token is that of the window whose terminal starts the program. */
export function isOnThisComputer(url: string): boolean {
  const { protocol, hostname } = URL.parse(url) ?? {};
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname ?? '');
}

const products = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf', 'code-server'];
const servers = ['.vscode-server', '.vscode-server-insiders', '.vscode-remote', '.vscodium-server', '.cursor-server'];
const storage = ['User', 'globalStorage', 'unified-media.unified-media', 'agents'];

/** Returns the folders where VS Code and its relatives may keep discovery files. Not all of them exist. */
export function discoveryFolders(
  environment: NodeJS.ProcessEnv,
  home = homedir(),
  platform = process.platform,
): readonly string[] {
  const data = dataFolder(environment, home, platform);
  const { [folderName]: own } = environment;
  return [
    ...(own ? [own] : []),
    ...products.map((product) => join(data, product, ...storage)),
    ...servers.map((server) => join(home, server, 'data', ...storage)),
    // code-server follows the XDG base directories.
    join(environment.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'code-server', ...storage),
  ];
}

/**
 * Finds the server of the window that this program belongs to: the window of its terminal, otherwise the window that
 * has the current folder open. An agent that runs inside a window may ask for that window.
 *
 * @param cwd absolute path of the current folder, without links
 * @param parent id of the process that started this program
 * @returns undefined if no window matches
 */
export async function findWindow(
  cwd: string,
  environment: NodeJS.ProcessEnv,
  folders: readonly string[] = discoveryFolders(environment),
  parent = process.ppid,
): Promise<BridgeTarget | undefined> {
  const { UNIFIED_MEDIA_MCP_URL: url, UNIFIED_MEDIA_MCP_TOKEN: token } = environment;
  if (url && token) return { url, token };
  const found = (await Promise.all(folders.map(readDiscoveries))).flat();
  const own = environment[windowName] === 'parent' ? found.find(({ pid }) => pid === parent) : undefined;
  return own ?? discoveryFor(cwd, await Promise.all(found.map(withoutLinks)));
}

/** Resolves the links in the paths of a window's folders: the current folder has none. */
async function withoutLinks(discovery: Discovery): Promise<Discovery> {
  const folders = discovery.workspaceFolders.map((folder) => realPath(folder).catch(() => folder));
  return { ...discovery, workspaceFolders: await Promise.all(folders) };
}

function dataFolder(environment: NodeJS.ProcessEnv, home: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return environment.APPDATA ?? join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return environment.XDG_CONFIG_HOME ?? join(home, '.config');
}

/** The address of a window's server. */
export interface BridgeTarget {
  readonly url: string;
  readonly token: string;
}

interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly protocolVersion?: unknown;
    readonly requestId?: unknown;
    readonly clientInfo?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const clientKey = 'io.modelcontextprotocol/clientInfo';

/**
 * Forwards MCP messages from stdio to the server of a window, for clients that start a program. Messages are forwarded
 * concurrently, since one may wait for the user. Resolves when the input has ended and everything is answered.
 */
export async function bridgeStdio(
  target: BridgeTarget,
  { input, output }: Pick<McpCommand, 'input' | 'output'>,
): Promise<void> {
  const open = new Set<Promise<void>>();
  const calls = new Map<unknown, AbortController>();
  const write = (message: unknown) => output.write(`${JSON.stringify(message)}\n`);
  const refuse = (code: number, message: string) => write({ jsonrpc: '2.0', id: null, error: { code, message } });
  let agreed: string | undefined;
  let client: string | undefined;
  for await (const line of linesOf(input)) {
    if (line.trim() === '') continue;
    const message = parseJson<Message>(line);
    if (typeof message !== 'object' || message === null) {
      refuse(-32700, 'The message is not valid JSON.');
      continue;
    }
    if (Array.isArray(message)) {
      refuse(-32600, 'Send one JSON-RPC message per line. Batches are not supported.');
      continue;
    }
    client = clientIn(message) ?? client;
    // The window serves each message by itself, so a cancelled call ends there with its connection.
    if (message.method === 'notifications/cancelled') calls.get(message.params?.requestId)?.abort();
    const abort = new AbortController();
    if (message.id !== undefined && message.id !== null) calls.set(message.id, abort);
    const forwarding = forward(target, line, message, { agreed, client, signal: abort.signal }, (answer) => {
      agreed ??= versionIn(message, answer);
      write(answer);
    }).catch((error: unknown) => {
      if (message.id === undefined || message.id === null || abort.signal.aborted) return;
      write({ jsonrpc: '2.0', id: message.id, error: { code: -32000, message: describeFailure(error) } });
    });
    open.add(forwarding);
    void forwarding.finally(() => {
      open.delete(forwarding);
      if (calls.get(message.id) === abort) calls.delete(message.id);
    });
    // Messages after the handshake need the protocol version that it agreed on.
    if (message.method === 'initialize') await forwarding;
  }
  await Promise.all(open);
}

/** Splits a stream at line feeds only: node:readline also splits at U+2028 and U+2029, which JSON may hold. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const chunk of input) {
    const [first = '', ...lines] = decoder.decode(chunk as Uint8Array, { stream: true }).split('\n');
    pieces.push(first);
    for (const next of lines) {
      yield pieces.join('');
      pieces = [next];
    }
  }
  yield pieces.join('');
}

interface Handshake {
  /** The protocol version, in the older protocol. */
  readonly agreed: string | undefined;
  /** Name of the client, which the user sees when it asks for something. */
  readonly client: string | undefined;
}

const isTitled = objectWith({ title: text() });
const isNamed = objectWith({ name: text() });

/** Returns the name that the client states in the handshake, or in the newer protocol in each message. */
function clientIn({ method, params }: Message): string | undefined {
  const info = params?._meta?.[clientKey] ?? (method === 'initialize' ? params?.clientInfo : undefined);
  const stated = checked(isTitled, info)?.title || checked(isNamed, info)?.name;
  return stated ? shortLine(stated, 40) : undefined;
}

async function forward(
  { url, token }: BridgeTarget,
  body: string,
  message: Message,
  { agreed, client, signal }: Handshake & { readonly signal: AbortSignal },
  onMessage: (answer: unknown) => void,
): Promise<void> {
  // Not fetch, which may go through the proxy of the environment, and follows redirects.
  const request = httpRequest(url, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      ...(client === undefined ? {} : { [clientHeader]: encodeURIComponent(client) }),
      ...versionHeaders(message, agreed),
    },
    signal,
  });
  // When a call is cancelled, the answer's stream says so, too.
  request.on('error', () => undefined);
  const [response] = (await once(request.end(body), 'response')) as [IncomingMessage];
  const { statusCode = 0, headers } = response;
  const type = headers['content-type'] ?? '';
  // The window says in JSON why it refuses a message, such as that too many calls run.
  if ((statusCode < 200 || statusCode > 299) && !type.includes('json')) {
    response.destroy();
    throw new Error(`status ${statusCode}`);
  }
  if (type.includes('event-stream')) {
    for await (const answer of messagesIn(response)) onMessage(answer);
    return;
  }
  const answer = parseJson(await allText(response));
  if (answer !== undefined && message.id !== undefined) onMessage(answer);
}

function describeFailure(error: unknown): string {
  return `The VS Code window does not answer (${reasonOf(error)}). Open it again, and restart this server.`;
}

/** Returns the headers with the protocol version of the message, or in the older protocol that of the handshake. */
function versionHeaders({ method, params }: Message, agreed: string | undefined): Readonly<Record<string, string>> {
  const own = params?._meta?.[versionKey];
  if (typeof own !== 'string') return agreed === undefined ? {} : { 'mcp-protocol-version': agreed };
  const name = params?.name ?? params?.uri;
  return {
    'mcp-protocol-version': own,
    ...(method === undefined ? {} : { 'mcp-method': method }),
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  };
}

const agrees = objectWith({ result: objectWith({ protocolVersion: text() }) });

function versionIn({ method }: Message, answer: unknown): string | undefined {
  return method === 'initialize' && agrees(answer) ? answer.result.protocolVersion : undefined;
}

/** Decodes the messages of a stream of server-sent events. */
async function* messagesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split(/\r?\n\r?\n/);
    text = events.pop() ?? '';
    for (const event of events) {
      const data = event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n');
      const message = data === '' ? undefined : parseJson(data);
      if (message !== undefined) yield message;
    }
  }
}
