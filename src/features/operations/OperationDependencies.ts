import type * as vscode from 'vscode';
import type { ModelSuggestions } from '../../editor/ModelSuggestions.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobList } from '../../jobs/JobList.ts';
import type { DocumentToken } from '../../jobs/JobRecord.ts';
import type { Asset } from '../../library/Asset.ts';
import type { LastUsed } from './LastUsed.ts';

export interface OperationDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady' | 'open'>;
  readonly lastUsed: LastUsed;
  readonly models: ModelSuggestions;
  readonly places: WorkspacePlaces;
  readonly jobs: JobList;
  /** Absolute path in the extension's global storage. */
  readonly journalFolder: string;
  /** Absolute path in the same storage, for parts of long speech. */
  readonly partsFolder: string;
  /** Absolute path in the same storage, for transcripts of parts of long recordings. */
  readonly recordingsFolder: string;
  /** Inserts a transcript into its document, or says where it was saved. */
  deliver(assets: readonly Asset[], into: DocumentToken): Promise<void>;
  readonly log: vscode.LogOutputChannel;
}
