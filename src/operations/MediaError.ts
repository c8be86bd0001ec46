/** What went wrong, named by what the user can do next. */
const mediaErrorKinds = [
  'noKey',
  'noService',
  'unauthorized',
  'forbidden',
  'badRequest',
  'contentRefused',
  'notFound',
  'tooLarge',
  'rateLimited',
  'quota',
  'server',
  'gatewayTimeout',
  'network',
  'tls',
  'proxy',
  'timeout',
  'cancelled',
  'noMedia',
  'unreadableAnswer',
  'download',
  'save',
  'invalidInput',
] as const;

export type MediaErrorKind = (typeof mediaErrorKinds)[number];

/** What a person is offered beside the sentence. */
export type MediaErrorAction =
  | 'setApiKey'
  | 'setUpService'
  | 'useSandbox'
  | 'showLog'
  /** Those of a job. */
  | 'saveElsewhere'
  | 'downloadAgain'
  /** Polls the service's job again. */
  | 'askAgain'
  | 'saveRawAnswer'
  | 'runAgain';

const actionsByKind: Partial<Record<MediaErrorKind, readonly MediaErrorAction[]>> = {
  noKey: ['setApiKey', 'useSandbox'],
  noService: ['setUpService', 'useSandbox'],
  unauthorized: ['setApiKey'],
  forbidden: ['setApiKey'],
  cancelled: [],
  invalidInput: [],
};

/** The same request may well end otherwise the next time. */
const worthRunningAgain: readonly MediaErrorKind[] = [
  'rateLimited',
  'server',
  'gatewayTimeout',
  'network',
  'timeout',
  'unreadableAnswer',
  'noMedia',
  'contentRefused',
  'quota',
];

export interface MediaErrorDetails {
  /** HTTP status of the service's answer. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Seconds the service asks to wait. */
  readonly retryAfter?: number | undefined;
  /** The request field that is wrong, named as on the wire. */
  readonly field?: string | undefined;
  /** True when the request was out and nobody knows whether the service did the work. */
  readonly mayBeBilled?: boolean | undefined;
  /** URIs of the files that were saved all the same. */
  readonly saved?: readonly string[] | undefined;
  /** The job that it ended. */
  readonly jobId?: string | undefined;
  /** Whether a paid answer waits whose results can be saved for nothing. */
  readonly hasAnswer?: boolean | undefined;
  /** Whether what the service sent is all there is to save: it was not understood, or broke off. */
  readonly hasRawAnswer?: boolean | undefined;
  readonly cause?: unknown;
}

/** What an unknown failure says of itself. */
export function reasonOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

/** The one error of this extension: a kind, a sentence for a person, and what the service told. */
export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly kind: MediaErrorKind;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly field: string | undefined;
  readonly mayBeBilled: boolean;
  readonly saved: readonly string[];
  readonly jobId: string | undefined;
  readonly hasAnswer: boolean;
  readonly hasRawAnswer: boolean;

  constructor(kind: MediaErrorKind, sentence: string, details: MediaErrorDetails = {}) {
    super(sentence, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.field = details.field;
    this.mayBeBilled = details.mayBeBilled ?? false;
    this.saved = details.saved ?? [];
    this.jobId = details.jobId;
    this.hasAnswer = details.hasAnswer ?? false;
    this.hasRawAnswer = details.hasRawAnswer ?? false;
  }

  get actions(): readonly MediaErrorAction[] {
    const own = actionsByKind[this.kind] ?? ['showLog'];
    if (this.jobId === undefined) return own;
    const raw = this.hasRawAnswer ? (['saveRawAnswer'] as const) : [];
    if (this.hasAnswer) {
      const elsewhere = this.kind === 'save' ? (['saveElsewhere'] as const) : [];
      return [...elsewhere, this.kind === 'timeout' ? 'askAgain' : 'downloadAgain', ...raw, ...own];
    }
    return [...(worthRunningAgain.includes(this.kind) ? (['runAgain'] as const) : []), ...raw, ...own];
  }
}
