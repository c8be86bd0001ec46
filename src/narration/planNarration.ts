import type { WorkState } from '../work/Store.ts';
import type { NarrationBlock } from './NarrationBlock.ts';

export interface NarrationPlan {
  /** Blocks whose sound exists. */
  readonly reuse: readonly NarrationBlock[];
  /** Blocks to speak, without duplicates. */
  readonly generate: readonly NarrationBlock[];
  /** Number of characters to speak, as `String.length` counts. */
  readonly characters: number;
}

/**
 * Plans which blocks must be spoken.
 *
 * @param previous blocks whose sound exists: in the current narration, or as parts that are already paid for
 */
export function planNarration(
  blocks: readonly NarrationBlock[],
  previous: Iterable<{ readonly key: string }>,
): NarrationPlan {
  const known = new Set([...previous].map(({ key }) => key));
  const reuse = blocks.filter(({ key }) => known.has(key));
  const missing = new Map(blocks.filter(({ key }) => !known.has(key)).map((block) => [block.key, block]));
  const generate = [...missing.values()];
  return { reuse, generate, characters: generate.reduce((sum, { request }) => sum + request.input.length, 0) };
}

/** Returns the blocks that earlier runs have paid for; one whose outcome is unknown has to be sent again. */
export function paidBlocks(
  blocks: readonly NarrationBlock[],
  states: ReadonlyMap<string, WorkState> | undefined,
): readonly NarrationBlock[] {
  return blocks.filter(({ key }) => states?.has(key) && states.get(key) !== 'unknown');
}

/** Whether a narration has exactly these blocks, in this order. */
export function isSameNarration(
  blocks: readonly { readonly key: string }[],
  previous: readonly { readonly key: string }[],
): boolean {
  return blocks.length === previous.length && blocks.every(({ key }, index) => key === previous[index]?.key);
}
