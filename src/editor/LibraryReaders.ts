import type * as vscode from 'vscode';
import type { Library, LibraryReader } from '../library/Library.ts';
import type { AssetKind } from '../operations/operations.ts';
import type { WorkspacePlaces } from './WorkspacePlaces.ts';

interface LibrarySource {
  /** The folder that the library belongs to. */
  readonly root: vscode.Uri;
  readonly library: Library;
  readonly reader: LibraryReader;
  readonly listening: { dispose(): void };
}

/** Keeps readers for the libraries of several folders. */
export class LibraryReaders {
  #sources: readonly LibrarySource[] = [];
  readonly #kind: AssetKind | undefined;
  readonly #onChange: () => void;

  /** @param onChange called when one of the libraries changes */
  constructor(kind: AssetKind | undefined, onChange: () => void) {
    this.#kind = kind;
    this.#onChange = onChange;
  }

  get all(): readonly Pick<LibrarySource, 'root' | 'reader'>[] {
    return this.#sources;
  }

  /** Replaces the readers by those of these folders, keeping those of libraries that are still in use. */
  use(roots: readonly vscode.Uri[], places: Pick<WorkspacePlaces, 'libraryOf'>): void {
    const known = this.#sources;
    this.#sources = roots.map((root) => {
      const library = places.libraryOf(root);
      return (
        known.find((source) => source.library === library) ?? {
          root,
          library,
          reader: library.reader(this.#kind),
          listening: library.onDidChange(this.#onChange),
        }
      );
    });
    for (const source of known) if (!this.#sources.includes(source)) source.listening.dispose();
  }

  dispose(): void {
    for (const { listening } of this.#sources) listening.dispose();
  }
}

/** Runs work that brings something up to date, one run at a time. A request during a run causes one more run. */
export class Refresh {
  /** Resolves when all requested runs are done; undefined while nothing runs. */
  running: Promise<void> | undefined;
  readonly #work: () => Promise<void>;
  #isRequested = false;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  request(): Promise<void> {
    this.#isRequested = true;
    this.running ??= this.#run();
    return this.running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isRequested) {
        this.#isRequested = false;
        await this.#work();
      }
    } finally {
      // No await since the loop's last check, so a request cannot be missed in between.
      this.running = undefined;
    }
  }
}
