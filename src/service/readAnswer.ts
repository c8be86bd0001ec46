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
import { errorInside, progressOf } from './errorFromAnswer.ts';
import { isObject, numberOf, objectOf, textOf } from './json.ts';
import { LongTexts } from './LongTexts.ts';
import { readMedia } from './readMedia.ts';
import { readTranscript } from './readTranscript.ts';
import { redact } from './redact.ts';

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
  if (type && fitsKind(type, kind)) return { ...base(raw), type: 'media', media: [whole] };

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
  const progress = progressOf(value);
  const isOver = progress === undefined || progress === 'done';
  const media = isOver ? await mediaIn(value, kind, raw, longTexts) : [];
  if (media.length > 0) return mediaAnswer(media, raw, value);
  const error = errorInside(value, raw, secrets);
  if (error) throw error;
  // A video that is done may be served at an address of its own; an image would be here.
  const isNone = (progress === 'done' && kind !== 'videos') || value.choices !== undefined;
  const job = isNone ? undefined : readJob(value, raw, progress && jobId);
  if (job) return job;
  throw noMedia(kind, raw, refusalOf(value) ?? l10n.t('an answer that holds none'));
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
function refusalOf(value: JsonObject): string | undefined {
  const [choice] = Array.isArray(value.choices) ? (value.choices as readonly Json[]) : [];
  const words = isObject(choice) ? textOf(objectOf(choice, 'message'), 'refusal', 'content') : undefined;
  return words && `“${redact(words).slice(0, 600)}”`;
}

function mediaAnswer(media: readonly Media[], raw: RawAnswer, value?: JsonObject): Answer {
  const [first, ...others] = media;
  if (!first) throw new RangeError('a media answer holds at least one');
  return { ...base(raw, value), type: 'media', media: [first, ...others] };
}

const jobIdNames = ['id', 'video_id', 'task_id', 'request_id', 'requestId', 'job_id', 'generation_id'];

function readJob(value: JsonObject, raw: RawAnswer, known: string | undefined): JobAnswer | undefined {
  const parts = [value, objectOf(value, 'data'), objectOf(value, 'result')];
  const holder = parts.find((part) => textOf(part, ...jobIdNames)) ?? value;
  const id = textOf(holder, ...jobIdNames) ?? known;
  if (!id) return undefined;
  return {
    ...base(raw, value),
    type: 'job',
    id,
    status: textOf(holder, 'status', 'state')?.slice(0, 60),
    isDone: progressOf(value) === 'done',
    progress: numberOf(holder, 'progress'),
    statusUrl: urlWithin(
      raw.source,
      textOf(holder, 'pollingUrl', 'polling_url', 'status_url') ?? textOf(objectOf(holder, 'urls'), 'get'),
    ),
  };
}

/** What every answer may tell beside its media. */
function base(raw: RawAnswer, value: JsonObject = {}) {
  return { requestId: raw.requestId, id: readId(value), usage: readUsage(value) };
}

/** The identifier to remix by: `video_id`, then `id`, at the top, else in `data` or its first item. */
function readId(value: JsonObject): string | undefined {
  const data = value.data;
  const inner: Json | undefined = Array.isArray(data) ? data[0] : data;
  return textOf(value, 'video_id', 'id') ?? (isObject(inner) ? textOf(inner, 'video_id', 'id') : undefined);
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
