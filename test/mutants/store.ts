import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

const crash = ['work/crash'];
const runner = ['work/JobRunner'];
const parts = ['work/speech/speakInParts'];
const keyed = ['work/keyed'];

const leases = mutantsOf(
  'src/work/Lease.ts',
  ['work/Lease'],
  [
    ['no heartbeat is written', 'setInterval(() => this.renew()', 'setInterval(() => Promise.resolve()'],
    ['a heartbeat comes too late', 'silence / 3).unref()', 'silence).unref()'],
    [
      'a process id of another machine is checked here',
      "if (mark.machine !== (await thisMachine())) return 'unknown';",
      '',
    ],
    ['a killed process keeps its lease', "if (!isAlive(mark.process)) return 'ended';", ''],
    [
      'a process that no one has collected keeps its lease',
      "if (status && 'ZX'.includes(status.state)) return 'ended';",
      '',
    ],
    ['another process with the same id keeps the lease', "if (mark.started !== status.started) return 'ended';", ''],
    ['a running process loses its lease', 'if (mark.started !== status.started) return', 'return'],
    ['a running process has to prove itself', "'Tt'.includes(status.state) ? 'unknown' : 'running'", "'unknown'"],
    ['a stopped process keeps its lease', "'Tt'.includes(status.state) ? 'unknown' : 'running'", "'running'"],
    [
      'an earlier process with the same id counts as this one',
      "mark.run === thisRun ? 'running' : 'ended'",
      "'running'",
    ],
    ['a lease without a heartbeat stays held', 'if (Math.abs(age) < silence)', 'if (Math.abs(age) < Infinity)'],
    ['a lease from the future stays held', 'if (Math.abs(age) < silence)', 'if (age < silence)'],
    ['a lease from the future is taken without waiting', "return age < 0 ? 'ahead' : 'quiet';", "return 'quiet';"],
    ['a heartbeat that comes is not seen', 'after.stamp !== before.stamp', 'false'],
    [
      'a holder does not learn that it was replaced',
      ' || current.trimEnd() !== this.#text.trimEnd()',
      ' && current.trimEnd() !== this.#text.trimEnd()',
    ],
    ['a watch is ignored', 'if (watch) return', 'if (false) return', ['work/Lease', 'work/twoWindows']],
    [
      'two processes get the lease by the same number',
      'if ((await latestGeneration(folder)) !== generation) {',
      'if (false) {',
    ],
    ['a late heartbeat undoes a release', 'this.#isReleased ? undefined : this.#text', 'this.#text'],
    ["a late holder releases another's lease", 'await this.renew().catch(() => false)', 'true'],
    ['a lease that could not be released stays held', ' || givenUp.has(text)', ''],
    ['two processes create the same lease', 'await link(temporary, file);', 'await writeFile(file, text);'],
    ['a released lease is still held', "isReleased ? 'ended'", "isReleased ? 'running'"],
    ['a lease that is being written is free', "await lifeOf(holder) : 'unknown'", "await lifeOf(holder) : 'ended'"],
    ['files in a folder do not count as activity', '...(await readdir(folder)).map((name) => join(folder, name))', ''],
    [
      'a missing folder counts as quiet',
      "if (hasCode(error, 'ENOENT')) return 0;",
      "if (hasCode(error, 'ENOENT')) return Infinity;",
    ],
  ],
);

const watches = mutantsOf(
  'src/work/Lease.ts',
  ['work/Lease', 'work/twoWindows'],
  [
    ['a holder is given up at the second check', 'Math.min(at - before.at, this.#silence / 2)', '(at - before.at)'],
    ['a holder with a heartbeat is given up', 'before?.stamp === stamp ?', 'before ?'],
    ['no holder is ever given up', 'return quiet < this.#silence;', 'return true;'],
  ],
);

const works = mutantsOf(
  'src/work/Work.ts',
  ['work/Work'],
  [
    [
      'the line break before an entry is left out',
      'appendFile(`\\n${JSON.stringify(entry)}\\n`)',
      'appendFile(`${JSON.stringify(entry)}\\n`)',
      runner,
    ],
    [
      'a truncated line makes the journal unreadable',
      'parseJson<JournalEntry>(line) ?? []',
      'JSON.parse(line) as JournalEntry',
      runner,
    ],
    [
      'a refused answer can be downloaded',
      'job?.record.hasAnswer ? this.#keptAnswer(job.answered) : undefined',
      'this.#keptAnswer(job?.answered)',
      ['work/pollJob'],
    ],
    [
      'the answer with the job id is used as its state',
      'job?.answered?.videoId === undefined ? undefined : this.#keptAnswer(job.firstAnswered)',
      'this.#keptAnswer(job?.answered)',
    ],
    ['polled states accumulate on disk', 'if (name !== named) await rm(', 'if (false) await rm(', ['work/pollJob']],
    [
      'the state that waits to be saved is removed',
      'if (name !== named) await rm(',
      'await rm(',
      ['work/Work', 'work/pollJob'],
    ],
    ['an entry replaces those before it', "journalFileName), 'a', 0o600)", "journalFileName), 'w', 0o600)"],
    ['others can read the journal', "journalFileName), 'a', 0o600)", "journalFileName), 'a')"],
    ['an unchanged state stays on disk', 'await rm(body.path, { force: true });', '  return;', ['work/pollJob']],
    ['a late answer is written while another process runs the job', 'if (lease) return;', 'return;'],
    [
      'a truncated kept result counts as complete',
      'const temporary = `${file}.${randomUUID()}.part`;',
      'const temporary = file;',
    ],
    ['a partial answer is not found', "return this.#files('answer', 'partial');", 'return [];', crash],
    [
      'files that an answer links to are not found',
      "...(await this.#files('linked', 'linked'))",
      '',
      ['work/rawAnswers'],
    ],
    [
      'a result of unknown type counts as waiting to be saved',
      'join(this.folder, `raw-${index}`)',
      'this.#resultFile(index)',
      ['work/rawAnswers'],
    ],
    ['a work that another process has taken is written to', 'if (!(await this.isHeld())) throw new LeaseLost();', ''],
    [
      'the file of a late answer stays in the work that was lost',
      'await link(path, file).catch(() => copyFile(path, file));',
      'return name;',
      ['work/takenOver'],
    ],
    ['a late answer does not take the lease back', 'if (await this.isHeld()) return;', 'return;'],
    ['a late answer takes the lease of another request', 'if ((await this.#jobInside()) !== this.#jobId) break;', ''],
    [
      'the images of a request are not kept',
      'return keepInputs(job, this.folder, agreed);',
      'return Promise.resolve({ request: job.request });',
      ['work/keptInputs'],
    ],
    [
      'a truncated answer counts as complete',
      'answered !== undefined && (await isOfSize(join(folder, answered.file), answered.bytes))',
      'answered !== undefined',
    ],
    ['a refused answer still waits to be saved', 'isWhole && end?.hasAnswer !== false', 'isWhole'],
    ['a late answer is ignored', '.slice(answered === undefined ? 0 : entries.indexOf(answered))', ''],
    [
      'a job with an answer counts as one without',
      "hasAnswer ? ('downloading' as const)",
      "false ? ('downloading' as const)",
    ],
    ['an empty answer is offered as a raw answer', ' && !(await isOfSize(join(folder, name), 0))', ''],
    ['saved results are forgotten', "all('saved').map(", "all('saved').slice(0, 0).map("],
    ['the reserved name of a result is forgotten', "all('naming').map(", "all('naming').slice(0, 0).map("],
    ['a torn journal counts as nothing sent', "? undefined : 'torn'", '? undefined : undefined', ['work/Store']],
    ['an answer that was in, and is gone, counts as refused', "isLost ? ('unknown' as const) : end.state", 'end.state'],
    ['no space is reserved for the answer', 'await this.#reserve();', '', ['work/noRoom']],
    [
      'the answer does not get the space that was reserved for it',
      '    await this.#freeReserve();\n    return FileWriter',
      '    return FileWriter',
      ['work/noRoom'],
    ],
    [
      'the end of a request does not get the space that was reserved',
      "    await this.#freeReserve();\n    await this.#add({ event: 'ended'",
      "    await this.#add({ event: 'ended'",
    ],
    [
      'a folder that was removed by accident comes back without a lease',
      'if (made !== undefined) this.#lease',
      'if (false) this.#lease',
    ],
    ['a saved part counts as running', "await this.ended('done', undefined, false);", '', ['work/Store']],
    ['the result of a part goes with its leftovers', '!isPartFile(name) && name', 'name', parts],
    ['the journal of a part goes with its leftovers', 'name !== journalFileName && ', ''],
    ['the answer to a part stays', '(name) => !isPartFile(name) &&', '(name) => false &&'],
    [
      'an earlier attempt stays in the journal of the next',
      '!/^(lease|input)-/.test',
      '!/^(lease-|input-|journal)/.test',
      keyed,
    ],
    ['the images of a refused request are lost', '!/^(lease|input)-/.test', '!/^lease-/.test', ['work/keptInputs']],
    [
      'the images of a request that is given up are lost',
      "if (name.startsWith('input-')) await",
      'if (false) await',
      ['work/keptInputs'],
    ],
    [
      'an empty file counts as the result of a part',
      '((await stat(path).catch(() => undefined))?.size ?? 0) > 0',
      'path',
      parts,
    ],
  ],
);

const store = mutantsOf(
  'src/work/Store.ts',
  ['work/Store', 'work/keyed'],
  [
    [
      'after a restart of the computer, the jobs before it look alive',
      'checksOnce ? { silence } : ',
      '',
      ['cli/interrupted'],
    ],
    ['a note in a folder above is ignored', ', ...foldersAbove(root)]', ']'],
    ['a note in a folder below is ignored', '[root, ...below, ', '[root, '],
    [
      'two computers with different roots send the same request',
      'const noted = again || key',
      'const noted = true || key',
    ],
    [
      'a request that was not sent stays noted',
      '      await this.withdraw(key, place, id);\n      return false;',
      'return false;',
    ],
    ['a work is taken without waiting for a heartbeat', 'confirms: true', 'confirms: false'],
    ['a note of another computer is ignored', "((await this.#isNoted(key, noted)) ? 'unknown' : 'none')", "'none'"],
    [
      'a note of another computer is ignored if another clone has the request here',
      'for (const note of others) {',
      'for (const note of []) {',
    ],
    [
      'a request that was just finished is unknown',
      'if (await one.notes.has(one.key).catch(() => true)) return',
      'if (true) return',
    ],
    ['a copy of a clone is asked about', '(await note.notes.workOf(request)) !== clone', 'true'],
    [
      'a note hides the answer that is kept',
      "state ?? ((await this.#isNoted(key, noted)) ? 'unknown' : 'none')",
      "(await this.#isNoted(key, noted)) ? 'unknown' : (state ?? 'none')",
    ],
    ['a note of another computer is ignored after a refusal here', "state === 'none' ? undefined : state", 'state'],
    [
      'a part without its file counts as out',
      "(await partIn(folder)) === undefined ? 'none' : state",
      '(await partIn(folder)) === undefined ? undefined : state',
      keyed,
    ],
    [
      'a work that cannot be read was never sent',
      "read === 'torn') return 'unknown';",
      "read === 'torn') return 'none';",
    ],
    [
      'a request that is out counts as unknown while its process lives',
      "if (isRunning(record) && (await Lease.isHeld(folder, this.#leases))) return 'running';",
      '',
    ],
    [
      'a part without its file counts as finished',
      "if (state === 'finished') return (await partIn(folder)) === undefined ? 'none' : state;",
      '',
    ],
    ['all works count as parts', 'if (record.whole) records.push(record);', 'records.push(record);'],
    ['an answer that cannot be used counts as one that can', "isUnusable(error) ? 'unusable'", "false ? 'unusable'"],
    ['the sandbox asks before it repeats a request', "if (sandbox) return 'none';", ''],
    [
      'a request that was out when its process died is sent again',
      "isRunning(record) || state === 'unknown'",
      "state === 'unknown'",
    ],
    ['a request of unknown outcome is sent again', "state === 'unknown' || error", 'error'],
    ['a request that failed, but may be billed, is sent again', ' || error?.mayBeBilled', ''],
    [
      'a removal that was cut short is never finished in a renamed folder',
      'await work.noteRemoval().catch(() => undefined);',
      '',
    ],
    ['the notes of parts stay', 'await this.withdraw(key, place, (await work.read())?.record.id);', ''],
    [
      'a job that is dismissed takes the note of another computer with it',
      'await this.withdraw(key, place, (await work.read())?.record.id);',
      'await this.withdraw(key, place);',
    ],
    [
      'the parts of a whole that is saved stay',
      'await this.#removePartsOf(whole, held, rootsOf(whole.place), new Set(used));',
      'await held.forgetSaved();',
    ],
    ['the note in the folder that a request was sent for stays', '[place, sentFor ?? place]', '[place]'],
    ['the note in the folder that a result is for stays', '[place, sentFor ?? place]', '[sentFor ?? place]'],
    ['the parts of another whole are removed', '!whole || !(await isSaved({ ...part, whole }))', '!whole'],
    [
      'a note stays in a folder that was renamed',
      'if (!isNoted || !isGone(place.root)) return place;',
      'return place;',
    ],
    [
      'a work is removed for good while its folder may be back',
      'const isRemoved = Date.now() - Date.parse(createdAt) > jobKeptMs;',
      'const isRemoved = true;',
    ],
    [
      'a whole is forgotten while parts of it stay',
      'if (areGone) await held.forgetSaved();',
      'await held.forgetSaved();',
    ],
    ['parts stay when their folder has another root', 'join(await canonicalRoot(root), path)', 'canonicalRoot(root)'],
    ['a part that may be billed is removed', "if (state !== 'finished' && state !== 'none') continue;", ''],
    ['what the service sent is lost when a request is given up', 'if (files.length === 0) {', 'if (true) {'],
    [
      'an answer that was given up still waits to be saved',
      "await work.ended('failed', record?.error, false).catch(() => undefined);",
      '',
    ],
    ['a job that was started without a folder is not found', ' || record.place.isChosen', ''],
    ['a window shows what failed in another folder', "state === 'downloading' && ", ''],
    [
      'a window takes the job of a folder on another machine',
      "place.root.startsWith('file:') && !isGone(place.root);",
      'true;',
    ],
    ['a window takes a job whose folder is missing', ' && !isGone(place.root);', ';'],
    [
      'an answer is taken without waiting for its own window',
      'return waits && (await Lease.quietFor(folder)) >= this.#leases.silence;',
      'return waits;',
    ],
    [
      'an answer whose window does not return is never taken',
      'return waits && (await Lease.quietFor(folder)) >= this.#leases.silence;',
      'return false;',
    ],
    [
      'a job that another process runs counts as abandoned',
      "found.state === 'done' || (await Lease.isHeld(folder, this.#leases))",
      "found.state === 'done'",
    ],
    ['a part that is saved counts as abandoned', "found.state === 'done' || (await", '(await'],
    ['the newest job comes first', 'a.createdAt.localeCompare(b.createdAt)', 'b.createdAt.localeCompare(a.createdAt)'],
    ['the sweep removes jobs', 'if (read) return this.#sweepSaved(read.record, roots);', ''],
    ['the sweep removes new folders', 'if ((await Lease.quietFor(folder)) < this.#leases.silence) return;', ''],
    [
      'the sweep removes nothing',
      'if (await this.#removeSaved(work, roots)) await work.remove();',
      'if (false) await work.remove();',
    ],
    [
      'one unreadable job hides the others',
      'readWork(this.folderOf(key)).catch(() => undefined)',
      'readWork(this.folderOf(key))',
    ],
    [
      'a window takes the jobs of all folders',
      'return (await this.#own).includes(await name);',
      'return (await name) !== undefined;',
    ],
    ['a window leaves what was started without a folder', '|"isChosen":true/', '/'],
    ['a window leaves answers that have waited', '/"event":"answered"|', '/'],
    ['a renamed folder leaves its works', 'return noted.has(key) || ', 'return '],
    ['what was saved stays', ` || text.includes('"state":"done"')`, ''],
    ['the leftovers of works that were never sent stay', "text.trim() === '' || ", ''],
    ['a work is unknown before the store is looked at', 'noted.some((note) => note.key === key) || ', ''],
    ['the works of a renamed folder are lost', 'moved !== undefined && isGone', 'false && isGone'],
    ['a copy of a folder takes its works', 'moved !== undefined && isGone(found.place.root)', 'moved !== undefined'],
    ['the works of a renamed folder are saved to the old one', '? movedTo(moved, found) : found', '? found : found'],
    ['the whole of a part of a renamed folder is saved to the old one', '...(whole ? { whole:', '...(false ? { whole:'],
    [
      'a note of another process counts as the own',
      'if (await this.has(key)) return false;',
      'if (await this.has(key)) return true;',
      keyed,
    ],
    [
      'the notes show up in git',
      "if ((await this.#folder.size('.gitignore')) === undefined) await",
      'if (false) await',
    ],
    ['the last note leaves its folder', 'of [this.#path, this.#parent]) await', 'of []) await'],
    [
      'the first note that ends takes the .gitignore with it',
      ".some((name) => name !== '.gitignore')",
      '.includes(key)',
    ],
  ],
);

const listings = [
  ...mutantsOf(
    'src/work/Journals.ts',
    ['work/Store'],
    [
      ['the sweep removes folders without a key', '(await this.names()).filter(isKey)', 'this.names()'],
      ['begun parts are not found', 'return [named];', 'return [];', ['work/Journals']],
      ['a field of a request is taken for the whole', ' && (request === -1 || at < request)', '', ['work/Journals']],
      [
        'a whole that is named late is not found',
        "this.#textOf(one) ?? '';\n    return mayBePart",
        "'';\n    return mayBePart",
        ['work/Journals'],
      ],
    ],
  ),
  ...mutantsOf(
    'src/work/StoreListing.ts',
    ['manifest/planAssets'],
    [
      ['each entry lists the store', 'this.#names ??= ', 'this.#names = undefined ?? '],
      ['each entry lists the notes', 'if (known) return known;', ''],
      ['each text reads all journals', 'this.#parts ??= ', 'this.#parts = '],
      ['journals that no part has are read', '(name) => partKey.test(name)', '() => true'],
    ],
  ),
];

const names = mutantsOf(
  'src/files/canonicalRoot.ts',
  ['files/canonicalRoot'],
  [
    ['a folder that a link leads to has other works', 'await system.realPath(path).catch(() => path)', 'path'],
    ['the encoding of a remote URI matters', 'return decoded(root);', 'return root;'],
    ['the case of a folder matters on Windows', "path.normalize('NFC').toLowerCase()", "path.normalize('NFC')"],
    ['the form of an accent matters on a Mac', "path.normalize('NFC').toLowerCase()", 'path.toLowerCase()'],
    ['case does not matter in the Linux of Windows', "if (share !== '') return", "if (share === '-') return"],
  ],
);

const drives = mutantsOf(
  'src/files/pathFrom.ts',
  ['files/pathFrom'],
  [['the drive of a file has two names', '(drive) => drive.toLowerCase()', '(drive) => drive']],
);

const inputs = mutantsOf(
  'src/work/keepInputs.ts',
  ['work/keptInputs'],
  [
    [
      'each job has its own copy of an image',
      'same !== undefined || (await linkToOther(file, size))',
      'same !== undefined',
    ],
    ["another job's damaged copy is used", 'stats?.isFile() && stats.size === bytes', 'stats?.isFile()'],
    [
      'a file that is not an image is kept as one',
      "!(await detectMediaType(data))?.mime.startsWith('image/')",
      'false',
    ],
    ['an image of the workspace is not copied', '/^file:/i.test(url)', 'false'],
    ['a data: URL stays in the journal', '/^data:/i.test(url)', 'false'],
    ['the error does not name the field', '{ field: field.name, cause: error }', '{ cause: error }'],
    ['images are not kept', "if (field.type !== 'audioFile')", 'if (false)'],
    ["a message names the copy instead of the person's file", '    name = basename(source);\n    sha256', '    sha256'],
    ['all images share one file', 'input-${sha256}', 'input-image'],
    ['the library records a signed address', 'address: `${origin}${pathname}`', 'address: input'],
    ['the library records a foreign path', '{ name: basename(path) }', '{ name: path }'],
    ['a job that ran again was made from copies', '[...(inputs ?? []), ', '['],
    [
      'a transcript links outside the workspace',
      "if (inside === '' || isOutside(inside)) return undefined;",
      '',
      ['work/transcripts'],
    ],
    ['a file is not as agreed', 'if (isAgreed(agreed, source, content)) return', 'return', ['agents/AgentDesk']],
    [
      'a recording is not copied',
      "typeof value === 'string' && recording === undefined",
      'false',
      ['agents/AgentDesk'],
    ],
    ['a link takes the place of what was agreed to', 'agreed ? source :', 'false ? source :', ['agents/AgentDesk']],
  ],
);

/** Mutants of leases, and of the store of paid work. */
export const storeMutants: readonly Mutant[] = [
  ...leases,
  ...watches,
  ...works,
  ...store,
  ...listings,
  ...names,
  ...drives,
  ...inputs,
];
