import type { MediaError } from '../operations/MediaError.ts';
import type { RunOptions } from '../work/Attempt.ts';
import type { Whole } from '../work/Job.ts';
import type { JobRunner } from '../work/JobRunner.ts';
import type { NarrationBlock } from './NarrationBlock.ts';
import { type NarratedFile, type NarrateOptions, narrate, type PreviousNarration } from './narrate.ts';
import { planNarration } from './planNarration.ts';
import { SpokenWhole } from './speakInParts.ts';

export interface WholeNarration extends Pick<NarrateOptions, 'again' | 'atOnce'> {
  /** What the blocks are parts of. */
  readonly whole: Whole;
  readonly blocks: readonly NarrationBlock[];
  readonly sandbox: boolean;
  /** Returns the existing narration. Called while no other process can narrate the same. */
  previous(): Promise<PreviousNarration | undefined>;
  /** Called before each block that is spoken. */
  onBlock?(index: number, count: number): void;
}

/**
 * Speaks the blocks that the existing narration does not have, joins all of them, and saves the file. Each block is kept
 * as soon as it is paid for, so after a failure or a crash only the rest is spoken.
 *
 * @param save saves the file; what is kept of the blocks is removed afterwards
 * @throws MediaError; `invalidInput` while another process narrates the same
 */
export async function narrateWhole<T>(
  { whole: facts, blocks, sandbox, again, atOnce, ...task }: WholeNarration,
  runner: JobRunner,
  options: RunOptions,
  save: (narration: NarratedFile) => Promise<T>,
): Promise<T> {
  await using whole = await SpokenWhole.open(facts, { operation: 'speak', place: facts.place, sandbox }, runner);
  const speak = (block: NarrationBlock, index: number, count: number): Promise<string> => {
    task.onBlock?.(index, count);
    return whole.speak(block, options);
  };
  const refuse = (block: NarrationBlock, error: MediaError) => whole.refuse(block.key, error);
  try {
    const previous = await task.previous();
    const known = (previous?.blocks ?? []).filter(({ key }) => !again?.has(key));
    const missing = planNarration(blocks, known).generate.map(({ key }) => key);
    await whole.begin(missing, options);
    const { marksGenerated: isMarked } = runner;
    const narrating = { workFolder: whole.folder, previous, again, atOnce, isMarked, speak, refuse };
    await using narration = await narrate(blocks, narrating);
    const saved = await save(narration);
    await whole.saved();
    return saved;
  } catch (error) {
    throw whole.withPartsKept(error);
  }
}
