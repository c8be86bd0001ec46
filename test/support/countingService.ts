import { bodyOf, startHttpServer } from './httpServer.ts';
import { mp3Bytes, mp4Bytes, pngBytes } from './mediaBytes.ts';

/** A request at the service. */
export interface PaidRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Starts a service that makes images, sounds and videos and records its requests.
 *
 * @param imageFor the bytes of an image by its prompt
 */
export async function startCountingService(imageFor: (prompt: string) => Buffer = () => pngBytes) {
  const paid: PaidRequest[] = [];
  let held: Promise<void> | undefined;
  const server = await startHttpServer(async (request, response) => {
    const path = request.url ?? '';
    if (request.method !== 'POST') return response.end(path.endsWith('.mp4') ? mp4Bytes : pngBytes);
    const body = JSON.parse(String(await bodyOf(request))) as PaidRequest['body'];
    paid.push({ path, body });
    await held;
    if (path.includes('/audio/')) return response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(mp3Bytes);
    if (path.includes('/videos/')) {
      return response.end(JSON.stringify({ id: `v${paid.length}`, video: { url: `${server.origin}/result.mp4` } }));
    }
    const b64_json = imageFor(String(body.prompt)).toString('base64');
    return response.end(JSON.stringify({ data: [{ b64_json }] }));
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
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
