import { posix } from 'node:path';
import type { ProjectFiles } from './Project.ts';

/** A file or folder that gets another path. Paths are absolute with forward slashes. */
export interface PathMove {
  readonly from: string;
  readonly to: string;
}

/** Files and folders that are moved at the same time. What is in a moved folder moves with it. */
export class Moves {
  readonly all: readonly PathMove[];

  /** @param all none of which moves what another one moves */
  constructor(all: readonly PathMove[]) {
    this.all = all;
  }

  /** The moves that lead back. */
  get reversed(): Moves {
    return new Moves(this.all.map(({ from, to }) => ({ from: to, to: from })));
  }

  /** Whether a path is new. */
  isTaken(path: string): boolean {
    return this.all.some(({ to }) => isAt(to, path));
  }

  /**
   * Returns where a path leads after the moves.
   *
   * @param isSame compares paths; by default exactly
   */
  after(path: string, isSame: (one: string, other: string) => boolean = Object.is): string {
    for (const { from, to } of this.all) {
      const depth = from.split('/').length;
      const names = path.split('/');
      if (isSame(names.slice(0, depth).join('/'), from)) return [to, ...names.slice(depth)].join('/');
    }
    return path;
  }
}

/** The files of a project as they are after moves that have not happened yet. */
export class MovedFiles implements ProjectFiles {
  readonly #files: ProjectFiles;
  readonly #moves: Moves;
  readonly #back: Moves;

  constructor(files: ProjectFiles, moves: Moves) {
    this.#files = files;
    this.#moves = moves;
    this.#back = moves.reversed;
  }

  async exists(path: string): Promise<boolean> {
    if (this.#moves.all.some(({ to }) => to.startsWith(`${path}/`))) return true;
    const before = this.#before(path);
    return before !== undefined && this.#files.exists(before);
  }

  async readText(path: string): Promise<string | undefined> {
    const before = this.#before(path);
    return before === undefined ? undefined : this.#files.readText(before);
  }

  async names(folder: string): Promise<ReadonlySet<string>> {
    const before = this.#before(folder);
    const names = new Set(before === undefined ? [] : await this.#files.names(before));
    for (const { from } of this.#moves.all) if (posix.dirname(from) === before) names.delete(posix.basename(from));
    for (const { to } of this.#moves.all) {
      if (to.startsWith(`${folder}/`)) names.add(posix.relative(folder, to).split('/')[0] ?? '');
    }
    return names;
  }

  /** Returns the present path; undefined for one that is free after the moves. */
  #before(path: string): string | undefined {
    if (this.#moves.isTaken(path)) return this.#back.after(path);
    return this.#moves.after(path) === path ? path : undefined;
  }
}

function isAt(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
