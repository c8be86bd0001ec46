import * as vscode from 'vscode';

/** On save, VS Code asks for fixes by kind and applies every one it gets. */
export function wantsFixes({ only, triggerKind }: vscode.CodeActionContext): boolean {
  if (!only) return true;
  return triggerKind !== vscode.CodeActionTriggerKind.Automatic && only.intersects(vscode.CodeActionKind.QuickFix);
}
