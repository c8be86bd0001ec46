import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';

type Values = Readonly<Record<string, unknown>>;

const changed = new Set<string>();

/** Changes user settings; those of the extension by default. */
export async function changeSettings(values: Values, section = 'unifiedMedia'): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    changed.add(`${section}.${name}`);
    await write(`${section}.${name}`, value);
  }
}

/** Resets all changed settings to their defaults, or to these settings of the extension. */
export async function resetSettings(kept: Values = {}): Promise<void> {
  for (const setting of changed) await write(setting, kept[setting.slice('unifiedMedia.'.length)]);
  changed.clear();
  await changeSettings(kept);
}

/** Writes a setting that has another value. VS Code takes up to half a second for each. */
async function write(setting: string, value: unknown): Promise<void> {
  const configuration = vscode.workspace.getConfiguration();
  if (isDeepStrictEqual(configuration.inspect(setting)?.globalValue, value)) return;
  await configuration.update(setting, value, vscode.ConfigurationTarget.Global);
}
