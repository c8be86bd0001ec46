import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { PreviousNarration } from '../narration/cutBlocks.ts';
import { narrate } from '../narration/narrate.ts';
import { planNarration } from '../narration/planNarration.ts';
import { readBlockRanges } from '../narration/readBlockRanges.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { PlaceReference } from '../work/Job.ts';
import type { RunOptions } from '../work/JobRun.ts';
import { SpokenWhole } from '../work/speech/SpokenWhole.ts';
import { wholeKey, withPartsKept } from '../work/speech/speakInParts.ts';
import { speakerOf } from './describeRequest.ts';
import type { Evaluated } from './Evaluated.ts';
import { checkType, hasTypeOf, recordNew } from './finishAsset.ts';
import type { MakerOptions } from './MakerOptions.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { placeOutput } from './placeOutput.ts';
import { variantName } from './Variants.ts';

/**
 * Speaks the changed blocks of a document and joins them with the unchanged blocks of the existing file.
 *
 * @throws MediaError; spoken blocks are kept for the next attempt
 */
export async function narrateEntry(
  project: ManifestProject,
  found: Evaluated,
  { runner, sandbox }: Pick<MakerOptions, 'runner' | 'sandbox'>,
  { key, place, options }: { readonly key: string; readonly place: PlaceReference; readonly options: RunOptions },
): Promise<void> {
  const { entry, narration, model = '', line, origin, local } = found;
  if (entry.type !== 'request' || !narration) return;
  const request = { ...speakerOf(entry, model), input: entry.document ?? '' };
  // Unlike the project's root, the manifest does not depend on a repository above.
  const facts = { key: wholeKey('asset', project.key, entry.path), request, place, entry: entry.path };
  await using whole = await SpokenWhole.open(facts, { operation: 'speak', place, sandbox }, runner);
  try {
    const previous = await previousOf(project, found);
    const { generate } = planNarration(narration.blocks, previous?.blocks ?? []);
    await whole.begin(
      generate.map((block) => block.key),
      options,
    );
    await using narrated = await narrate(narration.blocks, {
      workFolder: whole.folder,
      previous,
      speak: (block) => whole.speak(block, options),
      drop: (block) => whole.drop(block.key),
    });
    if (!hasTypeOf(entry, `.${narrated.kind}`)) {
      const kept = await project.variants.keep(key, `${variantName}.${narrated.kind}`, narrated.data);
      await whole.saved();
      checkType(entry, kept);
    }
    let output = '';
    await placeOutput(project, entry.path, narrated.data, {
      replaces: line?.output,
      lineOf: (sha256) => {
        output = sha256;
        const { blocks } = narrated.parts();
        const made = sandbox ? { sandbox: true as const } : {};
        return { path: entry.path, ...origin, local, output, blocks, ...made };
      },
    });
    await recordNew(project, entry.path, {
      kind: 'speech',
      operation: 'speak',
      model,
      sha256: output,
      createdAt: new Date().toISOString(),
      jobId: randomUUID(),
      ...(sandbox ? { sandbox: true as const } : {}),
    });
    await whole.saved();
  } catch (error) {
    throw error instanceof MediaError && whole.hasParts ? withPartsKept(error) : error;
  }
}

/** Returns the existing narration, if it is unchanged since it was locked. */
async function previousOf(
  { hashes }: ManifestProject,
  { entry, line, output }: Evaluated,
): Promise<PreviousNarration | undefined> {
  if (!line?.blocks || output === undefined || line.output !== output) return undefined;
  const file = await hashes.locate(entry.path);
  if (file === undefined) return undefined;
  const { size } = await stat(file);
  const blocks = readBlockRanges(line.blocks, size);
  const kind = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  if (!blocks) return undefined;
  const previous = { kind, bytes: size, sha256: output, blocks, stream: () => createReadStream(file) };
  return previous;
}
