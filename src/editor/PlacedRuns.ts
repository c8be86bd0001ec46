import type { Asset } from '../library/Asset.ts';
import type { OperationId } from '../operations/operations.ts';
import type { DocumentToken, PlaceReference } from '../work/Job.ts';
import type { Caller } from './runCommand.ts';

/** A request, and the place for its result. */
export interface PlacedRequest {
  readonly operation: OperationId;
  /** As on the wire; missing fields are asked for. */
  readonly fields: unknown;
  readonly place: PlaceReference;
  /** The document that a transcript is for. */
  readonly into?: DocumentToken;
}

export interface PlacedOptions {
  /** Title of the progress notification. */
  readonly title: string;
  readonly caller: Caller;
  /** Whether a person is asked for the model even when one is known. */
  readonly asksModel: boolean;
  /** Whether the person has already agreed to everything that is sent. */
  readonly isConfirmed?: boolean;
  /** Cancels all requests, as far as they can be cancelled. */
  readonly signal?: AbortSignal;
  /** Called for each job before sending. If it throws, nothing of the job is sent. */
  beforeSending?(): void;
}

export type PlacedResult = PromiseSettledResult<readonly Asset[]>;

/**
 * Returns the assets of all results.
 *
 * @throws the first failure
 */
export function assetsOf(results: readonly PlacedResult[]): readonly Asset[] {
  return results.flatMap((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Runs requests whose results belong to given places. */
export interface PlacedRuns {
  /**
   * Runs requests in parallel, each for its own place. Saved files are neither opened nor announced.
   *
   * @returns the outcome of each, in their order; undefined when the person dismissed a question
   * @throws MediaError when nothing was sent
   */
  runPlaced(requests: readonly PlacedRequest[], options: PlacedOptions): Promise<readonly PlacedResult[] | undefined>;
}
