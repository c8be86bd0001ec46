import type * as vscode from 'vscode';
import type { ModelSuggestions } from '../../editor/ModelSuggestions.ts';
import type { Previews } from '../../editor/Previews.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { ServiceSetup } from '../../editor/ServiceSetup.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { Asset } from '../../library/Asset.ts';
import type { OperationId } from '../../operations/operations.ts';
import type { JobList } from '../../work/Job.ts';

export interface CreateDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady'>;
  readonly places: Pick<WorkspacePlaces, 'libraryOf'>;
  readonly jobs: JobList;
  readonly log: vscode.LogOutputChannel;
  readonly connecting: { steps(): Promise<ServiceSetup> };
  readonly models: Pick<ModelSuggestions, 'known' | 'names' | 'canLoad' | 'load'>;
  readonly lastUsed: { get(operation: string, sandbox: boolean): Readonly<Record<string, unknown>> };
  /** Rejects with the original MediaError; resolves to undefined when the person dismissed a question. */
  readonly runs: {
    run(id: OperationId, request: unknown, onSending: () => void): Promise<readonly Asset[] | undefined>;
    resume(
      action: 'runAgain' | 'downloadAgain' | 'saveElsewhere',
      jobId: string,
    ): Promise<readonly Asset[] | undefined>;
  };
  readonly previews: Previews;
  readonly onDidChangeKey: vscode.Event<unknown>;
  /** Stores the drafts. */
  readonly memory: vscode.Memento;
  /** For copies of inputs from outside the workspace. */
  readonly inputsFolder: vscode.Uri;
  /** The extension's installation folder. */
  readonly extensionUri: vscode.Uri;
}
