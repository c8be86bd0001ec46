import type { Transcript } from '../operations/Transcript.ts';
import type { AnswerBody } from './AnswerBody.ts';
import type { Arrival } from './arrival.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** Who gave an answer, and how to ask there again whatever the settings say by then. Plain JSON: the journal stores it. */
export interface AnswerSource {
  /** URL of the host's base: its origin and what stands before `/v1`, without a slash at the end. */
  readonly base: string;
  /** Where the host tells how a video is getting on, with `{id}`. */
  readonly videoStatusPath?: string | undefined;
  /** Word put before the key; undefined or empty for the raw key. */
  readonly authorizationScheme?: string | undefined;
}

/** An answer as it came in, before anything in it is understood. */
export interface RawAnswer {
  readonly source: AnswerSource;
  readonly status: number;
  /** Lower case, without parameters; empty when the service sent none. */
  readonly contentType: string;
  readonly requestId: string | undefined;
  /** Seconds, from Retry-After. */
  readonly retryAfter: number | undefined;
  readonly body: AnswerBody;
  /** Set when the connection ended before the answer did: `body` is not the whole, and `read` refuses it. */
  readonly partial?: Arrival | undefined;
}

interface AnswerBase {
  readonly requestId: string | undefined;
  /** The service's identifier of what it made; for videos the one to remix by. */
  readonly id: string | undefined;
  /** What the answer tells of cost and use, as it came. */
  readonly usage: JsonObject | undefined;
}

/** One image, sound or video: at a URL that may expire, or already here. */
export type Media =
  | { readonly url: string }
  /** `mediaType` is the header's word for what has no signature, such as raw PCM. */
  | { readonly bytes: Uint8Array; readonly mediaType?: string }
  /** In a file, and read as often as it is asked for. */
  | { readonly data: AsyncIterable<Uint8Array>; readonly mediaType?: string };

export interface MediaAnswer extends AnswerBase {
  readonly type: 'media';
  readonly media: readonly [Media, ...Media[]];
}

export interface TranscriptAnswer extends AnswerBase, Transcript {
  readonly type: 'transcript';
}

/** The service took the request and works on it: no media yet. */
export interface JobAnswer extends AnswerBase {
  readonly type: 'job';
  readonly id: string;
  /** In the service's word. */
  readonly status: string | undefined;
  /** Whether the work is over; its result was not in the answer. */
  readonly isDone: boolean;
  /** As the service tells it: percent, or 0 to 1. */
  readonly progress: number | undefined;
  /** Where the service says to ask. Absolute; undefined when it lies outside of the origin that answered. */
  readonly statusUrl: string | undefined;
  /** Where a finished job says that its result is; like `statusUrl`. The client's `status` goes there by itself. */
  readonly resultUrl: string | undefined;
}

export type Answer = MediaAnswer | TranscriptAnswer | JobAnswer;
