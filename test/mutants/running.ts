import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

const processes = ['work/twoWindows'];
const crash = ['work/crash'];
const runner = ['work/JobRunner'];
const keyed = ['work/keyed'];
const late = ['work/lateAnswer'];

const errors = mutantsOf('src/work/jobErrors.ts', runner, [
  ['an unreadable answer counts as refused', '&& !isNotUnderstood(error)', ''],
  ['a timeout counts as failed', "kind === 'timeout' || ", ''],
  ['a gateway that gave up counts as failed', " || kind === 'gatewayTimeout'", ''],
  ['a broken connection counts as failed', "kind === 'network' || ", ''],
  ['a request that was not sent counts as unknown', 'isLost && mayBeBilled', 'isLost'],
  ['an answer whose result cannot be reached counts as unknown', '!hasAnswer && (kind', 'true && (kind'],
  ['a cancelled job counts as failed', "if (kind === 'cancelled') return 'cancelled';", ''],
  [
    'an interrupted request counts as not billed',
    '{ mayBeBilled: true });\n  return errorAbout',
    '{ mayBeBilled: false });\n  return errorAbout',
    crash,
  ],
  [
    'an error of the sandbox says that it may be billed',
    'error.mayBeBilled && !job.sandbox',
    'error.mayBeBilled',
    ['work/billing'],
  ],
  ['an error says twice that it may be billed', 'error.jobId === job.id ? error : ', '', ['work/billing']],
  ['a failure does not name the saved results', "names && l10n.t('Already saved: {0}.', names),", ''],
  [
    'a failure does not say that it is paid for',
    'mayBeBilled: !job.sandbox,\n    saved:',
    'mayBeBilled: false,\n    saved:',
  ],
  [
    'the error does not say that the answer is in memory only',
    'keptAt === undefined && l10n',
    'false && l10n',
    ['work/noRoom'],
  ],
  [
    'the error does not say where the answer is kept',
    "keptAt !== undefined && keptAt !== 'store' && ",
    'false && ',
    ['cli/fullDisk'],
  ],
  [
    'a failure of the disk counts as not billed',
    'message: reasonOf(error), mayBeBilled: !sandbox',
    'message: reasonOf(error), mayBeBilled: false',
    keyed,
  ],
  ['a result of unknown type cannot be saved', "(hasRawResult && kind === 'download') || ", '', ['work/rawAnswers']],
]);

const kinds = mutantsOf(
  'src/operations/MediaError.ts',
  ['cli/deadEnds'],
  [
    ['an answer without media cannot be given up', 'noMedia: { mayRunAgain: true, isUnusable: true }', 'noMedia: {}'],
    [
      'an answer that is no answer cannot be given up',
      'unreadableAnswer: { mayRunAgain: true, isUnusable: true }',
      'unreadableAnswer: {}',
    ],
    ['a result that is gone cannot be given up', 'download: { isUnusable: true }', 'download: {}'],
    [
      'a result on a host that is gone cannot be given up',
      'network: { mayRunAgain: true, isRetryable: true, isUnusable: true }',
      'network: { mayRunAgain: true, isRetryable: true }',
    ],
    ['a forgotten video cannot be given up', 'notFound: { isUnusable: true }', 'notFound: {}'],
    ['an expired video cannot be given up', 'badRequest: { isUnusable: true }', 'badRequest: {}'],
    [
      'a video that is never finished cannot be given up',
      'timeout: { mayRunAgain: true, isRetryable: true, isUnusable: true }',
      'timeout: { mayRunAgain: true, isRetryable: true }',
    ],
  ],
);

const starting = mutantsOf('src/work/JobRunner.ts', runner, [
  [
    "another window's changes to a job are ignored",
    'job.state !== known.state || job.hasAnswer !== known.hasAnswer',
    'false',
    ['work/staleLists'],
  ],
  [
    'the list is used instead of the journal for an ended job',
    'return { job: { ...current, place: job.place }, work };',
    'return { job, work };',
    ['work/staleLists'],
  ],
  ['a job is run again twice concurrently', 'if (this.#again.has(id)) {', 'if (false) {', ['work/runAgain']],
  [
    'run again discards an unsaved answer',
    'if (!job.hasAnswer) {\n      jobs.remove(id);',
    'if (true) {\n      jobs.remove(id);',
    ['work/runAgain'],
  ],
  [
    'run again keeps the failed job',
    'if (!job.hasAnswer) {\n      jobs.remove(id);',
    'if (false) {\n      jobs.remove(id);',
    ['work/runAgain'],
  ],
  [
    'jobs of another window that are done stay on the list',
    "if (!job || job.state === 'done') jobs.remove(id);\n    else if",
    'if (!job) return;\n    if',
    processes,
  ],
  ["a window dismisses another's running job", 'if (error instanceof MediaError) throw error;', '', processes],
  [
    'a full disk keeps jobs from being dismissed',
    'const work = store.withoutLease(known.key);',
    'throw error;',
    ['work/noRoom'],
  ],
  ['a failed job is kept for 31 days', '> jobKeptMs;', '> jobKeptMs + 86_400_000;'],
  ['a failed job is kept for 29 days', '> jobKeptMs;', '> jobKeptMs - 86_400_000;'],
  ['a paid result is removed after 30 days', "stateOfWork(job) === 'none' && Date", 'Date'],
  ['a job is sent whose results cannot be saved', 'await checkPlace(this.#options.placeAt(named.place));', ''],
  [
    'images are sent before they are kept',
    ' ...kept };\n    const record',
    ' };\n    const record',
    ['work/keptInputs'],
  ],
  [
    'a lost request is shown as failed',
    "jobs.set({ ...job, state: 'unknown', error });",
    "jobs.set({ ...job, state: 'failed', error });",
    crash,
  ],
  [
    'a lost request is recorded as failed',
    "work.ended('unknown', error, false)",
    "work.ended('failed', error, false)",
    crash,
  ],
  [
    'a job that was never sent stays on disk',
    '        this.#unsent.add(id);\n        await ignoreFailure(work.remove());',
    '        this.#unsent.add(id);',
  ],
  [
    'a download that is cancelled in the queue loses its answer',
    'if (isEarly && !isNew && !isRunning(job)) jobs.set(job);\n      else jobs',
    'jobs',
  ],
  ['a recovery that is cancelled in the queue never ends', ' && !isRunning(job)) jobs.set(job);', ') jobs.set(job);'],
  ['a job that ended keeps its turn', '    } finally {\n      release();', '    } finally {'],
]);

const again = mutantsOf('src/work/JobRunner.ts', keyed, [
  [
    'a note of another computer does not keep a request from being sent',
    "return (await this.store.stateOf(key, place)) === 'none';",
    'return true;',
  ],
  ['a request that may be billed is sent again', "if (state !== 'none' && !isUseless) return false;", ''],
  [
    'a part without its result is never spoken again',
    "const isUseless = state === 'finished' && (await partIn(work.folder)) === undefined;",
    'const isUseless = false;',
  ],
  ['whatever is no finished part is sent again', "state === 'finished' && (await partIn(work", '(await partIn(work'],
  ['a request is sent though its manifest is gone', 'checkManifest(named.place);', ''],
  ['a part that could not be used keeps its note', 'await this.store.withdraw(key, place, record.id);', ''],
  [
    'the note of another computer is removed after a refusal here',
    'await this.store.withdraw(key, place, record.id);',
    'await this.store.withdraw(key, place);',
  ],
  [
    'a request that another computer has just noted stays on the list',
    'if (error instanceof UnknownOutcome) {',
    'if (false) {',
  ],
  ['the journal of a refused request goes on', '      await work.reset();\n', ''],
  [
    'a refused job stays on the list when its request is sent again',
    '      this.jobs.remove(record.id);\n    }\n    return',
    '    }\n    return',
  ],
  ['an answer that can be saved is given up', 'if (record && answer) {', 'if (record && answer && !options.again) {'],
  [
    'an answer is given up that was not known to be of no use',
    "state === 'unusable' && error instanceof",
    'error instanceof',
  ],
  ['an answer that cannot be used is never given up', 'if (!isUseless || !options.again) throw', 'throw'],
  ['an answer goes where the first request wanted it', '#run({ ...record, place: job.place }', '#run(record'],
  ['a part that is saved is sent again with a yes', "if (state === 'finished') return { assets: [] };", ''],
  [
    'nobody is asked before a request is sent again',
    'if (!options.again && !idempotencyKey) throw new UnknownOutcome();',
    '',
  ],
  [
    'a request that is sent again goes on with the first journal',
    '    await this.giveUp(job.key, job.place);\n    return {',
    '    return {',
  ],
  ['a work is held after the question', 'await ignoreFailure(work.release());\n      if (state', 'if (state'],
  ['two processes send one request', 'if (!work) throw inUseElsewhere(operation);', ''],
  ['parts are asked for in spite of a yes', 'again ? undefined : await this.store', 'await this.store'],
  [
    'the first parts are paid for, though the outcome of another is unknown',
    ".includes('unknown')) throw",
    ".includes('none')) throw",
  ],
  [
    'a part that this window recovers is refused',
    '    await this.#untilIdle(input.key);\n    const known',
    '    const known',
  ],
  ['a part that is kept is sent again', 'if (known !== undefined) return known;', ''],
  [
    'a request that another process recovers is sent again',
    'if (!work && record) throw inUseElsewhere(record.operation);',
    '',
    ['work/keyed', 'cli/interrupted'],
  ],
  [
    'resuming sends the request again',
    '(run) => run.finish(answer));\n    return true;',
    'async (run) => run.finish(await run.exchange(await this.#options.openClient(false))));\n    return true;',
  ],
  ['an answer that waits is not resumed', 'if (!answer) return false;', 'return false;'],
  [
    'a request that was given up keeps its note',
    '    await this.store.withdraw(key, place);\n    if (record)',
    '    if (record)',
  ],
  ['a request that was given up stays on the list', 'if (record) this.jobs.remove(record.id);', ''],
  ['a job that is dismissed keeps its note', 'await store.remove(taken.work, known);', 'await taken.work.remove();'],
  ['run again removes the work of a request with a key', 'if (job.key !== job.id) {', 'if (false) {', late],
  ['a late answer does not stop run again', 'if (job.hasAnswer && !knew) {', 'if (false) {', late],
  [
    'a part without speech stays unsaved',
    'await work.finishPart();\n    this.jobs',
    'this.jobs',
    ['work/transcripts/transcribeRecording'],
  ],
]);

const running = [
  ...mutantsOf(
    'src/library/requestFacts.ts',
    ['library/requestFacts'],
    [
      [
        'only the first input is shown',
        'return filesIn(field, value).map(',
        'return filesIn(field, value).slice(0, 1).map(',
      ],
      ['the rest of a text is not mentioned', 'characters.length - maxShown)', '0)'],
      ['a name closes its quotes', ".replace(/[“”„‟]/g, '\"')", ''],
      ['invisible characters are not mentioned', '...(hidden > 0 ?', '...(false ?'],
    ],
  ),
  ...mutantsOf('src/work/JobRun.ts', runner, [
    [
      'the copy of a recording stays',
      '.finally(() => ignoreFailure(work.removeRecording()))',
      '',
      ['agents/AgentDesk'],
    ],
    ['an answer only in memory is left to another window', '!isInMemory && ', '', ['work/takenOver']],
    [
      'an expired address of a finished job is not renewed',
      'isExpired && kept.videoId !== undefined ?',
      'false ?',
      ['work/pollJob'],
    ],
    [
      'an answer whose folder was removed stays in memory',
      'this.#unwritten.get(id) ?? (isOnDisk ? undefined : kept)',
      'this.#unwritten.get(id)',
    ],
    [
      'an answer that cannot be written is forgotten',
      'if (!kept) this.#unwritten.set(id, answer);',
      '',
      ['work/noRoom'],
    ],
    ['an answer in memory never goes to disk', 'if (unwritten) await this.#answered(unwritten);', '', ['work/noRoom']],
    [
      'a removed journal is not created again',
      'if (!(await work.read())) await work.sending(this.#job);',
      '',
      ['work/noRoom'],
    ],
    ['a cancelled answer stays on disk', 'await ignoreFailure(work.discardAnswers());', ''],
    ['a partial answer is not offered', '          isPartial = true;', '', ['work/rawAnswers']],
    [
      'files that an answer links to are not kept',
      'if (latest) await keepLinked(',
      'if (false) await keepLinked(',
      ['work/rawAnswers'],
    ],
    ['a job that is done stays on disk', 'await ignoreFailure(this.#parts.store.remove(this.#work, this.#job));', ''],
    ['the cost is not shown', 'jobs.update(job.id, { usage: usageOf(final.answer.usage) });', ''],
    [
      'a job that another window runs fails here',
      'if (!(await this.#work.isHeld())) return true;',
      '',
      ['work/takenOver'],
    ],
    [
      'a job that another window has saved fails here',
      'if (await this.#work.read()) return false;',
      'return false;',
      ['work/takenOver'],
    ],
    ['a refused job still has an answer', 'this.#parts.jobs.update(id, { hasAnswer: false });', '', ['work/pollJob']],
    [
      'a refused job can be downloaded by the next window',
      "await ignoreFailure(work.ended('failed', recordOf(refused, this.#job), false));",
      "await ignoreFailure(work.ended('failed', recordOf(refused, this.#job), true));",
      ['work/pollJob'],
    ],
    [
      'a request is sent before it is recorded',
      'await work.sending(this.#job).catch((error: unknown) => {',
      'await Promise.resolve().catch((error: unknown) => {',
      crash,
    ],
    ['saved results are not recorded in the journal', 'await ignoreFailure(work.saved(index, asset));', ''],
    [
      'the files of crashed attempts stay',
      'await removeAttempts(place, this.#job.id).catch(() => undefined);',
      '',
      ['work/sweep'],
    ],
    ['a request that waited is sent though its manifest is gone', 'checkManifest(place);', '', keyed],
    [
      'after a crash, a folder that was renamed comes back',
      'checkManifest(this.#job.place);\n        await checkPlace',
      'await checkPlace',
      keyed,
    ],
    [
      'a folder that was renamed while a request was out comes back',
      'checkManifest(this.#job.place);\n        if (await',
      'if (await',
      ['manifest/applying'],
    ],
    ['no note says that a request is out', 'await this.#note();', '', keyed],
    ['the sandbox leaves notes', 'if (sandbox || place.isChosen) return;', 'if (place.isChosen) return;', keyed],
    [
      'a request that another computer has just noted is sent',
      'else if (!(await isNoted.catch(cannotKeep))) throw new UnknownOutcome();',
      'else await isNoted.catch(cannotKeep);',
      keyed,
    ],
    [
      'a request is sent though no note can be written',
      'isNoted.catch(cannotKeep)',
      'isNoted.catch(() => true)',
      keyed,
    ],
    [
      'a job without a key fails when no note can be written',
      'await isNoted.catch(() => undefined);\n    else',
      'await isNoted.catch(cannotKeep);\n    else',
      keyed,
    ],
    [
      'a refused request keeps its note',
      'if (ended instanceof MediaError && !ended.mayBeBilled) await this.#parts.store.withdraw(key, place, id);',
      '',
      keyed,
    ],
    [
      'a refused request takes the note of one that was sent again',
      'await this.#parts.store.withdraw(key, place, id);',
      'await this.#parts.store.withdraw(key, place);',
      ['work/takenOver'],
    ],
    [
      'a request that may be billed loses its note',
      'if (ended instanceof MediaError && !ended.mayBeBilled) await this.#parts.store.withdraw(key, place, id);',
      'await this.#parts.store.withdraw(key, place, id);',
      keyed,
    ],
    [
      'a job that is done keeps its note',
      'await ignoreFailure(this.#parts.store.remove(this.#work, this.#job));',
      'await ignoreFailure(this.#work.remove());',
      keyed,
    ],
    [
      'a late answer is lost when the request runs again',
      'error instanceof LeaseLost ? await this.#keepLate(answer).catch(() => undefined) : undefined',
      'undefined',
      late,
    ],
    [
      'the job of a late answer is shown with the work of another',
      'this.#parts.jobs.update(job.id, { key });',
      '',
      ['work/takenOver'],
    ],
    ['the result of a part is removed', 'if (this.#job.whole) await', 'if (false) await', ['work/speech/speakInParts']],
    [
      'a part goes to the place of its whole',
      'this.#job.whole ? placeOfPart(this.#work) : ',
      'false ? placeOfPart(this.#work) : ',
      ['work/speech/speakInParts'],
    ],
    [
      'an answer that has no room is not kept elsewhere',
      'return file;\n    } catch',
      'return undefined;\n    } catch',
      ['cli/fullDisk'],
    ],
  ]),
];

const idempotency = [
  ...mutantsOf(
    'src/work/repeatable.ts',
    ['work/repeatable'],
    [
      ['a key is used for another body', ' && sentKey(sent.attempt, found).value === sent.value', ''],
      ['a key is used at another host', ' && sent.origin === origin', ''],
      ['what is made anew has the key of the first', "['idempotency', attempt, sha256]", "['idempotency', sha256]"],
    ],
  ),
  ...mutantsOf(
    'src/work/JobRunner.ts',
    ['work/repeatable'],
    [
      [
        'an agent sends a request again under its key',
        'return agent ? undefined : this.keyOrigin',
        'return this.keyOrigin',
      ],
      ['Run Again has a new key', 'isUnknown && idempotencyKey ?', 'false ?'],
      ['Run Again of an answered job has its key', 'isUnknown && idempotencyKey ?', 'idempotencyKey ?'],
      ['a repeat has a new key', '...(idempotencyKey ? { idempotencyKey } : {}), ...kept', '...kept'],
    ],
  ),
  ...mutantsOf(
    'src/work/JobRun.ts',
    ['work/repeatable'],
    [
      [
        'a changed request is sent although its outcome is unknown',
        'if (earlier && !isRepeat && !this.#options.again) throw new UnknownOutcome();',
        '',
      ],
    ],
  ),
];

/** Mutants of how a job starts, continues and ends. */
export const runningMutants: readonly Mutant[] = [
  ...errors,
  ...kinds,
  ...starting,
  ...again,
  ...running,
  ...idempotency,
];
