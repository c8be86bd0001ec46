import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { AnswerSource, JobAnswer } from './Answer.ts';
import { urlWithin } from './answerSource.ts';
import { statusEndpointOf } from './ServiceConfiguration.ts';

/** A job of the service, from a {@link JobAnswer}. */
export type ServiceJob = Pick<JobAnswer, 'id'> & { readonly statusUrl?: string | undefined };

/**
 * Returns the URL to poll for a job's status. For videos, the configured path wins, since a person chose it.
 *
 * @throws MediaError `noMedia` when no URL is known; `noService` for an invalid path
 */
export function statusUrlOf(id: OperationId, job: ServiceJob, source: AnswerSource): URL {
  const isVideo = operations[id].area === 'video';
  const configured = isVideo ? statusEndpointOf(source, job.id) : undefined;
  if (configured) return configured;
  const named = urlWithin(source, job.statusUrl);
  if (named !== undefined) return new URL(named);
  throw new MediaError('noMedia', describeUnknownStatus(job.id, isVideo), { mayBeBilled: true });
}

function describeUnknownStatus(jobId: string, isVideo: boolean): string {
  if (!isVideo) {
    return l10n.t(
      'The service accepted the request as job {0}, but sent no address on its own host to get the result from. It may still bill it.',
      jobId,
    );
  }
  return l10n.t(
    'The service accepted the request as job {0}, but has not sent the video yet. To get it, set "unifiedMedia.videoStatusPath" to the path of its status (such as /v1/videos/{id}), then choose Download Again.',
    jobId,
  );
}
