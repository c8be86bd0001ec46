import type { IncomingMessage, ServerResponse } from 'node:http';
import { startHttpServer } from './httpServer.ts';
import { mp4Bytes, pngBytes } from './mediaBytes.ts';

export type Stage = 'sending' | 'waiting' | 'answering' | 'downloading' | 'saving';

/**
 * A service that makes images and videos, and stands still at a stage when it is told to.
 *
 * @param inside items that come in the answer before the result's address
 */
export async function startStandingService(inside: readonly object[] = []) {
  let stage: Stage | undefined;
  let reached = Promise.withResolvers<void>();
  const standsStill = (at: Stage): boolean => {
    if (stage === at) reached.resolve();
    return stage === at;
  };
  const server = await startHttpServer((request, response) => {
    if (request.method === 'POST') answer(request, response);
    else download(request.url?.endsWith('mp4') ? mp4Bytes : pngBytes, response);
  });
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (standsStill('sending')) return;
    const name = request.url?.includes('video') ? 'result.mp4' : 'result.png';
    request.resume().on('end', () => {
      if (standsStill('waiting')) return;
      const json = JSON.stringify({ id: 'v1', data: [...inside, { url: `${server.origin}/${name}` }] });
      if (standsStill('answering')) response.write(json.slice(0, -100));
      else response.end(json);
    });
  };
  const download = (bytes: Buffer, response: ServerResponse): void => {
    if (standsStill('downloading')) return;
    response.writeHead(200, { 'content-length': bytes.length });
    if (stage === 'saving') response.write(bytes.subarray(0, 20), () => setImmediate(reached.resolve));
    else response.end(bytes);
  };
  return {
    origin: server.origin,
    /** Resolves when a job has come to this stage. */
    standAt: (next: Stage): Promise<void> => {
      stage = next;
      reached = Promise.withResolvers();
      return reached.promise;
    },
    release: () => {
      stage = undefined;
    },
    paid: () => server.requests.filter(({ method }) => method === 'POST').length,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
