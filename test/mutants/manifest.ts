import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of `src/manifest` and `src/cli`. */
export const manifestMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/manifest/Lock.ts',
    ['cli/check'],
    [
      ['the manifest may be a link', 'if (stats.isSymbolicLink()) throw damaged', 'if (stats.size < 0) throw damaged'],
      ['a manifest of any size is read', 'if (length > maxMegabytes * 1_000_000)', 'if (length < 0)'],
    ],
  ),
  ...mutantsOf(
    'src/cli/threads.ts',
    ['cli/signals'],
    [
      [
        'the command line stays while its JavaScript does not return',
        "setTimeout(() => host.kill(host.pid, signal === 'SIGHUP' ? 'SIGTERM' : signal), endingMs);",
        '',
      ],
      ['a signal does not abort the verb', "worker.postMessage('abort')", 'undefined'],
    ],
  ),
  ...mutantsOf(
    'src/manifest/finishAsset.ts',
    ['manifest/ManifestProject'],
    [
      ['an edited file is replaced', 'found !== undefined && found !== replaces', 'false'],
      [
        'the times of a transcript are placed where another branch is checked out',
        'project.checkThere();\n  const all',
        'const all',
        ['manifest/applying'],
      ],
      [
        'a file is placed in a folder that was renamed',
        'project.checkThere();\n  await folder.check();',
        'await folder.check();',
        ['manifest/applying'],
      ],
      [
        'the old file is removed before the new one has its name',
        'const isPlaced =',
        'await folder.remove(name);\n    const isPlaced =',
      ],
      ['no copy of a replaced file is kept', '!isSame) await keepReplaced', 'false) await keepReplaced', ['cli/kept']],
      [
        'the paragraphs of a replaced narration are forgotten',
        'if (line?.blocks) await keepLine',
        'if (false) await keepLine',
        ['cli/kept'],
      ],
      ['an accepted file becomes a variant', 'if (accepted) return aside;', '', ['cli/kept']],
      ['what the sandbox made is kept', 'request === undefined || sandbox', 'request === undefined', ['cli/kept']],
    ],
  ),
  ...mutantsOf(
    'src/manifest/ManifestProject.ts',
    ['manifest/ManifestProject'],
    [
      [
        'more is made though the manifest is gone',
        '    this.checkThere();\n    // The file',
        '    // The file',
        ['manifest/applying'],
      ],
      ['a placing note counts for any file', ' === line.output;', ' !== undefined;'],
      ['a manifest takes the notes of another', 'this.#noteFor(path) === name', 'this.#noteFor(path) !== ""'],
      [
        'a note is lost with the name of the folder',
        'const { notes } = this.variants;\n    await notes.remove',
        'const notes = new LocalFolder(this.store.folderOf(this.key), undefined);\n    await notes.remove',
      ],
      [
        'lock lines of others are lost',
        'const lock = new Map(await this.#read());',
        'const lock = new Map<string, LockLine>();',
      ],
    ],
  ),
  ...mutantsOf(
    'src/manifest/pruneAssets.ts',
    ['cli/prune'],
    [
      ['an accepted file is deleted', "if (accepted) return { path, state: 'accepted' };", ''],
      ['a file that no entry can have made is deleted', 'if (!isMade(line))', 'if (false)'],
      ['a file of another manifest is deleted', 'other === undefined ?', 'true ?'],
      ['a file that another entry is made from is deleted', "named.get(keyOf(file ?? '')) ??", ''],
    ],
  ),
  ...mutantsOf(
    'src/manifest/finishAsset.ts',
    ['cli/kept'],
    [['an accepted file is made from a variant again', '!isAccepted && ', '']],
  ),
  ...mutantsOf(
    'src/manifest/Manifest.ts',
    ['manifest/shardOf'],
    [['an input may be made by another shard', 'neighbours.get(keyOf(input))?.push(keyOf(entry.path));', '']],
  ),
  ...mutantsOf(
    'src/manifest/Manifest.ts',
    ['manifest/readManifest'],
    [
      ['a path may leave the project', "if (names.includes('..'))", 'if (false)'],
      ['a path may enter .git', 'reservedFolders.test(', '/^$/.test('],
      ['a transcript may become AGENTS.md', 'problem !== undefined || !isReadByTools(path)', 'true'],
    ],
  ),
  ...mutantsOf(
    'src/manifest/Lock.ts',
    ['manifest/Lock'],
    [
      ['two lines with one path are accepted', 'if (first && second) throw', 'if (false) throw'],
      ['of two merged lines, the first counts', 'line.output === output', 'true'],
      ['a change of both sides is merged silently', 'their === before) return our', 'true) return our'],
      ['a lock path may leave the project', 'pathProblem(path) === undefined', 'true'],
      ['the lock is not sorted', 'compare(a.path, b.path)', '0'],
    ],
  ),
  ...mutantsOf(
    'src/manifest/ManifestProject.ts',
    ['cli/check'],
    [
      ['a link to a file is followed', 'if (stats.isSymbolicLink())', 'if (false)'],
      ['a link to a folder outside is followed', "names[0] !== '..' &&", 'true ||'],
      ['a Git LFS pointer is hashed as a file', 'if (oid !== undefined) return oid;', ''],
    ],
  ),
  ...mutantsOf(
    'src/manifest/keptNarrations.ts',
    ['manifest/keptNarrations'],
    [
      ['a kept narration counts although it was changed', '(await sha256OfStream(one.stream())) === one.sha256', 'one'],
      ['a kept narration is taken although the file in place has as much', ' < left(current))', ' <= left(current))'],
      ['the narration of another entry is taken', 'keyOf(line.path) === keyOf(path)', 'true'],
      ['the first kept narration is taken', '.sort((a, b) => left(a.blocks) - left(b.blocks))', ''],
    ],
  ),
  ...mutantsOf(
    'src/manifest/planDocument.ts',
    ['cli/kept'],
    [['a narration that a person deleted is made of its copies', 'const kept = line && (await', 'const kept = (await']],
  ),
  ...mutantsOf(
    'src/manifest/Agreement.ts',
    ['manifest/Agreement'],
    [
      ['--max-requests is ignored', 'this.#sent + requests > maxRequests', 'false'],
      ['the requests of a run are not counted', 'this.#sent++;', ''],
      ['more is sent than was agreed to', '!sandbox && !fits(agreed', '!sandbox && fits(agreed'],
      ['each request may cost as much as its entry', 'this.#counted.set(entry, sum(counted, amounts));', ''],
      ['each part of a recording counts as a whole one', 'counted.requests > 0 ? noAmounts : ', ''],
      [
        'other content is sent than was agreed to',
        '(this.#isAsAgreed(found) ? undefined : changedSentence())',
        'undefined',
      ],
      ['an input that somebody put there is sent', ' || !this.#options.hasMade(path)', ''],
      [
        'an input that was replaced after it was made is sent',
        'this.#project.lock.get(keyOf(path))?.output === hash',
        'true',
      ],
      [
        'a corrected entry is sent as it was',
        'return declared === this.#declared.get(key) ? undefined : changedSentence();',
        'return undefined;',
      ],
      ['an entry is sent that was removed', 'if (!now) return undefined;', 'if (now) return undefined;'],
      ['only the entry itself is compared, not its inputs', 'made.get(keyOf(path)) ?? path', 'path'],
      ['an input may be cropped in another way', 'hashOf([request, describeLocal(entry).local])', 'request'],
      [
        'the manifest is compared before the first request only',
        'if (changed !== undefined) throw',
        'if (false) throw',
      ],
    ],
  ),
  ...mutantsOf(
    'src/manifest/applyAssets.ts',
    ['manifest/applying'],
    [
      [
        'what is agreed to is what is found later',
        'await this.#agreement.refusal(found)',
        'await new Agreement(this.#project, [found], { ...this.#options, hasMade: () => true }).refusal(found)',
      ],
      ['a kept narration is planned, but not used', 'if (narration?.kept) return narration.kept;', '', ['cli/kept']],
      ['requests are not compared as they are sent', ', (job) => this.#agreement.send(found, job)', ''],
      [
        'a request with an unknown outcome is repeated without --again',
        "if (waiting === 'unknown' && !again) return unknownSentence(this.#options);",
        '',
      ],
      [
        'the parts of a result that a killed run had saved stay',
        'if (isFree) await this.#options.runner.store.removePartsFor(place);\n    else await',
        'if (!isFree) await',
        ['cli/paidOnce'],
      ],
      ['an edited file is generated again', "if (state === 'changed')", 'if (false)', ['cli/apply']],
      ['two programs apply one manifest', 'if (!held) throw inUse();', '', ['manifest/applying']],
      [
        'an apply that lost its manifest continues to pay',
        'if (!(await this.#held.isHeld())) return inUse().message;',
        '',
        ['manifest/applying'],
      ],
      [
        'a request that another program has out is made here',
        "if (waiting === 'running') return inUse().message;",
        '',
        ['manifest/applying'],
      ],
      [
        'requests are paid for whose lock line cannot be written',
        'return this.#project.lockProblem();',
        'return undefined;',
        ['manifest/applying'],
      ],
      [
        'files that change while others are made are not read again',
        'for (const path of [entry.path, ...sourcesOf(entry)]) this.#project.hashes.changed(path);',
        '',
        ['manifest/applying'],
      ],
      [
        'a request that turns out to be out already counts as failed',
        'if (isUnknownOutcome(error))',
        'if (false)',
        ['manifest/applying'],
      ],
      [
        'nobody learns how an answer that cannot be used is given up',
        'isUseless ? uselessSentence(known, this.#options) : reasonOf(error)',
        'reasonOf(error)',
        ['manifest/applying'],
      ],
    ],
  ),
  ...mutantsOf(
    'src/manifest/applyAssets.ts',
    ['manifest/applying'],
    [
      [
        'an answer that cannot be used is given up without a yes',
        "!(again && isUseless && state === 'unusable')",
        '!isUseless',
      ],
      ['an answer that cannot be used is never given up', "!(again && isUseless && state === 'unusable')", 'true'],
      ['a yes gives up an answer that was not known to be of no use', " && state === 'unusable')", ')'],
      ['an answer that is given up is paid for again at once', 'if (!isGivenUp || sandbox) return;', 'return;'],
      [
        'an answer that cannot be used is not tried again',
        "if (state !== 'answered' && state !== 'unusable') continue;",
        "if (state !== 'answered') continue;",
      ],
      [
        'a request is sent in place of an answer that is gone',
        "if (!sandbox && !parts && (waiting === 'answered' || waiting === 'unusable')) throw inUse();",
        '',
      ],
      ['a yes does not reach the request', '      again,\n      agreed', '      agreed', ['manifest/applying']],
      ['nobody counts what is sent', 'this.#sent++;', '', ['manifest/applying']],
      [
        'the result of an earlier run is paid for again',
        'const isFree = (await this.#project.variants.list(key)).length > 0;',
        'const isFree = false;',
        ['cli/apply'],
      ],
      [
        'a picture that was saved while it was read is sent',
        'agreed: agreedFiles(entry, origin, this.#project.manifest.folder),',
        '',
        ['cli/deadEnds'],
      ],
    ],
  ),
  ...mutantsOf(
    'src/cli/runVerb.ts',
    ['cli/interrupted'],
    [['after a restart of the computer, the jobs before it look alive', 'undefined, true)', 'undefined)']],
  ),
  ...mutantsOf(
    'src/cli/runVerb.ts',
    ['cli/amounts'],
    [['any number of recordings is sent', 'noAmounts, total)', 'noAmounts, { ...total, minutes: 0, requests: 0 })']],
  ),
  ...mutantsOf(
    'src/manifest/plan.ts',
    ['cli/amounts'],
    [
      ['recordings have no length', 'isSent ? await this.#minutesOf(entry, facts) : 0', '0'],
      ['a recording that is made first is not agreed to', 'if (!pending.includes(file)) return', 'return'],
    ],
  ),
  ...mutantsOf(
    'src/manifest/plan.ts',
    ['manifest/applying'],
    [
      ['requests that are sent again do not count', "(waiting === 'unknown' && this.#options.again) ||", ''],
      [
        'a saved result is paid for again',
        "length > 0 ? 'saved' : undefined",
        'length > 0 ? undefined : undefined',
        ['cli/apply'],
      ],
      ['a request of unknown outcome is planned', "state === 'unknown' || ", ''],
      ['a request that is out is planned', " || state === 'running'", '', ['manifest/applying']],
      ['an answer that waits is planned', "state === 'answered' || ", '', ['manifest/applying']],
      ['an answer that cannot be used is planned', "state === 'unusable' || ", ''],
    ],
  ),
  ...mutantsOf(
    'src/manifest/plan.ts',
    ['manifest/applying'],
    [['the parts that were sent are forgotten', ' ?? parts?.waiting;', ';', ['manifest/applying']]],
  ),
  ...mutantsOf(
    'src/manifest/applyAssets.ts',
    ['manifest/applying', 'cli/documents'],
    [
      [
        'nothing of the existing narration is used',
        'previous: () => previousOf(project, found)',
        'previous: async () => undefined',
      ],
    ],
  ),
  ...mutantsOf(
    'src/cli/JobsInShell.ts',
    ['cli/environment'],
    [['the key goes to any host', "origins.includes(origin) && key !== ''", "key !== ''"]],
  ),
];
