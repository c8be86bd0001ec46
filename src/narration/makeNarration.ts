import { posix } from 'node:path';
import type { PlaceReference } from '../jobs/JobRecord.ts';
import { beforeSending } from '../jobs/jobErrors.ts';
import type { Place } from '../jobs/Place.ts';
import { checkPlace } from '../jobs/Place.ts';
import type { PartOptions } from '../jobs/runPart.ts';
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
  /** Path of the document relative to the workspace folder, with forward slashes. */
  readonly document: string;
  /** Name for a new narration, without extension. */
  readonly name: string;
  readonly speaker: Speaker;
  readonly sandbox: boolean;
  readonly blocks: readonly NarrationBlock[];
  /** All recorded states of the document's narrations. */
  readonly own: readonly RecordedNarration[];
  /** The state that matches its file, if any. */
  readonly current: RecordedNarration | undefined;
  readonly reference: PlaceReference;
  /** The place of `reference`, or the folder of `current` if there is one. */
  readonly place: Place;
}

export interface MakeNarrationOptions extends Omit<PartOptions, 'whole'> {
  /** Called before each block that is spoken. */
  onBlock(index: number, count: number): void;
}

/**
 * Narrates a document: speaks the blocks that its narration does not have yet, and saves the narration. Each block is
 * kept as soon as it is paid for, so after a failure or a crash only the rest is spoken.
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
    // Leaves the folder to the sweep, because another window may be taking the lease.
    await lease.release();
  }
}

function speakBlock(
  { request }: NarrationBlock,
  { uri, document, speaker, sandbox, reference }: NarrationTask,
  options: MakeNarrationOptions,
): Promise<string> {
  // Shows all blocks as one job with the document's name, and lets Run Again continue the narration.
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
