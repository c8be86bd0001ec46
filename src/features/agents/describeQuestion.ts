import { basename, posix } from 'node:path';
import * as vscode from 'vscode';
import type { AgentQuestion } from '../../agents/AgentHost.ts';
import { oneLine } from '../../editor/displayText.ts';
import { operationTitle } from '../../editor/jobTitle.ts';
import { wordsOf } from '../../operations/operations.ts';
import { describeAmounts, describeLeft } from './describeAmounts.ts';

type Asked = Omit<AgentQuestion, 'id'>;

/** Maximum number of characters of a prompt that are shown. */
const maxWords = 300;

/** Describes in one line what is about to be sent. */
export function questionTitle({ caller, call }: Asked): string {
  const what = operationTitle(call);
  return vscode.l10n.t(
    '{0}: {1} with {2}?',
    `${what} (${caller.name})`,
    describeAmounts(call.amounts),
    call.request.model,
  );
}

/** Returns the facts that a person needs to decide, as names and values. */
export function questionFacts({ call, left }: Asked): readonly (readonly [string, string])[] {
  const { request, sends, place, service, purpose, amounts } = call;
  const words = wordsOf(request) ?? '';
  const saved = posix.join(decodeURIComponent(posix.basename(place.root)), place.path);
  const facts: readonly (readonly [string, string])[] = [
    [vscode.l10n.t('Service'), service],
    [vscode.l10n.t('For'), purpose === undefined ? '' : oneLine(purpose, 200)],
    [vscode.l10n.t('Prompt'), oneLine(words, maxWords)],
    [
      vscode.l10n.t('Sends'),
      sends.map(({ path, bytes }) => `${oneLine(basename(path))} (${kilobytes(bytes)} kB)`).join(', '),
    ],
    [vscode.l10n.t('Saves to'), saved],
    [vscode.l10n.t('Price'), vscode.l10n.t('unknown')],
    [vscode.l10n.t('Left for agents today'), describeLeft(amounts, left)],
  ];
  return facts.filter(([, value]) => value !== '');
}

/** Returns the same facts for chat. Prompts come from outside, so nothing in them is Markdown. */
export function questionMarkdown(asked: Asked): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  for (const [name, value] of questionFacts(asked)) {
    text.appendMarkdown(`- **${name}:** `).appendText(value).appendMarkdown('\n');
  }
  return text;
}

function kilobytes(bytes: number): number {
  return Math.max(1, Math.round(bytes / 1024));
}
