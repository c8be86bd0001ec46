import * as vscode from 'vscode';

const changed = new Set<string>();

/** Changes settings, those of the extension where nothing else is said, as a person does: in the user's settings. */
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

/** Puts all that was changed back to its default. */
export async function resetSettings(): Promise<void> {
  for (const setting of changed) {
    await vscode.workspace.getConfiguration().update(setting, undefined, vscode.ConfigurationTarget.Global);
  }
  changed.clear();
}
