import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { PlaceReference } from '../jobs/JobRecord.ts';
import type { RunOptions } from '../jobs/JobRun.ts';
import { removeParts, withPartsKept } from '../jobs/speech/speechParts.ts';
import { documentKey, spokenElsewhere, takeNarration } from '../jobs/speech/takeNarration.ts';
import type { PreviousNarration } from '../narration/cutBlocks.ts';
import { narrate } from '../narration/narrate.ts';
import { readBlockRanges } from '../narration/readBlockRanges.ts';
import { MediaError } from '../operations/MediaError.ts';
import { speakerOf } from './describeRequest.ts';
import type { Evaluated } from './Evaluated.ts';
import { checkType, recordNew } from './finishAsset.ts';
import type { MakerOptions } from './MakerOptions.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { placeOutput } from './placeOutput.ts';

/**
 * Speaks the changed blocks of a document and joins them with the unchanged blocks of the existing file.
 *
 * @returns the number of blocks that were spoken
 * @throws MediaError; spoken blocks are kept for the next attempt
 */
export async function narrateEntry(
  project: ManifestProject,
  found: Evaluated,
  { jobs, sandbox }: Pick<MakerOptions, 'jobs' | 'sandbox'>,
  { place, options }: { readonly place: PlaceReference; readonly options: RunOptions },
): Promise<number> {
  const { entry, narration, model = '', line, origin, local } = found;
  if (entry.type !== 'request' || !narration) return 0;
  const name = documentKey(`${project.rootUri}/${project.recorded(entry.path)}`);
  const { lease, folder } = await takeNarration(name, jobs.partsFolder);
  let spoken = 0;
  try {
    const request = { ...speakerOf(entry, model), input: entry.document ?? '' };
    const whole = { request, place, entry: entry.path };
    await using narrated = await narrate(narration.blocks, {
      workFolder: folder,
      previous: await previousOf(project, found),
      speak: async (block) => {
        if (!(await lease.renew())) throw spokenElsewhere();
        const input = { operation: 'speak', request: block.request, place, sandbox } as const;
        const file = await jobs.speakBlock(input, whole, options);
        spoken++;
        return file;
      },
    });
    checkType(entry, `.${narrated.kind}`);
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
    await removeParts(narrated.spoken);
    return spoken;
  } catch (error) {
    throw error instanceof MediaError && spoken > 0 ? withPartsKept(error) : error;
  } finally {
    await lease.release();
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
