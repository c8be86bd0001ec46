import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { LocalFolder } from '../files/LocalFolder.ts';
import type { BesideFile, LibraryLine } from '../library/LibraryRecord.ts';
import { ownTranscript } from '../wholes/recordNarration.ts';
import type { Evaluated } from './Evaluation.ts';
import { placeOutput, placeTimes, record } from './finishAsset.ts';
import { renameKept } from './keptNarrations.ts';
import type { LockLine } from './Lock.ts';
import { keyOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { namedFiles, otherLockOf } from './otherNames.ts';

/**
 * Lets an entry that was renamed have the line, the file and the variants of its earlier path. Nothing is sent. The
 * manifest must be held.
 *
 * @returns what was done, for the user
 * @throws MediaError `save`, also for a file at the new path that was not there before; nothing is replaced
 */
export async function takeOver(project: ManifestProject, found: Evaluated, before: LockLine): Promise<string> {
  const { entry, state, output, origin, local } = found;
  const { variants } = project;
  const { path: from } = before;
  // The names of its inputs may have changed, too.
  const now = state === 'fresh' ? { inputs: origin.inputs, local } : {};
  const line = { ...before, ...now, path: entry.path };
  if (before.request !== undefined) {
    const keyFor = (path: string) => variants.keyFor(path, before.request ?? '', before.sandbox === true);
    await variants.takeBack(keyFor(from), before);
    await moveVariants(project, keyFor(from), keyFor(entry.path));
  }
  await renameKept(variants, from, entry.path);
  if (output === undefined) await moveFile(project, line, from);
  else await recordMove(project, from, entry.path);
  await project.renameInLock(from, line);
  return l10n.t('Renamed from {0}, without a request.', from);
}

async function moveVariants({ variants, library }: ManifestProject, from: string, to: string): Promise<void> {
  const paths = (await variants.list(from)).map(({ name }) => `/${name}`);
  await variants.rename(from, to);
  if (paths.length > 0) await variants.share(to);
  const moved = paths.map(async (name): Promise<readonly LibraryLine[]> => {
    const entries = await library.entriesAt([variants.pathOf(from) + name]);
    return entries.map(({ id }) => ({ moved: id, file: variants.pathOf(to) + name }));
  });
  await record(library, (await Promise.all(moved)).flat());
}

async function moveFile(project: ManifestProject, line: LockLine, from: string): Promise<void> {
  const { manifest, root, hashes } = project;
  const file = join(manifest.folder, from);
  const folder = new LocalFolder(dirname(file), root);
  const isNamed = await isNamedElsewhere(project, from);
  await placeOutput(project, line.path, folder.stream(basename(file)), undefined, () => line);
  await recordMove(project, from, line.path, isNamed ? undefined : folder);
  if (!isNamed && (await hashes.of(line.path)) === line.output) await folder.remove(basename(file));
  hashes.changed(from);
}

/** Whether an entry is made from a file, or another manifest has it. Then it stays, and the other path gets a copy. */
async function isNamedElsewhere(project: ManifestProject, path: string): Promise<boolean> {
  const file = await project.hashes.locate(path);
  const { manifest, lockFile, hashes } = project;
  const named = await namedFiles({ manifest, lock: new Map(), lockFile, hashes });
  return named.has(keyOf(file ?? '')) || (await otherLockOf(project, path, new Map())) !== undefined;
}

/**
 * Records in the library that a file has another path now.
 *
 * @param folder of the file, if the times of a transcript beside it move, too
 */
async function recordMove(project: ManifestProject, from: string, to: string, folder?: LocalFolder): Promise<void> {
  const { library } = project;
  const entries = await library.entriesAt([project.recorded(from)]);
  const lines: LibraryLine[] = [];
  for (const { id, times } of entries) {
    const moved = folder && times ? await moveTimes(project, folder, times, to) : undefined;
    lines.push({ moved: id, file: project.recorded(to), ...(moved && { times: moved }) });
  }
  await record(library, lines);
}

async function moveTimes(
  project: ManifestProject,
  folder: LocalFolder,
  times: BesideFile,
  to: string,
): Promise<BesideFile | undefined> {
  const own = await ownTranscript(folder, times.name, new Set([times.sha256]));
  const bytes = typeof own === 'object' ? await folder.read(times.name) : undefined;
  if (!bytes) return undefined;
  const placed = await placeTimes(project, to, bytes);
  await folder.remove(times.name);
  project.hashes.changed(to);
  return placed;
}
