import type { ServerResponse } from 'node:http';
import { bodyOf, startHttpServer } from './httpServer.ts';
import { mp3Bytes, mp4Bytes, pngBytes } from './mediaBytes.ts';

/** A request at the service. */
export interface PaidRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers a request instead of the service, or leaves it open; `answer` answers it as usual. */
export type Script = (response: ServerResponse, answer: () => unknown, request: PaidRequest) => unknown;

/** Answers the download of a result in the same way. */
export type Download = (response: ServerResponse, answer: () => unknown, path: string) => unknown;

/**
 * Starts a service that makes images, sounds and videos and records its requests.
 *
 * @param imageFor the bytes of an image by its prompt
 */
export async function startCountingService(imageFor: (prompt: string) => Buffer = () => pngBytes) {
  const paid: PaidRequest[] = [];
  let held: Promise<void> | undefined;
  let script: Script = (_, answer) => answer();
  let download: Download = (_, answer) => answer();
  const server = await startHttpServer(async (request, response) => {
    const path = request.url ?? '';
    if (request.method !== 'POST') {
      return download(response, () => response.end(path.endsWith('.mp4') ? mp4Bytes : pngBytes), path);
    }
    const text = String(await bodyOf(request));
    const body = text.startsWith('{') ? (JSON.parse(text) as PaidRequest['body']) : {};
    paid.push({ path, body });
    await held;
    const answer = (): unknown => {
      if (path.endsWith('/speech')) return response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(mp3Bytes);
      if (path.includes('/audio/')) return response.end('{"text":"said"}');
      if (path.includes('/videos/')) {
        return response.end(JSON.stringify({ id: `v${paid.length}`, video: { url: `${server.origin}/result.mp4` } }));
      }
      const b64_json = imageFor(String(body.prompt)).toString('base64');
      return response.end(JSON.stringify({ data: [{ b64_json }] }));
    };
    return script(response, answer, { path, body });
  });
  return {
    origin: server.origin,
    paid: paid as readonly PaidRequest[],
    prompts: () => paid.map(({ body }) => body.prompt ?? body.input),
    /** Holds the responses. @returns a function that releases them */
    hold: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    next: () => server.next(),
    /** Forgets the requests and answers as usual again. */
    reset: (): void => {
      paid.length = 0;
      held = undefined;
      script = (_, answer) => answer();
      download = (_, answer) => answer();
    },
    /** Answers the requests from now on; as usual if absent. */
    answerWith: (next: Script = (_, answer) => answer()): void => {
      script = next;
    },
    /** Answers the downloads of results from now on; as usual if absent. */
    downloadWith: (next: Download = (_, answer) => answer()): void => {
      download = next;
    },
    /** Leaves the requests open from now on. Resolves when one has arrived, after some that are answered. */
    stand: (after = 0): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      let answers = after;
      script = (_, answer) => (answers-- > 0 ? answer() : resolve());
      return promise;
    },
    /** Leaves downloads open from now on. Resolves when one has started. */
    standDownloads: (): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      download = () => resolve();
      return promise;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
