import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { AnswerSource, JobAnswer } from './Answer.ts';
import { urlWithin } from './answerSource.ts';
import { statusEndpointOf } from './ServiceConfiguration.ts';

/** A job of the service, as a {@link JobAnswer} names it. */
export type ServiceJob = Pick<JobAnswer, 'id'> & { readonly statusUrl?: string | undefined };

/**
 * Where to ask how a job is getting on. For videos the configured path goes first, since a person chose it.
 *
 * @throws MediaError `noMedia` when nobody knows where; `noService` for a path that cannot be used
 */
export function statusUrlOf(id: OperationId, job: ServiceJob, source: AnswerSource): URL {
  const isVideo = operations[id].area === 'video';
  const configured = isVideo ? statusEndpointOf(source, job.id) : undefined;
  if (configured) return configured;
  const told = urlWithin(source, job.statusUrl);
  if (told !== undefined) return new URL(told);
  throw new MediaError('noMedia', describeUnknownStatus(job.id, isVideo), { mayBeBilled: true });
}

function describeUnknownStatus(jobId: string, isVideo: boolean): string {
  if (!isVideo) {
    return l10n.t(
      'The service works on it as job {0}, but named no address on its own host where the result can be fetched. It may still bill it.',
      jobId,
    );
  }
  return l10n.t(
    'The service works on it as {0} and sent no video yet. To fetch it, enter where to ask in the setting "unifiedMedia.videoStatusPath" (such as /v1/videos/{id}); then choose Download Again.',
    jobId,
  );
}
