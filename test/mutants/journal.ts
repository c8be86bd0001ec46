import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

const crash = ['jobs/crash'];
const runner = ['jobs/JobRunner'];

const leases = mutantsOf(
  'src/jobs/Lease.ts',
  ['jobs/Lease'],
  [
    ['no heartbeat is written', 'setInterval(() => this.renew()', 'setInterval(() => Promise.resolve()'],
    ['a heartbeat comes too late', 'silence / 3).unref()', 'silence).unref()'],
    [
      'a process id of another machine is checked here',
      'if (holder.machine !== (await thisMachine())) return false;',
      '',
    ],
    ['a killed process keeps its lease', '!isAlive(holder.process)', 'false'],
    ['a running process loses its lease', '!isAlive(holder.process)', 'true'],
    ['an earlier process with the same id counts as this one', 'holder.run !== thisRun', 'false'],
    ['a lease without a heartbeat stays held', 'Date.now() - mtimeMs < silence', 'true'],
    [
      'a holder does not learn that it was replaced',
      ' || current.trimEnd() !== this.#text.trimEnd()',
      ' && current.trimEnd() !== this.#text.trimEnd()',
    ],
    [
      'a watch is ignored',
      'watch ? watch.isAlive(file, `${mtimeMs} ${text}`) : Date.now()',
      'Date.now()',
      ['jobs/Lease', 'jobs/twoWindows'],
    ],
    [
      'two processes get the lease by the same number',
      'if ((await latestGeneration(folder)) !== generation) {',
      'if (false) {',
    ],
    ['a late heartbeat undoes a release', 'this.#isReleased ? undefined : this.#text', 'this.#text'],
    ["a late holder releases another's lease", 'if (await this.renew().catch(() => false)) await', 'await'],
    ['two processes create the same lease', "{ flag: 'wx', mode: 0o600 }", "{ flag: 'w', mode: 0o600 }"],
    ['a released lease is still held', "if (holder && 'isReleased' in holder) return false;", ''],
    ['a lease that is being written is free', 'if (holder && (await hasEnded', 'if (!holder || (await hasEnded'],
    ['files in a folder do not count as activity', '...(await readdir(folder)).map((name) => join(folder, name))', ''],
    [
      'a missing folder counts as quiet',
      "if (hasCode(error, 'ENOENT')) return 0;",
      "if (hasCode(error, 'ENOENT')) return Infinity;",
    ],
  ],
);

const watches = mutantsOf(
  'src/jobs/LeaseWatch.ts',
  ['jobs/Lease', 'jobs/twoWindows'],
  [
    ['a holder is given up at the second check', 'Math.min(at - before.at, this.#silence / 2)', '(at - before.at)'],
    ['a holder with a heartbeat is given up', 'before?.stamp === stamp ?', 'before ?'],
    ['no holder is ever given up', 'return quiet < this.#silence;', 'return true;'],
  ],
);

const journal = [
  ...mutantsOf('src/jobs/journalEntry.ts', runner, [
    [
      'the line break before an entry is left out',
      'return `\\n${JSON.stringify(entry)}\\n`;',
      'return `${JSON.stringify(entry)}\\n`;',
    ],
    [
      'a truncated line makes the journal unreadable',
      'parseJson<JournalEntry>(line) ?? []',
      'JSON.parse(line) as JournalEntry',
    ],
  ]),
  ...mutantsOf(
    'src/jobs/JobLog.ts',
    ['jobs/JobLog'],
    [
      [
        'a refused answer can be downloaded',
        'job?.record.hasAnswer ? this.#keptAnswer(job.answered) : undefined',
        'this.#keptAnswer(job?.answered)',
        ['jobs/pollJob'],
      ],
      [
        'the answer with the job id is used as its state',
        'job?.answered?.videoId === undefined ? undefined : this.#keptAnswer(job.firstAnswered)',
        'this.#keptAnswer(job?.answered)',
      ],
      ['polled states accumulate on disk', 'if (name !== named) await rm(', 'if (false) await rm(', ['jobs/pollJob']],
      [
        'the state that waits to be saved is removed',
        'if (name !== named) await rm(',
        'await rm(',
        ['jobs/pollJob', 'jobs/JobLog'],
      ],
      ['an entry replaces those before it', "journalFileName), 'a', 0o600)", "journalFileName), 'w', 0o600)"],
      ['others can read the journal', "journalFileName), 'a', 0o600)", "journalFileName), 'a')"],
      ['an unchanged state stays on disk', 'await rm(body.path, { force: true });', '  return;', ['jobs/pollJob']],
      ['a late answer is written while another process runs the job', 'if (lease) return;', 'return;'],
      [
        'a truncated kept result counts as complete',
        'const temporary = `${file}.${randomUUID()}.part`;',
        'const temporary = file;',
        ['jobs/JobLog'],
      ],
      ['a partial answer is not found', "return this.#files('answer', 'partial');", 'return [];', crash],
      [
        'files that an answer links to are not found',
        "...(await this.#files('linked', 'linked'))",
        '',
        ['jobs/rawAnswers'],
      ],
      [
        'a result of unknown type counts as waiting to be saved',
        'join(this.#path, `raw-${index}`)',
        'this.#resultFile(index)',
        ['jobs/rawAnswers'],
      ],
      ['a result is named without the lease', 'if (!(await this.isHeld())) throw new LeaseLost();', ''],
      ['a late answer does not take the lease back', 'if (await this.isHeld()) return;', 'return;'],
      [
        'the images of a request are not kept',
        'return keepInputs(job, this.#path);',
        'return Promise.resolve(job.request);',
        ['jobs/keptInputs'],
      ],
    ],
  ),
  ...mutantsOf(
    'src/jobs/Journal.ts',
    ['jobs/Journal'],
    [
      ['a job that was started without a folder is not found', ' || root.endsWith(chosenSuffix)', ''],
      ['a window shows what failed in another folder', "state === 'downloading' && ", ''],
      [
        'a window takes the job of a folder on another machine',
        "place.root.startsWith('file:') && existsSync(fileURLToPath(place.root))",
        'true',
      ],
      ['a window takes a job whose folder is missing', ' && existsSync(fileURLToPath(place.root))', ''],
      [
        'an answer is taken without waiting for its own window',
        'return waits && (await Lease.quietFor(path)) >= this.#leases.silence ?',
        'return waits ?',
      ],
      [
        'an answer whose window does not return is never taken',
        'return waits && (await Lease.quietFor(path)) >= this.#leases.silence ?',
        'return false ?',
      ],
      [
        'a job that another process runs counts as abandoned',
        '!job || (await Lease.isHeld(path, this.#leases))',
        '!job',
      ],
      ['the sweep removes new folders', ' || (await Lease.quietFor(path)) < this.#leases.silence', ''],
      ['the sweep removes nothing', '(await JobLog.take(path, this.#leases))?.remove()', 'undefined'],
      [
        'one unreadable job hides the others',
        'this.#abandoned(path, isOwn).catch(() => undefined)',
        'this.#abandoned(path, isOwn)',
      ],
      [
        'the newest job comes first',
        'a.createdAt.localeCompare(b.createdAt)',
        'b.createdAt.localeCompare(a.createdAt)',
      ],
      ['the sweep removes jobs', 'if ((await readJob(path)) || (await', 'if ((await'],
      ['the sweep removes folders without a job id', 'if (isJobId.test(id)) yield', 'yield'],
      ['jobs of two folders share one journal folder', '`${nameOf(root)}${', '`${'],
      ["the job of a part is stored by its own place, not its text's", 'whole?.place ?? place', 'place'],
    ],
  ),
  ...mutantsOf(
    'src/jobs/readJob.ts',
    ['jobs/JobLog'],
    [
      [
        'a truncated answer counts as complete',
        'answered !== undefined && (await isOfSize(join(folder, answered.file), answered.bytes))',
        'answered !== undefined',
      ],
      ['a refused answer still waits to be saved', 'isWhole && end?.hasAnswer !== false', 'isWhole'],
      ['a late answer is ignored', 'entries.slice(answered === undefined ? 0 : entries.indexOf(answered))', 'entries'],
      [
        'a job with an answer counts as one without',
        "hasAnswer ? ('downloading' as const)",
        "false ? ('downloading' as const)",
      ],
      ['an empty answer is offered as a raw answer', ' && !(await isOfSize(join(folder, name), 0))', ''],
      [
        'saved results are forgotten',
        "Object.fromEntries(all(entries, 'saved')",
        'Object.fromEntries(all([], "saved")',
      ],
      [
        'the reserved name of a result is forgotten',
        "new Map(all(entries, 'naming')",
        'new Map(all([], "naming")',
        crash,
      ],
    ],
  ),
  ...mutantsOf(
    'src/jobs/keepInputs.ts',
    ['jobs/keptInputs'],
    [
      [
        'each job has its own copy of an image',
        'if (await linkToOther(file, (await stat(temporary)).size))',
        'if (false)',
      ],
      ["another job's damaged copy is used", 'isLinked && (await stat(file)).size === bytes', 'isLinked'],
      [
        'a file that is not an image is kept as one',
        "!(await detectMediaType(data))?.mime.startsWith('image/')",
        'false',
      ],
      ['an image of the workspace is not copied', '/^file:/i.test(url)', 'false'],
      ['a data: URL stays in the journal', '/^data:/i.test(url)', 'false'],
      ['the error does not name the field', '{ field: field.name, cause: error }', '{ cause: error }'],
      [
        'only the first image is kept',
        'for (const url of value as readonly string[])',
        'for (const url of value.slice(0, 1) as readonly string[])',
      ],
      ['the image of a video is not kept', "field.type === 'image' && typeof value === 'string'", 'false'],
      ['all images share one file', 'input-${await sha256Of(temporary)}', 'input-image'],
    ],
  ),
];

/** Mutants of leases and the journal. */
export const journalMutants: readonly Mutant[] = [...leases, ...watches, ...journal];
