import type { Transcript } from '../operations/Transcript.ts';
import type { AnswerBody } from './AnswerBody.ts';
import type { Arrival } from './arrival.ts';

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
  /** Path to poll for a video's status, with `{id}`. */
  readonly videoStatusPath?: string | undefined;
  /** Word before the key in the `Authorization` header; undefined or empty for the raw key. */
  readonly authorizationScheme?: string | undefined;
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
  readonly body: AnswerBody;
  /** Set when the connection ended early: `body` is incomplete, and `read` rejects it. */
  readonly partial?: Arrival | undefined;
}

interface AnswerBase {
  readonly requestId: string | undefined;
  /** The service's id of the result; remixing a video needs it. */
  readonly id: string | undefined;
  /** Cost and usage as reported in the answer. */
  readonly usage: JsonObject | undefined;
}

/** One image, sound or video: at a URL, which may expire, or already received. */
export type Media =
  | { readonly url: string }
  /** `mediaType` comes from the header, for data without a signature such as raw PCM. */
  | { readonly bytes: Uint8Array; readonly mediaType?: string }
  /** Backed by a file, so it can be iterated more than once. */
  | { readonly data: AsyncIterable<Uint8Array>; readonly mediaType?: string };

export interface MediaAnswer extends AnswerBase {
  readonly type: 'media';
  readonly media: readonly [Media, ...Media[]];
}

export interface TranscriptAnswer extends AnswerBase, Transcript {
  readonly type: 'transcript';
}

/** The service accepted the request and is still working on it: no media yet. */
export interface JobAnswer extends AnswerBase {
  readonly type: 'job';
  readonly id: string;
  /** Status as the service words it. */
  readonly status: string | undefined;
  /** Whether the work is done although the answer holds no result. */
  readonly isDone: boolean;
  /** Whether the status says success, but a progress beside it says that the work continues. */
  readonly mayBeDone?: boolean;
  /** Progress as the service reports it: percent, or 0 to 1. */
  readonly progress: number | undefined;
  /** Absolute URL to poll, from the answer; undefined when it is outside the origin that answered. */
  readonly statusUrl: string | undefined;
  /** URL of a finished job's result, restricted like `statusUrl`. The client's `status` fetches it. */
  readonly resultUrl: string | undefined;
}

export type Answer = MediaAnswer | TranscriptAnswer | JobAnswer;
