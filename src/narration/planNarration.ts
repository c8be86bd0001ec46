import type { NarrationBlock } from './NarrationBlock.ts';

export interface NarrationPlan {
  /** Blocks whose sound is there already. */
  readonly reuse: readonly NarrationBlock[];
  /** Blocks to be spoken, each text once. */
  readonly generate: readonly NarrationBlock[];
  /** Of all that is to be spoken, as `String.length` counts. */
  readonly characters: number;
}

/**
 * What narrating these blocks takes.
 *
 * @param previous blocks whose sound is there: in the narration that exists, or paid for and waiting
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

/** Whether a narration is exactly these blocks, in this order. */
export function isSameNarration(
  blocks: readonly { readonly key: string }[],
  previous: readonly { readonly key: string }[],
): boolean {
  return blocks.length === previous.length && blocks.every(({ key }, index) => key === previous[index]?.key);
}
