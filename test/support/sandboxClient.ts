import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Sandbox } from '../../src/sandbox/startSandbox.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

/** Sends a request without the headers and rules of fetch. */
export async function send(url: string, { method = 'POST', headers = {}, body }: RawRequest = {}): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const path = url.slice(url.indexOf('/', 8));
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      buffer(response).then(
        (bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes }),
        reject,
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** Addresses and key of a sandbox. */
export type Hosts = Pick<Sandbox, 'imageBaseUrl' | 'audioBaseUrl' | 'videoBaseUrl' | 'key'>;

/** Returns the URL of a path on the host for its area. */
export function urlOf(sandbox: Hosts, path: string): string {
  const { imageBaseUrl, audioBaseUrl, videoBaseUrl } = sandbox;
  const host = path.startsWith('/v1/audio/')
    ? audioBaseUrl
    : path.startsWith('/v1/videos/')
      ? videoBaseUrl
      : imageBaseUrl;
  return `${host}${path}`;
}

/** Posts JSON with the key. Strings and bytes are sent unchanged. */
export async function post(sandbox: Hosts, path: string, body: unknown, headers: OutgoingHttpHeaders = {}) {
  return send(urlOf(sandbox, path), {
    headers: { authorization: sandbox.key, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
}

export async function get(url: string, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
  return send(url, { method: 'GET', headers });
}

/** Returns the JSON of a successful response. */
export function jsonOf<T>(answer: Answer): T {
  assert.equal(answer.status, 200, answer.body.toString());
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  return JSON.parse(answer.body.toString()) as T;
}

/** Checks the status, field, message and request id of a refusal. */
export function assertRefused(answer: Answer, status: number, param: string | null = null, sentence = /./): void {
  assert.equal(answer.status, status, answer.body.toString());
  assert.match(String(answer.headers['x-request-id']), /^req_[0-9a-f]{24}$/);
  const { error } = JSON.parse(answer.body.toString()) as { error: Record<string, unknown> };
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'param', 'type']);
  assert.equal(error.param, param, String(error.message));
  assert.match(String(error.message), sentence);
}
