import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of `src/narration` and the parts of `src/library` that it uses. */
export const narrationMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/narration/narrate.ts',
    ['narration/narrate'],
    [
      ['the tag of the first part stays', "if (kind !== 'wav') continue;", ''],
      ['the header counts as sound', 'start += bytes.length;', 'start += 0;'],
      ['cues are rounded one by one', 'seconds += lengths[index] ?? 0;', 'seconds += Math.round(lengths[index] ?? 0);'],
      ['a text that stands twice is spoken twice', 'of generate.entries())', 'of blocks.entries())'],
      ['an empty sound stays in the way', 'if (spoken.includes(file)) await rm(file, { force: true });', ''],
      ['a block without sound is recorded', 'if (silent < 0) return;', 'if (silent < 10) return;'],
      [
        'all is spoken before somebody sees that it cannot be joined',
        "if (!narrationFormats.includes(kindOf(file))) throw notJoined('kind', kindOf(file));",
        '',
      ],
      ['what was cut stays in the work folder', '    await remove();\n', ''],
    ],
  ),
  ...mutantsOf(
    'src/narration/cutBlocks.ts',
    ['narration/narrate'],
    [
      [
        'another file is taken for the recorded one',
        "if (hash.digest('hex') !== previous.sha256) throw changedFile();",
        '',
      ],
      ['a block of a WAV file has no header', 'for (const bytes of head) await file.write(bytes);', ''],
      ['a block begins where a chunk does', 'Math.max(0, range.start - position)', '0'],
    ],
  ),
  ...mutantsOf(
    'src/narration/NarrationBlock.ts',
    ['narration/narrate'],
    [
      ['a row of stars is spoken', '.filter(isSpoken)', ''],
      ['a long paragraph is one request', 'splitText(text, maxCharacters)', 'splitText(text, 0)'],
      [
        'a block of the sandbox is taken for the service',
        'speechKey({ sandbox, request })',
        'speechKey({ sandbox: false, request })',
      ],
    ],
  ),
  ...mutantsOf(
    'src/narration/makeNarration.ts',
    ['narration/makeNarration'],
    [
      ['spoken blocks stay when they are saved', 'await removeParts(narration.spoken);', ''],
      ['nobody says that spoken blocks are kept', 'isPaid ? withPartsKept(error) : error', 'error'],
      ['all is spoken anew', 'workFolder: folder, previous, speak', 'workFolder: folder, speak'],
    ],
  ),
  ...mutantsOf(
    'src/narration/saveNarration.ts',
    ['narration/makeNarration'],
    [
      ['the record follows the file', 'await append(saving, own.id.slice(own.jobId.length + 1), transcript);\n', ''],
      ['a moved narration becomes a second entry', 'own.id.slice(own.jobId.length + 1)', 'own.file'],
      ['each narration is an entry of its own', 'jobId: own?.jobId ?? randomUUID(),', 'jobId: randomUUID(),'],
      ['changed cues are replaced', 'recorded.has(sha256Of(Buffer.from(text)))', 'true'],
      ['the line ends of Windows count as a change', ".replaceAll('\\r\\n', '\\n')", ''],
      [
        'cues that are gone stay so',
        "if (old === 'missing') await place.folder.moveIfAbsent(cues, transcript);\n  else if",
        'if',
      ],
      ['another type stands under the old name', 'options.own?.file.endsWith(`.${narration.kind}`)', 'options.own'],
      ['what a crash has left stays', 'for (const name of names) await folder.remove(name);\n', ''],
    ],
  ),
  ...mutantsOf(
    'src/narration/readBlockRanges.ts',
    ['narration/narrate'],
    [
      ['ranges overlap', 'range.start < from || ', ''],
      ['ranges lie beyond the file', ' || range.end > bytes', ''],
      ['a key is a path', '/^[0-9a-f]{64}$/.test(key)', 'key.length === 64'],
    ],
  ),
  ...mutantsOf(
    'src/library/LocalFolder.ts',
    ['library/LocalFolder'],
    [
      [
        'a file that is not the expected one is replaced',
        'if (!(await hasFile(this, name, content))) return false;',
        '',
      ],
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
    [['the states of a record do not know where its file is', 'entriesOf([line, ...changes])', 'entriesOf([line])']],
  ),
];
