import * as vscode from 'vscode';

/** What is used of VS Code's own extension for git. */
interface GitExtension {
  getAPI(version: 1): {
    getRepository(uri: vscode.Uri): { checkIgnore?(paths: string[]): Promise<Set<string>> } | null;
  };
}

/** Those of some paths of a workspace folder that git ignores; none where there is no repository, or git is off. */
export async function ignoredFiles(root: vscode.Uri, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const git = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!git?.isActive || root.scheme !== 'file') return new Set();
  try {
    const repository = git.exports.getAPI(1).getRepository(root);
    const byFile = new Map(paths.map((path) => [root.with({ path }).fsPath, path]));
    const ignored = (await repository?.checkIgnore?.([...byFile.keys()])) ?? new Set();
    return new Set([...byFile].filter(([file]) => ignored.has(file)).map(([, path]) => path));
  } catch {
    // The person has switched git off.
    return new Set();
  }
}
