import * as vscode from 'vscode';

const changed = new Set<string>();

/** Changes user settings; those of the extension by default. */
export async function changeSettings(
  values: Readonly<Record<string, unknown>>,
  section = 'unifiedMedia',
): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const setting = `${section}.${name}`;
    changed.add(setting);
    await vscode.workspace.getConfiguration().update(setting, value, vscode.ConfigurationTarget.Global);
  }
}

/** Resets all changed settings to their defaults. */
export async function resetSettings(): Promise<void> {
  for (const setting of changed) {
    await vscode.workspace.getConfiguration().update(setting, undefined, vscode.ConfigurationTarget.Global);
  }
  changed.clear();
}
