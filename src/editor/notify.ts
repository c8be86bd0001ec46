import * as vscode from 'vscode';
import { notificationText, plainLine, plainText } from '../foreign/plainText.ts';

// The only place that shows messages, so that no name of a file and no words of a service become a link, or hide or
// forge a part of the message.

type Notify = <T extends string>(sentence: string, ...buttons: T[]) => Thenable<T | undefined>;

/** Shows notifications. Each function returns the chosen button. */
export const notify: Readonly<Record<'information' | 'warning' | 'error', Notify>> = {
  information: (sentence, ...buttons) => vscode.window.showInformationMessage(notificationText(sentence), ...buttons),
  warning: (sentence, ...buttons) => vscode.window.showWarningMessage(notificationText(sentence), ...buttons),
  error: (sentence, ...buttons) => vscode.window.showErrorMessage(notificationText(sentence), ...buttons),
};

/** Asks in a dialog, and returns the chosen button. */
export function askInDialog<T extends string>(
  question: string,
  detail: string,
  ...buttons: T[]
): Thenable<T | undefined> {
  return vscode.window.showWarningMessage(plainLine(question), { modal: true, detail: plainText(detail) }, ...buttons);
}
