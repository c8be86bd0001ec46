import { readFile, stat } from 'node:fs/promises';
import { maxPointerBytes, pointedHash } from '../files/lfsPointer.ts';
import { digitalSourceOf } from '../library/recordedMarks.ts';
import type { DigitalSource } from '../marks/DigitalSource.ts';
import { marksOf } from '../marks/readMarks.ts';
import { operations } from '../operations/operations.ts';
import type { Entry } from './Manifest.ts';
import { keyOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import type { Evaluated } from './plan.ts';

/**
 * Returns whether a file of a project was made by a model, or is a photograph that a model changed.
 *
 * @param path relative to the manifest
 * @returns undefined if no model is known to have made it
 */
export async function sourceAt(project: ManifestProject, path: string): Promise<DigitalSource | undefined> {
  const { manifest, lock, hashes, library } = project;
  const entry = manifest.entries.find((one) => keyOf(one.path) === keyOf(path));
  // What a person accepted may be their own work.
  if (entry && !lock.get(keyOf(path))?.accepted) {
    if (entry.type === 'derived') return sourceAt(project, entry.from);
    if (entry.operation !== 'editImage') return 'trainedAlgorithmicMedia';
    const { image_urls: inputs = [] } = entry.values;
    const sources = await Promise.all(inputs.map((input) => sourceAt(project, input)));
    const isWhole = sources.every((source) => source === 'trainedAlgorithmicMedia');
    return isWhole ? 'trainedAlgorithmicMedia' : 'compositeWithTrainedAlgorithmicMedia';
  }
  const sha256 = await hashes.of(path);
  const record = (await library.entriesAt([project.recorded(path)])).findLast((one) => one.sha256 === sha256);
  if (record) return digitalSourceOf(record, library);
  const file = sha256 === undefined ? undefined : await hashes.locate(path);
  return file === undefined ? undefined : (await marksOf(file)).source;
}

/** Returns the assets that a model made, but whose files do not say so. Files that are elsewhere are not among them. */
export async function unmarkedAssets(
  project: ManifestProject,
  evaluated: readonly Evaluated[],
): Promise<readonly Entry[]> {
  const unmarked: Entry[] = [];
  for (const { entry, output } of evaluated) {
    const isText = entry.type === 'derived' ? entry.captions : operations[entry.operation].result === 'transcripts';
    const file = isText || output === undefined ? undefined : await project.hashes.locate(entry.path);
    if (file === undefined || (await isPointer(file))) continue;
    const { kinds } = await marksOf(file);
    if (kinds.length === 0 && (await sourceAt(project, entry.path))) unmarked.push(entry);
  }
  return unmarked;
}

/** Whether the content of a file is elsewhere, in Git LFS. */
async function isPointer(file: string): Promise<boolean> {
  return (await stat(file)).size < maxPointerBytes && pointedHash(await readFile(file)) !== undefined;
}
