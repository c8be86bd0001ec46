import * as vscode from 'vscode';
import { notify } from '../../editor/notify.ts';
import type { Settings } from '../../editor/Settings.ts';
import { buttonOf } from '../../editor/showError.ts';
import type { ApiKeys } from '../../service/ServiceConnection.ts';
import { keyProblem, normalizeKey } from '../../service/ServiceConnection.ts';
import { serviceOrigins } from '../../service/ServiceSetup.ts';

export async function setApiKey(settings: Settings, keys: ApiKeys): Promise<void> {
  const { origins, problem } = serviceOrigins(settings.hosts);
  if (problem !== undefined || origins.length === 0) {
    const sentence = vscode.l10n.t('Enter the address of the service first. The key is sent only to that address.');
    await offerSetUp(problem ?? sentence);
    return;
  }
  const pasted = await vscode.window.showInputBox({
    title: vscode.l10n.t('API Key'),
    prompt: vscode.l10n.t('The key is kept in the editor’s secret storage and sent only to {0}.', origins.join(', ')),
    placeHolder: vscode.l10n.t('Paste the key'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (value === '' ? undefined : keyProblem(value)),
  });
  if (pasted === undefined || keyProblem(pasted)) return;
  const stored = await keys.set(normalizeKey(pasted), origins);
  if (!stored) {
    void notify.warning(
      vscode.l10n.t('The editor cannot store secrets here, so the key lasts until this window is closed.'),
    );
    return;
  }
  void notify.information(vscode.l10n.t('The API key is set.'));
}

export async function removeApiKey(keys: ApiKeys): Promise<void> {
  const outcome = await keys.remove();
  if (outcome === 'failed') {
    void notify.warning(
      vscode.l10n.t('The key may not have been removed, because the editor’s secret storage failed. Try again.'),
    );
    return;
  }
  void notify.information(
    outcome === 'removed'
      ? vscode.l10n.t('The API key is removed.')
      : vscode.l10n.t('No API key is stored, so there is nothing to remove.'),
  );
}

export async function useService(settings: Settings, keys: ApiKeys): Promise<void> {
  await settings.useSandbox(false);
  const { origins, problem } = serviceOrigins(settings.hosts);
  if (problem !== undefined || origins.length === 0) {
    await offerSetUp(problem ?? vscode.l10n.t('Requests now go to your service, but its address is not set yet.'));
    return;
  }
  // A key that cannot be read has to be set again too.
  const found = await Promise.all(origins.map((origin) => keys.keyFor(origin).catch(() => undefined)));
  if (found.every((key) => key !== undefined)) {
    void notify.information(vscode.l10n.t('Requests now go to your service.'));
    return;
  }
  const set = vscode.l10n.t('Set API Key');
  const sentence = vscode.l10n.t('Requests now go to your service, but its key is not set yet.');
  if ((await notify.information(sentence, set)) === set) await setApiKey(settings, keys);
}

async function offerSetUp(sentence: string): Promise<void> {
  const connect = buttonOf('setUpService');
  if ((await notify.information(sentence, connect.title)) === connect.title) await connect.run();
}
