import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of `src/manifest` and `src/cli`. */
export const manifestMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/manifest/placeOutput.ts',
    ['manifest/ManifestProject'],
    [['a file that somebody changed is replaced', 'found !== undefined && found !== replaces', 'false']],
  ),
  ...mutantsOf(
    'src/manifest/ManifestProject.ts',
    ['manifest/ManifestProject'],
    [
      ['a note counts for any file', ' === line.output;', ' !== undefined;'],
      [
        'what others wrote into the lock is lost',
        'new Map(readLock(await lockIn(this.manifest.folder)))',
        'new Map<string, LockLine>()',
      ],
    ],
  ),
  ...mutantsOf(
    'src/manifest/pathProblem.ts',
    ['manifest/readManifest'],
    [
      ['a path leads out', "if (names.includes('..'))", 'if (false)'],
      ['a path leads into .git', 'closedFolders.test(', '/^$/.test('],
    ],
  ),
  ...mutantsOf(
    'src/manifest/Lock.ts',
    ['manifest/Lock'],
    [
      ['two lines of one path pass', 'if (earlier !== undefined)', 'if (false)'],
      ['a lock leads out', 'pathProblem(line.path) === undefined &&', ''],
      ['the lock is not sorted', 'a.path < b.path ? -1 : a.path > b.path ? 1 : 0', '0'],
    ],
  ),
  ...mutantsOf(
    'src/manifest/FileHashes.ts',
    ['cli/check'],
    [
      ['a link to a file is followed', 'if (stats.isSymbolicLink())', 'if (false)'],
      ['a link to a folder leads out', "names[0] !== '..' &&", 'true ||'],
      ['a pointer is hashed as it is', 'if (oid !== undefined) return oid;', ''],
    ],
  ),
  ...mutantsOf(
    'src/manifest/applyAssets.ts',
    ['cli/apply'],
    [
      ['an unknown request is sent again unasked', "if (waiting === 'unknown' && !yes)", 'if (false)'],
      ['more is sent than was allowed', 'this.#sent + requests > maxRequests', 'false'],
      ['what people changed is made anew', "if (state === 'changed')", 'if (false)', ['cli/apply']],
    ],
  ),
  ...mutantsOf(
    'src/manifest/waitingFor.ts',
    ['cli/apply'],
    [
      ['what is saved already is paid for again', "if ((await variants.list(key)).length > 0) return 'saved';", ''],
      ['what the editor sent is sent again', 'await variants.isSentByOther(key, journal)', 'false'],
    ],
  ),
  ...mutantsOf(
    'src/cli/environment.ts',
    ['cli/environment'],
    [['the key goes to any host', "origins.includes(origin) && key !== ''", "key !== ''"]],
  ),
];
