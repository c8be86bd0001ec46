import * as vscode from 'vscode';
import { commandIds, contextKeys, viewIds } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Window } from '../../editor/Window.ts';
import { isRunning, traitsOf } from '../../work/Job.ts';
import type { JobItem } from './ActivityTree.ts';

/** URI scheme of the reports on failed jobs. */
const reportScheme = 'unified-media-job';

/** Registers the tree of jobs, whose badge is the number of running ones. The palette lists the commands that fit them. */
export function registerActivity({ jobs }: Pick<Window, 'jobs'>): vscode.Disposable {
  const changed = new vscode.EventEmitter<JobItem[] | undefined>();
  const load = lazy(async () => {
    const { ActivityTree } = await import('./ActivityTree.ts');
    const tree = new ActivityTree(jobs);
    tree.onDidChangeTreeData((items) => changed.fire(items));
    return tree;
  });
  const view = vscode.window.createTreeView<JobItem>(viewIds.activity, {
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getChildren: async (item) => (await load()).getChildren(item),
      getTreeItem: async (item) => (await load()).getTreeItem(item),
      resolveTreeItem: async (treeItem, item) => (await load()).resolveTreeItem(treeItem, item),
    },
  });
  let shownTraits: string | undefined;
  const show = () => {
    const running = jobs.all.filter(isRunning).length;
    if (running !== (view.badge?.value ?? 0)) {
      view.badge =
        running > 0 ? { value: running, tooltip: vscode.l10n.t('Running media jobs: {0}', running) } : undefined;
    }
    // The steps of the walkthrough ask what was made.
    const made = jobs.all.flatMap(({ state, operation }) => (state === 'done' ? [`made-${operation}`] : []));
    const traits = [...new Set([...jobs.all.flatMap(traitsOf), ...made])].sort().join(' ');
    // A running job reports every chunk.
    if (traits === shownTraits) return;
    shownTraits = traits;
    void vscode.commands.executeCommand('setContext', contextKeys.jobs, traits);
  };
  const showAges = () => void load.current()?.then((tree) => tree.showAges());
  // After activation. The window keeps the context key of an extension host that crashed.
  setImmediate(show);
  return vscode.Disposable.from(
    changed,
    view,
    jobs.onDidChange(show),
    view.onDidChangeVisibility(({ visible }) => visible && showAges()),
    vscode.window.onDidChangeWindowState(({ focused }) => focused && view.visible && showAges()),
    vscode.workspace.registerTextDocumentContentProvider(reportScheme, {
      provideTextDocumentContent: async ({ query }) => {
        const job = jobs.get(query);
        return job ? (await import('./ActivityTree.ts')).jobReport(job) : vscode.l10n.t('This job was dismissed.');
      },
    }),
    register(() => import('./ActivityTree.ts'), {
      [commandIds.showJobError]: ({ showJobReport }, item) => showJobReport(item, reportScheme),
    }),
    load,
  );
}
