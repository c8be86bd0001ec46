import type { IncomingMessage, ServerResponse } from 'node:http';
import { startHttpServer } from './httpServer.ts';
import { mp4Bytes, pngBytes } from './mediaBytes.ts';

export type Stage = 'sending' | 'waiting' | 'answering' | 'polling' | 'downloading' | 'saving';

/**
 * Starts a service that makes images and videos and can hold jobs at a stage.
 *
 * @param inside items of the response before the result's URL
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
    else if (request.url === '/v1/videos/v1') report(response);
    else download(request.url?.endsWith('mp4') ? mp4Bytes : pngBytes, response);
  });
  /** Functions that continue the held requests. */
  const held: (() => void)[] = [];
  const holds = (at: Stage, goOn: () => void): boolean => {
    if (!standsStill(at)) return false;
    held.push(goOn);
    return true;
  };
  let failsDownloads = false;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (standsStill('sending')) return;
    const name = request.url?.includes('video') ? 'result.mp4' : 'result.png';
    request.resume().on('end', () => {
      if (holds('waiting', () => end())) return;
      end();
    });
    const end = (): void => {
      const json = JSON.stringify({ id: 'v1', data: [...inside, { url: `${server.origin}/${name}` }] });
      if (stage === 'answering') response.write(json.slice(0, -100), () => reached.resolve());
      else if (stage === 'polling') response.end('{"id":"v1","status":"queued"}');
      else response.end(json);
    };
  };
  /** Reports a video as completed, unless the service holds jobs while they poll. */
  const report = (response: ServerResponse): void => {
    if (standsStill('polling')) response.end('{"id":"v1","status":"queued"}');
    else response.end(JSON.stringify({ id: 'v1', status: 'completed', video: { url: `${server.origin}/result.mp4` } }));
  };
  const download = (bytes: Buffer, response: ServerResponse): void => {
    if (failsDownloads) return void response.writeHead(410).end();
    if (holds('downloading', () => download(bytes, response))) return;
    response.writeHead(200, { 'content-length': bytes.length });
    if (stage !== 'saving') return void response.end(bytes);
    held.push(() => response.end(bytes.subarray(20)));
    response.write(bytes.subarray(0, 20), () => setImmediate(reached.resolve));
  };
  return {
    origin: server.origin,
    /** Holds jobs at a stage from now on; resolves when one has reached it. */
    standAt: (next: Stage): Promise<void> => {
      stage = next;
      failsDownloads = false;
      reached = Promise.withResolvers();
      return reached.promise;
    },
    /** Holds no further requests; those that are held stay held. */
    release: () => {
      stage = undefined;
    },
    /** Answers the held requests. */
    answerHeld: () => {
      for (const goOn of held.splice(0)) goOn();
    },
    /** Makes downloads fail until the next `standAt`. */
    failDownloads: () => {
      failsDownloads = true;
    },
    paid: () => server.requests.filter(({ method }) => method === 'POST').length,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
