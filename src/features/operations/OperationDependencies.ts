import type * as vscode from 'vscode';
import type { ModelSuggestions } from '../../editor/ModelSuggestions.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobList } from '../../work/Job.ts';
import type { LastUsed } from './LastUsed.ts';

export interface OperationDependencies {
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
