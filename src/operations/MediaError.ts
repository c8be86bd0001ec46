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

/** What follows from the kind of an error. */
interface KindFacts {
  /** Beside the actions on its job; by default to show the log. */
  readonly actions?: readonly MediaErrorAction[];
  /** Whether the same request may succeed later, so that a person is offered to run it again. */
  readonly mayRunAgain?: true;
  /** Whether an agent may repeat the call, if nothing was billed. */
  readonly isRetryable?: true;
  /** Whether it is about this computer or this person, and so, after an answer, says nothing about the answer. */
  readonly isLocal?: true;
  /** Whether every further request to the same host would fail with it. */
  readonly isHostWide?: true;
}

/** Kinds of errors, named by what the user can do next. */
const kinds = {
  noKey: { actions: ['setApiKey', 'setUpService', 'useSandbox'], isHostWide: true },
  noService: { actions: ['setUpService', 'useSandbox'], isHostWide: true },
  // A key may be right, and the word before it or the address wrong: connecting tests all of them.
  unauthorized: { actions: ['setApiKey', 'setUpService'], isHostWide: true },
  forbidden: { actions: ['setApiKey'], isHostWide: true },
  badRequest: {},
  contentRefused: { mayRunAgain: true },
  notFound: {},
  tooLarge: {},
  rateLimited: { mayRunAgain: true, isRetryable: true },
  quota: { mayRunAgain: true, isHostWide: true },
  server: { mayRunAgain: true, isRetryable: true },
  gatewayTimeout: { mayRunAgain: true, isRetryable: true },
  network: { mayRunAgain: true, isRetryable: true },
  tls: { isHostWide: true },
  proxy: { isHostWide: true },
  timeout: { mayRunAgain: true, isRetryable: true },
  cancelled: { actions: [], isLocal: true },
  noMedia: { mayRunAgain: true },
  unreadableAnswer: { mayRunAgain: true },
  download: {},
  save: { isLocal: true },
  invalidInput: { actions: [], isLocal: true },
} as const satisfies Readonly<Record<string, KindFacts>>;

export type MediaErrorKind = keyof typeof kinds;

export const mediaErrorKinds = Object.keys(kinds) as readonly MediaErrorKind[];

/** @param kind that of a kept job's error may be one of a later version */
export function factsOfKind(kind: MediaErrorKind): KindFacts {
  const known: Readonly<Partial<Record<string, KindFacts>>> = kinds;
  return known[kind] ?? {};
}

export interface MediaErrorDetails {
  /** HTTP status of the service's response. */
  readonly status?: number;
  readonly requestId?: string;
  /** Seconds that the service asks to wait. */
  readonly retryAfter?: number;
  /** Name of the invalid request field, as sent. */
  readonly field?: string;
  /** True if the request was sent and the service may have done the work. */
  readonly mayBeBilled?: boolean;
  /** URIs of the files that were saved despite the error. */
  readonly saved?: readonly string[];
  /** Id of the job that failed. */
  readonly jobId?: string;
  /** Whether the job has a paid answer whose results can still be saved at no cost. */
  readonly hasAnswer?: boolean;
  /** Whether only the raw answer can be saved, because it was not understood or is incomplete. */
  readonly hasRawAnswer?: boolean;
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
    const { actions: own = ['showLog'], mayRunAgain } = factsOfKind(this.kind);
    if (this.jobId === undefined) return own;
    const raw = this.hasRawAnswer ? (['saveRawAnswer'] as const) : [];
    if (this.hasAnswer) {
      const elsewhere = this.kind === 'save' && this.field !== 'manifest' ? (['saveElsewhere'] as const) : [];
      return [...elsewhere, this.kind === 'timeout' ? 'askAgain' : 'downloadAgain', ...raw, ...own];
    }
    return [...(mayRunAgain ? (['runAgain'] as const) : []), ...raw, ...own];
  }
}
