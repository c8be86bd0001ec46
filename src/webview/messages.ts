import type { Area, AssetKind, OperationId } from '../operations/operations.ts';

/** What the Create view shows: one picture of the host's state. Addresses are such that the view may load them. */
export interface Snapshot {
  readonly type: 'snapshot';
  /** When the host has changed it; what the person types is the view's until then. */
  readonly form?: Form;
  readonly files: Readonly<Partial<Record<OperationId, Readonly<Record<string, readonly ShownFile[]>>>>>;
  /** What the controls hold that the person has not touched. */
  readonly defaults: Readonly<Record<OperationId, FieldTexts>>;
  readonly models: Readonly<Record<OperationId, readonly string[]>>;
  /** Those that can be remixed, newest first. */
  readonly videos: readonly VideoChoice[];
  readonly notices: readonly Notice[];
  /** The id of the submission that was dealt with last: its job runs, or it has come to nothing. */
  readonly settled?: number;
  readonly failures: readonly Failure[];
  readonly jobs: readonly RunningJob[];
  /** Newest first; absent while they are read. */
  readonly results?: readonly Result[];
}

export interface Form {
  readonly tab: OperationId;
  readonly texts: Readonly<Partial<Record<OperationId, FieldTexts>>>;
  /** The field to go on with. */
  readonly focus?: string;
}

/** What is typed or chosen, by the field's name on the wire. */
export type FieldTexts = Readonly<Record<string, string>>;

export interface ShownFile {
  readonly uri: string;
  readonly name: string;
  readonly thumbnail?: string;
}

export interface VideoChoice {
  readonly id: string;
  readonly label: string;
  readonly model: string;
}

/** What the person should know before anything is sent. */
export interface Notice {
  /** The operations it is about; all, when absent. */
  readonly area?: Area;
  readonly text: string;
  readonly actions: readonly Action<NoticeAction>[];
}

export interface Action<Id> {
  readonly id: Id;
  readonly title: string;
}

export type NoticeAction = 'setUpService' | 'setApiKey' | 'useSandbox' | 'manageTrust' | 'openFolder';

/** What went wrong with a job, or before there was one. */
export interface Failure {
  readonly id: string;
  readonly text: string;
  readonly actions: readonly Action<string>[];
}

export interface RunningJob {
  readonly id: string;
  readonly title: string;
  readonly words: string;
  readonly stage: string;
  /** From 0 to 1, where it is known. */
  readonly part?: number;
  /** ISO 8601. */
  readonly since: string;
}

export interface Result {
  readonly uri: string;
  readonly source: string;
  readonly name: string;
  readonly kind: AssetKind;
  readonly title: string;
  /** The beginning of the prompt. */
  readonly words?: string;
  readonly model: string;
  readonly sandbox: boolean;
  readonly canRemix: boolean;
  /** Of a transcript, its beginning. */
  readonly text?: string;
  /** A video whose sound VS Code cannot play. */
  readonly isSilent?: boolean;
}

export type ResultAction = 'open' | 'openExternally' | 'insert' | 'reuse' | 'remix';

interface InField {
  readonly operation: OperationId;
  readonly field: string;
}

/** What the view tells its host; `src/features/create/readMessage.ts` checks each. */
export type Message =
  | { readonly type: 'ready' }
  | { readonly type: 'tab'; readonly operation: OperationId }
  | ({ readonly type: 'edit'; readonly text: string } & InField)
  /** A path or URL that was typed. */
  | ({ readonly type: 'addFile'; readonly text: string } & InField)
  /** From elsewhere in the editor: addresses. */
  | ({ readonly type: 'dropUris'; readonly uris: readonly string[] } & InField)
  /** From outside of the editor, which gives no address. */
  | ({ readonly type: 'dropBytes'; readonly name: string; readonly bytes: Uint8Array } & InField)
  | ({ readonly type: 'pick'; readonly from: 'disk' | 'library' } & InField)
  | ({ readonly type: 'removeFile'; readonly uri: string } & InField)
  /** `id` is greater with each. */
  | { readonly type: 'submit'; readonly id: number; readonly operation: OperationId; readonly texts: FieldTexts }
  | { readonly type: 'cancel'; readonly jobId: string }
  | { readonly type: 'failure'; readonly id: string; readonly action: string }
  | { readonly type: 'result'; readonly uri: string; readonly action: ResultAction }
  | { readonly type: 'notice'; readonly action: NoticeAction };
