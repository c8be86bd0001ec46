import type { LockedBlock, LockLine } from './Lock.ts';
import type { RequestEntry } from './Manifest.ts';

/** What is to be spoken of a document. */
export interface NarrationPlan {
  /** Names all that is spoken, and how. */
  readonly spoken: string;
  /** For what the locked file does not hold already. */
  readonly requests: number;
  readonly characters: number;
}

export interface NarrationFacts {
  readonly model: string;
  readonly sandbox: boolean;
  /** What the lock knows of the file that is there. */
  readonly line: LockLine | undefined;
}

export interface Narrated {
  /** Absolute path of the whole narration. */
  readonly file: string;
  readonly blocks: readonly LockedBlock[];
}

/** Reads documents aloud, block by block. */
export interface Narrator {
  /** Sends nothing. @throws MediaError `invalidInput` for a document that cannot be read or says nothing */
  plan(entry: RequestEntry, facts: NarrationFacts): Promise<NarrationPlan>;
}

export const narrator: Narrator = {
  plan: () => Promise.reject(new Error('narration is not merged yet')),
};
