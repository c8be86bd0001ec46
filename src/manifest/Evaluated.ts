import type { Origin } from './describeRequest.ts';
import type { LockLine } from './Lock.ts';
import type { Entry, Problem } from './Manifest.ts';
import type { DocumentPlan } from './planDocument.ts';

export type AssetState = 'fresh' | 'missing' | 'stale' | 'changed' | 'unlocked';

/** What is sent, by what people are asked for. */
export interface Quantities {
  readonly requests: number;
  readonly images: number;
  readonly videos: number;
  /** Of text to speak. */
  readonly characters: number;
}

/** Results that were paid for before: saved, or to be fetched; or a request whose outcome nobody knows. */
export type Waiting = 'saved' | 'answered' | 'unknown';

/** How an entry stands. */
export interface Evaluated {
  readonly entry: Entry;
  readonly state: AssetState;
  /** Why it is not fresh. */
  readonly reasons: readonly string[];
  /** What apply does about it. */
  readonly action: 'none' | 'local' | 'request';
  /** What that sends. */
  readonly quantities: Quantities;
  /** Why nothing can be done about it. */
  readonly problem: Problem | undefined;
  readonly waiting: Waiting | undefined;
  /** Hash of the file that is there. */
  readonly output: string | undefined;
  readonly line: LockLine | undefined;
  readonly origin: Origin;
  readonly local: string | undefined;
  readonly model: string | undefined;
  /** Of the parent of a remix. */
  readonly parentId: string | undefined;
  readonly narration: DocumentPlan | undefined;
  /** Inputs that apply makes anew. */
  readonly pending: readonly string[];
}
