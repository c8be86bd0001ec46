import * as vscode from 'vscode';
import { answerInputBoxes } from './answerInputBoxes.ts';

/** Sets the key for the configured hosts with the command. */
export async function setApiKey(key: string): Promise<void> {
  using _ = answerInputBoxes(key);
  await vscode.commands.executeCommand('unifiedMedia.setApiKey');
}
