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
  /** What the person should know of it, as sentences. */
  readonly notices: readonly string[];
}

const partType: MediaType = { mime: 'application/json', extension: 'json' };

/** The file that a transcript is saved as, in the format that the job's place asks for where the service allows it. */
export async function transcriptFile(
  job: JobFacts,
  answer: TranscriptAnswer,
  place: { linkTo?(file: string): Promise<string | undefined> },
): Promise<TranscriptFile> {
  // A part is put together with the others later, so all of it is kept.
  if (job.whole) return { text: JSON.stringify(answer), type: partType, notices: [] };
  const { root, path, transcriptFormat, linksFrom = path } = job.place;
  const file = 'file' in job.request ? job.request.file : '';
  const relativeLink = linkTo(file, root, linksFrom);
  // The place writes links for a file in its own folder.
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
      l10n.t('The service sent no times, so the transcript is saved as {0} and not as {1}.', format, transcriptFormat),
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

/** From a folder of the workspace to a recording in the same workspace. */
function linkTo(file: string, root: string, path: string): string | undefined {
  if (!root.startsWith('file:')) return undefined;
  const inside = relative(fileURLToPath(root), file);
  if (inside.startsWith('..') || isAbsolute(inside)) return undefined;
  return posix.relative(path, inside.replaceAll('\\', '/'));
}
