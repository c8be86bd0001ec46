import * as vscode from 'vscode';
import { ImageError } from '../../images/ImageError.ts';
import { MediaError } from '../../operations/MediaError.ts';

/** A failure of a local edit as commands report it; every other error as it is. @param name of the file, if it is about that */
export function mediaErrorOf(error: unknown, name?: string): unknown {
  if (!(error instanceof ImageError)) return error;
  const { field, message, reason } = error;
  const sentence = field === 'file' && name !== undefined ? vscode.l10n.t('{0} (file): {1}', name, message) : message;
  return new MediaError(reason === 'tooSlow' ? 'timeout' : 'invalidInput', sentence, { field, cause: error });
}
