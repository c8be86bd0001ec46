import type { PlaceReference } from '../jobs/JobRecord.ts';
import type { MediaRequest, OperationId } from '../operations/operations.ts';
import type { Amounts } from './Amounts.ts';

/** A request of an agent that can be sent, and what the person should know of it. */
export interface PaidCall {
  readonly operation: OperationId;
  readonly request: MediaRequest;
  readonly place: PlaceReference;
  readonly sandbox: boolean;
  readonly amounts: Amounts;
  /** Files that leave this machine. */
  readonly sends: readonly { readonly name: string; readonly bytes: number }[];
  /** The service's host. */
  readonly service: string;
  readonly title: string | undefined;
  readonly purpose: string | undefined;
  /** Hash of what is asked for. */
  readonly fingerprint: string;
}
