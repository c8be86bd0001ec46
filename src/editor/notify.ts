import * as vscode from 'vscode';
import { notificationText } from '../foreign/plainText.ts';

// The only place that shows messages, besides askInDialog.ts, so that no name of a file and no words of a service become
// a link, or hide or forge a part of the message.

type Notify = <T extends string>(sentence: string, ...buttons: T[]) => Thenable<T | undefined>;

/** Shows notifications. Each function returns the chosen button. */
export const notify: Readonly<Record<'information' | 'warning' | 'error', Notify>> = {
  information: (sentence, ...buttons) => vscode.window.showInformationMessage(notificationText(sentence), ...buttons),
  warning: (sentence, ...buttons) => vscode.window.showWarningMessage(notificationText(sentence), ...buttons),
  error: (sentence, ...buttons) => vscode.window.showErrorMessage(notificationText(sentence), ...buttons),
};
