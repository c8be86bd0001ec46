import type * as vscode from 'vscode';
import type { ModelSuggestions } from '../../editor/ModelSuggestions.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { Asset } from '../../library/Asset.ts';
import type { JobList } from '../../work/Job.ts';
import type { RunOptions } from '../../work/JobRun.ts';
import type { JobInput } from '../../work/JobRunner.ts';

export interface AgentDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady'>;
  readonly places: WorkspacePlaces;
  readonly jobs: JobList;
  readonly models: ModelSuggestions;
  readonly log: vscode.LogOutputChannel;
  readonly runs: { runJob(input: JobInput, options: RunOptions, id?: string): Promise<readonly Asset[]> };
  readonly context: Pick<
    vscode.ExtensionContext,
    'globalState' | 'workspaceState' | 'secrets' | 'globalStorageUri' | 'environmentVariableCollection' | 'extension'
  >;
  /** Loads the writer of references. */
  readonly references: () => Promise<ReferenceWriter>;
  /** Folder of the store of paid work. */
  readonly storeFolder: string;
  readonly isPrivateAddress: (host: string) => Promise<boolean>;
}
