import type { AssetKind, OperationId } from '../operations/operations.ts';

/** A file that a job saved, with its provenance. Commands resolve to these. */
export interface Asset {
  readonly uri: string;
  readonly kind: AssetKind;
  readonly operation: OperationId;
  readonly model: string;
  readonly prompt?: string;
  /** `image/png`… */
  readonly mediaType: string;
  /** Size of the file. */
  readonly bytes: number;
  /** Of the file, hexadecimal. */
  readonly sha256: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly jobId: string;
  /** The service's identifier, to remix a video by. */
  readonly videoId?: string;
  readonly parentVideoId?: string;
}
