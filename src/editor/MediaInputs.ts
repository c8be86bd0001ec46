import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import { hasCode } from '../files/FileCalls.ts';
import { pointerProblem } from '../files/lfsPointer.ts';
import { isAbsolutePath } from '../files/pathFrom.ts';
import { headOfFile } from '../files/readBytes.ts';
import { furtherFile } from '../operations/fields.ts';
import { MediaError } from '../operations/MediaError.ts';
import { detectMediaType, headBytes } from '../operations/mediaType.ts';
import type { Field } from '../operations/operations.ts';
import { unusable, validateField } from '../operations/validateRequest.ts';
import { checkFurtherFile, checkFurtherSize, checkRecording } from '../service/inputFile.ts';

/** A file or URL as commands accept it: a Uri, a path relative to the workspace folder, or a URL. */
export type MediaInput = vscode.Uri | string;

export function isMediaInput(value: unknown): value is MediaInput {
  return typeof value === 'string' ? value.trim() !== '' : value instanceof vscode.Uri;
}

/**
 * Resolves the value of a file field to what a job takes. An image becomes a URL: `http(s):` and `data:` stay as they
 * are, a local file becomes `file:`, and a file in a virtual workspace becomes `data:`. A recording becomes its path.
 * Other values are returned unchanged, for validation to reject.
 *
 * @param base the workspace folder that paths are relative to
 * @throws MediaError `invalidInput` that names the field when a file cannot be used
 */
export async function resolveInput(field: Field, value: unknown, base: vscode.Uri): Promise<unknown> {
  if (field.type === 'images' && Array.isArray(value)) {
    return Promise.all(value.map((item: unknown) => (isMediaInput(item) ? imageUrl(field, item, base) : item)));
  }
  if (!isMediaInput(value)) return value;
  if (field.type === 'images') return [await imageUrl(field, value, base)];
  if (field.type === 'image') return imageUrl(field, value, base);
  return field.type === 'audioFile' ? audioPath(field, uriOf(value, base)) : value;
}

/**
 * Returns the URL of a further field's file: `file:`, or `data:` in a virtual workspace.
 *
 * @throws MediaError `invalidInput` that names the field when the file cannot be used
 */
export async function resolveFile(name: string, value: unknown, base: vscode.Uri): Promise<unknown> {
  if (!isMediaInput(value)) return value;
  if (typeof value === 'string' && /^data:/i.test(value)) return value;
  const field = furtherFile(name);
  const uri = uriOf(value, base);
  if (uri.scheme === 'file') {
    const url = pathToFileURL(uri.fsPath).href;
    await checkFurtherFile(name, url);
    return url;
  }
  const bytes = await vscode.workspace.fs.readFile(uri).then(
    (read) => read,
    (error: unknown) => {
      throw unreadable(field, uri, error);
    },
  );
  checkFurtherSize(field, nameIn(uri), bytes.length);
  const mime = (await detectMediaType(bytes))?.mime ?? 'application/octet-stream';
  return `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`;
}

async function imageUrl(field: Field, value: MediaInput, base: vscode.Uri): Promise<string> {
  if (typeof value === 'string' && /^(https?|data):/i.test(value)) return value;
  const uri = uriOf(value, base);
  const isLocal = uri.scheme === 'file';
  const bytes = await (isLocal ? headOfFile(uri.fsPath, headBytes) : vscode.workspace.fs.readFile(uri)).then(
    (read) => read,
    (error: unknown) => {
      throw unreadable(field, uri, error);
    },
  );
  const type = await detectMediaType(bytes);
  if (!type?.mime.startsWith('image/')) {
    const name = nameIn(uri);
    throw unusable(field, pointerProblem(name, bytes) ?? vscode.l10n.t('{0} is not an image.', name));
  }
  if (isLocal) return pathToFileURL(uri.fsPath).href;
  return `data:${type.mime};base64,${Buffer.from(bytes).toString('base64')}`;
}

/** A recording is streamed from disk, so it must be a local file. */
async function audioPath(field: Field, uri: vscode.Uri): Promise<string> {
  if (uri.scheme === 'file') {
    validateField(field, uri.fsPath);
    await checkRecording(uri.fsPath);
    return uri.fsPath;
  }
  const sentence = vscode.l10n.t('{0} is in a virtual workspace. Save it on this computer first.', nameIn(uri));
  throw unusable(field, sentence);
}

/** @param base the workspace folder that paths are relative to */
export function uriOf(value: MediaInput, base: vscode.Uri): vscode.Uri {
  if (typeof value !== 'string') return value;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(value)) return vscode.Uri.parse(value);
  return isAbsolutePath(value) && base.scheme === 'file' ? vscode.Uri.file(value) : vscode.Uri.joinPath(base, value);
}

/**
 * Reads a file in the argument of a command: a Uri, a URI as text, an absolute path, or a path in the first workspace
 * folder.
 *
 * @param name of the field
 * @throws MediaError `invalidInput` when it is anything else
 */
export function uriArgument(value: unknown, name = 'uri'): vscode.Uri | undefined {
  if (value === undefined || value instanceof vscode.Uri) return value;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  try {
    if (typeof value === 'string' && /^[a-z][a-z\d+.-]+:/i.test(value)) return vscode.Uri.parse(value, true);
    if (typeof value === 'string' && isAbsolutePath(value)) return uriOf(value, folder ?? vscode.Uri.file('/'));
    if (typeof value === 'string' && value.trim() !== '' && folder) return vscode.Uri.joinPath(folder, value);
  } catch {
    // Reported below.
  }
  const sentence = vscode.l10n.t('{0} must be the URI of a file, or its path in the workspace folder.', name);
  throw new MediaError('invalidInput', sentence, { field: name });
}

/** Reads `{uri}`, or `{uris}` for several files. Menus pass the Uri itself. */
export function urisArgument(argument: unknown): readonly vscode.Uri[] {
  if (argument instanceof vscode.Uri) return [argument];
  if (typeof argument !== 'object' || argument === null) return [];
  const { uri, uris } = argument as { readonly uri?: unknown; readonly uris?: unknown };
  const all = Array.isArray(uris) ? uris.map((one: unknown) => uriArgument(one, 'uris')) : [uriArgument(uri)];
  return all.filter((one) => one !== undefined);
}

function unreadable(field: Field, uri: vscode.Uri, error: unknown): MediaError {
  const isMissing =
    hasCode(error, 'ENOENT') || (error instanceof vscode.FileSystemError && error.code === 'FileNotFound');
  const name = nameIn(uri);
  const sentence = isMissing ? vscode.l10n.t('{0} does not exist.', name) : vscode.l10n.t('{0} cannot be read.', name);
  return unusable(field, sentence, error);
}

function nameIn(uri: vscode.Uri): string {
  return posix.basename(uri.path);
}

/** @param sandbox whether the sandbox made the video */
export function cannotRemix(sandbox: boolean): MediaError {
  const sentence = sandbox
    ? vscode.l10n.t(
        'Only the sandbox can remix this video, because the sandbox made it. Run “Media: Use the Sandbox” first.',
      )
    : vscode.l10n.t(
        'Only the service can remix this video, because the service made it. Run “Media: Use the Service” first.',
      );
  return new MediaError('invalidInput', sentence);
}
