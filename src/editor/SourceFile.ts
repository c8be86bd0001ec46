import { posix } from 'node:path';
import * as vscode from 'vscode';
import { pointerProblem } from '../files/lfsPointer.ts';
import type { EncodedImage } from '../images/ImageChange.ts';
import { ImageError } from '../images/transformImage.ts';
import type { Asset, LibraryEntry } from '../library/LibraryRecord.ts';
import { digitalSourceOf, keptMarks, localModel } from '../library/recordedMarks.ts';
import { inOnePiece, record, saveMedia } from '../library/saveMedia.ts';
import type { DigitalSource } from '../marks/DigitalSource.ts';
import { type Marks, marksIn } from '../marks/readMarks.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { Settings } from './Settings.ts';
import type { WorkspacePlaces } from './WorkspacePlaces.ts';

/** A picture of which this computer makes a version. */
export interface SourceFile {
  readonly uri: vscode.Uri;
  readonly bytes: Uint8Array;
  /** Its name in the library. */
  readonly file: string;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Its record, if the library knows it. */
  readonly entry: LibraryEntry | undefined;
  readonly marks: Marks;
  /** Whether a model made or changed it; undefined for a photograph. */
  readonly source: DigitalSource | undefined;
}

export type SourcePlaces = Pick<WorkspacePlaces, 'placeAt' | 'referenceBeside'>;

/** Maximum size of the file, in bytes. It is read into memory. */
const largestSource = 200_000_000;

/** @throws MediaError `invalidInput` that names the field `file` */
export async function readSource(uri: vscode.Uri, places: SourcePlaces): Promise<SourceFile> {
  const refuse = (sentence: string, cause?: unknown) =>
    new MediaError('invalidInput', vscode.l10n.t('{0} (file): {1}', posix.basename(uri.path), sentence), {
      field: 'file',
      cause,
    });
  let bytes: Uint8Array;
  try {
    const { size, type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0) throw refuse(vscode.l10n.t('This is not a file.'));
    if (size > largestSource) throw refuse(vscode.l10n.t('This file is too large to be changed here.'));
    bytes = await vscode.workspace.fs.readFile(uri);
    const pointer = pointerProblem(posix.basename(uri.path), bytes);
    if (pointer !== undefined) throw new MediaError('invalidInput', pointer, { field: 'file' });
  } catch (error) {
    if (error instanceof MediaError) throw error;
    throw refuse(vscode.l10n.t('The file cannot be read: {0}', reasonOf(error)), error);
  }
  return { uri, bytes, ...(await provenanceOf(uri, bytes, places)) };
}

/** Returns what a file made from a source says about its origin. */
export function markFor(
  { source }: SourceFile,
  settings: Pick<Settings, 'get'>,
): { readonly mark: DigitalSource | undefined } {
  return { mark: settings.get('markGenerated') ? source : undefined };
}

/**
 * Saves a version beside its source, under a free name, and records it.
 *
 * @param name the preferred name, without extension
 * @param put the request that changed the source; without it this computer did. The version is saved beside the result of
 *   the request where the source is outside the workspace.
 * @throws MediaError `save`
 */
export async function saveBeside(
  { uri, file: sourceFile, sha256, entry: source, marks: before }: SourceFile,
  name: string,
  file: Pick<EncodedImage, 'bytes'>,
  places: SourcePlaces,
  put?: Pick<Asset, 'uri' | 'operation' | 'model' | 'prompt'> & {
    /** The field of the request that took the source, or a part of it. */
    readonly field: string;
  },
): Promise<Asset> {
  const isOutside = put && vscode.workspace.getWorkspaceFolder(uri) === undefined;
  const beside = isOutside ? vscode.Uri.parse(put.uri, true) : uri;
  const place = places.placeAt(places.referenceBeside(beside));
  const { folder, library, recordedName } = place;
  const jobId = crypto.randomUUID();
  const saved = await saveMedia(folder, inOnePiece(file.bytes), { name, kind: 'images', id: jobId });
  const { name: savedName, marks: _, ...facts } = saved;
  const made = put ? (await library.entriesAt([recordedName(posix.basename(put.uri))])).at(-1) : source;
  const asset = {
    uri: folder.uriOf(savedName),
    ...(put ? requestOf(put) : madeAs(source)),
    ...facts,
    createdAt: new Date().toISOString(),
    jobId,
  };
  const sandbox = made?.sandbox ? { sandbox: true as const } : {};
  const from = isOutside ? { name: posix.basename(uri.path) } : { file: sourceFile };
  const origin = put ? { inputs: [{ field: put.field, ...from, sha256 }] } : { madeFrom: { file: sourceFile, sha256 } };
  const marks = keptMarks(before, marksIn(file.bytes));
  await record(place, savedName, asset, { ...sandbox, ...origin, ...marks });
  return asset;
}

/** Returns what is known of where a source comes from. */
async function provenanceOf(
  uri: vscode.Uri,
  bytes: Uint8Array,
  places: SourcePlaces,
): Promise<Omit<SourceFile, 'uri' | 'bytes'>> {
  const { library, recordedName } = places.placeAt(places.referenceBeside(uri));
  const file = recordedName(posix.basename(uri.path));
  const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex');
  const entry = (await library.entriesAt([file])).findLast((one) => one.sha256 === sha256);
  const marks = marksIn(bytes);
  const source = marks.source ?? (entry && (await digitalSourceOf(entry, library)));
  return { file, sha256, entry, marks, source };
}

function requestOf({ operation, model, prompt }: Pick<Asset, 'operation' | 'model' | 'prompt'>) {
  return { kind: 'images', operation, model, ...(prompt === undefined ? {} : { prompt }) } as const;
}

/** Returns how the source was made. A source that the library does not know counts as made locally. */
function madeAs(source: LibraryEntry | undefined) {
  return requestOf(source?.kind === 'images' ? source : { operation: 'editImage', model: localModel });
}

/**
 * Converts an ImageError to the error that commands report; returns other errors as they are.
 *
 * @param name name of the file, when the error may be about the file
 */
export function asMediaError(error: unknown, name?: string): unknown {
  if (!(error instanceof ImageError)) return error;
  const { field, message, reason } = error;
  const sentence = field === 'file' && name !== undefined ? vscode.l10n.t('{0} (file): {1}', name, message) : message;
  return new MediaError(reason === 'tooSlow' ? 'timeout' : 'invalidInput', sentence, { field, cause: error });
}
