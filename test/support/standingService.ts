import type { IncomingMessage, ServerResponse } from 'node:http';
import { startHttpServer } from './httpServer.ts';
import { mp4Bytes, pngBytes } from './mediaBytes.ts';

export type Stage = 'sending' | 'waiting' | 'answering' | 'polling' | 'downloading' | 'saving';

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
    else if (request.url === '/v1/videos/v1') report(response);
    else download(request.url?.endsWith('mp4') ? mp4Bytes : pngBytes, response);
  });
  /** What those wait for that the service stands still for. */
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
  /** The state of a video, which is done when nobody wants the service to stand still. */
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
    /** Resolves when a job has come to this stage. */
    standAt: (next: Stage): Promise<void> => {
      stage = next;
      failsDownloads = false;
      reached = Promise.withResolvers();
      return reached.promise;
    },
    /** Stands still no more; whoever waits still does. */
    release: () => {
      stage = undefined;
    },
    /** Answers those who wait. */
    answerHeld: () => {
      for (const goOn of held.splice(0)) goOn();
    },
    /** Results are gone until the service stands still again. */
    failDownloads: () => {
      failsDownloads = true;
    },
    paid: () => server.requests.filter(({ method }) => method === 'POST').length,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
