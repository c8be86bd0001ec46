import type { Asset } from '../library/Asset.ts';
import type { LibraryEntry } from '../library/LibraryRecord.ts';
import type { AssetKind, OperationId } from '../operations/operations.ts';
import type { JobList, JobRecord, PlaceReference } from '../work/Job.ts';
import type { RunOptions } from '../work/JobRun.ts';
import type { JobInput } from '../work/JobRunner.ts';
import type { WorkState } from '../work/Store.ts';
import type { AgentBudget } from './AgentBudget.ts';
import type { WorkspaceRoot } from './AgentPaths.ts';
import type { Amounts } from './Amounts.ts';
import type { PaidCall } from './PaidCall.ts';

/** The agent that calls a tool. */
export interface AgentCaller {
  /** `chat` is a model inside the editor. */
  readonly kind: 'chat' | 'mcp';
  /** Display name; one line. */
  readonly name: string;
}

/** A question to the user about a request that the budget does not cover. */
export interface AgentQuestion {
  readonly id: string;
  readonly caller: AgentCaller;
  readonly call: PaidCall;
  readonly left: Amounts;
}

/** `unasked`: no question can be shown in this window. */
export type AgentAnswer = 'yes' | 'no' | 'unasked';

/** What the store of paid work knows of a request. */
export interface EarlierWork {
  readonly state: WorkState;
  /** The latest job of the request, if this computer has one. */
  readonly record: JobRecord | undefined;
}

/** What the tools need from the window that they run in. */
export interface AgentHost {
  readonly jobs: JobList;
  readonly budget: AgentBudget;
  /** Returns why agents may not use the tools; undefined if they may. */
  closedBecause(): 'restricted' | 'turnedOff' | undefined;
  usesSandbox(): boolean;
  /** Returns the local workspace folders; the folder of the active file comes first. */
  roots(): readonly WorkspaceRoot[];
  /** Returns the daily budget that the user has accepted; agents may spend it without a question. */
  limit(): Amounts;
  /**
   * Asks the user to confirm a budget that was raised in the settings, once per change.
   *
   * @param onAsking called if there is something to confirm
   */
  confirmBudget(onAsking: () => void): Promise<void>;
  wantsPreviews(): boolean;
  /** Returns the configured value of a field. */
  settingFor(id: OperationId, field: string): unknown;
  models(id: OperationId): readonly string[];
  /** Returns the display name of the address that requests go to. */
  serviceName(id: OperationId): string;
  /** @throws MediaError `noService` or `noKey` */
  checkReady(id: OperationId): Promise<void>;
  /** Whether a host is a private IP address. */
  isPrivateAddress(host: string): Promise<boolean>;
  /** Returns where a kind of asset is saved in a workspace folder. @throws MediaError `save` */
  placeFor(kind: AssetKind, root: string): PlaceReference;
  /** Looks a request up in the store of paid work by its key. */
  workOf(key: string): Promise<EarlierWork>;
  run(input: JobInput, options: RunOptions, id: string): Promise<readonly Asset[]>;
  ask(question: AgentQuestion, signal: AbortSignal): Promise<AgentAnswer>;
  /** Returns the library of a workspace folder, oldest entry first. */
  entriesIn(root: string): Promise<readonly LibraryEntry[]>;
  /** Returns the reference that shows a file in the active document. */
  referenceTo(path: string, kind: AssetKind, title: string): Promise<string>;
  /** Returns the text of a document that would be read aloud. */
  speakableText(text: string, path: string): Promise<string>;
  /** Returns the duration of a recording; undefined if unknown. */
  secondsOf(path: string): Promise<number | undefined>;
  log(line: string): void;
}
