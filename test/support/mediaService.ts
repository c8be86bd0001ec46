import { bodyOf, startHttpServer } from './httpServer.ts';
import { mp3Bytes, mp4Bytes, pngBytes, wavBytes } from './mediaBytes.ts';

interface ReceivedRequest {
  readonly path: string;
  /** The body, if it is JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Length of the body, in bytes. */
  readonly bytes: number;
}

/** Starts a service that records its requests and answers each with different bytes. */
export async function startMediaService() {
  const received: ReceivedRequest[] = [];
  let answersLeft = Number.POSITIVE_INFINITY;
  let stood = Promise.withResolvers<void>();
  const server = await startHttpServer(async (request, response) => {
    const text = (await bodyOf(request)).toString('latin1');
    const path = request.url ?? '';
    const body = text.startsWith('{') ? (JSON.parse(text) as ReceivedRequest['body']) : {};
    received.push({ path, body, bytes: text.length });
    if (answersLeft-- <= 0) return void stood.resolve();
    const unique = Buffer.from(String(received.length).padStart(4, '0'));
    if (path.endsWith('/speech')) {
      const bytes = body.response_format === 'wav' ? wavBytes : mp3Bytes;
      response.setHeader('content-type', 'audio/mpeg');
      return void response.end(body.response_format === 'wav' ? bytes : Buffer.concat([bytes, mp3Bytes.subarray(10)]));
    }
    response.setHeader('content-type', 'application/json');
    if (path.includes('/audio/')) return void response.end(JSON.stringify({ text: `said ${unique}` }));
    const isVideo = path.includes('/videos/');
    const count = typeof body.n === 'number' ? body.n : 1;
    const data = Array.from({ length: count }, (_, index) => ({
      b64_json: Buffer.concat([isVideo ? mp4Bytes : pngBytes, unique, Buffer.from([index])]).toString('base64'),
    }));
    response.end(JSON.stringify({ id: `v${unique}`, data }));
  });
  return {
    origin: server.origin,
    received: received as readonly ReceivedRequest[],
    /** Answers this many more requests and resolves when the next one has arrived, which stays pending. */
    standAfter: (answers: number): Promise<void> => {
      answersLeft = answers;
      stood = Promise.withResolvers();
      return stood.promise;
    },
    answerAll: () => {
      answersLeft = Number.POSITIVE_INFINITY;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export type MediaService = Awaited<ReturnType<typeof startMediaService>>;
