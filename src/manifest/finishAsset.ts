import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { ImageChange } from '../images/ImageChange.ts';
import { ImageError } from '../images/ImageError.ts';
import { transformImage } from '../images/transformImage.ts';
import type { Library } from '../library/Library.ts';
import type { LibraryEntry, LibraryLine, LibraryRecord } from '../library/LibraryRecord.ts';
import { extensionOf } from '../operations/fileExtensions.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { isSameType } from '../operations/mediaType.ts';
import { operations } from '../operations/operations.ts';
import type { Evaluated } from './Evaluated.ts';
import type { MakerOptions } from './MakerOptions.ts';
import type { Entry } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import type { PlaceOptions } from './placeOutput.ts';
import { placeOutput } from './placeOutput.ts';

type FinishOptions = Pick<MakerOptions, 'sandbox' | 'signal'>;

export interface ChosenVariant extends FinishOptions {
  /** Name of the subfolder of variants. */
  readonly key: string;
  /** Starts at 1. */
  readonly number: number;
}

/** Places a saved variant at the path of its entry and locks it. @throws MediaError `save` or `invalidInput` */
export async function finishAsset(project: ManifestProject, found: Evaluated, options: ChosenVariant): Promise<void> {
  const { variants } = project;
  const { entry, origin, local } = found;
  const { key, number, sandbox } = options;
  if (entry.type !== 'request') return;
  const all = await variants.list(key);
  const variant = all.find((one) => one.number === number) ?? all[0];
  if (!variant)
    throw new MediaError('invalidInput', l10n.t('The variants of {0} are not on this computer.', entry.path));
  const staged = `${variants.pathOf(key)}/${variant.name}`;
  const known = (await project.library.entriesAt([staged, project.recorded(entry.path)])).findLast(
    ({ id, file }) => file === staged || id.endsWith(`/${staged}`),
  );
  const data = await dataOf(variants.fileOf(key, variant), entry, options);
  const isOneOfMany = all.length > 1;
  await placeOutput(project, entry.path, data, {
    replaces: found.line?.output,
    lineOf: (output) => ({
      path: entry.path,
      request: origin.request,
      inputs: origin.inputs,
      local,
      output,
      variant: isOneOfMany ? variant.number : undefined,
      videoId: known?.videoId,
      sandbox: sandbox ? true : undefined,
    }),
  });
  await recordMove(project, entry.path, staged);
  // Keep the original unless it is identical to the placed file.
  if (!isOneOfMany && local === undefined && hasTypeOf(entry, variant.name)) await variants.remove(key);
}

/**
 * Makes an asset locally, without a request.
 *
 * @returns what was done, for the user
 * @throws MediaError `save` or `invalidInput`
 */
export async function finishLocally(
  project: ManifestProject,
  found: Evaluated,
  options: FinishOptions,
): Promise<string> {
  const { entry, line, output, origin, local } = found;
  if (entry.type === 'derived') {
    const base = { path: entry.path, inputs: origin.inputs, local };
    await transform(project, entry.from, found, { ...options, lineOf: (output) => ({ ...base, output }) });
    return l10n.t('Made from {0}, without a request.', entry.from);
  }
  // Accepting drops who made the results.
  const sandbox = line?.accepted ? options.sandbox : line?.sandbox === true;
  const key = project.variants.keyFor(entry.path, origin.request ?? '', sandbox);
  // An accepted file did not come from the variants, which may show something else.
  const isAccepted = line?.accepted === true && output !== undefined;
  if (!isAccepted && (await project.variants.list(key)).length > 0) {
    await finishAsset(project, found, { ...options, sandbox, key, number: line?.variant ?? 1 });
    return l10n.t('Made from its original, without a request.');
  }
  const base = { ...line, path: entry.path, ...origin, local };
  await transform(project, entry.path, found, { ...options, lineOf: (output) => ({ ...base, output }) });
  return isAccepted
    ? l10n.t('The accepted file itself was resized. A copy of it is in .unified-media/variants/kept.')
    : l10n.t('Its original is not on this computer, so the file itself was resized.');
}

async function transform(
  project: ManifestProject,
  source: string,
  { entry, line }: Evaluated,
  { lineOf, ...options }: FinishOptions & Pick<PlaceOptions, 'lineOf'>,
): Promise<void> {
  const file = await project.hashes.locate(source);
  if (file === undefined) throw new MediaError('invalidInput', l10n.t('input {0} is missing', source));
  const data = await dataOf(file, entry, options, true);
  await placeOutput(project, entry.path, data, { replaces: line?.output, lineOf });
}

/** Reads a file, and crops, resizes or converts it as its entry requires. */
async function dataOf(
  file: string,
  entry: Entry,
  { signal }: FinishOptions,
  isForced = false,
): Promise<AsyncIterable<Uint8Array>> {
  const isPicture = entry.type === 'derived' || operations[entry.operation].result === 'images';
  if (!isPicture) {
    checkType(entry, file);
    return createReadStream(file);
  }
  const isChanged = isForced || entry.size !== undefined || entry.quality !== undefined || !hasTypeOf(entry, file);
  if (!isChanged) return createReadStream(file);
  const [width, height] = entry.size ?? [];
  const { quality, path } = entry;
  const change: ImageChange = { format: formatOf(path), width, height, quality };
  const { bytes } = await transformImage(await readFile(file), change, { signal }).catch((error: unknown) => {
    if (!(error instanceof ImageError)) throw error;
    throw new MediaError('invalidInput', `${basename(file)}: ${error.message}`, { field: error.field, cause: error });
  });
  return streamOf(bytes);
}

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function formatOf(path: string): ImageChange['format'] {
  const extension = extensionOf(path);
  return extension === 'webp' ? 'webp' : extension === 'png' ? 'png' : 'jpeg';
}

/** Whether a file has the type that the path of the entry requires. */
export function hasTypeOf({ path }: Entry, file: string): boolean {
  return isSameType(extensionOf(path), extensionOf(file));
}

/** @throws MediaError `save` if a file does not have the type that the path of the entry requires */
export function checkType(entry: Entry, file: string): void {
  if (hasTypeOf(entry, file)) return;
  const sentence = l10n.t(
    'The service returned a .{0} file, which cannot be saved as {1}. It is kept at {2}. Copy it to a path that ends in .{0}, use that path in the manifest, and run “accept” for it.',
    extensionOf(file),
    entry.path,
    file,
  );
  throw new MediaError('save', sentence);
}

/** Records in the library that a result was placed, and that the file it replaced is gone. */
async function recordMove(project: ManifestProject, path: string, staged: string): Promise<void> {
  const { library } = project;
  const file = project.recorded(path);
  const entries = await library.entriesAt([staged, file]);
  const lines = entries.flatMap((entry): readonly LibraryLine[] => {
    const original = entry.id.slice(entry.id.indexOf('/') + 1);
    if (original === staged) return entry.file === file ? [] : [{ moved: entry.id, file }];
    // The variant that was replaced is still in the folder of variants, also that of an earlier request.
    const isVariant = original.startsWith(`${project.variants.pathOf('')}/`);
    if (isVariant && existsSync(join(project.root, original))) return [{ moved: entry.id, file: original }];
    return linesForReplaced(entry);
  });
  await append(library, lines);
}

/** Records a file that no job has recorded, and that the file it replaced is gone. */
export async function recordNew(
  project: ManifestProject,
  path: string,
  facts: Omit<LibraryRecord, 'file'>,
): Promise<void> {
  const file = project.recorded(path);
  const before = await project.library.entriesAt([file]);
  await append(project.library, [...before.flatMap(linesForReplaced), { file, ...facts }]);
}

function linesForReplaced({ id, file: _, ...record }: LibraryEntry): readonly LibraryLine[] {
  // A past video can be remixed even if its file is gone.
  return [...(record.videoId === undefined ? [] : [record]), { forgotten: id }];
}

async function append(library: Library, lines: readonly LibraryLine[]): Promise<void> {
  try {
    if (lines.length > 0) await library.append(...lines);
  } catch (error) {
    throw new MediaError('save', l10n.t('The library could not be written ({0}).', reasonOf(error)), { cause: error });
  }
}
