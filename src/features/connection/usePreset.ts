import * as vscode from 'vscode';
import { notify } from '../../editor/notify.ts';
import type { Settings } from '../../editor/Settings.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { PresetId } from '../../operations/presets.ts';
import { presetIds, presetOf } from '../../operations/presets.ts';
import { checkFields } from '../../operations/validateRequest.ts';

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
