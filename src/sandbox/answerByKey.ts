import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Exchange, type KeyedAnswer, type KeyedRequest, type SandboxContext, SandboxError } from './Exchange.ts';

/** Maximum size of all answers, in bytes. The oldest are forgotten first. */
const maxBytes = 2 ** 28;

/** Headers of a request that are about its connection or its key. */
const ownHeaders = ['connection', 'content-length', 'expect', 'host', 'idempotency-key', 'transfer-encoding'];
const sentHeaders = ['allow', 'cache-control', 'content-type', 'x-request-id'];

/**
 * Answers a POST with an `Idempotency-Key` by the rules of Stripe (https://docs.stripe.com/api/idempotent_requests): a
 * repeated request gets the first answer, one that comes while the first is being worked on a 409, and another request
 * under the same key is refused (422; Stripe sends 400). Work goes on when its client disconnects. A refusal (4xx) is not
 * kept.
 *
 * @param body the whole body
 * @throws SandboxError 400 for a key that is too long, 409, 422
 */
export async function answerByKey(
  { request, response }: Exchange,
  key: string,
  body: Buffer,
  { keyed }: Pick<SandboxContext, 'keyed'>,
): Promise<void> {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new SandboxError(400, 'The Idempotency-Key must have 1 to 255 visible ASCII characters.', {
      code: 'invalid_idempotency_key',
    });
  }
  const { url = '/', headers } = request;
  const content = createHash('sha256').update(`${url}\n${headers['content-type']}\n`).update(body).digest('hex');
  const known = keyed.get(key);
  if (known) return send(response, earlierAnswer(known, content), true);
  const entry: KeyedRequest = { content };
  keyed.set(key, entry);
  try {
    const answer = await forward(request, body);
    // A request that was refused was not worked on.
    if (answer.status < 400 || answer.status >= 500) entry.answer = answer;
    send(response, answer, false);
  } finally {
    if (!entry.answer) keyed.delete(key);
    forgetOldest(keyed);
  }
}

function earlierAnswer({ content, answer }: KeyedRequest, asked: string): KeyedAnswer {
  if (content !== asked) {
    throw new SandboxError(422, 'This Idempotency-Key was used for another request.', {
      code: 'idempotency_key_reused',
    });
  }
  if (answer) return answer;
  throw new SandboxError(409, 'A request with this Idempotency-Key is being worked on.', {
    code: 'idempotency_key_in_use',
    headers: { 'retry-after': '1' },
  });
}

function forgetOldest(keyed: SandboxContext['keyed']): void {
  let total = 0;
  for (const { answer } of keyed.values()) total += answer?.body.length ?? 0;
  for (const [key, { answer }] of keyed) {
    if (total <= maxBytes) return;
    if (!answer) continue;
    total -= answer.body.length;
    keyed.delete(key);
  }
}

/** Sends a request to the sandbox itself, without its key, so that it is worked on to the end. */
async function forward({ url, headers, socket, method }: Exchange['request'], body: Buffer): Promise<KeyedAnswer> {
  const passed = Object.entries(headers).filter(([name]) => !ownHeaders.includes(name));
  const sent = httpRequest({
    host: '127.0.0.1',
    port: socket.localPort,
    path: url,
    method,
    agent: false,
    headers: { ...Object.fromEntries(passed), host: headers.host, 'content-length': body.length },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Exchange['request']>();
  sent.on('response', resolve).on('error', reject);
  sent.end(body);
  const answer = await promise;
  const kept = sentHeaders.flatMap((name) => {
    const value = answer.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { status: answer.statusCode ?? 500, headers: Object.fromEntries(kept), body: await buffer(answer) };
}

function send(response: Exchange['response'], { status, headers, body }: KeyedAnswer, isReplayed: boolean): void {
  const replayed = isReplayed ? { 'idempotent-replayed': 'true' } : {};
  response.writeHead(status, { ...headers, ...replayed, 'content-length': body.length });
  response.end(body);
}
