import type { Origin } from './describeRequest.ts';
import type { LockLine } from './Lock.ts';
import type { Entry, Problem } from './Manifest.ts';
import type { DocumentPlan, PartsPlan } from './planDocument.ts';

export type AssetState = 'fresh' | 'missing' | 'stale' | 'changed' | 'unlocked';

/** What would be sent, counted as in the confirmation. */
export interface Quantities {
  readonly requests: number;
  readonly images: number;
  readonly videos: number;
  /** Characters of text to speak. */
  readonly characters: number;
}

/**
 * What an earlier run left of a request: saved results, an answer still to be saved, one that cannot be used, or an
 * unknown outcome. `running`: another program works on it.
 */
export type Waiting = 'saved' | 'answered' | 'unusable' | 'unknown' | 'running';

/** The state of an entry, and what apply would do about it. */
export interface Evaluated {
  readonly entry: Entry;
  readonly state: AssetState;
  /** Why it is not fresh. */
  readonly reasons: readonly string[];
  /** What apply would do. */
  readonly action: 'none' | 'local' | 'request';
  /** What apply would send. */
  readonly quantities: Quantities;
  /** Why apply cannot make it. */
  readonly problem: Problem | undefined;
  readonly waiting: Waiting | undefined;
  /** The number of requests that it takes to repeat a request with unknown outcome; 0 for others. */
  readonly repeats: number;
  /** Hash of the existing file. */
  readonly output: string | undefined;
  readonly line: LockLine | undefined;
  readonly origin: Origin;
  readonly local: string | undefined;
  readonly model: string | undefined;
  /** The service's ID of the video to remix. */
  readonly parentId: string | undefined;
  readonly narration: DocumentPlan | undefined;
  /** The parts of a document or of a long text. */
  readonly parts: PartsPlan | undefined;
  /** Inputs that apply would make first. */
  readonly pending: readonly string[];
}
