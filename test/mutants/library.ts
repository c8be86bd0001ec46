import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of `src/library`. */
export const libraryMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/library/appendLines.ts',
    ['library/append'],
    [
      ['a line is written behind one that was cut', '(await endsLine(handle, size)) ?', 'true ?'],
      ['nobody looks whether the lines are whole', 'if (await holdsLines(handle, size, lines)) return;', 'return;'],
    ],
  ),
  ...mutantsOf(
    'src/library/nameFile.ts',
    ['library/moveIfAbsent'],
    [
      ['without links a file replaces another', "await open(path, 'wx')", "await open(path, 'w')"],
      ['a name that is taken is an error', "if (hasCode(error, 'EEXIST')) return 'taken';", ''],
      ['exFAT cannot be saved to', "  'EISDIR',\n", ''],
      ['what another program has written is replaced', 'if (!(await isEmpty(target))) return false;', ''],
    ],
  ),
  ...mutantsOf(
    'src/library/saveMedia.ts',
    ['library/saveMedia'],
    [
      ['what is no image is saved as one', 'fitsKind(found, kind) ? found : undefined', 'found'],
      ['any bytes are sound', "kind === 'speech' && /^audio", 'true || /^audio'],
      ['a refused result stays in the folder', 'await folder.remove(temporary).catch(() => undefined);', ''],
      ['a result of unknown type is not kept', 'facts.bytes > 0 && onUnknownType !== undefined', 'false'],
      [
        'PNG bytes get the name of a JPEG',
        'if (!bytes || !type || !isSameType(extension, type.extension)) return undefined;',
        'if (!bytes || !type) return undefined;',
        ['library/exactName'],
      ],
      [
        'what was converted stays in the folder',
        'await folder.remove(created.name).catch(() => undefined);',
        '',
        ['library/exactName'],
      ],
    ],
  ),
  ...mutantsOf(
    'src/library/fileName.ts',
    ['library/fileName'],
    [
      ['a name is reserved on Windows', 'windowsReserved.test(short) ?', 'false ?'],
      ['a name leads to another folder', '*/:<>?\\\\|$`]', '*:<>?|$`]'],
      ['a name is longer than file systems take', 'if (bytes > maxBytes) break;', ''],
    ],
  ),
  ...mutantsOf(
    'src/library/Library.ts',
    ['library/Library'],
    [
      [
        'a record that was taken off the list is appended again',
        'lines.some((line) => entriesOf([line]).some(',
        '[lines].some((line) => entriesOf(line).some(',
      ],
      ['a folder that only begins the same is meant', "file.lastIndexOf('/', end - 1)", 'end - 1'],
    ],
  ),
  ...mutantsOf(
    'src/library/LibraryRecord.ts',
    ['library/Library'],
    [
      [
        'a library names files outside of its folder',
        'if (line.file !== undefined && !isInside(line.file)) return false;',
        '',
      ],
      ['a file that was taken off the list comes back', 'this.#forgotten.add(line.forgotten)', 'undefined'],
      ['the sandbox remixes a video of the service', ' && (sandbox === true) === isSandbox', ''],
    ],
  ),
  ...mutantsOf(
    'src/library/LibraryReader.ts',
    ['library/Library'],
    [
      ['half a line is lost', 'bytes.lastIndexOf(lineBreak) + 1)', 'bytes.length)'],
      ['another file is read as if it had grown', '.equals(this.#mark)', '.equals(this.#mark) || true'],
    ],
  ),
  ...mutantsOf(
    'src/library/Lineage.ts',
    ['library/Lineage'],
    [
      ['a video of the sandbox is the parent of one of the service', "entry.sandbox ? 'sandbox' : 'service'", "'any'"],
      ['a circle loses its videos', 'breakCircles(parents);', ''],
    ],
  ),
  ...mutantsOf(
    'src/library/PathGuard.ts',
    ['library/folderLinks'],
    [
      [
        'a link leads out of the workspace folder',
        "if (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return real;",
        'return real;',
      ],
      ['a file may be a link', 'if (stats.isFile()) return stats;', 'return stats;'],
    ],
  ),
];
