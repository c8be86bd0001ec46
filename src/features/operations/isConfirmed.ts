import * as vscode from 'vscode';
import type { Quantities } from '../../editor/Settings.ts';
import type { MediaRequest, OperationId } from '../../operations/operations.ts';
import { operations } from '../../operations/operations.ts';

/** Asks for confirmation when a request exceeds the limits of the setting. */
export async function isConfirmed(
  id: OperationId,
  requests: readonly MediaRequest[],
  limits: Quantities,
): Promise<boolean> {
  const question = questionFor(quantitiesOf(id, requests), limits);
  if (question === undefined) return true;
  const send = vscode.l10n.t('Send');
  const detail = vscode.l10n.t(
    'The service may bill each of them. The setting “confirmAbove” sets when you are asked.',
  );
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, send)) === send;
}

function quantitiesOf(id: OperationId, requests: readonly MediaRequest[]): Quantities {
  const { result } = operations[id];
  const sum = (of: (request: MediaRequest) => number) => requests.reduce((total, request) => total + of(request), 0);
  return {
    images: result === 'images' ? sum((request) => ('n' in request ? request.n : 1)) : 0,
    videos: result === 'videos' ? requests.length : 0,
    characters: sum((request) => ('input' in request ? request.input.length : 0)),
  };
}

function questionFor({ images, videos, characters }: Quantities, limits: Quantities): string | undefined {
  if (images > limits.images) {
    return images === 1 ? vscode.l10n.t('Generate an image?') : vscode.l10n.t('Generate {0} images?', images);
  }
  if (videos > limits.videos) {
    return videos === 1 ? vscode.l10n.t('Generate a video?') : vscode.l10n.t('Generate {0} videos?', videos);
  }
  if (characters > limits.characters) return vscode.l10n.t('Speak {0} characters?', characters);
  return undefined;
}
