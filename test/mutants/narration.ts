import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of `src/narration` and the parts of `src/library` that it uses. */
export const narrationMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/narration/narrate.ts',
    ['narration/narrate'],
    [
      ['the tag of the first part stays', 'dropsTag: true', 'dropsTag: false'],
      ['credentials of blocks that are used again are forgotten', "previous?.credentials === 'lost'", 'false'],
      ['the header counts as sound', 'start += bytes.length;', 'start += 0;'],
      ['cues are rounded one by one', 'seconds += lengths[index] ?? 0;', 'seconds += Math.round(lengths[index] ?? 0);'],
      ['a repeated text is spoken twice', 'eachInTurn(generate, atOnce,', 'eachInTurn(blocks, atOnce,'],
      ['another block begins after a failure', 'if (failures.length > 0) return;', ''],
      ['an empty sound is kept', 'await refuse(block, error).catch(() => error)', 'error'],
      ['a block without sound is recorded', 'if (silent >= 0) await refuse(silent);', ''],
      [
        'all blocks are spoken before it shows that they cannot be joined',
        "if (!narrationFormats.includes(kindOf(file))) throw notJoined('kind', kindOf(file));",
        '',
      ],
      ['cut blocks stay in the work folder', '    await remove();\n', ''],
    ],
  ),
  ...mutantsOf(
    'src/narration/narrate.ts',
    ['narration/narrate'],
    [
      [
        'a changed file is used as the recorded one',
        "if (hash.digest('hex') !== previous.sha256) throw changedFile();",
        '',
      ],
      ['a block of a WAV file has no header', 'for (const bytes of head) await file.write(bytes);', ''],
      ['a block starts at a chunk boundary', 'Math.max(0, range.start - position)', '0'],
    ],
  ),
  ...mutantsOf(
    'src/narration/NarrationBlock.ts',
    ['narration/narrate'],
    [
      ['a row of asterisks is spoken', '.filter(isSpoken)', ''],
      ['a long paragraph is one request', 'splitText(spoken, maxCharacters)', 'splitText(text, 0)'],
      [
        'a sandbox block is reused for the service',
        'speechKey({ sandbox, request })',
        'speechKey({ sandbox: false, request })',
      ],
    ],
  ),
  ...mutantsOf(
    'src/narration/narrateWhole.ts',
    ['narration/makeNarration'],
    [
      ['spoken blocks stay when they are saved', 'await whole.saved();', ''],
      [
        'the error does not say that spoken blocks are kept',
        'whole.hasParts ? withPartsKept(error) : error',
        'false ? withPartsKept(error) : error',
      ],
      [
        'nothing is reused',
        'workFolder: whole.folder, previous, again, atOnce, isMarked',
        'workFolder: whole.folder, previous: undefined, atOnce, isMarked',
      ],
      [
        'the first blocks are paid for, though the outcome of another is unknown',
        'await whole.begin(missing, options);',
        '',
      ],
    ],
  ),
  ...mutantsOf(
    'src/narration/makeNarration.ts',
    ['narration/makeNarration'],
    [
      [
        'the record is written after the file',
        'await append(saving, own.id.slice(own.jobId.length + 1), transcript);\n',
        '',
      ],
      ['a moved narration becomes a second entry', 'own.id.slice(own.jobId.length + 1)', 'own.file'],
      ['each narration is an entry of its own', 'jobId: own?.jobId ?? randomUUID(),', 'jobId: randomUUID(),'],
      ['changed cues are replaced', 'recorded.has(hashOf(Buffer.from(text)))', 'true'],
      ['Windows line breaks count as a change', ".replaceAll('\\r\\n', '\\n')", ''],
      [
        'missing cues are not written again',
        "if (old === 'missing') await place.folder.moveIfAbsent(cues, transcript);\n  else if",
        'if',
      ],
      ['another format gets the old name', 'task.current?.file.endsWith(`.${narration.kind}`)', 'task.current'],
      ['files of a crash stay', 'for (const name of names) await folder.remove(name);\n', ''],
    ],
  ),
  ...mutantsOf(
    'src/narration/planNarration.ts',
    ['narration/narrate'],
    [
      ['ranges overlap', 'start < from || ', ''],
      ['ranges may end beyond the file', ' || end > bytes', ''],
      ['a key may be a path', 'matching(/^[0-9a-f]{64}$/)', 'matching(/^.{64}$/)'],
    ],
  ),
  ...mutantsOf(
    'src/files/LocalFolder.ts',
    ['files/LocalFolder'],
    [
      ['an unexpected file is replaced', 'if (!(await hasFile(this, name, content))) return false;', ''],
      [
        'a changed file replaces another',
        'await this.#checkUnchanged(source, created);\n    if (!(await',
        'if (!(await',
      ],
    ],
  ),
  ...mutantsOf(
    'src/library/Library.ts',
    ['library/Library'],
    [['versions of a record miss its current file', 'state.versionsIn(line)', 'new LibraryState().versionsIn(line)']],
  ),
];
