import * as vscode from 'vscode';
import { commandOf } from '../../contributions.ts';
import { oneLine, plainText } from '../../editor/displayText.ts';

/** A request of one of the operations that the library records completely. */
interface Repeated {
  readonly operation: 'generateImage' | 'generateVideo' | 'remixVideo';
  readonly model: string;
  readonly prompt: string;
  /** The video that a remix was made from. */
  readonly video_id?: string;
}

/** Whether a result's request is known, except for the number of images and the output format. */
export function canRepeat(value: unknown): value is Repeated {
  if (typeof value !== 'object' || value === null) return false;
  const { operation, model, prompt, video_id } = value as Readonly<Record<string, unknown>>;
  if (typeof model !== 'string' || typeof prompt !== 'string' || prompt === '') return false;
  if (operation === 'remixVideo') return typeof video_id === 'string';
  return operation === 'generateImage' || operation === 'generateVideo';
}

/** Sends the request of a result again after asking, because a link in a hover is easily clicked by mistake. */
export async function repeatAsset(argument: unknown): Promise<unknown> {
  if (!canRepeat(argument)) return undefined;
  const { operation, model, prompt, video_id } = argument;
  const again = vscode.l10n.t('Run Again');
  const question = vscode.l10n.t('Send this to {0} again? {1}', plainText(model), plainText(oneLine(prompt, 200)));
  const detail = vscode.l10n.t('The service may bill this request.');
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, again)) !== again) return undefined;
  const request = operation === 'remixVideo' ? { model, prompt, video_id } : { model, prompt };
  const single = operation === 'generateImage' ? { n: 1 } : {};
  try {
    return await vscode.commands.executeCommand(commandOf(operation), { ...request, ...single });
  } catch (error) {
    // For programs the message ends with the error's kind; a person does not see it.
    const sentence = error instanceof Error ? error.message.replace(/ \[\w+\]$/, '') : String(error);
    void vscode.window.showErrorMessage(plainText(sentence));
    return undefined;
  }
}
