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
import { isEnvelopeWord, stateOf, stateWordOf } from './workState.ts';

/**
 * Reads a 2xx answer in any of the shapes that services are known to send.
 *
 * @param jobId the polled job: services do not always repeat its id
 * @returns the media, the transcript, or the service's job
 * @throws MediaError of the matching kind when the answer holds an error; `noMedia` when it holds no result;
 *   `unreadableAnswer` when it is damaged
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
  if (body.length === 0) throw noMedia(kind, raw, l10n.t('the answer is empty'));

  const whole = body instanceof Uint8Array ? { bytes: body } : { data: bytesOf(body) };
  const fail = (cause: unknown) => {
    throw unreadable(raw, cause);
  };
  const type = await detectMediaType(await headOf(body).catch(fail));
  if (type && fitsKind(type, kind)) return mediaAnswer([whole], raw, undefined, jobId);

  const { text, value, longTexts } = await readText(body, kind).catch(fail);
  if (isObject(value)) return readObject(kind, value, { raw, secrets, jobId, longTexts });
  if (kind === 'transcripts') {
    if (type) throw noMedia(kind, raw, l10n.t('the answer is {0}', type.mime));
    if (body instanceof Uint8Array && !isUtf8(body)) throw unreadable(raw);
    return readTranscript(typeof value === 'string' ? value : text, raw, base(raw));
  }
  if (Array.isArray(value)) {
    const media = await mediaIn(value, kind, raw, longTexts);
    if (media.length > 0) return mediaAnswer(media, raw);
    throw noMedia(kind, raw, l10n.t('the list in the answer contains none'));
  }
  // Raw PCM and other sound without a signature can be recognised only by the header.
  if (kind === 'speech' && value === undefined && /^audio\//.test(raw.contentType)) {
    return { ...base(raw), type: 'media', media: [{ ...whole, mediaType: raw.contentType }] };
  }
  if (type) throw noMedia(kind, raw, l10n.t('the answer is {0}', type.mime));
  const isText = !text.includes('\uFFFD');
  throw (isText ? errorInside(text, raw, secrets) : undefined) ?? unreadable(raw);
}

/** Context for reading an answer. */
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
  // URLs in the answer of a running or failed job are previews or inputs, not results.
  const state = stateOf(value);
  const progress = progressIn(partsOf(value));
  const isOver = state !== 'running' && state !== 'failed';
  const media = isOver ? await mediaIn(value, kind, raw, longTexts) : [];
  if (media.length > 0) return mediaAnswer(media, raw, value, jobId);
  const error = errorInside(value, raw, secrets);
  if (error) throw error;
  // Next to a progress, a bare "ok" only says that the status request succeeded.
  const isAtWork = state === 'done' && isEnvelopeWord(stateWordOf(value)) && isUnfinished(progress, kind);
  const job = readJob(value, raw, { state: isAtWork ? 'running' : state, progress, known: jobId });
  // A finished video may have a URL of its own; a finished image would be in the answer.
  const isNone = job?.isDone && kind !== 'videos' && job.resultUrl === undefined;
  if (job && !isNone && value.choices === undefined) return isAtWork ? { ...job, mayBeDone: true } : job;
  throw noMedia(kind, raw, chatWordsOf(value) ?? l10n.t('the answer contains none'));
}

/** Bytes read from an answer file to find out what it is. */
const headTextBytes = 64 * 1024;

/** Reads an answer as text and JSON. For a file, returns only its first text, and JSON without long strings. */
async function readText(body: AnswerBody, kind: AssetKind) {
  if (!(body instanceof Uint8Array) && kind !== 'transcripts') {
    const text = new TextDecoder().decode(await headOf(body, headTextBytes), { stream: true });
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

/** Returns what a chat model replied instead of an image. */
function chatWordsOf(value: JsonObject): string | undefined {
  const words = textOf(objectOf(firstOf(value, 'choices'), 'message'), 'content');
  return words && `“${redact(words).slice(0, 600)}”`;
}

function mediaAnswer(media: readonly Media[], raw: RawAnswer, value?: JsonObject, jobId?: string): Answer {
  const [first, ...others] = media;
  if (!first) throw new RangeError('a media answer holds at least one');
  return { ...base(raw, value, jobId), type: 'media', media: [first, ...others] };
}

/** Returns the progress that an answer reports, also when it is text: "30%". */
function progressIn(parts: readonly JsonObject[]): number | undefined {
  const numbers = parts.map((part) => {
    const percent = /^\s*(\d+(?:\.\d+)?)\s*%?\s*$/.exec(textOf(part, 'progress') ?? '')?.[1];
    return numberOf(part, 'progress') ?? (percent === undefined ? undefined : Number(percent));
  });
  return numbers.find((number) => number !== undefined);
}

/** Whether a progress is below its maximum, which is 1 or 100. A finished image would be in the answer. */
function isUnfinished(progress: number | undefined, kind: AssetKind): boolean {
  return progress !== undefined && progress < 100 && !(progress === 1 && kind === 'videos');
}

interface JobFacts {
  readonly state: WorkState | undefined;
  readonly progress: number | undefined;
  /** Id of the polled job. */
  readonly known: string | undefined;
}

function readJob(value: JsonObject, raw: RawAnswer, { state, progress, known }: JobFacts): JobAnswer | undefined {
  const parts = partsOf(value);
  const hasStatus = state !== undefined || progress !== undefined;
  // The id of an item in a list may not be that of a job.
  const holders = hasStatus || !Array.isArray(value.data) ? parts : [value];
  const id = textIn(holders, 'id', 'video_id') ?? (hasStatus ? known : undefined) ?? otherIdIn(parts);
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

/** Returns what any answer may hold besides its media. */
function base(raw: RawAnswer, value: JsonObject = {}, jobId?: string) {
  const parts = partsOf(value);
  const id = textIn(parts, 'video_id', 'id') ?? jobId ?? otherIdIn(parts);
  return { requestId: raw.requestId, id, usage: readUsage(value) };
}

function textIn(parts: readonly JsonObject[], ...names: readonly string[]): string | undefined {
  return parts.map((part) => textOf(part, ...names)).find((text) => text !== undefined);
}

/** Names of other ids that may identify the job, the most certain first. Some may also identify the HTTP request. */
const otherIdNames = ['task_id', 'request_id', 'requestId', 'job_id', 'generation_id'];

function otherIdIn(parts: readonly JsonObject[]): string | undefined {
  return otherIdNames.map((name) => textIn(parts, name)).find((text) => text !== undefined);
}

const usageNames = ['usage', 'cost', 'latency', 'timings'];

function readUsage(value: JsonObject): JsonObject | undefined {
  const usage = Object.entries(value).filter(([name, part]) => usageNames.includes(name) && part !== null);
  return usage.length > 0 ? Object.fromEntries(usage) : undefined;
}

/** @param reason clause that says what the answer holds instead */
function noMedia(kind: AssetKind, raw: RawAnswer, reason: string): MediaError {
  const { status, requestId } = raw;
  return new MediaError('noMedia', describeMissing(kind, reason), { status, requestId, mayBeBilled: true });
}

function describeMissing(kind: AssetKind, reason: string): string {
  switch (kind) {
    case 'images':
      return l10n.t('The service accepted the request but sent no image: {0}. It may still bill it.', reason);
    case 'speech':
      return l10n.t('The service accepted the request but sent no audio: {0}. It may still bill it.', reason);
    case 'transcripts':
      return l10n.t('The service accepted the request but sent no text: {0}. It may still bill it.', reason);
    case 'videos':
      return l10n.t('The service accepted the request but sent no video: {0}. It may still bill it.', reason);
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
