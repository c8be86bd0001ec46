/** Kinds of errors, named by what the user can do next. */
export const mediaErrorKinds = [
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

/** Actions that are offered beside the message. */
export type MediaErrorAction =
  | 'setApiKey'
  | 'setUpService'
  | 'useSandbox'
  | 'showLog'
  /** From here on: actions on a job. */
  | 'saveElsewhere'
  | 'downloadAgain'
  /** Polls the service's job again. */
  | 'askAgain'
  | 'saveRawAnswer'
  | 'runAgain';

const actionsByKind: Partial<Record<MediaErrorKind, readonly MediaErrorAction[]>> = {
  noKey: ['setApiKey', 'setUpService', 'useSandbox'],
  noService: ['setUpService', 'useSandbox'],
  // A key may be right, and the word before it or the address wrong: connecting tests all of them.
  unauthorized: ['setApiKey', 'setUpService'],
  forbidden: ['setApiKey'],
  cancelled: [],
  invalidInput: [],
};

/** Kinds after which the same request may succeed later. */
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
  /** HTTP status of the service's response. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Seconds that the service asks to wait. */
  readonly retryAfter?: number | undefined;
  /** Name of the invalid request field, as sent. */
  readonly field?: string | undefined;
  /** True if the request was sent and the service may have done the work. */
  readonly mayBeBilled?: boolean | undefined;
  /** URIs of the files that were saved despite the error. */
  readonly saved?: readonly string[] | undefined;
  /** Id of the job that failed. */
  readonly jobId?: string | undefined;
  /** Whether the job has a paid answer whose results can still be saved at no cost. */
  readonly hasAnswer?: boolean | undefined;
  /** Whether only the raw answer can be saved, because it was not understood or is incomplete. */
  readonly hasRawAnswer?: boolean | undefined;
  readonly cause?: unknown;
}

/** Returns the message of an unknown error. */
export function reasonOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

/** Returns a message for a person, who knows a field by its label and not by its name on the wire. */
export function messageForPerson({ message, field }: Pick<MediaError, 'message' | 'field'>): string {
  return field === undefined ? message : message.replace(` (${field})`, '');
}

/** The only error class of this extension: a kind, a message for a person, and the facts of the service's response. */
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
