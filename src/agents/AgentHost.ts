import type { JobList } from '../jobs/JobList.ts';
import type { PlaceReference } from '../jobs/JobRecord.ts';
import type { RunOptions } from '../jobs/JobRun.ts';
import type { JobInput } from '../jobs/JobRunner.ts';
import type { Asset } from '../library/Asset.ts';
import type { LibraryEntry } from '../library/LibraryRecord.ts';
import type { AssetKind, OperationId } from '../operations/operations.ts';
import type { AgentJournal } from './AgentJournal.ts';
import type { WorkspaceRoot } from './AgentPaths.ts';
import type { Amounts } from './Amounts.ts';
import type { PaidCall } from './PaidCall.ts';

/** Who asks. */
export interface AgentCaller {
  /** `chat` is a model inside the editor. */
  readonly kind: 'chat' | 'mcp';
  /** As the person knows it; one line. */
  readonly name: string;
}

/** What the person is asked before a request is sent that the budget does not cover. */
export interface AgentQuestion {
  readonly id: string;
  readonly caller: AgentCaller;
  readonly call: PaidCall;
  readonly left: Amounts;
}

/** `unasked`: nobody can be shown a question here. */
export type AgentAnswer = 'yes' | 'no' | 'unasked';

/** What the tools need of the window that they work in. */
export interface AgentHost {
  readonly jobs: JobList;
  readonly journal: AgentJournal;
  /** Why no agent may do anything here; undefined when they may. */
  closedBecause(): 'restricted' | 'turnedOff' | undefined;
  usesSandbox(): boolean;
  /** Of this machine; virtual ones are left out. The one of the active file comes first. */
  roots(): readonly WorkspaceRoot[];
  /** What agents may spend in a day without a question, as the person has accepted it. */
  limit(): Amounts;
  /**
   * Asks the person once about a budget that was raised in the settings.
   *
   * @param onAsking called when there is something to ask
   */
  confirmBudget(onAsking: () => void): Promise<void>;
  wantsPreviews(): boolean;
  /** What the settings say for a field. */
  settingFor(id: OperationId, field: string): unknown;
  models(id: OperationId): readonly string[];
  /** The address that requests go to, as the person knows it. */
  serviceName(id: OperationId): string;
  /** @throws MediaError `noService` or `noKey` */
  checkReady(id: OperationId): Promise<void>;
  /** Whether a host is a private address by number. */
  isPrivateAddress(host: string): boolean;
  /** Where a kind of asset goes in a folder of the window. @throws MediaError `save` */
  placeFor(kind: AssetKind, root: string): PlaceReference;
  run(input: JobInput, options: RunOptions, id: string): Promise<readonly Asset[]>;
  ask(question: AgentQuestion, signal: AbortSignal): Promise<AgentAnswer>;
  /** Oldest first. */
  entriesIn(root: string): Promise<readonly LibraryEntry[]>;
  /** What to write into a document to show a file. */
  referenceTo(path: string, kind: AssetKind, title: string): Promise<string>;
  /** What a person would read aloud of a document. */
  speakableText(text: string, path: string): Promise<string>;
  /** Length of a recording; undefined when it cannot be told. */
  secondsOf(path: string): Promise<number | undefined>;
  log(line: string): void;
}
