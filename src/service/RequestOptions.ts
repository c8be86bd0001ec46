import type { RawAnswer } from './Answer.ts';
import type { AnswerSink } from './AnswerBody.ts';

/** What is going on; `bytes` of `total` are sent or received so far. */
export type Progress =
  | { readonly stage: 'sending' | 'downloading'; readonly bytes: number; readonly total: number | undefined }
  | { readonly stage: 'waiting' }
  /** The request did not get through and is sent again after some seconds. */
  | { readonly stage: 'repeating'; readonly seconds: number; readonly reason: string };

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface ExchangeOptions extends SendOptions {
  /** Makes the file that an accepted answer goes to when it is large; without it all stays in memory. */
  readonly openFile?: (() => Promise<AnswerSink>) | undefined;
  /**
   * Takes what arrived of an accepted answer whose rest does not come, before the error is thrown. Its body is in memory or
   * in the file of `openFile`, which the client never deletes. When it rejects, the error says that nothing is kept.
   */
  readonly onPartial?: ((raw: RawAnswer) => Promise<void>) | undefined;
}

export interface DownloadOptions extends SendOptions {
  /** Bytes that are here already: the rest is asked for. */
  readonly from?: number | undefined;
  /** The version that they are of. */
  readonly version?: ResultVersion | undefined;
}

export interface StatusOptions {
  readonly signal?: AbortSignal | undefined;
  /** As in {@link ExchangeOptions}. */
  readonly openFile?: (() => Promise<AnswerSink>) | undefined;
}

/** What tells one version of a result from another, where the server says it. */
export interface ResultVersion {
  readonly etag: string | undefined;
  /** Bytes of the whole. */
  readonly total: number | undefined;
}
