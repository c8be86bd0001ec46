import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of `src/library`. */
export const libraryMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/files/LocalFolder.ts',
    ['files/append'],
    [
      ['a line is appended to a truncated one', '(await endsLine(handle, size)) ?', 'true ?'],
      ['written lines are not verified', 'if (await holdsLines(handle, size, lines)) return;', 'return;'],
    ],
  ),
  ...mutantsOf(
    'src/files/LocalFolder.ts',
    ['files/moveIfAbsent'],
    [
      ['without links a file replaces another', "await open(path, 'wx')", "await open(path, 'w')"],
      ['a name that is taken is an error', "if (hasCode(error, 'EEXIST')) return 'taken';", ''],
      ['exFAT cannot be saved to', 'const lastingCodes = [', "const lastingCodes = ['EISDIR', "],
      ['a missing file is moved', "'ENOENT', ", ''],
      ["another program's file is replaced", 'if (!(await isEmpty(target))) return false;', ''],
    ],
  ),
  ...mutantsOf(
    'src/library/saveMedia.ts',
    ['library/saveMedia'],
    [
      ['data that is not an image is saved as one', 'fitsKind(found, kind) ? found : undefined', 'found'],
      ['any bytes count as sound', "kind === 'speech' && /^audio", 'true || /^audio'],
      [
        'a refused result stays in the folder',
        'await folder.remove(temporary).catch(() => undefined);\n  return refusal(',
        'return refusal(',
      ],
      ['a result of unknown type is not kept', 'facts.bytes > 0 && onUnknownType !== undefined', 'false'],
      [
        'PNG bytes get the name of a JPEG',
        'if (!bytes || !type || !isSameType(extension, type.extension)) return undefined;',
        'if (!bytes || !type) return undefined;',
        ['files/exactName'],
      ],
      [
        'a result is lost when there is no room for the converted one',
        'const converted = await made.catch(() => undefined);',
        'const converted = await made;',
        ['files/exactName'],
      ],
      [
        'the converted temporary file stays in the folder',
        'await folder.remove(created.name).catch(() => undefined);',
        '',
        ['files/exactName'],
      ],
    ],
  ),
  ...mutantsOf(
    'src/library/fileName.ts',
    ['library/fileName'],
    [
      ['a reserved Windows name is used', 'windowsReserved.test(short) ?', 'false ?'],
      ['a name contains a path', '*/:<>?\\\\|$`]', '*:<>?|$`]'],
      ['a name exceeds the limit of file systems', 'if (bytes > maxBytes) break;', ''],
      [
        'a transcript may become a rule in a hidden folder',
        "names.some((name) => name.startsWith('.')) || ",
        '',
        ['manifest/readManifest'],
      ],
    ],
  ),
  ...mutantsOf(
    'src/library/Library.ts',
    ['library/Library'],
    [
      [
        'a forgotten record is appended again',
        'own.some((line) => entriesOf([line]).some(',
        '[own].some((line) => entriesOf(own).some(',
      ],
      ['the files of a folder are not found', 'if (!node || node.isMeant) break;', 'if (!node) break;'],
    ],
  ),
  ...mutantsOf(
    'src/library/LibraryRecord.ts',
    ['library/Library'],
    [
      [
        'a library names files outside its folder',
        'const isInside = that(text(maxPath), (file) => !',
        'const isInside = that(text(maxPath), (file) => true || !',
      ],
      ['a forgotten file is listed again', 'this.#forgotten.add(line.forgotten)', 'undefined'],
      ['the sandbox remixes a video of the service', ' && (sandbox === true) === isSandbox', '', ['library/canRemix']],
    ],
  ),
  ...mutantsOf(
    'src/library/Library.ts',
    ['library/Library'],
    [
      ['a partial line is lost', 'bytes.lastIndexOf(lineBreak) + 1)', 'bytes.length)'],
      ['a replaced file is read as if it had grown', '.equals(this.#mark)', '.equals(this.#mark) || true'],
    ],
  ),
  ...mutantsOf(
    'src/library/Lineage.ts',
    ['library/Lineage'],
    [
      ['a video of the sandbox is the parent of one of the service', "entry.sandbox ? 'sandbox' : 'service'", "'any'"],
      ['a cycle loses its videos', 'breakCircles(parents);', ''],
    ],
  ),
  ...mutantsOf(
    'src/files/LocalFolder.ts',
    ['files/folderLinks'],
    [
      ['a link out of the workspace folder is followed', 'if (!isOutside(inside)) return real;', 'return real;'],
      ['a file may be a link', 'if (stats.isFile()) return stats;', 'return stats;'],
    ],
  ),
];
