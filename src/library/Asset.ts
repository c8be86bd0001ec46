import type { AssetKind, OperationId } from '../operations/operations.ts';

/** A file that a job saved, with its provenance. Commands resolve to arrays of these. */
export interface Asset {
  readonly uri: string;
  readonly kind: AssetKind;
  readonly operation: OperationId;
  readonly model: string;
  readonly prompt?: string;
  /** For example `image/png`. */
  readonly mediaType: string;
  /** File size. */
  readonly bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
  /** Creation time, ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly jobId: string;
  /** The service's id of a video, which remixing needs. */
  readonly videoId?: string;
  readonly parentVideoId?: string;
}
