import * as vscode from 'vscode';
import { viewIds } from '../../contributions.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobList } from '../../jobs/JobList.ts';
import type { Asset } from '../../library/Asset.ts';
import type { OperationId } from '../../operations/operations.ts';
import type { CreateSession } from './CreateSession.ts';

export interface CreateDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady'>;
  readonly places: Pick<WorkspacePlaces, 'libraryOf'>;
  readonly jobs: JobList;
  readonly log: vscode.LogOutputChannel;
  readonly lastUsed: { get(operation: string, sandbox: boolean): Readonly<Record<string, unknown>> };
  /** Each throws the MediaError as it is; undefined when the person dismissed a question. */
  readonly runs: {
    run(id: OperationId, request: unknown, onSending: () => void): Promise<readonly Asset[] | undefined>;
    resume(
      action: 'runAgain' | 'downloadAgain' | 'saveElsewhere',
      jobId: string,
    ): Promise<readonly Asset[] | undefined>;
  };
  readonly onDidChangeKey: vscode.Event<unknown>;
  /** Where the draft is kept. */
  readonly memory: vscode.Memento;
  /** For copies of what comes from outside of the workspace. */
  readonly inputsFolder: vscode.Uri;
  /** The extension's own folder. */
  readonly extensionUri: vscode.Uri;
}

/** The Create view; all of it but this loads when it is first shown. */
export function registerCreate(dependencies: CreateDependencies): vscode.Disposable {
  let session: CreateSession | undefined;
  const provider = vscode.window.registerWebviewViewProvider(viewIds.create, {
    async resolveWebviewView(view) {
      const [{ CreateSession }, { showCreateView }] = await Promise.all([
        import('./CreateSession.ts'),
        import('./showCreateView.ts'),
      ]);
      session ??= new CreateSession(dependencies);
      showCreateView(view, session);
    },
  });
  return { dispose: () => vscode.Disposable.from(provider, ...(session ? [session] : [])).dispose() };
}
