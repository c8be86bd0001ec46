import * as vscode from 'vscode';
import { commandOf } from '../../contributions.ts';
import { oneLine } from '../../editor/oneLine.ts';
import { plainText } from '../../editor/plainText.ts';

/** A request as the library remembers it: that of these operations is whole. */
interface Repeated {
  readonly operation: 'generateImage' | 'generateVideo' | 'remixVideo';
  readonly model: string;
  readonly prompt: string;
  /** Of a remix. */
  readonly video_id?: string;
}

/** Whether all that was sent for a result is known, but for how many images and in which form. */
export function canRepeat(value: unknown): value is Repeated {
  if (typeof value !== 'object' || value === null) return false;
  const { operation, model, prompt, video_id } = value as Readonly<Record<string, unknown>>;
  if (typeof model !== 'string' || typeof prompt !== 'string' || prompt === '') return false;
  if (operation === 'remixVideo') return typeof video_id === 'string';
  return operation === 'generateImage' || operation === 'generateVideo';
}

/** Sends the request of a result anew, after the person has agreed: a link in a hover is clicked too easily. */
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
    // Its message ends with its kind, for programs.
    const sentence = error instanceof Error ? error.message.replace(/ \[\w+\]$/, '') : String(error);
    void vscode.window.showErrorMessage(plainText(sentence));
    return undefined;
  }
}
