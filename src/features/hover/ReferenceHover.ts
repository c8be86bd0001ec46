import * as vscode from 'vscode';
import { findReferences } from '../../documents/findReferences.ts';
import type { Language } from '../../documents/Language.ts';
import type { MediaReference, TextRange } from '../../documents/MediaReference.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import { exists } from '../../editor/fileContent.ts';
import { LibraryReaders } from '../../editor/LibraryReaders.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { describeAsset } from './describeAsset.ts';

/** The references of the last document that was hovered. */
interface Read {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly references: readonly MediaReference[];
}

/**
 * Shows what the library knows about the file that a reference leads to. Loaded on the first hover over a line that may
 * hold one.
 */
export class ReferenceHover implements vscode.Disposable {
  readonly #places: Pick<WorkspacePlaces, 'libraryOf'>;
  readonly #documentPlaces: DocumentPlaces;
  readonly #readers: LibraryReaders;
  #read: Read | undefined;
  /** The newest entry of each file, by URI. Discarded when a library changes. */
  #entries: Promise<ReadonlyMap<string, LibraryEntry>> | undefined;

  constructor(documentPlaces: DocumentPlaces, places: Pick<WorkspacePlaces, 'libraryOf'>) {
    this.#places = places;
    this.#documentPlaces = documentPlaces;
    this.#readers = new LibraryReaders(undefined, () => {
      this.#entries = undefined;
    });
  }

  dispose(): void {
    this.#readers.dispose();
    this.#read = undefined;
  }

  async at(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    const folder = vscode.workspace.getWorkspaceFolder(document.uri);
    if (!folder) return undefined;
    const { places, document: placed } = this.#documentPlaces.placeOf(document);
    const offset = document.offsetAt(position);
    const reference = this.#referencesOf(document, placed.language).find((one) => holds(one, offset));
    if (!reference) return undefined;
    const target = await places.resolve(placed, reference);
    if (!target) return undefined;
    const uri = folder.uri.with({ path: target.path });
    const entry = (await this.#entriesNow()).get(uri.toString());
    // The cached names may lack a file that was just created.
    if (!entry || !(target.exists || (await exists(uri)))) return undefined;
    const { start, end } = reference.range;
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    return new vscode.Hover(describeAsset(entry, uri), range);
  }

  #referencesOf(document: vscode.TextDocument, language: Language): readonly MediaReference[] {
    const { version } = document;
    if (this.#read?.document !== document || this.#read.version !== version) {
      this.#read = { document, version, references: findReferences(document.getText(), language) };
    }
    return this.#read.references;
  }

  #entriesNow(): Promise<ReadonlyMap<string, LibraryEntry>> {
    // Settings and folders may have changed. Known readers continue where they stopped.
    const { workspaceFolders = [] } = vscode.workspace;
    const before = this.#readers.all.map(({ reader }) => reader);
    this.#readers.use(workspaceFolders.map(({ uri }) => ({ root: uri, library: this.#places.libraryOf(uri) })));
    const isSame =
      before.length === this.#readers.all.length &&
      this.#readers.all.every(({ reader }, index) => reader === before[index]);
    if (!isSame) this.#entries = undefined;
    this.#entries ??= this.#readEntries().catch((error: unknown) => {
      this.#entries = undefined;
      throw error;
    });
    return this.#entries;
  }

  async #readEntries(): Promise<ReadonlyMap<string, LibraryEntry>> {
    const known = new Map<string, LibraryEntry>();
    for (const { root, reader } of this.#readers.all) {
      for (const entry of await reader.entries()) {
        if (entry.file !== undefined) known.set(vscode.Uri.joinPath(root, entry.file).toString(), entry);
      }
    }
    return known;
  }
}

function holds({ range, alt }: MediaReference, offset: number): boolean {
  const isIn = ({ start, end }: TextRange) => offset >= start && offset <= end;
  return isIn(range) || (alt !== undefined && isIn(alt));
}
