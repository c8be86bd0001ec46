import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { detectMediaType, fitsKind } from '../operations/mediaType.ts';
import type { AssetKind, OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { Answer, JobAnswer, Json, JsonObject, Media, RawAnswer } from './Answer.ts';
import type { AnswerBody } from './AnswerBody.ts';
import { bytesOf, headOf } from './AnswerBody.ts';
import { urlWithin } from './answerSource.ts';
import { describeArrival } from './arrival.ts';
import { errorInside } from './errorFromAnswer.ts';
import { firstOf, isObject, numberOf, objectOf, partsOf, textOf } from './json.ts';
import { LongTexts } from './LongTexts.ts';
import { readMedia } from './readMedia.ts';
import { readTranscript } from './readTranscript.ts';
import { redact } from './redact.ts';
import type { WorkState } from './workState.ts';
import { stateOf, stateWordOf } from './workState.ts';

/**
 * Reads a 2xx answer of any of the shapes that services of this kind are known to send.
 *
 * @param jobId the job that was asked about: services do not always say its name again
 * @returns the media, the transcript, or the job that the service made of the request
 * @throws MediaError of the kind that the service's words name when the answer holds an error; `noMedia` when it holds
 *   nothing; `unreadableAnswer` when it is damaged
 */
export async function readAnswer(
  id: OperationId,
  raw: RawAnswer,
  secrets: readonly string[] = [],
  jobId?: string,
): Promise<Answer> {
  const kind = operations[id].result;
  const { body, partial } = raw;
  if (partial) throw unreadable(raw, new Error(l10n.t('only {0} arrived', describeArrival(partial))));
  if (body.length === 0) throw noMedia(kind, raw, l10n.t('an empty answer'));

  const whole = body instanceof Uint8Array ? { bytes: body } : { data: bytesOf(body) };
  const fail = (cause: unknown) => {
    throw unreadable(raw, cause);
  };
  const type = await detectMediaType(await headOf(body).catch(fail));
  if (type && fitsKind(type, kind)) return mediaAnswer([whole], raw, undefined, jobId);

  const { text, value, longTexts } = await readText(body, kind).catch(fail);
  if (isObject(value)) return readObject(kind, value, { raw, secrets, jobId, longTexts });
  if (kind === 'transcripts') {
    if (type) throw noMedia(kind, raw, l10n.t('{0} instead', type.mime));
    if (body instanceof Uint8Array && !isUtf8(body)) throw unreadable(raw);
    return readTranscript(typeof value === 'string' ? value : text, raw, base(raw));
  }
  if (Array.isArray(value)) {
    const media = await mediaIn(value, kind, raw, longTexts);
    if (media.length > 0) return mediaAnswer(media, raw);
    throw noMedia(kind, raw, l10n.t('a list that holds none'));
  }
  // Raw PCM and other sound without a signature: the header is all there is to go by.
  if (kind === 'speech' && value === undefined && /^audio\//.test(raw.contentType)) {
    return { ...base(raw), type: 'media', media: [{ ...whole, mediaType: raw.contentType }] };
  }
  if (type) throw noMedia(kind, raw, l10n.t('{0} instead', type.mime));
  const isText = !text.includes('\uFFFD');
  throw (isText ? errorInside(text, raw, secrets) : undefined) ?? unreadable(raw);
}

/** What an answer is read with. */
interface Reading {
  readonly raw: RawAnswer;
  readonly secrets: readonly string[];
  readonly jobId: string | undefined;
  readonly longTexts: LongTexts | undefined;
}

async function readObject(kind: AssetKind, value: JsonObject, reading: Reading): Promise<Answer> {
  const { raw, secrets, jobId, longTexts } = reading;
  if (kind === 'transcripts') {
    const error = errorInside(value, raw, secrets);
    try {
      return readTranscript(value, raw, base(raw, value));
    } catch (unread) {
      throw error ?? unread;
    }
  }
  // While a service works, or when it has failed, URLs in its answer are previews or inputs.
  const state = stateOf(value);
  const isOver = state !== 'running' && state !== 'failed';
  const media = isOver ? await mediaIn(value, kind, raw, longTexts) : [];
  if (media.length > 0) return mediaAnswer(media, raw, value, jobId);
  const error = errorInside(value, raw, secrets);
  if (error) throw error;
  const job = readJob(value, raw, state, jobId);
  // A video that is done may be served at an address of its own; an image would be here.
  const isNone = state === 'done' && kind !== 'videos' && job?.resultUrl === undefined;
  if (job && !isNone && value.choices === undefined) return job;
  throw noMedia(kind, raw, chatWordsOf(value) ?? l10n.t('an answer that holds none'));
}

/** How much of an answer in a file is read to find out what it is if it is no JSON. */
const wordBytes = 64 * 1024;

/** An answer as text and as JSON. Of a file only the beginning, without long strings: words have to be in memory. */
async function readText(body: AnswerBody, kind: AssetKind) {
  if (!(body instanceof Uint8Array) && kind !== 'transcripts') {
    const text = new TextDecoder().decode(await headOf(body, wordBytes), { stream: true });
    const longTexts = new LongTexts(body);
    return { text, longTexts, value: /^\s*[[{]/.test(text) ? await longTexts.parse() : undefined };
  }
  const text = new TextDecoder().decode(body instanceof Uint8Array ? body : await readFile(body.path));
  return { text, longTexts: undefined, value: parseJson<Json>(text) };
}

async function mediaIn(
  value: Json,
  kind: AssetKind,
  raw: RawAnswer,
  longTexts: LongTexts | undefined,
): Promise<readonly Media[]> {
  try {
    return await readMedia(value, kind, longTexts);
  } catch (error) {
    throw unreadable(raw, error);
  }
}

/** What a chat model says instead of sending an image. */
function chatWordsOf(value: JsonObject): string | undefined {
  const words = textOf(objectOf(firstOf(value, 'choices'), 'message'), 'content');
  return words && `“${redact(words).slice(0, 600)}”`;
}

function mediaAnswer(media: readonly Media[], raw: RawAnswer, value?: JsonObject, jobId?: string): Answer {
  const [first, ...others] = media;
  if (!first) throw new RangeError('a media answer holds at least one');
  return { ...base(raw, value, jobId), type: 'media', media: [first, ...others] };
}

function readJob(
  value: JsonObject,
  raw: RawAnswer,
  state: WorkState | undefined,
  known: string | undefined,
): JobAnswer | undefined {
  const parts = partsOf(value);
  const progress = parts.map((part) => numberOf(part, 'progress')).find((number) => number !== undefined);
  const isTold = state !== undefined || progress !== undefined;
  // An item of a list may have an identifier of its own, which is none of a job.
  const holders = isTold || !Array.isArray(value.data) ? parts : [value];
  const id = textIn(holders, 'id', 'video_id') ?? (isTold ? known : undefined) ?? otherIdIn(parts);
  if (!id) return undefined;
  const resultUrl = urlWithin(raw.source, textIn(parts, 'response_url', 'responseUrl', 'result_url', 'resultUrl'));
  const statusUrl =
    textIn(parts, 'pollingUrl', 'polling_url', 'status_url', 'statusUrl') ??
    textIn(
      parts.map((part) => objectOf(part, 'urls')),
      'get',
    );
  return {
    ...base(raw, value),
    type: 'job',
    id,
    status: stateWordOf(value)?.slice(0, 60),
    isDone: state === 'done',
    progress,
    statusUrl: urlWithin(raw.source, statusUrl) ?? resultUrl,
    resultUrl,
  };
}

/** What every answer may tell beside its media. */
function base(raw: RawAnswer, value: JsonObject = {}, jobId?: string) {
  const parts = partsOf(value);
  const id = textIn(parts, 'video_id', 'id') ?? jobId ?? otherIdIn(parts);
  return { requestId: raw.requestId, id, usage: readUsage(value) };
}

function textIn(parts: readonly JsonObject[], ...names: readonly string[]): string | undefined {
  return parts.map((part) => textOf(part, ...names)).find((text) => text !== undefined);
}

/** Names of identifiers that may be those of the work, the surest first; HTTP requests have some of them too. */
const otherIdNames = ['task_id', 'request_id', 'requestId', 'job_id', 'generation_id'];

function otherIdIn(parts: readonly JsonObject[]): string | undefined {
  return otherIdNames.map((name) => textIn(parts, name)).find((text) => text !== undefined);
}

const usageNames = ['usage', 'cost', 'latency', 'timings'];

function readUsage(value: JsonObject): JsonObject | undefined {
  const told = Object.entries(value).filter(([name, part]) => usageNames.includes(name) && part !== null);
  return told.length > 0 ? Object.fromEntries(told) : undefined;
}

function noMedia(kind: AssetKind, raw: RawAnswer, instead: string): MediaError {
  const { status, requestId } = raw;
  return new MediaError('noMedia', describeLack(kind, instead), { status, requestId, mayBeBilled: true });
}

function describeLack(kind: AssetKind, instead: string): string {
  switch (kind) {
    case 'images':
      return l10n.t('The service accepted the request but sent no image: {0}. It may still bill it.', instead);
    case 'speech':
      return l10n.t('The service accepted the request but sent no sound: {0}. It may still bill it.', instead);
    case 'transcripts':
      return l10n.t('The service accepted the request but sent no text: {0}. It may still bill it.', instead);
    case 'videos':
      return l10n.t('The service accepted the request but sent no video: {0}. It may still bill it.', instead);
  }
}

function unreadable(raw: RawAnswer, cause?: unknown): MediaError {
  const { status, requestId, contentType, body } = raw;
  const type = contentType || l10n.t('no content type');
  const sentence =
    cause instanceof Error
      ? l10n.t(
          'The service accepted the request but its answer ({0}, {1} bytes) cannot be read: {2}. It may still bill it.',
          type,
          body.length,
          cause.message,
        )
      : l10n.t(
          'The service accepted the request but its answer ({0}, {1} bytes) cannot be read. It may still bill it.',
          type,
          body.length,
        );
  return new MediaError('unreadableAnswer', sentence, { status, requestId, mayBeBilled: true, cause });
}
