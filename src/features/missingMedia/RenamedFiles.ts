import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { exists, sha256Of, statOf } from '../../editor/workspaceFiles.ts';
import { pathFrom } from '../../files/pathFrom.ts';
import { lockNameOf, readLock } from '../../manifest/Lock.ts';
import { keyOf, manifestName } from '../../manifest/Manifest.ts';

/** How many files of a type are compared, and how large each may be, in bytes. */
const maxFiles = 300;
const maxBytes = 100_000_000;

/** Finds files that are missing under the name that they had, by the records of libraries and by their content. */
export class RenamedFiles {
  readonly #places: Pick<WorkspacePlaces, 'libraryOf'>;
  /** Hashes by address, each while the file looks unchanged. */
  readonly #hashes = new Map<string, { readonly stamp: string; readonly sha256: string }>();

  constructor(places: Pick<WorkspacePlaces, 'libraryOf'>) {
    this.#places = places;
  }

  /**
   * Returns the paths that a file may have now, those that the library records first.
   *
   * @param root its workspace folder
   * @param path as in a URI
   */
  async find(root: vscode.Uri, path: string, token: vscode.CancellationToken): Promise<readonly string[]> {
    const name = pathFrom(root.path, path);
    // A library that cannot be read knows nothing.
    const entries = await this.#places
      .libraryOf(root)
      .entries()
      .catch(() => []);
    // A record's id contains its original file name.
    const moved = entries.flatMap(({ id, file }) =>
      file !== undefined && file !== name && id.slice(id.indexOf('/') + 1) === name
        ? [root.with({ path: posix.join(root.path, file) })]
        : [],
    );
    const recorded = entries.flatMap(({ file, sha256 }) => (file === name && sha256 !== undefined ? [sha256] : []));
    const wanted = new Set([...recorded, ...(await lockedHashes(root, path))]);
    const same = wanted.size > 0 ? await this.#withContent(root, path, wanted, token) : [];
    const found: string[] = [];
    for (const uri of [...moved, ...same]) if (!found.includes(uri.path) && (await exists(uri))) found.push(uri.path);
    return found;
  }

  /** Returns the other files of the type of a path that have one of these hashes. */
  async #withContent(
    root: vscode.Uri,
    path: string,
    wanted: ReadonlySet<string>,
    token: vscode.CancellationToken,
  ): Promise<readonly vscode.Uri[]> {
    const pattern = new vscode.RelativePattern(root, `**/*${posix.extname(path)}`);
    const files = await vscode.workspace.findFiles(pattern, '**/{node_modules,.git}/**', maxFiles, token);
    const found: vscode.Uri[] = [];
    for (const uri of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
      if (token.isCancellationRequested) return [];
      const sha256 = await this.#hashOf(uri).catch(() => undefined);
      if (sha256 !== undefined && wanted.has(sha256)) found.push(uri);
    }
    return found;
  }

  async #hashOf(uri: vscode.Uri): Promise<string | undefined> {
    const stat = await statOf(uri);
    if (!stat || stat.size > maxBytes) return undefined;
    const stamp = `${stat.size} ${stat.mtime}`;
    const known = this.#hashes.get(uri.toString());
    if (known?.stamp === stamp) return known.sha256;
    const sha256 = await sha256Of(uri);
    this.#hashes.set(uri.toString(), { stamp, sha256 });
    return sha256;
  }
}

/** Returns the hashes of a file in the locks of its folder and of those above, up to the workspace folder. */
async function lockedHashes(root: vscode.Uri, path: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
    const lock = root.with({ path: posix.join(folder, lockNameOf(manifestName)) });
    if ((await statOf(lock))?.type === vscode.FileType.File) {
      try {
        const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(lock));
        const output = readLock(text).get(keyOf(posix.relative(folder, path)))?.output;
        if (output !== undefined) found.push(output);
      } catch {
        // A damaged lock is reported where the manifest is.
      }
    }
    if (folder.length <= root.path.length) return found;
  }
}
