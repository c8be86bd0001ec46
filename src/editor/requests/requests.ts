import type * as vscode from 'vscode';
import type { Asset } from '../../library/LibraryRecord.ts';
import { type Area, isCount, type Operation, type OperationId, operations } from '../../operations/operations.ts';
import type { ModelSuggestions } from '../../service/ModelSuggestions.ts';
import type { RetiredModels } from '../../service/RetiredModels.ts';
import type { ServiceConnection } from '../../service/ServiceConnection.ts';
import type { WholeOptions } from '../../wholes/SpokenSoFar.ts';
import type { DocumentToken, JobList, PlaceReference } from '../../work/Job.ts';
import type { Lazy } from '../lazy.ts';
import type { Memory } from '../Memory.ts';
import type { ReferenceWriter } from '../ReferenceWriter.ts';
import type { Settings } from '../Settings.ts';
import type { WorkspacePlaces } from '../WorkspacePlaces.ts';

export interface RunParts {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady' | 'open'>;
  readonly lastUsed: LastUsed;
  readonly models: ModelSuggestions;
  /** Loads what is known of models that services no longer have. */
  readonly retired: Lazy<RetiredModels>;
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
  /** Key of the paid work, where the same request must never be paid for twice. */
  readonly key?: string;
}

export interface RequestOptions {
  /** Title of the progress notification; by default that of the operation. */
  readonly title?: string;
  /** Values instead of those used last. */
  readonly start?: Readonly<Record<string, unknown>>;
  /** The document that the results are for, whose project may have a place for them. */
  readonly document?: vscode.TextDocument;
  /** Title of the question that a person is asked whatever is sent; without it only above the limits of `confirmAbove`. */
  readonly question?: string;
  /** Says in that question what it costs; by default that the service may bill each request. */
  readonly billing?: string;
  /** The button of that question. */
  readonly send?: string;
  /** Fields that a person is asked for even where a value is known. */
  readonly asks?: readonly string[];
  /** Values of further fields, sent where the chosen model has such a field and no other value is given. */
  readonly preferred?: Readonly<Record<string, unknown>>;
  /** Whether the person has just agreed to exactly these requests and typed none of their values. */
  readonly isAgreed?: boolean;
  /** Cancels all requests, as far as they can be cancelled. */
  readonly signal?: AbortSignal;
  /** Called when all questions have been answered. */
  onSending?(): void;
  /** Returns what keeps account of the parts of a long text, so that they can be heard. */
  readonly hear?: WholeOptions['hear'];
  /** Called for each job before sending. If it throws, nothing of the job is sent. */
  beforeSending?(): void;
}

export type RequestOutcome = PromiseSettledResult<readonly Asset[]>;

/**
 * Returns the assets of all outcomes.
 *
 * @throws the first failure
 */
export function assetsOf(outcomes: readonly RequestOutcome[]): readonly Asset[] {
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** Fields as on the wire, not validated yet. */
export type RequestFields = Readonly<Record<string, unknown>>;

/**
 * Remembers the values of each operation's last run, which the next run starts from. Counts are remembered for the
 * workspace only: what one project needs three of would be paid for three times in the next.
 */
export class LastUsed {
  readonly #memory: Memory;
  readonly #hosts: () => Readonly<Record<Area, string>>;

  /** @param hosts returns the current hosts, since each service has models of its own */
  constructor(memory: Memory, hosts: () => Readonly<Record<Area, string>>) {
    this.#memory = memory;
    this.#hosts = hosts;
  }

  get(operation: OperationId, sandbox: boolean): RequestFields {
    const key = this.#keyOf(operation, sandbox);
    const { others } = splitCounts(operation, this.#memory.get('lastUsed', key) ?? {});
    return { ...others, ...this.#memory.get('lastCounts', key) };
  }

  /**
   * Remembers the values of a request before it is sent, so that nobody has to type them again after a failure. The model
   * is left out: it has to prove itself.
   */
  async sent(operation: OperationId, sandbox: boolean, fields: RequestFields): Promise<void> {
    const { model, forgotten } = this.get(operation, sandbox);
    await this.#set(operation, sandbox, { ...fields, model, forgotten });
  }

  /** Remembers a model that made something, also if its name was forgotten before. */
  async worked(operation: OperationId, sandbox: boolean, model: string): Promise<void> {
    const forgotten = this.forgotten(operation, sandbox).filter((one) => one !== model);
    await this.#set(operation, sandbox, { ...this.get(operation, sandbox), model, forgotten });
  }

  /** Removes a name from the suggestions until it is used again. */
  async forget(operation: OperationId, sandbox: boolean, model: string): Promise<void> {
    const { model: last, ...fields } = this.get(operation, sandbox);
    const forgotten = [...new Set([...this.forgotten(operation, sandbox), model])];
    await this.#set(operation, sandbox, { ...fields, forgotten, ...(last === model ? {} : { model: last }) });
  }

  forgotten(operation: OperationId, sandbox: boolean): readonly string[] {
    const { forgotten } = this.get(operation, sandbox);
    return Array.isArray(forgotten) ? forgotten.filter((one) => typeof one === 'string') : [];
  }

  async #set(operation: OperationId, sandbox: boolean, fields: RequestFields): Promise<void> {
    const key = this.#keyOf(operation, sandbox);
    const { counts, others } = splitCounts(operation, fields);
    await Promise.all([this.#memory.set('lastUsed', others, key), this.#memory.set('lastCounts', counts, key)]);
  }

  #keyOf(operation: OperationId, sandbox: boolean): string {
    return `${sandbox ? 'sandbox' : this.#hosts()[operations[operation].area]}.${operation}`;
  }
}

function splitCounts(
  operation: OperationId,
  values: RequestFields,
): { readonly counts: RequestFields; readonly others: RequestFields } {
  const { fields }: Operation = operations[operation];
  const isOfCount = ([name]: [string, unknown]) => fields.some((one) => one.name === name && isCount(one));
  const all = Object.entries(values);
  return {
    counts: Object.fromEntries(all.filter(isOfCount)),
    others: Object.fromEntries(all.filter((one) => !isOfCount(one))),
  };
}
