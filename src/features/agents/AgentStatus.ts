import * as vscode from 'vscode';
import type { AgentBudget } from '../../agents/AgentBudget.ts';
import type { AgentDesk } from '../../agents/AgentDesk.ts';
import { amountNames } from '../../agents/Amounts.ts';
import { commandIds, viewIds } from '../../contributions.ts';
import type { AcceptedBudget } from './AcceptedBudget.ts';
import type { AgentQuestions } from './AgentQuestions.ts';
import { describeAmount } from './describeAmounts.ts';

export interface AgentStatusParts {
  readonly desk: Pick<AgentDesk, 'open' | 'onDidChange'>;
  readonly budget: AgentBudget;
  readonly accepted: AcceptedBudget;
  readonly questions: AgentQuestions;
}

/** Shows in the status bar what agents have spent while they work, and whether one waits for an answer. */
export function showAgentStatus({ desk, budget, accepted, questions }: AgentStatusParts): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('unifiedMedia.agents', vscode.StatusBarAlignment.Right);
  item.name = vscode.l10n.t('Agents');
  let shown = '';
  const show = async (): Promise<void> => {
    const working = desk.open.length;
    const waiting = questions.count;
    const state = `${working} ${waiting}`;
    if (state === shown) return;
    shown = state;
    if (working === 0) return item.hide();
    const spent = await budget.spent().catch(() => undefined);
    const { limit } = accepted;
    if (shown !== state || !spent) return;
    const used = amountNames
      .filter((name) => spent[name] > 0 || limit[name] > 0)
      .map((name) => vscode.l10n.t('{0} of {1}', spent[name], describeAmount(name, limit[name])));
    item.text = waiting > 0 ? `$(question) ${waiting}` : `$(hubot) ${spent.images}/${limit.images}`;
    item.tooltip = [
      ...(waiting > 0 ? [vscode.l10n.t('Agent requests waiting for your answer: {0}', waiting)] : []),
      vscode.l10n.t('Agent requests running: {0}', working - waiting),
      vscode.l10n.t('Used by agents today: {0}', used.join(', ')),
    ].join('\n');
    item.accessibilityInformation = { label: item.tooltip, role: 'button' };
    item.backgroundColor = waiting > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.command = waiting > 0 ? commandIds.answerAgents : `${viewIds.activity}.focus`;
    item.show();
  };
  return vscode.Disposable.from(
    item,
    desk.onDidChange(() => void show()),
    questions.onDidChange(() => void show()),
  );
}
