import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { ApiKeys } from '../../editor/ApiKeys.ts';
import { keyProblem, normalizeKey } from '../../editor/ApiKeys.ts';
import { openServiceSettings } from '../../editor/openServiceSettings.ts';
import type { Settings } from '../../editor/Settings.ts';

/** The commands that say which service is used and with which key. */
export function registerService(settings: Settings, keys: ApiKeys): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commandIds.setApiKey, () => setApiKey(settings, keys)),
    vscode.commands.registerCommand(commandIds.removeApiKey, () => removeApiKey(keys)),
    vscode.commands.registerCommand(commandIds.useService, () => useService(settings, keys)),
  );
}

async function setApiKey(settings: Settings, keys: ApiKeys): Promise<void> {
  const origins = originsOf(settings);
  if (origins.length === 0) {
    await offerSetUp(vscode.l10n.t('Enter the address of the service first: the key is sent only there.'));
    return;
  }
  const pasted = await vscode.window.showInputBox({
    title: vscode.l10n.t('API Key'),
    prompt: vscode.l10n.t('It is kept by the editor’s secret storage and sent only to {0}.', origins.join(', ')),
    placeHolder: vscode.l10n.t('Paste the key'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (value === '' ? undefined : keyProblem(value)),
  });
  if (pasted === undefined || keyProblem(pasted)) return;
  const stored = await keys.set(normalizeKey(pasted), origins);
  if (!stored) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('The editor cannot keep secrets here: the key lasts until this window is closed.'),
    );
    return;
  }
  void vscode.window.showInformationMessage(vscode.l10n.t('The API key is set.'));
}

async function removeApiKey(keys: ApiKeys): Promise<void> {
  await keys.remove();
  void vscode.window.showInformationMessage(vscode.l10n.t('The API key is removed.'));
}

async function useService(settings: Settings, keys: ApiKeys): Promise<void> {
  await settings.useSandbox(false);
  if (originsOf(settings).length === 0) {
    await offerSetUp(vscode.l10n.t('Media now come from the service. Its address is not set yet.'));
    return;
  }
  if (await keys.isSet()) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Media now come from the service.'));
    return;
  }
  const set = vscode.l10n.t('Set API Key');
  const sentence = vscode.l10n.t('Media now come from the service. Its key is not set yet.');
  if ((await vscode.window.showInformationMessage(sentence, set)) === set) await setApiKey(settings, keys);
}

async function offerSetUp(sentence: string): Promise<void> {
  const open = vscode.l10n.t('Set Up the Service');
  if ((await vscode.window.showInformationMessage(sentence, open)) === open) await openServiceSettings();
}

/** The origins of the hosts that are set, each once. */
function originsOf(settings: Settings): readonly string[] {
  const urls = Object.values(settings.hosts).map((host) => URL.parse(host));
  return [...new Set(urls.flatMap((url) => (url ? [url.origin] : [])))];
}
