import type { ServerResponse } from 'node:http';
import { bodyOf, startHttpServer } from './httpServer.ts';
import { mp3Bytes, mp4Bytes, pngBytes, wavBytes } from './mediaBytes.ts';

/** A request at the service. */
export interface PaidRequest {
  readonly path: string;
  /** The body, if it is JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers a request instead of the service, or leaves it open; `answer` answers it as usual. */
export type Script = (response: ServerResponse, answer: () => unknown, request: PaidRequest) => unknown;

/** Answers the download of a result in the same way. */
export type Download = (response: ServerResponse, answer: () => unknown, path: string) => unknown;

/**
 * Starts a service that makes media and records its requests. No two of its images, texts and videos are alike.
 *
 * @param imageFor the bytes of an image by its prompt and by what no other result has
 */
export async function startMediaService(
  imageFor = (_prompt: string, unique: Buffer): Buffer => Buffer.concat([pngBytes, unique]),
) {
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
    const number = paid.push({ path, body });
    await held;
    const answer = (): unknown => {
      if (path.endsWith('/speech')) {
        const sound = body.response_format === 'wav' ? wavBytes : mp3Bytes;
        return response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(sound);
      }
      response.setHeader('content-type', 'application/json');
      if (path.includes('/audio/')) return response.end(JSON.stringify({ text: `said ${number}` }));
      const data = Array.from({ length: Number(body.n ?? 1) }, (_, index) => {
        const unique = Buffer.from(`${number} ${index}`);
        const isVideo = path.includes('/videos/');
        const bytes = isVideo ? Buffer.concat([mp4Bytes, unique]) : imageFor(String(body.prompt), unique);
        return { b64_json: bytes.toString('base64') };
      });
      return response.end(JSON.stringify({ id: `v${number}`, data }));
    };
    return script(response, answer, { path, body });
  });
  return {
    origin: server.origin,
    /** All requests, also for results. */
    requests: server.requests,
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

export type MediaService = Awaited<ReturnType<typeof startMediaService>>;
