import { existsSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { gitProgram, repositoriesOf, runGit } from './git.ts';

/**
 * How git has a file that is not there: `elsewhere`: not checked out, as in a sparse checkout; `deleted` without a commit;
 * in a `submodule` that is not checked out.
 */
export type Held =
  | { readonly how: 'elsewhere' | 'deleted' }
  /** With the absolute path of its folder. */
  | { readonly how: 'submodule'; readonly folder: string };

/** Windows takes about 32,000 characters. */
const maxArguments = 20_000;

/**
 * Returns which of these files git has in its index, with one call or two for all files of a repository. It fetches
 * nothing. Without git, it has none.
 *
 * @param files absolute paths without links of files that are not there
 * @param root absolute path without links of the folder that holds them; repositories around its own do not count
 * @throws Error if git cannot say it
 */
export async function heldByGit(files: readonly string[], root: string): Promise<ReadonlyMap<string, Held>> {
  const repositories = new Map<string, string[]>();
  for (const file of new Set(files)) {
    const [innermost] = repositoriesOf(file, root);
    if (!innermost) continue;
    const [folder] = innermost;
    const inside = repositories.get(folder) ?? [];
    inside.push(file);
    repositories.set(folder, inside);
  }
  const git = repositories.size > 0 ? await gitProgram() : undefined;
  if (git === undefined) return new Map();
  const held = await Promise.all([...repositories].map(([folder, inside]) => heldIn(git, folder, inside)));
  return new Map(held.flat());
}

/**
 * Returns the names of the files in a folder that git has and that are not checked out, as in a sparse checkout.
 *
 * @param folder absolute path without links; it need not exist
 * @param root as for {@link heldByGit}
 * @throws Error if git cannot say it
 */
export async function namesElsewhere(folder: string, root: string): Promise<readonly string[]> {
  const [innermost] = repositoriesOf(join(folder, 'name'), root);
  const git = innermost && (await gitProgram());
  if (!git) return [];
  const [repository] = innermost;
  const inside = relative(repository, folder).split(sep).join('/') || '.';
  const kept = await indexOf(git, repository, [inside]);
  return [...kept].flatMap(([name, { tag }]) =>
    tag === notCheckedOut && posix.dirname(name) === inside ? [posix.basename(name)] : [],
  );
}

async function heldIn(git: string, folder: string, files: readonly string[]): Promise<[string, Held][]> {
  const named = files.map((file) => ({ file, name: relative(folder, file).split(sep).join('/') }));
  const submodules = (await submodulesIn(git, folder)).filter((path) =>
    named.some(({ name }) => name.startsWith(`${path}/`)),
  );
  const kept = await indexOf(git, folder, [...named.map(({ name }) => name), ...submodules]);
  return named.flatMap(({ file, name }): [string, Held][] => {
    const submodule = submodules.find((path) => name.startsWith(`${path}/`) && kept.get(path)?.mode === submoduleMode);
    if (submodule !== undefined) return [[file, { how: 'submodule', folder: join(folder, submodule) }]];
    const tag = kept.get(name)?.tag;
    if (tag === undefined) return [];
    return [[file, { how: tag === notCheckedOut ? 'elsewhere' : 'deleted' }]];
  });
}

/** As `git ls-files -t -s` prints them. */
const [notCheckedOut, submoduleMode] = ['S', '160000'];

/** Returns what the index says of these names. */
async function indexOf(git: string, folder: string, names: readonly string[]) {
  const kept = new Map<string, { readonly tag: string; readonly mode: string }>();
  for (const some of inPortions(names)) {
    for (const line of (
      await runGit(git, folder, ['--literal-pathspecs', 'ls-files', '-t', '-s', '-z', '--', ...some])
    ).split('\0')) {
      const [facts = '', name] = line.split('\t', 2);
      const [tag = '', mode = ''] = facts.split(' ');
      if (name !== undefined) kept.set(name, { tag, mode });
    }
  }
  return kept;
}

/** Yields names that one call takes. */
function* inPortions(names: readonly string[]): Generator<readonly string[]> {
  let portion: string[] = [];
  let length = 0;
  for (const name of names) {
    if (length + name.length > maxArguments && portion.length > 0) {
      yield portion;
      portion = [];
      length = 0;
    }
    portion.push(name);
    // With a space, and quotes on Windows.
    length += name.length + 3;
  }
  if (portion.length > 0) yield portion;
}

/** Returns the paths of all submodules, whether they are checked out or not. */
async function submodulesIn(git: string, folder: string): Promise<readonly string[]> {
  if (!existsSync(join(folder, '.gitmodules'))) return [];
  const words = ['config', '--file', '.gitmodules', '-z', '--get-regexp', '^submodule\\..*\\.path$'];
  const values = (await runGit(git, folder, words)).split('\0');
  return values.flatMap((value) => value.split('\n', 2)[1] ?? []);
}
