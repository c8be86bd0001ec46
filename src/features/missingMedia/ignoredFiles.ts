import * as vscode from 'vscode';

/** The part of the built-in git extension's Repository that is used. Older versions lack it. */
interface Repository {
  checkIgnore?(paths: string[]): Promise<Set<string>>;
}

interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): Repository | null };
}

/** Returns the paths that git ignores; empty without a repository or with git turned off. */
export async function ignoredFiles(root: vscode.Uri, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const git = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!git?.isActive || root.scheme !== 'file') return new Set();
  try {
    const api = git.exports.getAPI(1);
    // A workspace folder may contain several repositories.
    const repositories = new Map<Repository, Map<string, string>>();
    for (const path of paths) {
      const uri = root.with({ path });
      const repository = api.getRepository(uri);
      if (repository) repositories.set(repository, (repositories.get(repository) ?? new Map()).set(uri.fsPath, path));
    }
    const ignored = await Promise.all(
      [...repositories].map(async ([repository, files]) => {
        const found = (await repository.checkIgnore?.([...files.keys()])) ?? new Set();
        return [...files].filter(([file]) => found.has(file)).map(([, path]) => path);
      }),
    );
    return new Set(ignored.flat());
  } catch {
    // Git is turned off in the settings.
    return new Set();
  }
}
