import * as vscode from 'vscode';
import { isMediaInput, uriOf } from '../../editor/MediaInputs.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { checkChange } from '../../images/checkChange.ts';
import type { ImageChange } from '../../images/ImageChange.ts';
import { MediaError } from '../../operations/MediaError.ts';

interface GivenChange {
  readonly file: vscode.Uri | undefined;
  /** Undefined when the argument asks for no edit, so that a person makes one. */
  readonly change: ImageChange | undefined;
}

const fields = ['file', 'width', 'height', 'format', 'quality'];

/**
 * Reads the argument of the command.
 *
 * @throws MediaError `invalidInput`, or ImageError, that names the field
 */
export async function readChange(argument: unknown, places: WorkspacePlaces): Promise<GivenChange> {
  if (argument === undefined) return { file: undefined, change: undefined };
  if (argument instanceof vscode.Uri) return { file: argument, change: undefined };
  if (typeof argument !== 'object' || argument === null)
    throw invalid('file', vscode.l10n.t('The argument must be an object that names a file.'));
  if (isItem(argument)) return { file: pictureOf(argument.uris), change: undefined };
  const given = new Map<string, unknown>(Object.entries(argument).filter(([, value]) => value !== undefined));
  for (const name of given.keys()) {
    if (!fields.includes(name)) throw invalid(name, vscode.l10n.t('{0} is not a field of this command.', name));
  }
  const file = given.get('file');
  if (file !== undefined && !isMediaInput(file))
    throw invalid('file', vscode.l10n.t('file must be the URI or the path of an image.'));
  if (typeof file === 'string' && /^(https?|data):/i.test(file)) {
    throw invalid(
      'file',
      vscode.l10n.t('file must be a file, not a web address, because the result is saved beside it.'),
    );
  }
  const change = {
    width: given.get('width'),
    height: given.get('height'),
    format: given.get('format'),
    quality: given.get('quality'),
  };
  // Before any file is read.
  checkChange(change);
  const uri = typeof file === 'string' ? await locate(file, places) : file;
  const isChange = Object.values(change).some((value) => value !== undefined);
  return { file: uri, change: isChange ? change : undefined };
}

/** Whether an argument is an item of a tree, which holds the files of a job. */
export function isItem(argument: unknown): argument is { readonly uris: readonly unknown[] } {
  return typeof argument === 'object' && argument !== null && 'uris' in argument && Array.isArray(argument.uris);
}

/** @param file a path or a URI */
async function locate(file: string, places: WorkspacePlaces): Promise<vscode.Uri> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const isWhole = /^([a-z][a-z0-9+.-]*:|[\\/])/i.test(file);
  if (isWhole) return uriOf(file, folder?.uri ?? vscode.Uri.file('/'));
  if (!folder) throw invalid('file', vscode.l10n.t('file is a relative path, but no folder is open.'));
  // The workspace folder of the active file, or the first one.
  const reference = await places.referenceFor('images', false);
  return uriOf(file, reference ? vscode.Uri.parse(reference.root, true) : folder.uri);
}

function pictureOf(uris: readonly unknown[]): vscode.Uri | undefined {
  const picture = uris.find((uri) => typeof uri === 'string' && /\.(png|jpe?g|webp)$/i.test(uri));
  return typeof picture === 'string' ? vscode.Uri.parse(picture, true) : undefined;
}

function invalid(field: string, sentence: string): MediaError {
  return new MediaError('invalidInput', sentence, { field });
}
