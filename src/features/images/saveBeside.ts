import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { ImageFile } from '../../images/imageTask.ts';
import type { Asset } from '../../library/Asset.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { inOnePiece, saveMedia } from '../../library/saveMedia.ts';
import { MediaError, reasonOf } from '../../operations/MediaError.ts';

/** An image to edit. */
export interface SourcePicture {
  readonly uri: vscode.Uri;
  readonly bytes: Uint8Array;
}

/** Maximum size of an image, in bytes. It is read into memory. */
const largestSource = 200_000_000;

/** @throws MediaError `invalidInput` that names the field `file` */
export async function readSource(uri: vscode.Uri): Promise<SourcePicture> {
  const refuse = (sentence: string, cause?: unknown) =>
    new MediaError('invalidInput', vscode.l10n.t('{0} (file): {1}', posix.basename(uri.path), sentence), {
      field: 'file',
      cause,
    });
  try {
    const { size, type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0) throw refuse(vscode.l10n.t('This is not a file.'));
    if (size > largestSource) throw refuse(vscode.l10n.t('This file is too large for an image.'));
    return { uri, bytes: await vscode.workspace.fs.readFile(uri) };
  } catch (error) {
    if (error instanceof MediaError) throw error;
    throw refuse(vscode.l10n.t('The file cannot be read: {0}', reasonOf(error)), error);
  }
}

/**
 * Saves an image beside its source, under a free name, and records it.
 *
 * @param name the preferred name, without extension
 * @throws MediaError `save`
 */
export async function saveBeside(
  { uri, bytes }: SourcePicture,
  name: string,
  file: ImageFile,
  places: WorkspacePlaces,
): Promise<Asset> {
  const { folder, library, recordedName } = places.placeAt(places.referenceBeside(uri));
  const sourceFile = recordedName(posix.basename(uri.path));
  const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex');
  const sources = await library.entriesAt([sourceFile]);
  const source = sources.findLast((entry) => entry.sha256 === sha256);
  const jobId = crypto.randomUUID();
  const saved = await saveMedia(folder, inOnePiece(file.bytes), { name, kind: 'images', id: jobId });
  const { name: savedName, ...facts } = saved;
  const asset = { ...provenanceOf(source), ...facts, createdAt: new Date().toISOString(), jobId };
  const sandbox = source?.sandbox ? { sandbox: true as const } : {};
  const madeFrom = { file: sourceFile, sha256 };
  try {
    await library.append({ file: recordedName(savedName), ...asset, ...sandbox, madeFrom });
  } catch (error) {
    const sentence = vscode.l10n.t(
      'The result was saved as {0}, but could not be added to the library: {1}.',
      folder.uriOf(savedName),
      reasonOf(error),
    );
    throw new MediaError('save', sentence, { cause: error });
  }
  return { uri: folder.uriOf(savedName), ...asset };
}

/** Returns the provenance of the source. A source that the library does not know counts as made locally. */
function provenanceOf(source: LibraryEntry | undefined): Pick<Asset, 'kind' | 'operation' | 'model' | 'prompt'> {
  if (source?.kind !== 'images') return { kind: 'images', operation: 'editImage', model: 'local' };
  const { kind, operation, model, prompt } = source;
  return { kind, operation, model, ...(prompt === undefined ? {} : { prompt }) };
}
