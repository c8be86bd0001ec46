import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of `src/manifest` and `src/cli`. */
export const manifestMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/manifest/placeOutput.ts',
    ['manifest/ManifestProject'],
    [
      ['an edited file is replaced', 'found !== undefined && found !== replaces', 'false'],
      [
        'the old file is removed before the new one has its name',
        'const isPlaced =',
        'await folder.remove(name);\n    const isPlaced =',
      ],
    ],
  ),
  ...mutantsOf(
    'src/manifest/ManifestProject.ts',
    ['manifest/ManifestProject'],
    [
      ['a placing note counts for any file', ' === line.output;', ' !== undefined;'],
      [
        'lock lines of others are lost',
        'new Map(readLock(await lockIn(this.manifest.folder)))',
        'new Map<string, LockLine>()',
      ],
    ],
  ),
  ...mutantsOf(
    'src/manifest/pathProblem.ts',
    ['manifest/readManifest'],
    [
      ['a path may leave the project', "if (names.includes('..'))", 'if (false)'],
      ['a path may enter .git', 'closedFolders.test(', '/^$/.test('],
    ],
  ),
  ...mutantsOf(
    'src/manifest/Lock.ts',
    ['manifest/Lock'],
    [
      ['two lines with one path are accepted', 'if (earlier !== undefined)', 'if (false)'],
      ['a lock path may leave the project', 'pathProblem(line.path) === undefined &&', ''],
      ['the lock is not sorted', 'a.path < b.path ? -1 : a.path > b.path ? 1 : 0', '0'],
    ],
  ),
  ...mutantsOf(
    'src/manifest/FileHashes.ts',
    ['cli/check'],
    [
      ['a link to a file is followed', 'if (stats.isSymbolicLink())', 'if (false)'],
      ['a link to a folder outside is followed', "names[0] !== '..' &&", 'true ||'],
      ['a Git LFS pointer is hashed as a file', 'if (oid !== undefined) return oid;', ''],
    ],
  ),
  ...mutantsOf(
    'src/manifest/applyAssets.ts',
    ['cli/apply'],
    [
      [
        'a request with an unknown outcome is repeated without --yes',
        "if (waiting === 'unknown' && !yes)",
        'if (false)',
      ],
      ['--max-requests is ignored', 'this.#sent + requests > maxRequests', 'false'],
      ['an edited file is generated again', "if (state === 'changed')", 'if (false)', ['cli/apply']],
    ],
  ),
  ...mutantsOf(
    'src/manifest/AssetMaker.ts',
    ['cli/interrupted'],
    [
      [
        'another journal pays for a result that only has to be saved',
        '!error.mayBeBilled && !error.hasAnswer',
        '(!error.mayBeBilled || error.hasAnswer)',
      ],
      ['a result that is gone is given up without --yes', '!(yes && isGone(error))', '!isGone(error)'],
      ['a result that is gone can never be given up', '!(yes && isGone(error))', 'true'],
      ['a request that another process recovers is sent again', 'if (isRunning(job)) {', 'if (false) {'],
    ],
  ),
  ...mutantsOf(
    'src/cli/JobsInShell.ts',
    ['cli/interrupted'],
    [
      ['after a restart of the computer, the jobs before it look alive', 'undefined, true)', 'undefined)'],
      ['jobs of other processes are not known', 'this.#jobs.set(job);', ''],
    ],
  ),
  ...mutantsOf(
    'src/manifest/waitingFor.ts',
    ['cli/apply'],
    [
      ['a saved result is paid for again', "if ((await variants.list(key)).length > 0) return 'saved';", ''],
      ['a request of the editor is sent again', 'await variants.isSentByOther(key, journal)', 'false'],
    ],
  ),
  ...mutantsOf(
    'src/cli/environment.ts',
    ['cli/environment'],
    [['the key goes to any host', "origins.includes(origin) && key !== ''", "key !== ''"]],
  ),
];
