import { lstat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { realPath } from '../files/FileCalls.ts';
import { heldByGit } from '../files/heldByGit.ts';
import { reasonOf } from '../operations/MediaError.ts';
import { sourcesOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';

/** Why a file is not there that git has, or may have. It must not be made. */
export interface Absence {
  /** `unclear`: git cannot say whether it has the file. */
  readonly how: 'elsewhere' | 'deleted' | 'submodule' | 'unclear';
  /** What is the matter, and what to do about it. */
  readonly sentence: string;
}

/** Whether a file that is not checked out here counts as the lock describes it. */
export function isElsewhere(absence: Absence | undefined): boolean {
  return absence?.how === 'elsewhere' || absence?.how === 'submodule';
}

type Checkout = Pick<ManifestProject, 'manifest' | 'root' | 'lock' | 'hashes'>;

/** Which files of a manifest are not there although git has them. */
export class GitAbsences {
  readonly #project: Checkout;
  readonly #withoutGit: boolean;
  #found: Promise<ReadonlyMap<string, Absence>> | undefined;

  constructor(project: Checkout, withoutGit = false) {
    this.#project = project;
    this.#withoutGit = withoutGit;
  }

  /** @param path of a file that is not there @returns undefined if git does not have it */
  async of(path: string): Promise<Absence | undefined> {
    if (this.#withoutGit) return undefined;
    this.#found ??= this.#find();
    return (await this.#found).get(path);
  }

  /** Asks git once for all files that the manifest and the lock name. */
  async #find(): Promise<ReadonlyMap<string, Absence>> {
    const { manifest, root, lock } = this.#project;
    const named = [
      ...manifest.entries.flatMap((entry) => [entry.path, ...sourcesOf(entry)]),
      ...[...lock.values()].map(({ path }) => path),
    ];
    const places = await Promise.all([...new Set(named)].map(async (path) => [path, await this.#place(path)] as const));
    const missing = places.flatMap(([path, file]) => (file === undefined ? [] : [{ path, file }]));
    try {
      const held = await heldByGit(
        missing.map(({ file }) => file),
        await realPath(root),
      );
      const folder = await realPath(manifest.folder);
      return new Map(
        missing.flatMap(({ path, file }) => {
          const found = held.get(file);
          if (!found) return [];
          const submodule = found.how === 'submodule' ? relative(folder, found.folder).split(sep).join('/') : '';
          return [[path, { how: found.how, sentence: sentenceFor(found.how, path, submodule) }] as const];
        }),
      );
    } catch (error) {
      const reason = reasonOf(error);
      const unclear = ({ path }: { readonly path: string }): [string, Absence] => [
        path,
        { how: 'unclear', sentence: l10n.t('git cannot say whether it has {0} ({1})', path, reason) },
      ];
      return new Map(missing.map(unclear));
    }
  }

  /** Returns where a file would be, without links; undefined if it is there, or must not be looked at. */
  async #place(path: string): Promise<string | undefined> {
    try {
      const { hashes, manifest } = this.#project;
      const file = await hashes.locate(path);
      if (file === undefined) return await withoutLinks(join(manifest.folder, path));
      const isThere = await lstat(file).then(
        () => true,
        () => false,
      );
      return isThere ? undefined : file;
    } catch {
      return undefined;
    }
  }
}

/** Resolves the links in the part of a path that exists. */
async function withoutLinks(file: string): Promise<string> {
  const folder = dirname(file);
  const real = await realPath(folder).catch(() => (folder === file ? file : withoutLinks(folder)));
  return join(real, relative(folder, file));
}

function sentenceFor(how: 'elsewhere' | 'deleted' | 'submodule', path: string, submodule: string): string {
  switch (how) {
    case 'elsewhere':
      return l10n.t(
        'git has it, and it is not checked out here: “git sparse-checkout add {0}” or “git restore --ignore-skip-worktree-bits {1}” brings it',
        inShell(path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : path),
        inShell(path),
      );
    case 'deleted':
      return l10n.t(
        'deleted, and git still has it: “git restore {0}” brings it back, “apply --anew {0}” makes a new one',
        inShell(path),
      );
    case 'submodule':
      return l10n.t(
        'in the submodule {0}, which is not checked out: “git submodule update --init {1}” brings it',
        submodule,
        inShell(submodule),
      );
  }
}

/** Returns a path as a shell takes it: the manifest may come with an untrusted project. */
export function inShell(path: string): string {
  return /^[\p{L}\p{N}_][\p{L}\p{N}._/@+-]*$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
