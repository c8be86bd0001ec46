import * as vscode from 'vscode';
import { answerInputBoxes } from './answerInputBoxes.ts';

/** Sets the key as a person does, for the hosts that are set. */
export async function setApiKey(key: string): Promise<void> {
  using _ = answerInputBoxes(key);
  await vscode.commands.executeCommand('unifiedMedia.setApiKey');
}
