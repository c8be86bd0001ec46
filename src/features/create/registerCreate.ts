import * as vscode from 'vscode';
import { commandIds, libraryTabType, viewIds } from '../../contributions.ts';
import type { ModelSuggestions } from '../../editor/ModelSuggestions.ts';
import type { Previews } from '../../editor/Previews.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { ServiceSetup } from '../../editor/ServiceSetup.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobList } from '../../jobs/JobList.ts';
import type { Asset } from '../../library/Asset.ts';
import type { OperationId } from '../../operations/operations.ts';
import type { MediaViews } from './MediaViews.ts';

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

/** Registers the Create view and the library's tab. Everything else loads when one of them is first shown. */
export function registerCreate(dependencies: CreateDependencies): vscode.Disposable {
  let loading: Promise<MediaViews> | undefined;
  const load = () => {
    loading ??= import('./MediaViews.ts').then(({ MediaViews }) => new MediaViews(dependencies));
    return loading;
  };
  return vscode.Disposable.from(
    vscode.window.registerWebviewViewProvider(viewIds.create, {
      resolveWebviewView: async (view) => (await load()).showView(view),
    }),
    vscode.commands.registerCommand(commandIds.openLibrary, async (argument?: unknown) =>
      (await load()).openLibrary(argument),
    ),
    vscode.window.registerWebviewPanelSerializer(libraryTabType, {
      deserializeWebviewPanel: async (panel) => (await load()).showPanel(panel),
    }),
    { dispose: () => void loading?.then((views) => views.dispose()).catch(() => undefined) },
  );
}
