import * as vscode from 'vscode';
import { notify } from '../../editor/notify.ts';
import type { Settings } from '../../editor/Settings.ts';
import { buttonOf } from '../../editor/showError.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { type PresetId, presetIds, presetOf } from '../../operations/presets.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import { needsNoKey } from '../../service/ServiceConfiguration.ts';
import { type ApiKeys, keyProblem, normalizeKey } from '../../service/ServiceConnection.ts';
import { serviceOrigins } from '../../service/ServiceSetup.ts';

export async function setApiKey(settings: Settings, keys: ApiKeys): Promise<void> {
  const { origins, problem } = serviceOrigins(settings.service);
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
  const { origins, problem } = serviceOrigins(settings.service);
  if (problem !== undefined || origins.length === 0) {
    await offerSetUp(problem ?? vscode.l10n.t('Requests now go to your service, but its address is not set yet.'));
    return;
  }
  // A key that cannot be read has to be set again too.
  const found = await Promise.all(origins.map((origin) => keys.keyFor(origin).catch(() => undefined)));
  const isReady = found.every(
    (key, index) => key !== undefined || needsNoKey(new URL(origins[index] ?? ''), settings.insecureHosts),
  );
  if (isReady) {
    void notify.information(vscode.l10n.t('Requests now go to your service.'));
    return;
  }
  const set = vscode.l10n.t('Set API Key');
  const sentence = vscode.l10n.t('Requests now go to your service, but its key is not set yet.');
  if ((await notify.information(sentence, set)) === set) await setApiKey(settings, keys);
}

export async function useSandbox(settings: Settings): Promise<void> {
  await settings.useSandbox(true);
  void notify.information(vscode.l10n.t('The sandbox is on. Media are free and need no key.'));
}

async function offerSetUp(sentence: string): Promise<void> {
  const connect = buttonOf('setUpService');
  if ((await notify.information(sentence, connect.title)) === connect.title) await connect.run();
}

const none = 'none';
type Choice = PresetId | typeof none;

/**
 * Selects the further fields of a known service.
 *
 * @param argument `{preset}`; a person is asked
 * @returns the preset; undefined when the person dismissed the question
 */
export async function usePreset(argument: unknown, settings: Settings): Promise<Choice | undefined> {
  const title = vscode.l10n.t('Use the Fields of a Service');
  const { preset } = argument === undefined ? {} : checkFields(title, ['preset'], argument);
  const chosen = preset === undefined ? await ask(title) : known(preset);
  if (chosen === undefined) return undefined;
  await settings.savePreset(chosen);
  if (argument === undefined) void notify.information(describe(chosen));
  return chosen;
}

/** @throws MediaError `invalidInput` */
function known(preset: unknown): Choice {
  const found = [none, ...presetIds].find((one): one is Choice => one === preset);
  if (found !== undefined) return found;
  const sentence = vscode.l10n.t('{0} must be one of {1}.', 'preset', [none, ...presetIds].join(', '));
  throw new MediaError('invalidInput', sentence, { field: 'preset' });
}

async function ask(title: string): Promise<Choice | undefined> {
  const items = [
    { label: vscode.l10n.t('None'), detail: vscode.l10n.t('Only the fields that every service takes'), preset: none },
    ...presetIds.map((preset) => {
      const { name, date, fields } = presetOf(preset);
      const names = [...new Set(Object.values(fields).flatMap((one) => Object.keys(one)))];
      return { label: name, description: date, detail: names.join(', '), preset };
    }),
  ] as const;
  const placeHolder = vscode.l10n.t('Which further fields does the service take?');
  const picked: { readonly preset: Choice } | undefined = await vscode.window.showQuickPick(items, {
    title,
    placeHolder,
    matchOnDetail: true,
  });
  return picked?.preset;
}

function describe(preset: Choice): string {
  return preset === none
    ? vscode.l10n.t('No further fields are sent.')
    : vscode.l10n.t('The further fields of {0} are offered under More Options.', presetOf(preset).name);
}
