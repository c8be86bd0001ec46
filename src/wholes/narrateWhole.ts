import { reasonOf } from '../operations/MediaError.ts';
import type { Whole } from '../work/Job.ts';
import type { JobRunner } from '../work/JobRunner.ts';
import type { NarrationBlock } from './NarrationBlock.ts';
import { type NarratedFile, narrate, type PreviousNarration } from './narrate.ts';
import { planNarration } from './planNarration.ts';
import type { WholeOptions } from './SpokenSoFar.ts';
import { SpokenWhole } from './speakInParts.ts';

/** The narration of a document, or of an entry of a manifest. */
export interface Narration<T> {
  /** What the blocks are parts of. */
  readonly whole: Whole;
  readonly blocks: readonly NarrationBlock[];
  /** Keys of blocks that are spoken again although the existing narration has them. */
  readonly again?: ReadonlySet<string>;
  /** Returns the existing narration. Called while no other process can narrate the same. */
  previous(): Promise<PreviousNarration | undefined>;
  /** Saves the file; what is kept of the blocks is removed afterwards. */
  save(narrated: NarratedFile): Promise<T>;
  /** Returns the URI of the saved file, if it can be played. */
  uriOf?(saved: T): string;
}

/**
 * Speaks the blocks that the existing narration does not have, joins all of them, and saves the file. Each block is kept
 * as soon as it is paid for, so after a failure or a crash only the rest is spoken.
 *
 * @throws MediaError; `invalidInput` while another process narrates the same
 */
export async function narrateWhole<T>(narration: Narration<T>, runner: JobRunner, options: WholeOptions): Promise<T> {
  const { whole: facts, blocks, again } = narration;
  const { place, sandbox = false } = facts;
  await using whole = await SpokenWhole.open(facts, { operation: 'speak', place, sandbox }, runner, options);
  const spoken = options.hear?.(blocks, { folder: whole.folder, savedIn: runner.placeAt(place).folder.uri });
  try {
    const previous = await narration.previous();
    const known = (previous?.blocks ?? []).filter(({ key }) => !again?.has(key));
    await whole.begin(planNarration(blocks, known).generate.map(({ key }) => key));
    const { marksGenerated: isMarked, maxConcurrentJobs: atOnce } = runner;
    const { onProgress } = options;
    const onFile = (key: string, file: string) => spoken?.add(key, file);
    await using narrated = await narrate(blocks, whole, { previous, again, atOnce, isMarked, onProgress, onFile });
    const saved = await narration.save(narrated);
    await spoken?.saved(narration.uriOf?.(saved) ?? '');
    await whole.saved();
    return saved;
  } catch (error) {
    const reported = whole.withPartsKept(error);
    await spoken?.failed(reasonOf(reported));
    throw reported;
  }
}
