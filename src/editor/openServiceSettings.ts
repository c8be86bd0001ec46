import * as vscode from 'vscode';
import { section } from '../contributions.ts';

/** Shows the settings that hold the service's addresses. */
export function openServiceSettings(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openSettings', `${section} BaseUrl`);
}
