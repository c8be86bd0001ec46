import type { PlaceReference } from '../jobs/JobRecord.ts';
import type { MediaRequest, OperationId } from '../operations/operations.ts';
import type { Amounts } from './Amounts.ts';

/** A valid request of an agent, with the facts that a question to the user shows. */
export interface PaidCall {
  readonly operation: OperationId;
  readonly request: MediaRequest;
  readonly place: PlaceReference;
  readonly sandbox: boolean;
  readonly amounts: Amounts;
  /** The files that are sent to the service. */
  readonly sends: readonly { readonly name: string; readonly bytes: number }[];
  /** The service's host. */
  readonly service: string;
  readonly title: string | undefined;
  readonly purpose: string | undefined;
  /** Hash of the request, its place and its service. */
  readonly fingerprint: string;
}
