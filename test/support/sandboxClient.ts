import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:http';
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

/** A request without anything that fetch would add or forbid. */
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

/** Where a sandbox serves, and its key. */
export type Hosts = Pick<Sandbox, 'imageBaseUrl' | 'audioBaseUrl' | 'videoBaseUrl' | 'key'>;

/** The URL of a path on the host of its area. */
export function urlOf(sandbox: Hosts, path: string): string {
  const { imageBaseUrl, audioBaseUrl, videoBaseUrl } = sandbox;
  const host = path.startsWith('/v1/audio/')
    ? audioBaseUrl
    : path.startsWith('/v1/videos/')
      ? videoBaseUrl
      : imageBaseUrl;
  return `${host}${path}`;
}

/** Posts JSON with the key. A text or bytes are sent as they are. */
export async function post(sandbox: Hosts, path: string, body: unknown, headers: OutgoingHttpHeaders = {}) {
  return send(urlOf(sandbox, path), {
    headers: { authorization: sandbox.key, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
}

export async function get(url: string, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
  return send(url, { method: 'GET', headers });
}

/** The JSON of a successful answer. */
export function jsonOf<T>(answer: Answer): T {
  assert.equal(answer.status, 200, answer.body.toString());
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  return JSON.parse(answer.body.toString()) as T;
}

/** Checks a refusal: its status, the field it names and that it has a sentence and a request id. */
export function assertRefused(answer: Answer, status: number, param: string | null = null, sentence = /./): void {
  assert.equal(answer.status, status, answer.body.toString());
  assert.match(String(answer.headers['x-request-id']), /^req_[0-9a-f]{24}$/);
  const { error } = JSON.parse(answer.body.toString()) as { error: Record<string, unknown> };
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'param', 'type']);
  assert.equal(error.param, param, String(error.message));
  assert.match(String(error.message), sentence);
}
