import type * as vscode from 'vscode';
import type { Asset } from '../../library/LibraryRecord.ts';
import type { OperationId } from '../../operations/operations.ts';
import type { ModelSuggestions } from '../../service/ModelSuggestions.ts';
import type { ServiceConnection } from '../../service/ServiceConnection.ts';
import type { DocumentToken, JobList, PlaceReference } from '../../work/Job.ts';
import type { ReferenceWriter } from '../ReferenceWriter.ts';
import type { Settings } from '../Settings.ts';
import type { WorkspacePlaces } from '../WorkspacePlaces.ts';

export interface RunParts {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady' | 'open'>;
  readonly lastUsed: LastUsed;
  readonly models: ModelSuggestions;
  readonly places: WorkspacePlaces;
  readonly jobs: JobList;
  /** Absolute path of the store of paid work. */
  readonly storeFolder: string;
  /** Loads the writer of references. */
  references(): Promise<ReferenceWriter>;
  readonly log: vscode.LogOutputChannel;
}

/** A request as a person or a program makes it. */
export interface Requested {
  readonly operation: OperationId;
  /** As on the wire; missing fields are asked for. */
  readonly fields: unknown;
  /**
   * Where the result goes. Such a result is neither opened nor announced, and is made with the model used last. Without
   * a place it goes where the settings say, and is shown.
   */
  readonly place?: PlaceReference;
  /** The document that a transcript is for. */
  readonly into?: DocumentToken;
}

export interface RequestOptions {
  /** Title of the progress notification; by default that of the operation. */
  readonly title?: string;
  /** Whether a person is also asked for fields that have a default. */
  readonly asksAll?: boolean;
  /** Initial values of the questions, instead of those used last. */
  readonly start?: Readonly<Record<string, unknown>>;
  /** The document that the results are for, whose project may have a place for them. */
  readonly document?: vscode.TextDocument | undefined;
  /** Title of the question that a person is asked whatever is sent; without it only above the limits of `confirmAbove`. */
  readonly question?: string;
  /** Whether the person has just agreed to these very requests, without having typed anything of them. */
  readonly isAgreed?: boolean;
  /** Cancels all requests, as far as they can be cancelled. */
  readonly signal?: AbortSignal;
  /** Called when all questions have been answered. */
  onSending?(): void;
  /** Called for each job before sending. If it throws, nothing of the job is sent. */
  beforeSending?(): void;
}

export type Outcome = PromiseSettledResult<readonly Asset[]>;

/**
 * Returns the assets of all outcomes.
 *
 * @throws the first failure
 */
export function assetsOf(outcomes: readonly Outcome[]): readonly Asset[] {
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** Remembers the values of each operation's last run, which the next run starts from. */
export class LastUsed {
  readonly #memento: vscode.Memento;

  constructor(memento: vscode.Memento) {
    this.#memento = memento;
  }

  /** Separate for the sandbox, which has models of its own. */
  get(operation: string, sandbox: boolean): Fields {
    return this.#memento.get<Fields>(keyOf(operation, sandbox)) ?? {};
  }

  async set(operation: string, sandbox: boolean, fields: Fields): Promise<void> {
    await this.#memento.update(keyOf(operation, sandbox), fields);
  }
}

function keyOf(operation: string, sandbox: boolean): string {
  return `lastUsed.${sandbox ? 'sandbox' : 'remote'}.${operation}`;
}
