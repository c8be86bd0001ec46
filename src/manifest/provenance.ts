import { readFile, stat } from 'node:fs/promises';
import { maxPointerBytes, pointedHash } from '../files/lfsPointer.ts';
import type { DigitalSource } from '../marks/DigitalSource.ts';
import { marksOf } from '../marks/readMarks.ts';
import { inputsFirst } from '../operations/inputsFirst.ts';
import { operations } from '../operations/operations.ts';
import type { Evaluated } from './Evaluation.ts';
import { type Entry, keyOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';

/**
 * Returns whether a file of a project was made by a model, or is a photograph that a model changed.
 *
 * @param path relative to the manifest
 * @param known what was found of other files of the project before, by path
 * @returns undefined if no model is known to have made it
 */
export async function sourceAt(
  project: ManifestProject,
  path: string,
  known: Map<string, DigitalSource | undefined> = new Map(),
): Promise<DigitalSource | undefined> {
  const inputsAt = (one: string) => (known.has(one) ? [] : picturesOf(madeBy(project, one)));
  for (const one of inputsFirst([path], inputsAt)) {
    if (known.has(one)) continue;
    const entry = madeBy(project, one);
    known.set(one, entry ? sourceOf(entry, known) : await recordedSource(project, one));
  }
  return known.get(path);
}

/** Returns the entry that made a file: none if a person accepted it, as it may be their own work. */
function madeBy({ entryAt, lock }: ManifestProject, path: string): Entry | undefined {
  return lock.get(keyOf(path))?.accepted ? undefined : entryAt(path);
}

/** Returns the paths of the pictures that decide what a file is. */
function picturesOf(entry: Entry | undefined): readonly string[] {
  if (entry?.type === 'derived') return [entry.from];
  return entry?.operation === 'editImage' ? (entry.values.image_urls ?? []) : [];
}

function sourceOf(entry: Entry, known: ReadonlyMap<string, DigitalSource | undefined>): DigitalSource | undefined {
  if (entry.type === 'derived') return known.get(entry.from);
  const isWhole = picturesOf(entry).every((path) => known.get(path) === 'trainedAlgorithmicMedia');
  return isWhole ? 'trainedAlgorithmicMedia' : 'compositeWithTrainedAlgorithmicMedia';
}

/** Returns what the library or the file itself says. */
async function recordedSource(project: ManifestProject, path: string): Promise<DigitalSource | undefined> {
  const { hashes } = project;
  const sha256 = await hashes.of(path);
  const record = (await project.recordsOf(path)).findLast((one) => one.sha256 === sha256);
  if (record) return project.digitalSourceOf(record);
  const file = sha256 === undefined ? undefined : await hashes.locate(path);
  return file === undefined ? undefined : (await marksOf(file)).source;
}

/** Returns the assets that a model made, but whose files do not say so. Files that are elsewhere are not among them. */
export async function unmarkedAssets(
  project: ManifestProject,
  evaluated: readonly Evaluated[],
): Promise<readonly Entry[]> {
  const unmarked: Entry[] = [];
  const known = new Map<string, DigitalSource | undefined>();
  for (const { entry, output } of evaluated) {
    const isText = entry.type === 'derived' ? entry.captions : operations[entry.operation].result === 'transcripts';
    const file = isText || output === undefined ? undefined : await project.hashes.locate(entry.path);
    if (file === undefined || (await isPointer(file))) continue;
    const { kinds } = await marksOf(file);
    if (kinds.length === 0 && (await sourceAt(project, entry.path, known))) unmarked.push(entry);
  }
  return unmarked;
}

/** Whether the content of a file is elsewhere, in Git LFS. */
async function isPointer(file: string): Promise<boolean> {
  return (await stat(file)).size < maxPointerBytes && pointedHash(await readFile(file)) !== undefined;
}
