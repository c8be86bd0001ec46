import * as vscode from 'vscode';
import { notificationText } from '../foreign/plainText.ts';

/** Shows notifications. Each function returns the chosen button. */
export const notify: Readonly<
  Record<
    'information' | 'warning' | 'error',
    <T extends string>(sentence: string, ...buttons: T[]) => Thenable<T | undefined>
  >
> = {
  information: (sentence, ...buttons) => vscode.window.showInformationMessage(notificationText(sentence), ...buttons),
  warning: (sentence, ...buttons) => vscode.window.showWarningMessage(notificationText(sentence), ...buttons),
  error: (sentence, ...buttons) => vscode.window.showErrorMessage(notificationText(sentence), ...buttons),
};
