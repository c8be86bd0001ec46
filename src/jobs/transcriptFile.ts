import { basename, isAbsolute, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { formatTranscript } from '../library/formatTranscript.ts';
import type { MediaType } from '../operations/mediaType.ts';
import type { TranscriptAnswer } from '../service/Answer.ts';
import type { JobFacts } from './JobRecord.ts';

export interface TranscriptFile {
  readonly text: string;
  readonly type: MediaType;
  /** Sentences to show to the person. */
  readonly notices: readonly string[];
}

const partType: MediaType = { mime: 'application/json', extension: 'json' };

/** Formats a transcript as a file, in the format of the job's place if the answer allows it. */
export async function transcriptFile(
  job: JobFacts,
  answer: TranscriptAnswer,
  place: { linkTo?(file: string): Promise<string | undefined> },
): Promise<TranscriptFile> {
  // A part is joined with the others later, so keep everything.
  if (job.whole) return { text: JSON.stringify(answer), type: partType, notices: [] };
  const { root, path, transcriptFormat, linksFrom = path } = job.place;
  const file = 'file' in job.request ? job.request.file : '';
  const relativeLink = linkTo(file, root, linksFrom);
  // The place knows links for files in its own folder only.
  const written = linksFrom === path ? await place.linkTo?.(file) : undefined;
  const link = relativeLink && (written ?? relativeLink);
  const { format, extension, mediaType, text, repeat } = formatTranscript(answer, transcriptFormat, {
    source: basename(file),
    ...(link === undefined ? {} : { link }),
    model: job.request.model,
    operation: job.operation,
    date: new Date(job.createdAt),
    ...(job.sandbox ? { sandbox: true } : {}),
  });
  const notices: string[] = [];
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
  return { text, type: { mime: mediaType, extension }, notices };
}

/** Returns the relative link from a folder to a recording; undefined when it is outside the workspace folder. */
function linkTo(file: string, root: string, path: string): string | undefined {
  if (!root.startsWith('file:')) return undefined;
  const inside = relative(fileURLToPath(root), file);
  if (inside.startsWith('..') || isAbsolute(inside)) return undefined;
  return posix.relative(path, inside.replaceAll('\\', '/'));
}
