import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

const processes = ['jobs/twoWindows'];
const crash = ['jobs/crash'];
const runner = ['jobs/JobRunner'];

const errors = mutantsOf('src/jobs/jobErrors.ts', runner, [
  ['an unreadable answer counts as refused', '&& !isNotUnderstood(error)', ''],
  ['a timeout counts as failed', "kind === 'timeout' || ", ''],
  ['a gateway that gave up counts as failed', " || kind === 'gatewayTimeout'", ''],
  ['a broken connection counts as failed', "kind === 'network' || ", ''],
  ['a request that was not sent counts as unknown', 'isLost && mayBeBilled', 'isLost'],
  ['an answer whose result cannot be reached counts as unknown', '!hasAnswer && (kind', 'true && (kind'],
  ['a cancelled job counts as failed', "if (kind === 'cancelled') return 'cancelled';", ''],
  [
    'an interrupted request counts as not billed',
    'mayBeBilled: true, jobId, hasRawAnswer }',
    'mayBeBilled: false, jobId, hasRawAnswer }',
    crash,
  ],
  ['a failure does not name the saved results', "names && l10n.t('Already saved: {0}.', names),", ''],
  ['a failure does not say that it is paid for', 'mayBeBilled: true,\n    saved:', 'mayBeBilled: false,\n    saved:'],
  ['the error does not say that the answer is in memory only', '    !isOnDisk && ', '    false && ', ['jobs/noRoom']],
  ['a result of unknown type cannot be saved', "(hasRawResult && kind === 'download') || ", '', ['jobs/rawAnswers']],
]);

const starting = mutantsOf('src/jobs/JobRunner.ts', runner, [
  [
    "another window's changes to a job are ignored",
    'job.state !== known.state || job.hasAnswer !== known.hasAnswer',
    'false',
    ['jobs/staleLists'],
  ],
  [
    'the list is used instead of the journal for an ended job',
    'return { job: current, log };',
    'return { job, log };',
    ['jobs/staleLists'],
  ],
  ['a job is run again twice concurrently', 'if (this.#again.has(id)) {', 'if (false) {', ['jobs/runAgain']],
  [
    'run again discards an unsaved answer',
    'if (!job.hasAnswer) {\n      jobs.remove(id);',
    'if (true) {\n      jobs.remove(id);',
    ['jobs/runAgain'],
  ],
  [
    'run again keeps the failed job',
    'if (!job.hasAnswer) {\n      jobs.remove(id);',
    'if (false) {\n      jobs.remove(id);',
    ['jobs/runAgain'],
  ],
  [
    'jobs of another window that are done stay on the list',
    'if (!job) jobs.remove(id);\n    else if',
    'if (!job) return;\n    if',
    processes,
  ],
  ["a window dismisses another's running job", 'if (error instanceof MediaError) throw error;', '', processes],
  [
    'a full disk keeps jobs from being dismissed',
    'return { log: journal.withoutLease(known) };',
    'throw error;',
    ['jobs/noRoom'],
  ],
  ['a failed job is kept for 31 days', '> jobKeptMs;', '> jobKeptMs + 86_400_000;'],
  ['a failed job is kept for 29 days', '> jobKeptMs;', '> jobKeptMs - 86_400_000;'],
  ['a paid result is removed after 30 days', '!job.hasAnswer && Date.now()', 'Date.now()'],
  [
    'a job is sent whose results cannot be saved',
    'await checkPlace(this.#options.placeAt(named.place)).catch(',
    'await Promise.resolve().catch(',
  ],
  [
    'images are sent before they are kept',
    'const job: JobFacts = { ...named, request };',
    'const job: JobFacts = named;',
    ['jobs/keptInputs'],
  ],
  [
    'the files of crashed attempts stay',
    'await removeAttempts(this.#options.placeAt(job.place), id).catch(() => undefined);',
    '',
    ['jobs/sweep'],
  ],
  [
    'a lost request is shown as failed',
    "jobs.set({ ...job, state: 'unknown', error });",
    "jobs.set({ ...job, state: 'failed', error });",
    crash,
  ],
  [
    'a lost request is recorded as failed',
    "log.ended('unknown', error, false)",
    "log.ended('failed', error, false)",
    crash,
  ],
]);

const running = [
  ...mutantsOf('src/jobs/RunningJobs.ts', runner, [
    [
      'a job that was never sent stays on disk',
      '        this.unsent.add(id);\n        await ignoreFailure(log.remove());',
      '        this.unsent.add(id);',
    ],
    [
      'a download that is cancelled in the queue loses its answer',
      'if (isEarly && !isNew) jobs.set(job);\n      else jobs',
      'jobs',
    ],
    ['a job that ended keeps its turn', '    } finally {\n      release();', '    } finally {'],
  ]),
  ...mutantsOf('src/jobs/JobRun.ts', runner, [
    ['an answer only in memory is left to another window', '!isInMemory && ', '', ['jobs/takenOver']],
    [
      'an expired address of a finished job is not renewed',
      'isExpired && kept.videoId !== undefined ?',
      'false ?',
      ['jobs/pollJob'],
    ],
    [
      'an answer whose folder was removed stays in memory',
      'this.#unwritten.get(id) ?? (isOnDisk ? undefined : kept)',
      'this.#unwritten.get(id)',
    ],
    ['an answer that cannot be written is forgotten', 'this.#unwritten.set(id, answer);', '', ['jobs/noRoom']],
    ['an answer in memory never goes to disk', 'if (unwritten) await this.#answered(unwritten);', '', ['jobs/noRoom']],
    [
      'a removed journal is not created again',
      'if (!(await log.read())) await log.sending(this.#job);',
      '',
      ['jobs/noRoom'],
    ],
    ['a cancelled answer stays on disk', 'await ignoreFailure(log.discardAnswers());', ''],
    ['a partial answer is not offered', '          isPartial = true;', '', ['jobs/rawAnswers']],
    [
      'files that an answer links to are not kept',
      'if (latest) await keepLinked(',
      'if (false) await keepLinked(',
      ['jobs/rawAnswers'],
    ],
    ['a job that is done stays on disk', 'await ignoreFailure(this.#log.remove());', ''],
    ['the cost is not shown', 'jobs.update(job.id, { usage: usageOf(final.answer.usage) });', ''],
    [
      'a job that another window runs fails here',
      'if (!(await this.#log.isHeld())) return true;',
      '',
      ['jobs/takenOver'],
    ],
    [
      'a job that another window has saved fails here',
      'return !(await this.#log.read()) && ',
      'return false && ',
      ['jobs/takenOver'],
    ],
    ['a refused job still has an answer', 'this.#parts.jobs.update(id, { hasAnswer: false });', '', ['jobs/pollJob']],
    [
      'a refused job can be downloaded by the next window',
      "await ignoreFailure(log.ended('failed', recordOf(refused), false));",
      "await ignoreFailure(log.ended('failed', recordOf(refused), true));",
      ['jobs/pollJob'],
    ],
    ['a request is sent before it is recorded', 'await log.sending(this.#job).catch(cannotKeep);', '', crash],
    ['saved results are not recorded in the journal', 'await ignoreFailure(log.saved(index, asset));', ''],
  ]),
  ...mutantsOf(
    'src/jobs/keepLinked.ts',
    ['jobs/keepLinked'],
    [
      ['documentation is kept as a result', 'links.size > maxLinks ? [] : [...links]', '[...links]'],
      ['escaped addresses are not found', ".replaceAll('\\\\/', '/')", ''],
      ['a link that cannot be fetched loses the answer', '.catch(() => undefined);', ';'],
    ],
  ),
];

/** Mutants of how a job starts, continues and ends. */
export const runningMutants: readonly Mutant[] = [...errors, ...starting, ...running];
