import { AsyncLocalStorage } from 'node:async_hooks';
import * as vscode from 'vscode';
import { plainLine, plainText } from '../foreign/plainText.ts';

// Beside notify.ts, because activation loads that and asks nothing.

/**
 * Gives the focus to the page whose request is being answered. After a dialog VS Code gives it to an editor, whose
 * document the next key would change.
 */
export const focusPage = new AsyncLocalStorage<() => void>();

/** Asks in a dialog, and returns the chosen button. */
export async function askInDialog<T extends string>(
  question: string,
  detail: string,
  ...buttons: T[]
): Promise<T | undefined> {
  const chosen = await showDialog(question, detail, ...buttons);
  focusPage.getStore()?.();
  return chosen;
}

/** Like {@link askInDialog}, for an answer that may lead to a document, and not back to the page. */
export function showDialog<T extends string>(
  question: string,
  detail: string,
  ...buttons: T[]
): Thenable<T | undefined> {
  return vscode.window.showWarningMessage(plainLine(question), { modal: true, detail: plainText(detail) }, ...buttons);
}
