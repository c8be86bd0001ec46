import { basename, posix } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { MediaType } from '../operations/mediaType.ts';
import type { TranscriptAnswer } from '../service/Answer.ts';
import { formatTranscript } from '../transcripts/formatTranscript.ts';
import type { JobFacts } from './Job.ts';
import { pathInside } from './keepInputs.ts';

export interface TranscriptFile {
  readonly text: string;
  readonly type: MediaType;
  /** Content of the `.vtt` file beside it, if the service sent times. */
  readonly times?: string;
  /** Sentences to show to the person. */
  readonly notices: readonly string[];
}

/** A part is joined with the others later, so all of it is kept. */
const partType: MediaType = { mime: 'application/json', extension: 'json' };

/** Formats a transcript as a file, in the format of the job's place if the answer allows it. */
export async function transcriptFile(
  job: JobFacts,
  answer: TranscriptAnswer,
  place: { linkTo?(file: string): Promise<string | undefined> },
): Promise<TranscriptFile> {
  // The whole says it once for all of its parts.
  if (job.whole) return { text: JSON.stringify(answer), type: partType, notices: [] };
  const notices = [...(answer.notices ?? [])];
  if (answer.failure) notices.push(l10n.t('The transcript may be incomplete. {0}', answer.failure));
  const { root, path, transcriptFormat, transcriptTimes, linksFrom = path } = job.place;
  const file = 'file' in job.request ? job.request.file : '';
  const relativeLink = linkTo(file, root, linksFrom);
  // The place knows links for files in its own folder only.
  const written = linksFrom === path ? await place.linkTo?.(file) : undefined;
  const link = relativeLink && (written ?? relativeLink);
  const { format, extension, mediaType, text, times, repeat } = formatTranscript(answer, transcriptFormat, {
    source: basename(file),
    ...(link === undefined ? {} : { link }),
    model: job.request.model,
    operation: job.operation,
    date: new Date(job.createdAt),
    ...(job.sandbox ? { sandbox: true } : {}),
    times: transcriptTimes,
  });
  if (format !== transcriptFormat) {
    notices.push(
      l10n.t(
        'The service sent no timestamps, so the transcript is saved as {0} instead of {1}.',
        format,
        transcriptFormat,
      ),
    );
  }
  if (repeat) {
    const words = repeat.text.slice(0, 80);
    notices.push(
      l10n.t('A line repeats {0} times in a row: “{1}”. Check it against the recording.', repeat.times, words),
    );
  }
  return { text, type: { mime: mediaType, extension }, times, notices };
}

/** Returns the relative link from a folder to a recording; undefined when it is outside the workspace folder. */
function linkTo(file: string, root: string, path: string): string | undefined {
  const inside = pathInside(root, file);
  return inside === undefined ? undefined : posix.relative(path, inside);
}
