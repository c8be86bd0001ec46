import type { MediaErrorKind } from '../../src/operations/MediaError.ts';
import type { AssetKind } from '../../src/operations/operations.ts';
import { type Exchange, media, type Treatment } from './FaultServer.ts';

export type Ending = 'saved' | 'unknown' | MediaErrorKind;

export interface Fault {
  readonly name: string;
  readonly post?: Treatment;
  readonly get?: Treatment;
  /** True when the fault is in the result's address. A transcript comes in the answer itself, so it has none. */
  readonly needsAddress?: boolean;
  /** Replaces the address of the service. */
  readonly host?: string;
  /** What is wrong between the client and the service. */
  readonly way?: 'no proxy' | 'proxy asks who' | 'proxy refuses' | 'untrusted certificate';
  /** What is wrong on this machine. */
  readonly machine?:
    | 'disk full'
    | 'read-only'
    | 'folder removed'
    | 'no journal'
    | 'journal lost'
    | 'killed'
    | 'cancelled'
    | 'two windows';
  readonly timeoutSeconds?: number;
  /** The expected ending, for all operations or by the kind of result. */
  readonly ends: Ending | ((kind: AssetKind) => Ending);
  /** Expected number of requests; 1 by default. */
  readonly sent?: number;
  /** Words of the service that the error message must contain. */
  readonly words?: string;
}

const words = 'the kiln is cold';
const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Treatment => {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
};
const refusal = (status: number, ends: Ending): Fault => ({
  name: `status ${status}`,
  post: json(status, { error: { message: words } }),
  ends,
  words,
});
const gatewayPage = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';
const firstTimes = (count: number, fault: Treatment): Treatment => {
  return (exchange) => (exchange.attempt <= count ? fault(exchange) : exchange.answer());
};
const hang: Treatment = () => undefined;
const reset: Treatment = ({ request }) => void request.socket.resetAndDestroy();
const notThere: Treatment = ({ response }) => void response.writeHead(404).end('not yet');

function cut({ response, kind, request }: Exchange): void {
  const data = media[kind];
  const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const middle = Math.floor(data.length / 2);
  response.writeHead(from > 0 ? 206 : 200, {
    'content-length': data.length - from,
    ...(from > 0 ? { 'content-range': `bytes ${from}-${data.length - 1}/${data.length}` } : {}),
  });
  if (from > 0) response.end(data.subarray(from));
  else response.write(data.subarray(0, middle), () => setImmediate(() => response.socket?.resetAndDestroy()));
}

const elsewhereFor = (location: (exchange: Exchange) => string): Treatment => {
  return (exchange) => void exchange.response.writeHead(302, { location: location(exchange) }).end();
};

/** Every fault, and how a job that meets it must end. */
export const faults: readonly Fault[] = [
  { name: 'nothing is wrong', ends: 'saved' },
  { name: 'connection refused', host: 'http://127.0.0.1:1', ends: 'network', sent: 0 },
  { name: 'name not resolvable', host: 'https://service.invalid', ends: 'network', sent: 0 },
  { name: 'proxy not there', way: 'no proxy', ends: 'proxy', sent: 0 },
  { name: 'proxy requires credentials', way: 'proxy asks who', ends: 'proxy', sent: 0 },
  { name: 'proxy refuses the tunnel', way: 'proxy refuses', ends: 'proxy', sent: 0 },
  { name: 'certificate not trusted', way: 'untrusted certificate', ends: 'tls', sent: 0 },
  { name: 'reset before the headers', post: reset, ends: 'network' },
  {
    name: 'reset after the headers',
    post: ({ response }) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('{', () => setImmediate(() => response.socket?.resetAndDestroy()));
    },
    ends: 'network',
  },
  { name: 'not HTTP', post: ({ request }) => void request.socket.end('HELLO\r\n\r\n'), ends: 'network' },
  { name: 'slow headers', post: hang, timeoutSeconds: 3, ends: 'timeout' },
  {
    name: 'slow body',
    post: ({ response }) => void response.writeHead(200, { 'content-length': 1000 }).write('{'),
    timeoutSeconds: 3,
    ends: 'timeout',
  },
  { name: 'hang, then cancelled', machine: 'cancelled', ends: 'cancelled' },
  refusal(400, 'badRequest'),
  refusal(401, 'unauthorized'),
  refusal(402, 'quota'),
  refusal(403, 'forbidden'),
  refusal(404, 'notFound'),
  refusal(413, 'tooLarge'),
  refusal(422, 'badRequest'),
  { ...refusal(429, 'rateLimited'), name: 'status 429 every time', sent: 5 },
  { name: 'status 429 once', post: firstTimes(1, json(429, {}, { 'retry-after': '1' })), ends: 'saved', sent: 2 },
  {
    name: 'status 429 that reports usage',
    post: json(429, { error: { message: words }, usage: { tokens: 25 } }, { 'retry-after': '1' }),
    ends: 'rateLimited',
    words,
  },
  refusal(500, 'server'),
  { name: 'status 502 with a page', post: json(502, gatewayPage), ends: 'server', words: '502 Bad Gateway' },
  { ...refusal(503, 'server'), name: 'status 503 without Retry-After' },
  { name: 'status 503 once', post: firstTimes(1, json(503, {}, { 'retry-after': '1' })), ends: 'saved', sent: 2 },
  {
    name: 'status 503 once, then 409',
    post: (exchange) =>
      json(exchange.attempt === 1 ? 503 : 409, { error: { message: words } }, { 'retry-after': '1' })(exchange),
    ends: 'badRequest',
    sent: 2,
    words,
  },
  refusal(504, 'gatewayTimeout'),
  { name: 'redirect of the request', post: elsewhereFor(({ elsewhere }) => `${elsewhere}/v1/x`), ends: 'server' },
  { name: 'error inside 200', post: json(200, { error: { message: words } }), ends: 'server', words },
  { name: 'empty 200', post: json(200, ''), ends: 'noMedia' },
  {
    name: 'not JSON',
    post: json(200, 'Hello there', { 'content-type': 'text/plain' }),
    // Plain text counts as a transcript.
    ends: (kind) => (kind === 'transcripts' ? 'saved' : 'unreadableAnswer'),
  },
  { name: 'truncated JSON', post: json(200, '{"text": "What was sa'), ends: 'unreadableAnswer' },
  {
    name: 'wrong type',
    post: ({ response, kind }) => void response.end(otherMedia(kind)),
    ends: (kind) => (kind === 'transcripts' ? 'unreadableAnswer' : 'noMedia'),
  },
  {
    name: 'moderation',
    post: json(400, { error: { message: words, code: 'moderation_blocked' } }),
    ends: 'contentRefused',
    words,
  },
  {
    name: 'moderation inside 200',
    post: json(200, { error: { message: words, code: 'content_policy_violation' } }),
    ends: 'contentRefused',
    words,
  },
  {
    name: 'damaged base64',
    post: json(200, { data: [{ b64_json: '!!!!' }] }),
    ends: 'unreadableAnswer',
  },
  {
    name: 'expired address',
    get: ({ response }) => void response.writeHead(403).end(),
    ends: 'download',
  },
  { name: 'address not there yet', get: firstTimes(2, notThere), ends: 'saved' },
  { name: 'file server busy', get: firstTimes(2, ({ response }) => void response.writeHead(503).end()), ends: 'saved' },
  { name: 'download reset', get: firstTimes(2, reset), ends: 'saved' },
  { name: 'download cut', get: cut, ends: 'saved' },
  { name: 'redirect elsewhere', get: elsewhereFor(({ elsewhere }) => `${elsewhere}/r`), ends: 'saved' },
  { name: 'endless redirect', get: elsewhereFor(() => '/result'), ends: 'download' },
  { name: 'redirect to a file', get: elsewhereFor(() => 'file:///etc/passwd'), ends: 'download' },
  {
    name: 'file: address',
    post: ({ response }) => void response.end('{"data":[{"url":"file:///etc/passwd"}]}'),
    needsAddress: true,
    ends: 'download',
  },
  {
    name: 'page instead of the result',
    get: ({ response }) => void response.end(gatewayPage),
    ends: 'download',
  },
  {
    name: 'SVG with a script',
    get: ({ response }) => void response.end('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    ends: 'download',
  },
  { name: 'empty result', get: ({ response }) => void response.end(), ends: 'download' },
  { name: 'disk full', machine: 'disk full', ends: 'save' },
  { name: 'folder cannot be written', machine: 'read-only', ends: 'save', sent: 0 },
  { name: 'folder removed mid-way', machine: 'folder removed', ends: 'saved' },
  { name: 'journal cannot be written', machine: 'no journal', ends: 'save', sent: 0 },
  { name: 'journal lost mid-way', machine: 'journal lost', ends: 'saved' },
  { name: 'editor killed while waiting', machine: 'killed', ends: 'unknown' },
  { name: 'two windows', machine: 'two windows', ends: 'saved' },
];

/** Whether a fault can occur with an operation that makes this kind: only a result with an address is downloaded. */
export function canOccur({ get, needsAddress = get !== undefined }: Fault, kind: AssetKind): boolean {
  return !needsAddress || kind !== 'transcripts';
}

function otherMedia(kind: AssetKind): Buffer {
  return kind === 'speech' ? media.images : media.speech;
}
