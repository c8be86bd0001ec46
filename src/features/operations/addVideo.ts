import * as vscode from 'vscode';
import { notify } from '../../editor/notify.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { Library } from '../../library/Library.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { operations } from '../../operations/operations.ts';
import { checkFields, validateField } from '../../operations/validateRequest.ts';
import { askRequest } from './completeRequest.ts';

const names = ['video_id', 'model', 'prompt'];
const operation = { ...operations.remixVideo, title: 'Add Video by ID' };

/**
 * Records a video that has no file here, so that it is listed and can be remixed.
 *
 * @param argument `{video_id, model, prompt}`; missing fields are asked for, except that a program may leave out the
 *   prompt
 * @returns an empty list, since nothing is saved; undefined when the person dismissed a question
 * @throws MediaError `invalidInput` that names the field, `save`
 */
export async function addVideo(
  argument: unknown,
  library: Library,
  settings: Settings,
): Promise<readonly Asset[] | undefined> {
  const given = argument === undefined ? {} : checkFields(vscode.l10n.t(operation.title), names, argument);
  const fields = operation.fields.filter(({ name }) => names.includes(name));
  const questions = fields.filter(
    ({ name }) => given[name] === undefined && (argument === undefined || name !== 'prompt'),
  );
  const models = settings.models('generateVideo');
  const answers = await askRequest(
    operation,
    questions.map((field) => ({
      field: field.name === 'prompt' ? { ...field, placeholder: 'What the video shows' } : field,
      value: () => (field.name === 'model' ? models[0] : undefined),
      suggestions: () => (field.name === 'model' ? models.map((value) => ({ value, label: value })) : []),
    })),
  );
  if (!answers) return undefined;
  const values = { ...given, ...answers };
  const [videoId, model, prompt] = names.map((name) => {
    const field = fields.find((one) => one.name === name);
    return field && (name !== 'prompt' || values[name] !== undefined) ? String(validateField(field, values[name])) : '';
  });
  await library.check();
  await library.append({
    kind: 'videos',
    operation: 'generateVideo',
    model: model ?? '',
    ...(prompt ? { prompt } : {}),
    createdAt: new Date().toISOString(),
    jobId: crypto.randomUUID(),
    videoId: videoId ?? '',
    ...(settings.usesSandbox ? { sandbox: true } : {}),
  });
  if (argument === undefined) {
    void notify.information(vscode.l10n.t('The video is in the list and can be remixed.'));
  }
  return [];
}
