import type { LocalFolder } from '../files/LocalFolder.ts';
import { sha256OfStream } from '../files/readBytes.ts';
import { extensionOf } from '../operations/operations.ts';
import type { NarrationBlock } from '../wholes/NarrationBlock.ts';
import type { PreviousNarration } from '../wholes/narrate.ts';
import { planNarration, readBlockRanges } from '../wholes/planNarration.ts';
import { type LockLine, lockText, readLock } from './Lock.ts';
import { keyOf } from './Manifest.ts';
import type { Variants } from './Variants.ts';

// A narration that another one replaced is kept among the variants, and beside it its line of the lock, without which
// nobody would know where in it its paragraphs are. It is not a variant: a changed text may need only some of them.

/** Name of the folder of files that were replaced and are no variant. */
export const keptFolder = 'kept';

/** What its line is called: the name of the narration, and this. */
const lineEnding = '.jsonl';

/** Keeps the line of a narration beside its copy. */
export async function keepLine(variants: Variants, name: string, line: LockLine): Promise<void> {
  const folder = variants.folderOf(keptFolder);
  await folder.remove(name + lineEnding);
  await folder.append(name + lineEnding, lockText(new Map([[line.path, line]])));
}

/** Gives the kept narrations of an entry to the one that it was renamed to. */
export async function renameKept(variants: Variants, from: string, to: string): Promise<void> {
  const folder = variants.folderOf(keptFolder);
  for (const lineName of (await folder.list()).filter((name) => name.endsWith(lineEnding))) {
    const line = lineIn(await folder.read(lineName));
    if (!line || keyOf(line.path) !== keyOf(from)) continue;
    await keepLine(variants, lineName.slice(0, -lineEnding.length), { ...line, path: to });
  }
}

/**
 * Returns the kept narrations of an entry. Their content is not read.
 *
 * @param locked the line of the lock; without one, those that other work trees kept of such a path do not count
 */
export async function keptNarrations(
  variants: Variants,
  path: string,
  locked: LockLine | undefined,
): Promise<readonly PreviousNarration[]> {
  const shared = locked ? await variants.sharedSets(keptFolder) : [];
  const folders = [variants.folderOf(keptFolder), ...shared.map(({ folder }) => folder)];
  return (await Promise.all(folders.map((folder) => narrationsIn(folder, path)))).flat();
}

async function narrationsIn(folder: LocalFolder, path: string): Promise<readonly PreviousNarration[]> {
  const lines = (await folder.list()).filter((name) => name.endsWith(lineEnding));
  const found = await Promise.all(
    lines.map(async (lineName): Promise<readonly PreviousNarration[]> => {
      const line = lineIn(await folder.read(lineName));
      const name = lineName.slice(0, -lineEnding.length);
      const size = line && keyOf(line.path) === keyOf(path) ? await folder.size(name) : undefined;
      const blocks = size === undefined ? undefined : readBlockRanges(line?.blocks, size);
      if (!line || !blocks) return [];
      const { output: sha256, credentials } = line;
      return [{ kind: extensionOf(name), sha256, blocks, credentials, stream: () => folder.stream(name) }];
    }),
  );
  return found.flat();
}

/** @returns undefined for a line that a crash has cut off */
function lineIn(bytes: Uint8Array | undefined): LockLine | undefined {
  try {
    return [...readLock(Buffer.from(bytes ?? '').toString()).values()][0];
  } catch {
    return undefined;
  }
}

/**
 * Returns the kept narration that leaves the least to speak.
 *
 * @param current blocks of the file in place
 * @returns undefined if none leaves less than the file in place
 */
export async function keptFor(
  blocks: readonly NarrationBlock[],
  current: Iterable<{ readonly key: string }>,
  kept: readonly PreviousNarration[],
): Promise<PreviousNarration | undefined> {
  const left = (known: Iterable<{ readonly key: string }>) => planNarration(blocks, known).characters;
  const less = kept.filter((one) => left(one.blocks) < left(current)).sort((a, b) => left(a.blocks) - left(b.blocks));
  for (const one of less) if ((await sha256OfStream(one.stream())) === one.sha256) return one;
  return undefined;
}
