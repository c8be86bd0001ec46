import type { MediaRequest, OperationId } from '../operations/operations.ts';
import type { PlaceReference } from '../work/Job.ts';
import type { InputFile } from './AgentPaths.ts';
import type { Amounts } from './Amounts.ts';

/** A valid request of an agent, with the facts that a question to the user shows. */
export interface PaidCall {
  readonly operation: OperationId;
  readonly request: MediaRequest;
  readonly place: PlaceReference;
  readonly sandbox: boolean;
  readonly amounts: Amounts;
  /** The files that are sent to the service. */
  readonly sends: readonly InputFile[];
  /** The service's host. */
  readonly service: string;
  readonly title: string | undefined;
  readonly purpose: string | undefined;
  /** Hash of the request with its inputs by content, its place and its service. */
  readonly fingerprint: string;
}
