import * as vscode from 'vscode';
import { ImageError } from '../../images/ImageError.ts';
import { MediaError } from '../../operations/MediaError.ts';

/**
 * Converts an ImageError to the error that commands report; returns other errors as they are.
 *
 * @param name name of the file, when the error may be about the file
 */
export function mediaErrorOf(error: unknown, name?: string): unknown {
  if (!(error instanceof ImageError)) return error;
  const { field, message, reason } = error;
  const sentence = field === 'file' && name !== undefined ? vscode.l10n.t('{0} (file): {1}', name, message) : message;
  return new MediaError(reason === 'tooSlow' ? 'timeout' : 'invalidInput', sentence, { field, cause: error });
}
