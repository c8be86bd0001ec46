import type { Dispatcher } from 'undici';
import type { AnswerSource, RawAnswer } from './Answer.ts';
import type { AnswerSink } from './AnswerBody.ts';
import { answerFacts } from './answerFacts.ts';
import type { Silence } from './arrival.ts';
import { announcedLength, arriving } from './arrival.ts';
import { decoded } from './decoded.ts';
import { receiveBody } from './receiveBody.ts';

/** Bytes read of a refusal: its message is near the beginning, and an error page may be of any size. */
const maxRefusalBytes = 1024 * 1024;

interface ReceiveOptions {
  readonly source: AnswerSource;
  readonly silence: Silence;
  readonly openFile?: (() => Promise<AnswerSink>) | undefined;
  onArrived?(bytes: number, total: number | undefined): void;
}

export interface ReceivedAnswer {
  /** The answer, with `partial` set when the connection ended early. */
  readonly raw: RawAnswer;
  /** Why the connection ended early; undefined for a complete answer. */
  readonly failure: unknown;
}

/** Receives the answer of a response. Rejects only when the caller cancels. */
export async function receiveAnswer(
  response: Dispatcher.ResponseData,
  { source, silence, openFile, onArrived }: ReceiveOptions,
): Promise<ReceivedAnswer> {
  const facts = answerFacts(response, source);
  if (facts.status < 200 || facts.status > 299) {
    return { raw: { ...facts, body: await receiveRefusal(response, silence) }, failure: undefined };
  }
  const total = announcedLength(response);
  let bytes = 0;
  const data = arriving(response, silence, (arrived) => {
    bytes = arrived;
    onArrived?.(bytes, total);
  });
  const { body, failure } = await receiveBody(decoded(response, data), openFile);
  if (failure !== undefined && silence.limit.isCancelled) throw failure;
  return { raw: { ...facts, body, ...(failure === undefined ? {} : { partial: { bytes, total } }) }, failure };
}

/** Receives the start of a refusal and closes the connection. Errors and timeouts do not matter: the status says enough. */
async function receiveRefusal(
  response: Dispatcher.ResponseData,
  { limit, seconds, sentence }: Silence,
): Promise<Uint8Array> {
  limit.start(seconds, sentence);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of decoded(response, response.body as AsyncIterable<Uint8Array>)) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxRefusalBytes) break;
    }
  } catch (error) {
    if (limit.isCancelled) throw error;
  } finally {
    limit.stop();
  }
  return Buffer.concat(chunks);
}
