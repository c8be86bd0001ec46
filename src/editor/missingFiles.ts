import pLimit from 'p-limit';
import * as vscode from 'vscode';
import { documentFiles } from '../contributions.ts';
import type { MediaReference } from '../documents/MediaReference.ts';
import { isFileName } from '../library/fileName.ts';
import { findMissing, type MissingFile } from '../projects/Places.ts';
import type { DocumentPlaces } from './DocumentPlaces.ts';

/**
 * Returns the missing files that references of a document lead to, each once. Leaves out build output, files that git
 * ignores, and names that are not valid on every system.
 */
export async function missingFiles(
  projects: Pick<DocumentPlaces, 'placeOf'>,
  document: Pick<vscode.TextDocument, 'uri' | 'languageId'>,
  references: readonly MediaReference[],
): Promise<readonly MissingFile[]> {
  const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
  if (!root || references.length === 0) return [];
  const { places, document: placed } = projects.placeOf(document);
  if (await places.isOutput(placed)) return [];
  const found = await findMissing(references, {
    resolve: (reference) => places.resolve(placed, reference),
    filesNamed: async () => [],
  });
  if (found.length === 0) return [];
  const ignored = await ignoredFiles(root, [document.uri.path, ...found.map(({ path }) => path)]);
  if (ignored.has(document.uri.path)) return [];
  return found.filter(({ path }) => !ignored.has(path) && hasName(places.relativePath(path)));
}

const maxDocuments = 300;
/** How many documents are read at a time. */
const atOnce = 8;

/** Returns the missing files of the documents below a folder, each once for each document, in the order of these. */
export async function missingFilesBelow(
  projects: DocumentPlaces,
  folder: vscode.Uri,
  token: vscode.CancellationToken,
): Promise<readonly (MissingFile & { readonly document: vscode.Uri })[]> {
  const pattern = new vscode.RelativePattern(folder, documentFiles);
  const found = await vscode.workspace.findFiles(pattern, '**/{node_modules,.git}/**', maxDocuments, token);
  const inTurn = pLimit(atOnce);
  const missing = await Promise.all(
    found
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .map((uri) =>
        inTurn(async () => {
          if (token.isCancellationRequested) return [];
          // One that cannot be read is no reason to leave out the others.
          const references = await projects.referencesAt(uri).catch(() => []);
          const files = await missingFiles(projects, { uri, languageId: '' }, references);
          return files.map((file) => ({ ...file, document: uri }));
        }),
      ),
  );
  return missing.flat();
}

/** Whether a path is valid on every system. */
function hasName(path: string): boolean {
  return path.split('/').every(isFileName);
}

/** The part of the built-in git extension's Repository that is used. Older versions lack it. */
interface Repository {
  checkIgnore?(paths: string[]): Promise<Set<string>>;
}

/** Returns the paths that git ignores; empty without a repository or with git turned off. */
export async function ignoredFiles(root: vscode.Uri, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const git = vscode.extensions.getExtension<{
    getAPI(version: 1): { getRepository(uri: vscode.Uri): Repository | null };
  }>('vscode.git');
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
