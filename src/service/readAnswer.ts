import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { detectMediaType, fitsKind, isText } from '../operations/mediaType.ts';
import { type AssetKind, type OperationId, operations } from '../operations/operations.ts';
import { readSegments } from '../operations/readSegments.ts';
import {
  type Answer,
  type AnswerState,
  type Asked,
  firstOf,
  isEnvelopeWord,
  isObject,
  type JobAnswer,
  type Json,
  type JsonObject,
  type Media,
  numberOf,
  objectOf,
  partsOf,
  type RawAnswer,
  stateOf,
  stateOfWord,
  stateWordOf,
  type TranscriptAnswer,
  textOf,
} from './Answer.ts';
import { type AnswerBody, bytesOf, describeArrival, headOf, isZstd, piecesOf } from './AnswerBody.ts';
import { type Collected, collectMedia } from './collectMedia.ts';
import { errorBeside, errorFromAnswer, errorInside, errorOfPart, redact } from './errors.ts';
import { LongTexts, parseAnswer } from './LongTexts.ts';
import { holdsErrorCode, reportsFailure } from './problemIn.ts';
import { beginsStream, eventsIn, wholeOf } from './readEvents.ts';
import { urlWithin } from './ServiceConfiguration.ts';

/**
 * Reads a 2xx answer, or any to a poll, in any of the shapes that services are known to send.
 *
 * @param jobId the polled job: services do not always repeat its id
 * @param asked what was asked for, as far as the caller knows
 * @returns the media, the transcript, or the service's job
 * @throws MediaError of the matching kind when the answer holds an error; `noMedia` when it holds no result;
 *   `unreadableAnswer` when it is damaged
 */
export async function readAnswer(
  id: OperationId,
  raw: RawAnswer,
  secrets: readonly string[] = [],
  jobId?: string,
  asked: Asked = {},
): Promise<Answer> {
  const kind = operations[id].result;
  const { body, partial } = raw;
  if (raw.status >= 300) return answerOfPoll(kind, raw, secrets, jobId);
  if (partial) throw unreadable(raw, new Error(l10n.t('only {0} arrived', describeArrival(partial))));
  const elsewhere = jobId === undefined ? jobElsewhere(raw) : undefined;
  if (body.length === 0 && elsewhere) return elsewhere;
  if (body.length === 0) throw noMedia(kind, raw, l10n.t('the answer is empty'));

  const whole = body instanceof Uint8Array ? { bytes: body } : { data: bytesOf(body) };
  const fail = (cause: unknown) => {
    throw unreadable(raw, cause);
  };
  const head = await headOf(body).catch(fail);
  if (isZstd(head)) fail(new Error(l10n.t('it is compressed with Zstandard, which cannot be decoded here')));
  const type = await detectMediaType(head);
  if (type && fitsKind(type, kind)) {
    const isSeveral = type.mime === 'audio/wav' && (await holdsSeveralWavs(body).catch(fail));
    return {
      ...mediaAnswer(ofOne(whole), raw, undefined, jobId),
      ...(isSeveral ? { notices: [severalSounds()] } : {}),
    };
  }

  const { text, value: sent, longTexts } = await readText(body, kind).catch(fail);
  const value = sent === undefined ? await readStream(text, kind, raw).catch(fail) : sent;
  if (isObject(value)) return readObject(kind, value, { raw, secrets, jobId, asked, longTexts, elsewhere });
  if (kind === 'transcripts') {
    if (type) throw unreadable(raw, new Error(l10n.t('the answer is {0}', type.mime)));
    if (body instanceof Uint8Array && !isUtf8(body)) throw unreadable(raw);
    if (elsewhere && raw.status === 202) return elsewhere;
    if (jobId !== undefined) {
      const words = typeof value === 'string' ? value : text;
      if (raw.status === 202 || isRunningWord(words.trim())) return runningJob(raw, jobId);
      const isLiteral = value !== undefined && typeof value !== 'string';
      if (isLiteral && raw.contentType.includes('json')) throw noTranscript(raw);
    }
    return readTranscript(text, value, raw);
  }
  if (Array.isArray(value)) {
    const found = await mediaIn(value, kind, raw, longTexts);
    if (found.media.length > 0) return mediaAnswer(found, raw);
    if (elsewhere) return elsewhere;
    throw noMedia(kind, raw, l10n.t('the list in the answer contains none'));
  }
  const isWords = isText(head);
  // Raw PCM has no signature, and not every service names it. Whoever saves it knows whether it was asked for.
  if (kind === 'speech' && !type && !isWords && /^(audio\/.*|application\/octet-stream|)$/.test(raw.contentType)) {
    return { ...base(raw), type: 'media', media: [{ ...whole, mediaType: raw.contentType }] };
  }
  if (elsewhere) return elsewhere;
  if (type) throw noMedia(kind, raw, l10n.t('the answer is {0}', type.mime));
  throw (isWords ? errorInside(text, { raw, secrets, jobId }) : undefined) ?? unreadable(raw);
}

function severalSounds(): string {
  return l10n.t('The service sent several sounds one after the other in one file. Players may stop after the first.');
}

/** Whether a sound is followed by another whole one, as some services send a long text. */
async function holdsSeveralWavs(body: AnswerBody): Promise<boolean> {
  const header = /RIFF[\s\S]{4}WAVEfmt /g;
  let count = 0;
  let end = '';
  for await (const bytes of piecesOf(body)) {
    const text = end + Buffer.from(bytes).toString('latin1');
    const found = [...text.matchAll(header)];
    count += found.length;
    // A header may be cut, but must not be counted twice.
    const last = found.at(-1);
    end = text.slice(Math.max(text.length - 15, last ? last.index + 16 : 0));
  }
  return count > 1;
}

/** Reads an answer outside 2xx to a poll. @throws MediaError unless it leads to the result */
function answerOfPoll(kind: AssetKind, raw: RawAnswer, secrets: readonly string[], jobId: string | undefined): Answer {
  const { status, location } = raw;
  // A picture at another host may be the placeholder of a job that is still running.
  if (status >= 400 || location === undefined || kind !== 'videos') throw errorFromAnswer(raw, secrets);
  return mediaAnswer(ofOne({ url: location }), raw, undefined, jobId);
}

/** Context for reading an answer. */
interface Reading {
  readonly raw: RawAnswer;
  readonly secrets: readonly string[];
  readonly jobId: string | undefined;
  readonly asked: Asked;
  readonly longTexts: LongTexts | undefined;
  /** The job that the headers name. */
  readonly elsewhere: JobAnswer | undefined;
}

async function readObject(kind: AssetKind, value: JsonObject, reading: Reading): Promise<Answer> {
  const { raw, secrets, jobId, longTexts, elsewhere } = reading;
  const progress = progressIn(partsOf(value));
  const state = stateBeside(progress, value, kind);
  if (kind === 'transcripts') return readSpoken(value, reading, state, progress);
  // URLs in the answer of a running or failed job are previews or inputs, not results.
  const found = state === 'running' || state === 'failed' ? undefined : await mediaIn(value, kind, raw, longTexts);
  if (found && found.media.length > 0) {
    const beside = errorBeside(value, reading);
    // A placeholder is not what was paid for.
    if (beside?.isRefusal) throw beside.error;
    const notices = noticesOf(found, reading, beside?.error);
    return { ...mediaAnswer(found, raw, value, jobId), ...(notices.length > 0 ? { notices } : {}) };
  }
  const error = errorInside(value, reading);
  if (error) throw error;
  const job = value.choices === undefined ? readJob(kind, value, reading, state, progress) : undefined;
  if (job) return job;
  if (elsewhere) return elsewhere;
  // Without a job to ask, a running word is not about the result.
  const made = state === 'running' ? await mediaIn(value, kind, raw, longTexts) : undefined;
  if (made && made.media.length > 0) return mediaAnswer(made, raw, value);
  throw noMedia(kind, raw, chatWordsOf(value, secrets) ?? l10n.t('the answer contains none'));
}

/** Reads the answer to a recording. What a job has found so far is not its transcript if it can be asked again. */
function readSpoken(
  value: JsonObject,
  reading: Reading,
  state: AnswerState | undefined,
  progress: number | undefined,
): Answer {
  const { raw, jobId, asked, elsewhere } = reading;
  const error = errorInside(value, reading);
  const named = readJob('transcripts', value, reading, state, progress) ?? elsewhere;
  const job = named?.statusUrl === undefined && jobId === undefined ? undefined : named;
  if (state === 'running' && job) {
    if (error) throw error;
    return job;
  }
  try {
    const transcript = readTranscriptObject(value, raw, base(raw, value), asked.seconds);
    // A code alone may be one of the service's own for success.
    if (error && partsOf(value).some(reportsFailure)) return { ...transcript, failure: error.message };
    // Without a job to ask, these are all the words there will be.
    const isPartial = state === 'running' && named !== undefined;
    return isPartial
      ? { ...transcript, failure: l10n.t('The service reported that it was still working.') }
      : transcript;
  } catch (unread) {
    if (error) throw error;
    // `noMedia` is about a transcript without words.
    if (job && unread instanceof MediaError && unread.kind === 'unreadableAnswer') return job;
    throw unread;
  }
}

/** Bytes read from an answer file to find out what it is. */
const headTextBytes = 64 * 1024;

/**
 * Reads an answer as text and JSON. For a file, returns only its first text, and JSON without long strings. Throws like
 * {@link parseAnswer}.
 */
async function readText(body: AnswerBody, kind: AssetKind) {
  if (!(body instanceof Uint8Array) && kind !== 'transcripts') {
    const text = new TextDecoder().decode(await headOf(body, headTextBytes), { stream: true });
    const longTexts = new LongTexts(body);
    return { text, longTexts, value: /^\s*[[{]/.test(text) ? await longTexts.parse() : undefined };
  }
  const text = new TextDecoder().decode(body instanceof Uint8Array ? body : await readFile(body.path));
  return { text, longTexts: undefined, value: parseAnswer(text) };
}

/** Larger streams of events are not read into memory. */
const maxStreamBytes = 64 * 1024 * 1024;

/** Reads server-sent events as the JSON that they stand for. @param text the beginning, at least */
async function readStream(text: string, kind: AssetKind, raw: RawAnswer): Promise<JsonObject | undefined> {
  const { body } = raw;
  const isCut = !(body instanceof Uint8Array) && kind !== 'transcripts';
  if (isCut && (body.length > maxStreamBytes || !beginsStream(text))) return undefined;
  const events = eventsIn(isCut ? await readFile(body.path, 'utf8') : text);
  // Damaged media are reported when the whole is read.
  const hasMedia = (value: JsonObject) =>
    mediaIn(value, kind, raw, undefined).then(
      ({ media }) => media.length > 0,
      () => true,
    );
  return events && wholeOf(events, kind, hasMedia);
}

async function mediaIn(
  value: Json,
  kind: AssetKind,
  raw: RawAnswer,
  longTexts: LongTexts | undefined,
): Promise<Collected> {
  try {
    return await collectMedia(value, kind, { origin: raw.source.base, longTexts, isWithheld });
  } catch (error) {
    throw unreadable(raw, error);
  }
}

/** Whether the service says that it did not make an item, so that there is nothing to read. */
function isWithheld(item: JsonObject): boolean {
  return item.respect_moderation === false || reportsFailure(item) || holdsErrorCode(item);
}

/** Returns sentences about what the answer says beside its media, and about those that are missing. */
function noticesOf(found: Collected, reading: Reading, error: MediaError | undefined): readonly string[] {
  const { media, unread, withheld } = found;
  const notices = error ? [l10n.t('The service sent a result and an error beside it. {0}', error.message)] : [];
  const total = Math.max(reading.asked.count ?? 0, media.length + unread + withheld.length);
  if (media.length + unread >= total) return notices;
  const reasons = new Set(withheld.map((item) => errorOfPart(item, reading).message));
  const reason = reasons.size > 0 ? [...reasons].join(' ') : l10n.t('The service gives no reason.');
  return [...notices, l10n.t('{0} of {1} results came. {2}', media.length, total, reason)];
}

function ofOne(media: Media): Collected {
  return { media: [media], unread: 0, withheld: [] };
}

/** Returns what a chat model replied instead of an image. */
function chatWordsOf(value: JsonObject, secrets: readonly string[]): string | undefined {
  const words = textOf(objectOf(firstOf(value, 'choices'), 'message'), 'content');
  return words && `“${redact(words, secrets).slice(0, 600)}”`;
}

function mediaAnswer({ media, unread }: Collected, raw: RawAnswer, value?: JsonObject, jobId?: string): Answer {
  const [first, ...others] = media;
  if (!first) throw new RangeError('a media answer holds at least one');
  return { ...base(raw, value, jobId), type: 'media', media: [first, ...others], ...(unread > 0 ? { unread } : {}) };
}

/** Returns the progress that an answer reports, also when it is text: "30%". */
function progressIn(parts: readonly JsonObject[]): number | undefined {
  const numbers = parts.map((part) => {
    const percent = /^(\d+(?:\.\d+)?)\s*%?$/.exec((textOf(part, 'progress') ?? '').trim())?.[1];
    return numberOf(part, 'progress') ?? (percent === undefined ? undefined : Number(percent));
  });
  return numbers.find((number) => number !== undefined);
}

function stateBeside(progress: number | undefined, value: JsonObject, kind: AssetKind): AnswerState | undefined {
  const state = stateOf(value);
  if (state !== 'done' || progress === undefined || !isEnvelopeWord(stateWordOf(value))) return state;
  // A bare "ok" may only say that the status request succeeded. The maximum of a progress is 1 or 100; a finished image
  // would be in the answer.
  return progress < 100 && !(progress === 1 && kind === 'videos') ? 'unclear' : state;
}

/** Returns undefined when the answer names no job, or one that is done and has nothing more to give. */
function readJob(
  kind: AssetKind,
  value: JsonObject,
  { raw, secrets, jobId, elsewhere }: Reading,
  state: AnswerState | undefined,
  progress: number | undefined,
): JobAnswer | undefined {
  const parts = partsOf(value);
  const hasStatus = state !== undefined || progress !== undefined;
  // The id of an item in a list may not be that of a job.
  const holders = hasStatus || !Array.isArray(value.data) ? parts : [value];
  const id = textIn(holders, 'id', 'video_id') ?? (hasStatus ? jobId : undefined) ?? otherIdIn(parts);
  if (!id) return undefined;
  const resultUrl = urlWithin(raw.source, textIn(parts, 'response_url', 'responseUrl', 'result_url', 'resultUrl'));
  // A finished video may have a URL of its own; a finished image would be in the answer.
  if (state === 'done' && kind !== 'videos' && resultUrl === undefined) return undefined;
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
    status: redact(stateWordOf(value) ?? '', secrets).slice(0, 60) || undefined,
    state: state === 'done' || state === 'unclear' ? state : 'running',
    progress,
    statusUrl: urlWithin(raw.source, statusUrl) ?? resultUrl ?? elsewhere?.statusUrl,
    resultUrl,
  };
}

/** Returns the job of an answer that only says in its headers where the job is. */
function jobElsewhere(raw: RawAnswer): JobAnswer | undefined {
  const statusUrl = urlWithin(raw.source, raw.location);
  const id = statusUrl && new URL(statusUrl).pathname.split('/').findLast(Boolean);
  return id ? runningJob(raw, id, statusUrl) : undefined;
}

/** Returns the job of an answer that only says that it is running. */
function runningJob(raw: RawAnswer, id: string, statusUrl?: string): JobAnswer {
  const job = { type: 'job', status: undefined, state: 'running', progress: undefined, resultUrl: undefined } as const;
  return { ...base(raw), ...job, id, statusUrl };
}

/** Whether a text is only the name of a state, such as “Pending” or “In progress…”. Words spoken are rarely just that. */
function isRunningWord(text: string): boolean {
  return /^(in |still )?[\w-]+(\.{3}|…)?$/i.test(text) && stateOfWord(text) === 'running';
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
      return l10n.t('The service accepted the request but sent no image: {0}.', reason);
    case 'speech':
      return l10n.t('The service accepted the request but sent no audio: {0}.', reason);
    case 'transcripts':
      return l10n.t('The service accepted the request but sent no text: {0}.', reason);
    case 'videos':
      return l10n.t('The service accepted the request but sent no video: {0}.', reason);
  }
}

function unreadable(raw: RawAnswer, cause?: unknown): MediaError {
  const { status, requestId, contentType, body } = raw;
  const type = contentType || l10n.t('no content type');
  const sentence =
    cause instanceof Error
      ? l10n.t(
          'The service accepted the request but its answer ({0}, {1} bytes) cannot be read: {2}.',
          type,
          body.length,
          cause.message,
        )
      : l10n.t('The service accepted the request but its answer ({0}, {1} bytes) cannot be read.', type, body.length);
  return new MediaError('unreadableAnswer', sentence, { status, requestId, mayBeBilled: true, cause });
}

/** Returns the result URL in a status answer; undefined when the job is not done, or the answer holds its result. */
export async function resultUrlIn(id: OperationId, raw: RawAnswer, jobId: string): Promise<string | undefined> {
  const { body } = raw;
  // A large answer holds the media itself, and most small ones have no result URL: skip parsing both.
  if (!(body instanceof Uint8Array) || !/"(response|result)_?url"/i.test(Buffer.from(body).toString('latin1'))) {
    return undefined;
  }
  try {
    const answer = await readAnswer(id, raw, [], jobId);
    return answer.type === 'job' && answer.state === 'done' ? answer.resultUrl : undefined;
  } catch {
    // The next reader of this answer gets the same error and reports it.
    return undefined;
  }
}

/**
 * Reads a transcript that is plain text, a JSON string or subtitles (SubRip, WebVTT).
 *
 * @param value the text as JSON; undefined when it is not JSON
 * @throws MediaError `noMedia` when its text is empty, `unreadableAnswer` for other formats
 */
function readTranscript(sent: string, value: Json | undefined, raw: RawAnswer): TranscriptAnswer {
  const text = (typeof value === 'string' ? value : sent).trim();
  if (text === '') throw noText(raw);
  const isOtherJson =
    raw.contentType.includes('json') && (Array.isArray(value) || (value === undefined && truncatedJson.test(text)));
  if (isOtherJson || isOtherFormat(text, raw.contentType)) throw noTranscript(raw);
  return { ...base(raw), type: 'transcript', text, ...subtitlesOf(text), language: undefined, duration: undefined };
}

const truncatedJson = /^(\{\s*("|$)|\[\s*(["{[]|$))/;

/**
 * Whether a text is certainly no words: JSON, a document, events or parts. Words may begin with “[applause]” or “data:”,
 * and be in tags such as “<noise>”.
 */
function isOtherFormat(text: string, contentType: string): boolean {
  return notWords.some(({ type, pattern }) => type.test(contentType) && pattern.test(text));
}

const notWords = [
  { type: /^/, pattern: /^(\{|\[\s*\{)\s*"/ },
  { type: /^/, pattern: /^<(!doctype|\?xml|html|head|body|error)\b|^<[^>]*\sxmlns\b/i },
  // Small servers also send plain words as a web page.
  { type: /\b(xml|html)$/, pattern: /^<[a-z][\w:.-]+[\s>][\s\S]*<\/[\w:.-]+>$/i },
  { type: /^/, pattern: /^((:|event:|id:|retry:)[^\n]*\n\s*)*data: ?((\{|\[\s*\{)\s*"|\[DONE\])/ },
  { type: /^text\/event-stream$/, pattern: /^(:|data:|event:)/m },
  { type: /^/, pattern: /^--\S+\r?\ncontent-/i },
  { type: /^multipart\//, pattern: /^/ },
];

function subtitlesOf(text: string): Pick<TranscriptAnswer, 'subtitles' | 'segments'> {
  if (/^WEBVTT\b/.test(text)) return { subtitles: 'vtt', segments: [] };
  const isSubRip = /^\d+\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3} --> /.test(text);
  return { subtitles: isSubRip ? 'srt' : undefined, segments: [] };
}

/**
 * Reads a transcript in JSON with `text` and optional `segments`.
 *
 * @throws MediaError `noMedia` when its text is empty, `unreadableAnswer` for JSON of another shape
 */
function readTranscriptObject(
  value: JsonObject,
  raw: RawAnswer,
  base: Pick<TranscriptAnswer, 'requestId' | 'id' | 'usage'>,
  seconds?: number,
): TranscriptAnswer {
  const parts = [value, ...['data', 'result', 'results', 'output'].map((name) => objectOf(value, name))];
  for (const part of parts) {
    const { segments, words, spoken: untimed } = readSegments(part, seconds, maxRecordingSeconds);
    const spoken = untimed ?? (segments.length > 0 ? segments : words);
    const text = textOf(part, 'text', 'transcript', 'transcription') ?? spoken.map((one) => one.text.trim()).join(' ');
    if (text === '') continue;
    return {
      ...base,
      type: 'transcript',
      text,
      subtitles: subtitlesOf(text).subtitles,
      language: textOf(part, 'language'),
      duration: plausible(numberOf(part, 'duration') ?? numberOf(objectOf(part, 'usage'), 'seconds'), seconds),
      segments,
      ...(words.length > 0 ? { words } : {}),
      ...(untimed ? { notices: [timesLeftOut()] } : {}),
    };
  }
  // A part without text counts as silence, so an answer that may hold words, or will, must not.
  const spoken = parts.flatMap((part) => transcriptNames.map((name) => part[name] ?? null));
  const found = spoken.filter((one) => one !== null);
  throw found.length > 0 && found.every(isBlank) && stateOf(value) !== 'running' ? noText(raw) : noTranscript(raw);
}

/** Returns the length that the service says, or the measured one where that is none of seconds. */
function plausible(said: number | undefined, measured: number | undefined): number | undefined {
  if (measured === undefined) return said;
  return said !== undefined && said > 0 && said <= measured + 60 ? said : measured;
}

/** No service takes a longer recording. */
const maxRecordingSeconds = 7 * 24 * 60 * 60;

function timesLeftOut(): string {
  return l10n.t('The times that the service sent do not fit the recording, so they are left out.');
}

const transcriptNames = ['text', 'transcript', 'transcription', 'segments', 'words'];

/** Whether a text, or the texts of a list of segments or words, are empty. */
function isBlank(value: Json): boolean {
  if (!Array.isArray(value)) return typeof value === 'string' && value.trim() === '';
  return (value as readonly Json[]).every((item) => isObject(item) && isBlank(item.text ?? item.word ?? null));
}

function noTranscript(raw: RawAnswer): MediaError {
  const sentence = l10n.t('The service accepted the recording but did not send a transcript.');
  const { status, requestId } = raw;
  return new MediaError('unreadableAnswer', sentence, { status, requestId, mayBeBilled: true });
}

function noText(raw: RawAnswer): MediaError {
  const sentence = l10n.t('The service accepted the recording but sent no text; there may be no speech in it.');
  return new MediaError('noMedia', sentence, { status: raw.status, requestId: raw.requestId, mayBeBilled: true });
}
