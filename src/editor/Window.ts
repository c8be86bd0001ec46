import type * as vscode from 'vscode';
import type { ApiKeys, ServiceConnection } from '../service/ServiceConnection.ts';
import type { DocumentPlaces } from './DocumentPlaces.ts';
import type { LastEditors } from './LastEditors.ts';
import type { Memory } from './Memory.ts';
import type { Previews } from './Previews.ts';
import type { Requests } from './Requests.ts';
import type { RunParts } from './requests/requests.ts';

/** What a window has once, for all features. `extension.ts` makes it. */
export interface Window extends RunParts {
  readonly service: ServiceConnection;
  readonly runs: Requests;
  readonly keys: ApiKeys;
  readonly memory: Memory;
  readonly lastEditors: LastEditors;
  readonly previews: Previews;
  /** Loads what knows the projects of documents. */
  projects(): Promise<DocumentPlaces>;
  readonly context: Pick<
    vscode.ExtensionContext,
    'environmentVariableCollection' | 'extension' | 'extensionUri' | 'globalStorageUri' | 'secrets'
  >;
}
