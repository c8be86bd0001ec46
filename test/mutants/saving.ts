import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

const crash = ['work/crash'];
const parts = ['work/speech/speakInParts'];
const runner = ['work/JobRunner'];

const saving = [
  ...mutantsOf(
    'src/work/deliver.ts',
    ['work/transcripts'],
    [
      ['a changed transcript format is not reported', 'if (format !== transcriptFormat) {', 'if (false) {'],
      ['a repeated line is not reported', '  if (repeat) {', '  if (false) {'],
    ],
  ),
  ...mutantsOf('src/work/deliver.ts', runner, [
    ['the first failure loses the other results', 'failures.push(failure);', 'throw failure;'],
    ['a saved result is saved again', 'if (saved[result.index]) continue;', ''],
    [
      'a saved result that is listed elsewhere now is saved again',
      'if (isSaved?.(facts.sha256)) throw new SavedBefore();',
      '',
      ['work/pollJob'],
    ],
    [
      'a saved result that is listed elsewhere now is kept in place of the missing one',
      'if (isSaved?.(hashed.sha256())) throw new SavedBefore();',
      '',
      ['work/pollJob'],
    ],
    ['saved results are downloaded again', 'if (!isReordered) return;', '', ['work/pollJob']],
    [
      'a kept result is downloaded again',
      '(await work.kept(index)) ?? result.open()',
      'result.open()',
      ['work/noRoom'],
    ],
    [
      'a result that cannot be saved is not kept',
      'if (isLinked && !(await work.kept(index)))',
      'if (false)',
      ['work/noRoom'],
    ],
    [
      'a result that cannot get its name is left to the next attempt, which removes it',
      'onUnnamed: work && isLinked ?',
      'onUnnamed: work && false ?',
      ['work/noRoom'],
    ],
    ['a result that was kept is kept again', '&& !(await work.kept(index))', '', ['work/noRoom']],
  ]),
  ...mutantsOf(
    'src/work/deliver.ts',
    ['agents/AgentDesk'],
    [['a transcript becomes AGENTS.md', "kind === 'transcripts' ? transcriptName(made) : made", 'made']],
  ),
  ...mutantsOf('src/work/deliver.ts', runner, [
    ['hidden files of other jobs are removed', 'name.startsWith(`.${jobId}-`) && ', '', ['work/sweep']],
  ]),
  ...mutantsOf('src/work/deliver.ts', runner, [
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
    ['a result is recorded twice', 'if (job.whole || isRecorded) return asset;', 'if (job.whole) return asset;'],
    [
      'an empty file of a crash keeps the name of a result',
      'if (begun && !isNamed && begun',
      'if (false && begun',
      ['work/keyed'],
    ],
    ['a part has another name than its work knows', "job.whole ? 'part' : fileName", 'fileName', parts],
    [
      'the times of a part are lost',
      'if (job.whole) return { text: JSON',
      'if (false) return { text: JSON',
      ['work/transcripts/transcribeRecording'],
    ],
    [
      'a record does not say that the sandbox made it',
      '    ...(job.sandbox ? { sandbox: true } : {}),\n    times,',
      '',
    ],
    ['a record does not say what it cost', '    ...(usage ? { usage } : {}),\n', ''],
    [
      'a remixed video does not name its parent',
      '...(parentVideoId === undefined ? {} : { parentVideoId }),',
      '',
      ['work/pollJob'],
    ],
    [
      'a transcript is not named after its recording',
      'prompt: prompt ?? origin,',
      "prompt: prompt ?? '',",
      ['work/transcripts'],
    ],
  ]),
  ...mutantsOf(
    'src/work/fetchResult.ts',
    ['work/fetchResult'],
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
    'src/work/JobRunner.ts',
    ['work/Semaphore'],
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
    'src/work/Job.ts',
    ['work/JobList', 'work/JobRunner'],
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
    'src/work/deliver.ts',
    ['work/rawAnswers'],
    [
      ['nobody misses a result that cannot be read', '  checkComplete(answer, job);\n', ''],
      [
        'a result is missed that nobody asked for',
        'Math.min(answer.unread, asked - answer.media.length)',
        'answer.unread',
      ],
      ['an SVG is saved as text', 'if (/<svg[\\s>]/i.test(text))', 'if (false)'],
      ['JSON is saved as text', 'if (/^[[{]/.test(text))', 'if (false)'],
    ],
  ),
  ...mutantsOf(
    'src/work/deliver.ts',
    ['work/keepLinked'],
    [
      ['documentation is kept as a result', 'links.size > maxLinks ? [] : [...links]', '[...links]'],
      ['escaped addresses are not found', ".replaceAll('\\\\/', '/')", ''],
      [
        'a link that cannot be fetched loses the answer',
        'fetchLink(url, raw.source, options)).catch(() => undefined);',
        'fetchLink(url, raw.source, options));',
      ],
    ],
  ),
];

/** Mutants of how results are fetched, saved and listed. */
export const savingMutants: readonly Mutant[] = [...saving];
