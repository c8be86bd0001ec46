import { join } from 'node:path';
import pLimit from 'p-limit';
import { realPath } from '../files/FileCalls.ts';
import { ignoredByGit } from '../files/ignoredByGit.ts';
import { hiddenProblem, insideOf, leavingProblem } from '../files/mayLeave.ts';
import { headOfFile } from '../files/readBytes.ts';
import { reasonOf } from '../operations/MediaError.ts';
import { headBytes } from '../operations/mediaType.ts';
import { keyOf, type NamedInput, namedInputsOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';

/** How many files are looked into concurrently. */
const maxReaders = 4;

/** Which inputs of a manifest may leave the computer: nobody picked them, so a hostile manifest may name any file. */
export class LeavingInputs {
  readonly #project: Pick<ManifestProject, 'manifest' | 'root' | 'hashes'>;
  readonly #withoutGit: boolean;
  readonly #inTurn = pLimit(maxReaders);
  /** What entries are made from on this computer, by the keys of their paths. */
  readonly #sources: ReadonlyMap<string, string>;
  /** Why what these entries are made from must not be sent, by the keys of their paths. */
  readonly #known = new Map<string, string | undefined>();
  #root: Promise<string> | undefined;
  #ignored: Promise<ReadonlySet<string>> | undefined;

  constructor(project: Pick<ManifestProject, 'manifest' | 'root' | 'hashes'>, withoutGit = false) {
    this.#project = project;
    this.#withoutGit = withoutGit;
    this.#sources = new Map(
      project.manifest.entries.flatMap((entry) =>
        entry.type === 'derived' ? [[keyOf(entry.path), entry.from] as const] : [],
      ),
    );
  }

  /**
   * Returns why an input must not be sent; undefined if it may.
   *
   * @param isThere whether it can be read now; otherwise only its name is known
   * @param isMade whether an entry makes it; such a document may be one that git ignores
   */
  async problemOf({ path, as }: NamedInput, isThere: boolean, isMade: boolean): Promise<string | undefined> {
    const hidden = hiddenProblem(path, [this.#given(path)]) ?? (await this.#sourceProblem(path));
    if (hidden !== undefined || as === 'video' || !isThere) return hidden;
    const file = await this.#realFile(path);
    if (file === undefined) return undefined;
    const paths = [this.#given(path), insideOf(await this.#realRoot(), file)];
    const isIgnored = async () => !isMade && !this.#withoutGit && (await this.#ignoredDocuments()).has(file);
    try {
      const head = await this.#inTurn(() => headOfFile(file, headBytes));
      return await leavingProblem({ name: path, paths, as, head, isIgnored });
    } catch (error) {
      return reasonOf(error);
    }
  }

  /** Returns why a picture that is made from another one would show what must not be sent. */
  async #sourceProblem(path: string): Promise<string | undefined> {
    const way = new Set<string>();
    let problem: string | undefined;
    for (let key = keyOf(path); problem === undefined && !way.has(key); ) {
      const from = this.#sources.get(key);
      if (from === undefined) break;
      way.add(key);
      if (this.#known.has(key)) {
        problem = this.#known.get(key);
        break;
      }
      const file = await this.#realFile(from);
      const real = file === undefined ? [] : [insideOf(await this.#realRoot(), file)];
      problem = hiddenProblem(from, [this.#given(from), ...real]);
      key = keyOf(from);
    }
    for (const key of way) this.#known.set(key, problem);
    return problem;
  }

  /** Returns a path of the manifest relative to the folder that was opened. */
  #given(path: string): string {
    return insideOf(this.#project.root, join(this.#project.manifest.folder, path));
  }

  #realRoot(): Promise<string> {
    this.#root ??= realPath(this.#project.root);
    return this.#root;
  }

  /** Returns a file without links; undefined if it is not there, or not inside, which is told where it is hashed. */
  async #realFile(path: string): Promise<string | undefined> {
    try {
      const file = await this.#project.hashes.locate(path);
      return file === undefined ? undefined : await realPath(file);
    } catch {
      return undefined;
    }
  }

  /** Asks git once for all documents of the manifest. */
  #ignoredDocuments(): Promise<ReadonlySet<string>> {
    this.#ignored ??= this.#findIgnored();
    return this.#ignored;
  }

  async #findIgnored(): Promise<ReadonlySet<string>> {
    const { entries } = this.#project.manifest;
    const inputs = entries.flatMap((entry) => (entry.type === 'request' ? namedInputsOf(entry) : []));
    const documents = new Set(inputs.filter(({ as }) => as === 'document').map(({ path }) => path));
    const files = await Promise.all([...documents].map((path) => this.#realFile(path)));
    return ignoredByGit(
      files.filter((file) => file !== undefined),
      await this.#realRoot(),
    );
  }
}
