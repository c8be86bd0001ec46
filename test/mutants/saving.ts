import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

const crash = ['jobs/crash'];
const runner = ['jobs/JobRunner'];

const saving = [
  ...mutantsOf(
    'src/jobs/transcriptFile.ts',
    ['jobs/transcripts'],
    [
      [
        'a transcript links outside the workspace',
        "if (inside.startsWith('..') || isAbsolute(inside)) return undefined;",
        '',
      ],
      ['a changed transcript format is not reported', 'if (format !== transcriptFormat) {', 'if (false) {'],
      ['a repeated line is not reported', '  if (repeat) {', '  if (false) {'],
    ],
  ),
  ...mutantsOf('src/jobs/saveResults.ts', runner, [
    [
      'the first failure loses the other results',
      'failures.push(isUnsaved ? await keepUnsaved(error, answer, result, options) : error);',
      'throw isUnsaved ? await keepUnsaved(error, answer, result, options) : error;',
    ],
    ['a saved result is saved again', 'if (options.saved[index]) continue;', ''],
    [
      'a kept result is downloaded again',
      '(await options.log.kept(index)) ?? result.open()',
      'result.open()',
      ['jobs/noRoom'],
    ],
    [
      'a result that cannot be saved is not kept',
      "if (media && 'url' in media && !(await log.kept(index)))",
      'if (false)',
      ['jobs/noRoom'],
    ],
    ['a result that was kept is kept again', '&& !(await log.kept(index))', '', ['jobs/noRoom']],
  ]),
  ...mutantsOf('src/jobs/Place.ts', runner, [
    ['hidden files of other jobs are removed', 'name.startsWith(`.${jobId}-`) && ', '', ['jobs/sweep']],
  ]),
  ...mutantsOf('src/jobs/saveAsset.ts', runner, [
    [
      'a result without its file is recorded',
      'begun !== undefined && (await hasFile(place.folder, begun.name, begun))',
      'begun !== undefined',
      crash,
    ],
    [
      'a placed result is saved again',
      'begun !== undefined && (await hasFile(place.folder, begun.name, begun))',
      'false',
      crash,
    ],
    ['a result is recorded twice', 'if (!job.whole && !isRecorded)', 'if (!job.whole)'],
    [
      'a part of a long text is recorded',
      'if (!job.whole && !isRecorded)',
      'if (!isRecorded)',
      ['jobs/speech/speakInParts'],
    ],
    [
      'a record does not say that the sandbox made it',
      '...(usage ? { usage } : {}), ...(job.sandbox ? { sandbox: true } : {})',
      '...(usage ? { usage } : {})',
    ],
    ['a record does not say what it cost', '...(usage ? { usage } : {}), ', ''],
    [
      'a remixed video does not name its parent',
      '...(parentVideoId === undefined ? {} : { parentVideoId }),',
      '',
      ['jobs/pollJob'],
    ],
    [
      'a transcript is not named after its recording',
      'prompt: prompt ?? origin,',
      "prompt: prompt ?? '',",
      ['jobs/transcripts'],
    ],
  ]),
  ...mutantsOf(
    'src/jobs/fetchResult.ts',
    ['jobs/fetchResult'],
    [
      ...[401, 403, 404, 408, 425, 429, 500, 502, 503, 504].map(
        (status) =>
          [
            `status ${status} ends a download`,
            'passingStatuses.includes(error.status)',
            `passingStatuses.filter((one) => one !== ${status}).includes(error.status)`,
          ] as const,
      ),
      ['a permanently missing result is requested again', '[401, 403, 404, 408,', '[401, 403, 404, 410, 408,'],
      ['failures accumulate although bytes arrive', '        failures = 0;\n', ''],
      ['a download is given up early', '[0.5, 1, 2, 4, 6, 6.5]', '[0.5, 1, 2, 4, 6]'],
      ['parts of different files are joined', "!(isWhole && again.digest('hex') === sha256())", 'false'],
      ['a shorter file counts as the rest', 'if (known > 0) throw changed();', ''],
      ['a later range counts as the rest', 'if (known < 0) throw changed();', ''],
      ['a network failure ends a download', " && error.kind !== 'network'", ''],
      ['a permanent failure is retried', 'error.cause !== undefined', 'true'],
      [
        'cancelling during a pause is reported as a failure',
        "throw signal.aborted ? new MediaError('cancelled', l10n.t('Cancelled while downloading the result.')) : reason;",
        'throw reason;',
      ],
    ],
  ),
  ...mutantsOf(
    'src/jobs/Semaphore.ts',
    ['jobs/Semaphore'],
    [
      [
        'a limit of 0 lets nobody work',
        'Math.max(1, Math.floor(this.#maxHolders()) || 1)',
        'Math.floor(this.#maxHolders())',
      ],
      ['a changed limit is ignored on release', '          this.#readLimit();\n', ''],
      ['a waiter that was aborted takes a turn', 'if (signal.aborted) return;', ''],
      [
        'an aborted waiter keeps waiting',
        'const abort = () => reject(signal.reason);',
        'const abort = () => undefined;',
      ],
      ['a signal that is already aborted is ignored', '    signal.throwIfAborted();\n', ''],
    ],
  ),
  ...mutantsOf(
    'src/jobs/JobList.ts',
    ['jobs/JobList', 'jobs/JobRunner'],
    [
      ['done jobs accumulate', "if (job.state === 'done') this.#forgetOldest();", ''],
      ['a failed job is forgotten', "filter(({ state }) => state === 'done')", 'filter(() => true)'],
      [
        'the oldest job is listed first',
        'b.createdAt.localeCompare(a.createdAt)',
        'a.createdAt.localeCompare(b.createdAt)',
      ],
      ['an unknown job is still running', " && state !== 'unknown'", ''],
    ],
  ),
  ...mutantsOf(
    'src/jobs/saveRawAnswer.ts',
    ['jobs/rawAnswers'],
    [
      ['an SVG is saved as text', 'if (/<svg[\\s>]/i.test(text))', 'if (false)'],
      ['JSON is saved as text', 'if (/^[[{]/.test(text))', 'if (false)'],
    ],
  ),
];

/** Mutants of how results are fetched, saved and listed. */
export const savingMutants: readonly Mutant[] = [...saving];
