import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of the address that the client used; URLs of results start with it. */
  readonly origin: string;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}
