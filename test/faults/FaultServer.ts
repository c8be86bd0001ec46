import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AssetKind, OperationId } from '../../src/operations/operations.ts';
import { isMultipart, operations } from '../../src/operations/operations.ts';
import { bodyOf } from '../support/httpServer.ts';
import { mp3Bytes, mp4Bytes, pngBytes } from '../support/mediaBytes.ts';

/** Secrets that must not leak into logs, messages or files. */
export const canaries = { key: 'canary-key-4711', prompt: 'canary prompt of a person', signature: 'canary-signature' };

export const media: Readonly<Record<AssetKind, Buffer>> = {
  images: pngBytes,
  speech: mp3Bytes,
  transcripts: Buffer.from('{"text":"What was said."}'),
  videos: mp4Bytes,
};

/** One request, as a fault handles it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly kind: AssetKind;
  /** 1 for the first request with its method. */
  readonly attempt: number;
  readonly origin: string;
  /** Another server, which must never receive the key. */
  readonly elsewhere: string;
  /** Sends an honest response: the URL of the result, or the result itself where the fault needs no URL. */
  answer(): void;
}

export type Treatment = (exchange: Exchange) => void | Promise<void>;

export interface FaultServerOptions {
  readonly operation: OperationId;
  /** Replaces the honest response to the operation. It is called once the whole request is in. */
  readonly post?: Treatment;
  /** Replaces the honest response to a download. */
  readonly get?: Treatment;
}

/** Starts a service that validates requests strictly and fails on demand. */
export async function startFaultServer({ operation, post, get }: FaultServerOptions) {
  const kind = operations[operation].result;
  const problems: string[] = [];
  const counts = { sent: 0, downloads: 0 };
  let isRepaired = false;
  const elsewhere = await listen(async (request, response) => {
    if (request.headers.authorization !== undefined) problems.push('the key went to another origin');
    response.end(media[kind]);
  });
  const service = await listen(async (request, response) => {
    const common = { request, response, kind, origin: service.origin, elsewhere: elsewhere.origin };
    if (request.method === 'POST') {
      const attempt = ++counts.sent;
      const problem = problemOf(operation, request, await bodyOf(request));
      if (problem) problems.push(problem);
      const answer = () => answerHonestly(response, kind, service.origin, get !== undefined);
      await (post && !isRepaired ? post : answer)({ ...common, attempt, answer });
    } else {
      const attempt = ++counts.downloads;
      const answer = () => void response.end(media[kind]);
      await (get && !isRepaired ? get : answer)({ ...common, attempt, answer });
    }
  });
  return {
    origin: service.origin,
    counts,
    problems,
    /** Makes the service honest from now on. */
    repair: () => {
      isRepaired = true;
    },
    async [Symbol.asyncDispose]() {
      await service.close();
      await elsewhere.close();
    },
  };
}

function answerHonestly(response: ServerResponse, kind: AssetKind, origin: string, byUrl: boolean): void {
  response.setHeader('x-request-id', 'request-1');
  const url = `${origin}/result?signature=${canaries.signature}`;
  if (kind === 'transcripts') response.setHeader('content-type', 'application/json').end(media.transcripts);
  else if (kind === 'speech' && !byUrl) response.setHeader('content-type', 'audio/mpeg').end(media.speech);
  else response.end(JSON.stringify({ id: 'video-1', data: [{ url }] }));
}

/** Checks a request against the service's specification. @returns the first problem */
function problemOf(operation: OperationId, request: IncomingMessage, body: Buffer): string | undefined {
  const { path, fields } = operations[operation];
  if (request.url !== path) return `the path is ${request.url}, not ${path}`;
  if (request.headers.authorization !== canaries.key) return 'the key is missing';
  const length = Number(request.headers['content-length']);
  if (length !== body.length) return `the length is ${length}, not ${body.length}`;
  const names = fields.map(({ name }) => name).sort();
  const sent = isMultipart(operations[operation]) ? namesInForm(body) : Object.keys(JSON.parse(String(body))).sort();
  return sent.join() === names.join() ? undefined : `the fields are ${sent.join()}, not ${names.join()}`;
}

function namesInForm(body: Buffer): readonly string[] {
  return [...body.toString('latin1').matchAll(/form-data; name="([^"]+)"/g)].map(([, name = '']) => name).sort();
}

async function listen(listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  const server = createServer((request, response) => {
    // The client may disconnect while its request is being read.
    listener(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
