import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { plainLine } from '../foreign/plainText.ts';
import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { Fact } from '../work/requestFacts.ts';
import { askInDialog, notify } from './notify.ts';
import type { Settings } from './Settings.ts';

/** The facts of one request. */
export interface Section {
  /** Missing where the question is about a single request. */
  readonly title?: string;
  readonly facts: readonly Fact[];
}

/** A question about requests. */
export interface RequestQuestion {
  readonly title: string;
  readonly sections: readonly Section[];
  /** Says what the answers mean. */
  readonly note: string;
}

/** More requests would make a dialog that does not fit on the screen. */
export const maxSections = 5;

/**
 * Asks a person about requests. What does not fit into the dialog is counted there, and *Show All* opens the whole in a
 * read-only document, beside which the question stays.
 *
 * @returns the chosen button; undefined if the person dismissed the question
 */
export async function askAbout(
  { title, sections, note }: RequestQuestion,
  ...buttons: readonly string[]
): Promise<string | undefined> {
  const more = sections.length - maxSections;
  const isCut = more > 0 || sections.some(({ facts }) => facts.some(({ whole }) => whole !== undefined));
  const detail = [
    ...sections.slice(0, maxSections).map((section) => linesOf(section, ({ value }) => value).join('\n')),
    ...(more > 0 ? [vscode.l10n.t('And {0} more requests, which “Show All” lists.', more)] : []),
    note,
  ].join('\n\n');
  const showAll = vscode.l10n.t('Show All');
  const offered = isCut ? [...buttons, showAll] : buttons;
  const chosen = await askInDialog(title, detail, ...offered);
  if (chosen !== showAll || !isCut) return chosen;
  const all = sections.map((section) => linesOf(section, ({ value, whole }) => (whole ? `\n${whole}\n` : value)));
  await showText(vscode.l10n.t('What is sent'), [[title], ...all].map((lines) => lines.join('\n')).join('\n\n'));
  // A dialog would lie over the document.
  return await notify.warning(`${title} ${note}`, ...buttons);
}

/** Returns where a request goes. */
export function serviceFact(operation: OperationId, sandbox: boolean, { hosts }: Pick<Settings, 'hosts'>): Fact {
  const host = sandbox ? vscode.l10n.t('sandbox') : hosts[operations[operation].area];
  return { name: vscode.l10n.t('Service'), value: plainLine(host) };
}

function linesOf({ title, facts }: Section, textOf: (fact: Fact) => string): readonly string[] {
  return [...(title === undefined ? [] : [title]), ...facts.map((fact) => `${fact.name}: ${textOf(fact)}`)];
}

/** Opens a text in a read-only document. */
async function showText(title: string, text: string): Promise<void> {
  const uri = vscode.Uri.from({ scheme: 'unified-media-question', path: `/${title}.txt`, query: randomUUID() });
  const provider = vscode.workspace.registerTextDocumentContentProvider(uri.scheme, {
    provideTextDocumentContent: ({ query }) => (query === uri.query ? text : undefined),
  });
  try {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  } finally {
    // The document keeps its text.
    provider.dispose();
  }
}
