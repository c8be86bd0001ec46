import { randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { type Agreed, isAgreed, openOnce, readContent } from '../files/AgreedFile.ts';
import { realPath, retryWhileHeld } from '../files/FileCalls.ts';
import type { FileContent } from '../files/Folder.ts';
import { maxPointerBytes, pointerProblem } from '../files/lfsPointer.ts';
import { isOutside } from '../files/pathFrom.ts';
import { readBytes, sha256OfFile } from '../files/readBytes.ts';
import type { RecordedInput } from '../library/LibraryRecord.ts';
import type { Further, FurtherValue } from '../operations/Further.ts';
import { furtherFile, mapFiles } from '../operations/fields.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { detectMediaType } from '../operations/mediaType.ts';
import { type Field, type MediaRequest, type Operation, operations } from '../operations/operations.ts';
import { nameOf, unusable } from '../operations/validateRequest.ts';
import { checkFurtherFile, isFileUrl } from '../service/inputFile.ts';
import type { JobFacts } from './Job.ts';

/** A request whose files are kept. */
export type InputsOf = Pick<JobFacts, 'operation' | 'request' | 'sentFile' | 'whole' | 'inputs' | 'place'>;

/** What a job keeps of its inputs. */
export type KeptInputs = Pick<JobFacts, 'request' | 'sentFile' | 'inputs'>;

/**
 * Copies the files of a request into a job's folder, so that what was agreed to is what is sent, whatever happens to the
 * files in the meantime. Images (`data:` and `file:` URLs) are then neither in memory nor in the journal, and Run Again
 * sends the same ones. Jobs with the same image share one copy on disk. A copy keeps the name of the person's file,
 * which messages about it show.
 *
 * @returns the request with `file:` URLs of the copies, the path of a recording's copy, and what the library records
 * @throws MediaError `invalidInput`, naming the field of a file that cannot be read or is not as agreed; errors of
 *   node:fs when the folder cannot be written
 */
export async function keepInputs(
  { operation, request, sentFile, whole, inputs, place }: InputsOf,
  folder: string,
  agreed: Agreed,
): Promise<KeptInputs> {
  const { fields }: Operation = operations[operation];
  const kept: Record<string, unknown> = { ...request };
  const found: RecordedInput[] = [];
  const keep = async (field: Field, url: string): Promise<string> => {
    const image = await keepImage(field, url, folder, agreed);
    found.push(await describeInput(field, url, image.sha256, place.root));
    return image.url;
  };
  let recording = sentFile;
  for (const field of fields) {
    const value = kept[field.name];
    if (field.type !== 'audioFile') {
      kept[field.name] = await mapFiles(field, value, (url) => keep(field, url));
      // The sound of a recording, and its parts, are files of the store already.
    } else if (typeof value === 'string' && recording === undefined && !whole) {
      recording = join(folder, `recording-${randomUUID()}`, basename(value));
      await mkdir(dirname(recording), { mode: 0o700 });
      const sha256 = await copyInput(field, value, recording, agreed);
      found.push(await describeInput(field, value, sha256, place.root));
    }
  }
  const { further } = request;
  if (further?.files) kept.further = { ...further, values: await keepFurther(further, keep) };
  // A job that runs again sends the copies of the first one, but was made from the same files.
  const isNew = ({ field }: RecordedInput) => !inputs?.some((one) => one.field === field);
  const recorded = [...(inputs ?? []), ...found.filter(isNew)];
  return {
    request: kept as MediaRequest,
    ...(recording === undefined ? {} : { sentFile: recording }),
    ...(recorded.length === 0 ? {} : { inputs: recorded }),
  };
}

/** Keeps the files of further fields. @returns all their values */
async function keepFurther(
  { values, files = [] }: Further,
  keep: (field: Field, url: string) => Promise<string>,
): Promise<Further['values']> {
  const kept: Record<string, FurtherValue> = { ...values };
  for (const name of files) {
    const url = kept[name];
    if (isFileUrl(url)) await checkFurtherFile(name, url);
    if (typeof url === 'string') kept[name] = await keep(furtherFile(name), url);
  }
  return kept;
}

/**
 * Describes an input for the library, which may be published: of a file outside the workspace folder only the name, and
 * of an address nothing that may be a password.
 *
 * @param input path, or a `file:`, `data:` or `http(s):` URL
 * @param root URI of the workspace folder
 */
export async function describeInput(
  { name: field }: Pick<Field, 'name'>,
  input: string,
  sha256: string | undefined,
  root: string,
): Promise<RecordedInput> {
  if (/^https?:/i.test(input)) {
    const { origin, pathname } = new URL(input);
    return { field, address: `${origin}${pathname}` };
  }
  const hash = sha256 === undefined ? {} : { sha256 };
  if (/^data:/i.test(input)) return { field, name: 'image', ...hash };
  const path = /^file:/i.test(input) ? fileURLToPath(input) : input;
  const file = pathInside(root, path) ?? (await realPathInside(root, path));
  return { field, ...(file === undefined ? { name: basename(path) } : { file }), ...hash };
}

/**
 * Returns the path of a file relative to a folder, with forward slashes; undefined when it is outside.
 *
 * @param root URI of the folder
 */
export function pathInside(root: string, file: string): string | undefined {
  if (!root.startsWith('file:')) return undefined;
  const inside = relative(fileURLToPath(root), file);
  if (inside === '' || isOutside(inside)) return undefined;
  return inside.replaceAll('\\', '/');
}

/** The folder may be open by a link, while a program names the file by its real path. */
async function realPathInside(root: string, path: string): Promise<string | undefined> {
  if (!root.startsWith('file:')) return undefined;
  const real = (name: string) => realPath(name).catch(() => name);
  return pathInside(pathToFileURL(await real(fileURLToPath(root))).href, await real(path));
}

/** The URL of the copy, and the hash of its content; without a hash, the URL is sent as it is. */
interface KeptImage {
  readonly url: string;
  /** Hexadecimal. */
  readonly sha256?: string;
}

async function keepImage(field: Field, url: string, folder: string, agreed: Agreed): Promise<KeptImage> {
  const temporary = join(folder, `input-${randomUUID()}.part`);
  let name = 'image';
  let sha256: string;
  const data = /^data:/i.test(url)
    ? Buffer.from(decodeURIComponent(url.slice(url.indexOf(',') + 1)), 'base64')
    : undefined;
  // Only the caller knows the type of such data, so leave the URL as it is.
  if (data && !(await detectMediaType(data))?.mime.startsWith('image/')) return { url };
  if (data) {
    await writeFile(temporary, data);
    sha256 = await sha256OfFile(temporary);
  } else if (/^file:/i.test(url)) {
    const source = fileURLToPath(url);
    name = basename(source);
    sha256 = await copyInput(field, source, temporary, agreed);
  } else {
    return { url };
  }
  const copies = join(folder, `input-${sha256}`);
  await mkdir(copies, { recursive: true, mode: 0o700 });
  const { size } = await stat(temporary);
  const same = await copyIn(copies, size);
  const file = join(copies, same ?? name);
  if (same !== undefined || (await linkToOther(file, size))) await rm(temporary);
  else await keepAs(temporary, file);
  return { url: pathToFileURL(file).href, sha256 };
}

/** Copies a file, which is opened once. @returns the SHA-256 of the copy in hex */
async function copyInput(field: Field, source: string, target: string, agreed: Agreed): Promise<string> {
  const name = basename(source);
  // A person may choose a link, but a file that they agreed to must not have become one.
  const path = agreed ? source : await realPath(source).catch(() => source);
  await using opened = await openOnce(path).catch((error: unknown) => {
    throw unreadableInput(field, name, error);
  });
  const content = await copyContent(opened, target);
  if (isAgreed(agreed, source, content)) return content.sha256;
  await rm(target, { force: true });
  throw await changedInput(field, name, opened);
}

async function copyContent(opened: FileHandle, target: string): Promise<FileContent> {
  await using copy = await open(target, 'wx', 0o600);
  return await readContent(opened, (piece) => copy.writeFile(piece));
}

function unreadableInput(field: Field, name: string, error: unknown): MediaError {
  const sentence = l10n.t('{0}: {1} cannot be read ({2}).', nameOf(field), name, reasonOf(error));
  return new MediaError('invalidInput', sentence, { field: field.name, cause: error });
}

/**
 * Returns the error for a file that is not as agreed. A Git LFS pointer gets an error of its own, because the hash that
 * was agreed to is that of the file that it stands for.
 */
export async function changedInput(field: Field, name: string, opened: FileHandle): Promise<MediaError> {
  const problem = pointerProblem(name, await readBytes(opened, 0, maxPointerBytes));
  if (problem) return unusable(field, problem);
  const sentence = l10n.t(
    '{0}: {1} has changed since you agreed to send it, so nothing was sent. Start again to be asked about its new content.',
    nameOf(field),
    name,
  );
  return new MediaError('invalidInput', sentence, { field: field.name });
}

/**
 * Returns the name of the copy in its folder; undefined without a complete one. File managers leave files of their own,
 * such as `.DS_Store` and `Thumbs.db`.
 */
async function copyIn(copies: string, bytes: number): Promise<string | undefined> {
  for (const name of await readdir(copies).catch(() => [])) {
    const stats = name.startsWith('.') ? undefined : await stat(join(copies, name)).catch(() => undefined);
    if (stats?.isFile() && stats.size === bytes) return name;
  }
  return undefined;
}

/** Links to another job's copy of the same image. Returns false when there is none, or links are not supported. */
async function linkToOther(file: string, bytes: number): Promise<boolean> {
  const copies = dirname(file);
  const jobs = dirname(dirname(copies));
  for (const job of await readdir(jobs)) {
    const others = join(jobs, job, basename(copies));
    const other = await copyIn(others, bytes);
    if (other !== undefined && (await isLinkedTo(join(others, other), file))) return true;
  }
  return false;
}

function isLinkedTo(existing: string, added: string): Promise<boolean> {
  return link(existing, added).then(
    () => true,
    () => false,
  );
}

/** Renames a copy after flushing it to disk, because other jobs trust its name. */
async function keepAs(temporary: string, file: string): Promise<void> {
  {
    await using handle = await open(temporary, 'r+');
    await handle.sync();
  }
  await retryWhileHeld(() => rename(temporary, file));
}
