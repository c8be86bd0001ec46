import * as vscode from 'vscode';

const changed = new Set<string>();

/** Changes settings of the extension as a person does, in the user's settings. */
export async function changeSettings(values: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    changed.add(name);
    await vscode.workspace.getConfiguration('unifiedMedia').update(name, value, vscode.ConfigurationTarget.Global);
  }
}

/** Puts all that was changed back to its default. */
export async function resetSettings(): Promise<void> {
  for (const name of changed) {
    await vscode.workspace.getConfiguration('unifiedMedia').update(name, undefined, vscode.ConfigurationTarget.Global);
  }
  changed.clear();
}
