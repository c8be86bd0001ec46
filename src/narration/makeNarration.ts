import { posix } from 'node:path';
import type { PlaceReference } from '../jobs/JobRecord.ts';
import { beforeSending } from '../jobs/jobErrors.ts';
import type { PartOptions } from '../jobs/runPart.ts';
import type { Place } from '../jobs/saveResults.ts';
import { checkPlace } from '../jobs/saveResults.ts';
import { removeParts, speakPart, withPartsKept } from '../jobs/speech/speechParts.ts';
import { documentKey, spokenElsewhere, takeNarration } from '../jobs/speech/takeNarration.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { PreviousNarration } from './cutBlocks.ts';
import type { NarrationBlock, Speaker } from './NarrationBlock.ts';
import type { NarratedFile } from './narrate.ts';
import { narrate } from './narrate.ts';
import type { RecordedNarration } from './readNarrations.ts';
import type { SavedNarration } from './saveNarration.ts';
import { saveNarration } from './saveNarration.ts';

export interface NarrationTask {
  /** URI of the document. */
  readonly uri: string;
  /** The document relative to the workspace folder, with forward slashes. */
  readonly document: string;
  /** The name of a new narration, without extension. */
  readonly name: string;
  readonly speaker: Speaker;
  readonly sandbox: boolean;
  readonly blocks: readonly NarrationBlock[];
  /** What is recorded of the document's narrations. */
  readonly own: readonly RecordedNarration[];
  /** The one of these whose file is as it was recorded. */
  readonly current: RecordedNarration | undefined;
  readonly reference: PlaceReference;
  /** The same place; the folder of `current`, where there is one. */
  readonly place: Place;
}

export interface MakeNarrationOptions extends Omit<PartOptions, 'whole'> {
  /** Called before each block that is spoken. */
  onBlock(index: number, count: number): void;
}

/**
 * Narrates a document: speaks what its narration does not have, and saves the narration. Each block is kept as soon as it
 * is paid for, so after a failure or a crash only the rest is spoken.
 *
 * @throws MediaError; `invalidInput` while another window narrates the same document
 */
export async function makeNarration(task: NarrationTask, options: MakeNarrationOptions): Promise<SavedNarration> {
  await checkPlace(task.place).catch((error: unknown) => {
    throw beforeSending(error);
  });
  const { lease, folder } = await takeNarration(documentKey(task.uri), options.partsFolder);
  let isPaid = false;
  const speak = async (block: NarrationBlock, index: number, count: number): Promise<string> => {
    if (!(await lease.renew())) throw spokenElsewhere();
    options.onBlock(index, count);
    const file = await speakBlock(block, task, options);
    isPaid = true;
    return file;
  };
  try {
    const previous = task.current && previousOf(task.current, task.place);
    await using narration = await narrate(task.blocks, { workFolder: folder, previous, speak });
    return await save(narration, task);
  } catch (error) {
    throw error instanceof MediaError && isPaid ? withPartsKept(error) : error;
  } finally {
    // Its folder stays for the sweep: another window may take the lease at this moment.
    await lease.release();
  }
}

function speakBlock(
  { request }: NarrationBlock,
  { uri, document, speaker, sandbox, reference }: NarrationTask,
  options: MakeNarrationOptions,
): Promise<string> {
  // By it all blocks are shown as one job, named by the document, and Run Again knows what to go on with.
  const whole = { request: { ...speaker, input: document }, place: reference, document: uri };
  return speakPart({ operation: 'speak', request, place: reference, sandbox }, { ...options, whole });
}

async function save(narration: NarratedFile, { own, current, ...task }: NarrationTask): Promise<SavedNarration> {
  const transcripts = new Set(own.map(({ transcript }) => transcript.sha256));
  const saved = await saveNarration(narration, { ...task, own: current, transcripts });
  await removeParts(narration.spoken);
  return saved;
}

function previousOf({ file, sha256, blocks }: RecordedNarration, { folder }: Place): PreviousNarration {
  const name = posix.basename(file);
  return { kind: posix.extname(name).slice(1), sha256, blocks, stream: () => folder.stream(name) };
}
