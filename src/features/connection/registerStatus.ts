import * as vscode from 'vscode';
import { containerId, settingId, viewIds } from '../../contributions.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { JobList } from '../../work/Job.ts';
import { isRunning } from '../../work/Job.ts';

/** Shows the number of running jobs, and a beaker while the sandbox is on; hidden otherwise. */
export function registerStatus(settings: Settings, jobs: JobList): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('unifiedMedia.status', vscode.StatusBarAlignment.Right);
  item.name = vscode.l10n.t('Unified Media');
  let shown = '';
  const show = (): void => {
    const running = jobs.all.filter(isRunning).length;
    const sandbox = settings.usesSandbox;
    const text = [...(sandbox ? ['$(beaker)'] : []), ...(running > 0 ? [`$(sync~spin) ${running}`] : [])].join(' ');
    // A running job reports every chunk.
    if (text === shown) return;
    shown = text;
    const tooltip = [
      ...(running > 0 ? [vscode.l10n.t('Running media jobs: {0}', running)] : []),
      ...(sandbox ? [vscode.l10n.t('The sandbox is on: media are free and made on this computer')] : []),
    ].join('\n');
    item.text = text;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: tooltip, role: 'button' };
    item.command = running > 0 ? `${viewIds.activity}.focus` : `workbench.view.extension.${containerId}`;
    if (text === '') item.hide();
    else item.show();
  };
  show();
  return vscode.Disposable.from(
    item,
    jobs.onDidChange(show),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(settingId('service'))) show();
    }),
  );
}
