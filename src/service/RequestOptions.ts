import type { RawAnswer } from './Answer.ts';
import type { AnswerSink } from './AnswerBody.ts';

/** Progress of a request; `bytes` of `total` are sent or received so far. */
export type Progress =
  | { readonly stage: 'sending' | 'downloading'; readonly bytes: number; readonly total: number | undefined }
  | { readonly stage: 'waiting' }
  /** The request did not arrive, or the service asked for a retry; it is sent again after `seconds`. */
  | { readonly stage: 'repeating'; readonly seconds: number; readonly reason: string };

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface ExchangeOptions extends SendOptions {
  /** Opens the file for a large 2xx answer; without it, all answers stay in memory. */
  readonly openFile?: (() => Promise<AnswerSink>) | undefined;
  /**
   * Called with the received part of a 2xx answer whose connection broke, before the error is thrown. Its body is in memory
   * or in the file of `openFile`, which the client never deletes. When it rejects, the error says that nothing is kept.
   */
  readonly onPartial?: ((raw: RawAnswer) => Promise<void>) | undefined;
}

export interface DownloadOptions extends SendOptions {
  /** Number of bytes received earlier; only the rest is requested. */
  readonly from?: number | undefined;
  /** Version of the result that these bytes belong to. */
  readonly version?: ResultVersion | undefined;
}

export interface StatusOptions {
  readonly signal?: AbortSignal | undefined;
  /** See {@link ExchangeOptions}. */
  readonly openFile?: (() => Promise<AnswerSink>) | undefined;
}

/** Identifies a version of a result, as far as the server says. */
export interface ResultVersion {
  readonly etag: string | undefined;
  /** Size of the whole result in bytes. */
  readonly total: number | undefined;
}
