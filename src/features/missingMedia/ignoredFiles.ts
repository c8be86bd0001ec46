import * as vscode from 'vscode';

/** What is used of a repository of VS Code's own extension for git; older versions do not have it. */
interface Repository {
  checkIgnore?(paths: string[]): Promise<Set<string>>;
}

interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): Repository | null };
}

/** Those of some files that git ignores; none where there is no repository, or git is off. */
export async function ignoredFiles(root: vscode.Uri, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const git = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!git?.isActive || root.scheme !== 'file') return new Set();
  try {
    const api = git.exports.getAPI(1);
    // A workspace folder may hold several.
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
    // The person has switched git off.
    return new Set();
  }
}
