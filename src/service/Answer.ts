import type { Transcript } from '../operations/operations.ts';
import type { AnswerBody, Arrival } from './AnswerBody.ts';
import type { Dispatcher } from './undici.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/**
 * The host that sent an answer and how to ask it again, even after the settings change. Plain JSON, stored in the
 * journal.
 */
export interface AnswerSource {
  /** Base URL of the host: its origin and the path before `/v1`, without a trailing slash. */
  readonly base: string;
  /** Path to poll for the status of a job that makes images, with `{id}`. */
  readonly imageStatusPath?: string;
  /** Path to poll for a video's status, with `{id}`. */
  readonly videoStatusPath?: string;
  /** Word before the key in the `Authorization` header; undefined or empty for the raw key. */
  readonly authorizationScheme?: string;
  /**
   * Whether the name of the host had only private addresses when it answered. Its owner could answer a later DNS query
   * with others.
   */
  readonly isPrivate?: boolean;
}

/** An HTTP response as received, before it is interpreted. */
export interface RawAnswer {
  readonly source: AnswerSource;
  readonly status: number;
  /** Lower case, without parameters; empty when the service sent none. */
  readonly contentType: string;
  readonly requestId: string | undefined;
  /** Seconds, from Retry-After. */
  readonly retryAfter: number | undefined;
  /** Absolute URL from Location, of what a 201 or 202 has made or a redirect leads to; it may be outside the origin that answered. */
  readonly location?: string;
  readonly body: AnswerBody;
  /** Set when the connection ended early: `body` is incomplete, and `read` rejects it. */
  readonly partial?: Arrival;
}

interface AnswerBase {
  readonly requestId: string | undefined;
  /** The service's id of the result; remixing a video needs it. */
  readonly id: string | undefined;
  /** Cost and usage as reported in the answer. */
  readonly usage: JsonObject | undefined;
  /** Sentences about what the answer holds beside its results, or lacks. */
  readonly notices?: readonly string[];
}

/** What was asked for, to compare an answer with. */
export interface Asked {
  /** Number of results. */
  readonly count?: number;
  /** Length of the recording that was sent. */
  readonly seconds?: number;
}

/** One image, sound or video: at a URL, which may expire, or already received. */
export type Media =
  /** `others` are further addresses in the same item, if this one turns out to be something else. */
  | { readonly url: string; readonly others?: readonly string[] }
  /** `mediaType` comes from the header, for data without a signature such as raw PCM. */
  | { readonly bytes: Uint8Array; readonly mediaType?: string }
  /** Backed by a file, so it can be iterated more than once. */
  | { readonly data: AsyncIterable<Uint8Array>; readonly mediaType?: string };

export interface MediaAnswer extends AnswerBase {
  readonly type: 'media';
  readonly media: readonly [Media, ...Media[]];
  /** Number of items beside the media that could not be read, if any. */
  readonly unread?: number;
}

export interface TranscriptAnswer extends AnswerBase, Transcript {
  readonly type: 'transcript';
  /** Sentence about what the service reports beside the text that may cut it short. */
  readonly failure?: string;
}

/** The service accepted the request and is still working on it: no media yet. */
export interface JobAnswer extends AnswerBase {
  readonly type: 'job';
  readonly id: string;
  /** Status as the service words it. */
  readonly status: string | undefined;
  /** `done` although the answer holds no result. */
  readonly state: Extract<AnswerState, 'running' | 'unclear' | 'done'>;
  /** Progress as the service reports it: percent, or 0 to 1. */
  readonly progress: number | undefined;
  /** Absolute URL to poll, from the answer; undefined when it is outside the origin that answered. */
  readonly statusUrl: string | undefined;
  /** URL of a finished job's result, restricted like `statusUrl`. The client's `status` fetches it. */
  readonly resultUrl: string | undefined;
}

export type Answer = MediaAnswer | TranscriptAnswer | JobAnswer;

/** Statuses whose Location counts. */
const locatingStatuses: readonly number[] = [201, 202, 301, 302, 303, 307, 308];

/** Returns what the status line and headers of a response from a URL say. */
export function answerFacts(
  { statusCode, headers }: Dispatcher.ResponseData,
  source: AnswerSource,
  url: URL,
): Omit<RawAnswer, 'body'> {
  const header = (name: string) => [headers[name]].flat()[0];
  const made = locatingStatuses.includes(statusCode) ? header('location') : undefined;
  return {
    source,
    status: statusCode,
    contentType: (header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    requestId: requestIdOf(
      header('x-request-id') ?? header('request-id') ?? header('x-amzn-requestid') ?? header('cf-ray'),
    ),
    retryAfter: parseRetryAfter(header('retry-after'), header('date')),
    ...(made === undefined ? {} : { location: URL.parse(made, url.href)?.href }),
  };
}

/** Returns a request id if it looks like one. It is logged, and some gateways repeat there what was sent. */
function requestIdOf(value: string | undefined): string | undefined {
  return value !== undefined && /^[\w.:/+=-]{1,100}$/.test(value) ? value : undefined;
}

/** From here on a number of seconds, or of milliseconds, is the time of a Unix clock: it would be a wait of 30 years. */
const minClockSeconds = 1e9;
const minClockMilliseconds = 1e12;

/**
 * Parses a Retry-After header, which holds seconds, a date or the time of a Unix clock, to seconds from now.
 *
 * @param date the Date header: this computer's clock may be wrong
 */
function parseRetryAfter(value: string | undefined, date = ''): number | undefined {
  if (value === undefined) return undefined;
  const now = Date.parse(date) || Date.now();
  const number = Number(value);
  const clock = number >= minClockMilliseconds ? number : number * 1000;
  const time = /[a-z]/i.test(value) ? Date.parse(value) : number >= minClockSeconds ? clock : undefined;
  const seconds = time === undefined ? number : (time - now) / 1000;
  return Number.isFinite(seconds) && value.trim() !== '' ? Math.max(1, seconds) : undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the first of the named members that is a non-empty text, or a number as text. */
export function textOf(object: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = object[name];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

export function numberOf(object: JsonObject, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = object[name];
    if (typeof value === 'number' && Number.isFinite(value)) return value;
  }
  return undefined;
}

/** Returns a member that is an object; an empty object when it is not. */
export function objectOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

/** Returns a member that is an object, or the first item of a list; an empty object when it is neither. */
export function firstOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  const first: Json | undefined = Array.isArray(value) ? (value as readonly Json[])[0] : value;
  return isObject(first) ? first : {};
}

/** Returns an answer and those of its parts that may describe it. */
export function partsOf(value: JsonObject): readonly JsonObject[] {
  return [value, ...['data', 'output', 'result', 'video'].map((name) => firstOf(value, name))];
}

/** State of the work as an answer reports it. */
export type AnswerState =
  | 'running'
  | 'done'
  | 'failed'
  /** The status says success, but a progress beside it says that the work continues. */
  | 'unclear'
  /** The status is a word that is not recognised. */
  | 'unknown';

/** Members that may hold the status, besides the top level. */
const wrappers = ['data', 'output', 'result', 'task', 'job'];

const stateNames = ['status', 'state', 'task_status', 'taskStatus', 'job_status'];
const taskIdNames = ['task_id', 'taskId', 'job_id', 'jobId', 'request_id', 'requestId', 'generation_id'];

/** Maximum nesting of wrappers. */
const maxDepth = 3;

/**
 * Returns the state that an answer reports; undefined when it reports none. The innermost status wins: those around it
 * may only say that the status request succeeded.
 */
export function stateOf(value: JsonObject, depth = 0): AnswerState | undefined {
  const inner = depth < maxDepth ? wrappedIn(value) : [];
  const found = inner.map((part) => stateOf(part, depth + 1)).find((state) => state !== undefined);
  if (found) return found;
  const word = stateWordIn(value);
  if (word === undefined) return undefined;
  // Here "success" only means that the task was accepted.
  const isEnvelope = isEnvelopeWord(word) && inner.some((part) => textOf(part, ...taskIdNames));
  return isEnvelope ? undefined : stateOfWord(word);
}

/** Whether a status word may only say that the HTTP request succeeded. */
export function isEnvelopeWord(word: string | undefined): boolean {
  return word !== undefined && /^(success|ok)$/i.test(word);
}

/** Returns the status word of the object itself. */
export function stateWordIn(value: JsonObject): string | undefined {
  const words = stateNames.map((name) => value[name]);
  return words.find((word): word is string => typeof word === 'string' && /^\s*[a-z]/i.test(word))?.trim();
}

/** Returns the innermost status word. */
export function stateWordOf(value: JsonObject, depth = 0): string | undefined {
  const inner = depth < maxDepth ? wrappedIn(value) : [];
  return inner.map((part) => stateWordOf(part, depth + 1)).find(Boolean) ?? stateWordIn(value);
}

const doneWords = ['completed', 'complete', 'succeeded', 'success', 'succeed', 'done', 'finished', 'ready', 'ok'];

/** Words that only name what has the status, as in “JOB_STATE_SUCCEEDED”. */
const subjectWords = ['job', 'task', 'state', 'status'];

const failedWord =
  /^(fail|failed|failure|error|errored|abort|aborted|block|blocked|moderated|filtered|censored|flagged|rejected|refused|denied|forbidden|prohibited|unsafe|nsfw|violation|cancel|cancelled|canceled|expired|timeout|timedout|timed|terminated|killed|crashed|interrupted|invalid|unsuccessful|incomplete|deleted|revoked)$/;

const runningWord =
  /^(in|.*ing|queue|queued|inqueue|progress|inprogress|start|started|submit|submitted|create|created|accept|accepted|schedule|scheduled|wait|new|received|assigned|dispatched|run)$/;

/** Classifies a status by its last known word: “processing_failed” has failed, “moderation_pending” is running. */
export function stateOfWord(word: string): AnswerState {
  const words = word
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);
  const own = words.filter((part) => !subjectWords.includes(part));
  if (doneWords.includes(own.join(' '))) return 'done';
  if (/\bnot found$/.test(words.join(' '))) return 'failed';
  const last = words.findLast((part) => failedWord.test(part) || runningWord.test(part));
  if (last === undefined) return 'unknown';
  return failedWord.test(last) ? 'failed' : 'running';
}

/** Returns the nested objects that may hold the status. A list counts only when it has a single item. */
function wrappedIn(value: JsonObject): readonly JsonObject[] {
  return wrappers.flatMap((name) => {
    const inner: Json | undefined = value[name];
    const [item, ...others]: readonly (Json | undefined)[] = Array.isArray(inner)
      ? (inner as readonly Json[])
      : [inner];
    return others.length === 0 && isObject(item) ? [item] : [];
  });
}
