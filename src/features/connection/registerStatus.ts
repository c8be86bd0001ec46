import * as vscode from 'vscode';
import { containerId, settingId, viewIds } from '../../contributions.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Window } from '../../editor/Window.ts';
import { isRunning } from '../../work/Job.ts';

/**
 * Shows the number of running jobs, a beaker while the sandbox is on, and above it what was spent today by the person's
 * own prices; hidden otherwise.
 */
export function registerStatus({
  settings,
  jobs,
  places,
}: Pick<Window, 'settings' | 'jobs' | 'places'>): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('unifiedMedia.status', vscode.StatusBarAlignment.Right);
  item.name = vscode.l10n.t('Unified Media');
  const today = lazy(
    async () => new (await import('./SpentToday.ts')).SpentToday(settings, places, jobs, () => void count()),
  );
  let spent: string | undefined;
  let shown = '';
  const show = (): void => {
    const running = jobs.all.filter(isRunning).length;
    const sandbox = settings.usesSandbox;
    const icons = [...(sandbox ? ['$(beaker)'] : []), ...(running > 0 ? [`$(sync~spin) ${running}`] : [])];
    const text = (icons.length === 0 && spent !== undefined ? ['$(credit-card)'] : icons).join(' ');
    const tooltip = [
      ...(running > 0 ? [vscode.l10n.t('Running media jobs: {0}', running)] : []),
      ...(sandbox ? [vscode.l10n.t('The sandbox is on: media are free and made on this computer')] : []),
      ...(spent === undefined ? [] : [spent]),
    ].join('\n');
    // A running job reports every chunk.
    if (text + tooltip === shown) return;
    shown = text + tooltip;
    item.text = text;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: tooltip, role: 'button' };
    item.command = running > 0 ? `${viewIds.activity}.focus` : `workbench.view.extension.${containerId}`;
    if (text === '') item.hide();
    else item.show();
  };
  const count = async (): Promise<void> => {
    // Without prices nothing is loaded or read.
    const hasPrices = Object.keys(settings.prices ?? {}).length > 0;
    spent = hasPrices
      ? await today()
          .then((known) => known.describe())
          .catch(() => undefined)
      : undefined;
    show();
  };
  show();
  // After activation, which reads nothing: what was spent before a reload is not forgotten.
  const counting = setImmediate(() => void count());
  return vscode.Disposable.from(
    item,
    today,
    new vscode.Disposable(() => clearImmediate(counting)),
    jobs.onDidChange((id) => {
      show();
      if (jobs.get(id)?.state === 'done') void count();
    }),
    // Another day may have begun.
    vscode.window.onDidChangeWindowState(({ focused }) => focused && void count()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void count()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(settingId('service'))) show();
      if (event.affectsConfiguration(settingId('prices'))) void count();
    }),
  );
}
