import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import type { MediaKind } from '../documents/MediaReference.ts';
import type { Folder } from '../files/Folder.ts';
import { pathFrom } from '../files/pathFrom.ts';
import { hashOf } from '../files/sha256.ts';
import { Library } from '../library/Library.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { AssetKind } from '../operations/operations.ts';
import type { PlaceReference } from '../work/Job.ts';
import type { Place } from '../work/Place.ts';
import type { DocumentPlaces } from './DocumentPlaces.ts';
import { lazy } from './lazy.ts';
import type { Settings } from './Settings.ts';

/** Transcripts are missing: they are documents themselves, and projects have no folder for them. */
const mediaKinds: Readonly<Partial<Record<AssetKind, MediaKind>>> = {
  images: 'image',
  speech: 'audio',
  videos: 'video',
};

/** Decides where assets are saved and recorded. */
export class WorkspacePlaces {
  readonly #settings: Settings;
  readonly #storage: vscode.Uri;
  readonly #projects: () => Promise<DocumentPlaces>;
  /** One instance per virtual folder, because it queues appends. */
  readonly #virtualFolders = new Map<string, Folder>();
  /** One instance per file, so that its listeners see every write. */
  readonly #libraries = new Map<string, Library>();
  readonly #didChange = new vscode.EventEmitter<void>();
  /** Fires when a library has changed, or media files or transcripts have come or gone. */
  readonly onDidChange = this.#didChange.event;
  #chosen: vscode.Uri | undefined;
  readonly #didChoose = new vscode.EventEmitter<void>();
  /** Fires when the person has chosen a folder while none was open. */
  readonly onDidChoose = this.#didChoose.event;

  /**
   * @param storage the extension's global storage, for private libraries
   * @param projects loads what knows the projects of documents
   */
  constructor(settings: Settings, storage: vscode.Uri, projects: () => Promise<DocumentPlaces>) {
    this.#settings = settings;
    this.#storage = storage;
    this.#projects = projects;
  }

  /** The folder that the person chose while no folder was open. */
  get chosen(): vscode.Uri | undefined {
    return this.#chosen;
  }

  /**
   * Returns where assets of a kind are saved: where the project of the active document keeps them, or else in the
   * workspace folder of the active file, or else in the only one, or else in the one that the person chooses. A command
   * with arguments takes the first.
   *
   * @returns undefined when the person dismissed the question
   * @throws MediaError `save` when no folder is open and nobody can be asked, or when the setting points outside the
   *   folder
   */
  async referenceFor(kind: AssetKind, byPerson: boolean): Promise<PlaceReference | undefined> {
    const document = vscode.window.activeTextEditor?.document;
    const isInFolder = document && vscode.workspace.getWorkspaceFolder(document.uri) !== undefined;
    if (isInFolder) return this.referenceForDocument(document, kind, byPerson);
    const { workspaceFolders: folders = [] } = vscode.workspace;
    const known = activeWorkspaceFolder() ?? (folders.length === 1 || !byPerson ? folders[0] : undefined);
    if (known) return this.referenceInFolder(kind, known.uri);
    if (!byPerson) {
      const sentence = vscode.l10n.t('Nothing was sent. Open a folder first, so that the results can be saved in it.');
      throw new MediaError('save', sentence);
    }
    if (folders.length > 0) {
      const placeHolder = vscode.l10n.t('Choose the folder to save the result in');
      const folder = await vscode.window.showWorkspaceFolderPick({ placeHolder });
      return folder && this.referenceInFolder(kind, folder.uri);
    }
    if (!this.#chosen) {
      this.#chosen = await chooseFolder();
      if (this.#chosen) this.#didChoose.fire();
    }
    return this.#chosen && { ...this.referenceIn(this.#chosen, ''), isChosen: true };
  }

  /**
   * Returns where assets for a document are saved: in the folder that its project has for them, unless the setting
   * names one. For a document outside the workspace, see {@link referenceFor}.
   */
  async referenceForDocument(
    document: Pick<vscode.TextDocument, 'uri' | 'languageId'>,
    kind: AssetKind,
    byPerson: boolean,
  ): Promise<PlaceReference | undefined> {
    const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
    if (!root) return this.referenceFor(kind, byPerson);
    const media = mediaKinds[kind];
    if (media && !this.#settings.choosesOutputFolder(root)) {
      const { places, document: placed } = (await this.#projects()).placeOf(document);
      const folder = await places.folderFor(placed, media);
      if (folder !== undefined) return this.referenceIn(root, places.relativePath(folder));
    }
    return this.referenceInFolder(kind, root);
  }

  /**
   * Returns where the edit of a picture is saved: beside the picture and named after it, unless settings name a folder
   * or a file name of their own.
   *
   * @param source URL of the first picture that is sent
   * @param other the place if the picture is no file of the workspace that a person keeps
   */
  async referenceForEdit(source: string, other: PlaceReference): Promise<PlaceReference> {
    const uri = /^file:/i.test(source) ? vscode.Uri.parse(source, true) : undefined;
    const root = uri && vscode.workspace.getWorkspaceFolder(uri)?.uri;
    if (!root || this.#settings.choosesOutputFolder(root)) return other;
    const { places, document } = (await this.#projects()).placeOf({ uri, languageId: '' });
    // Build output is written anew, and hidden folders hold what nobody refers to.
    if (
      places
        .relativePath(uri.path)
        .split('/')
        .some((name) => name.startsWith('.'))
    )
      return other;
    if (await places.isOutput(document)) return other;
    const beside = this.referenceBeside(uri);
    const name = posix.parse(uri.path).name;
    return { ...beside, fileName: this.#settings.choosesFileName(root) ? beside.fileName : name };
  }

  /** Returns the place at a path relative to a workspace folder. */
  referenceIn(root: vscode.Uri, path: string): PlaceReference {
    return {
      root: root.toString(),
      isPrivate: this.#isPrivate(root),
      path,
      fileName: this.#settings.fileName(root),
      transcriptFormat: this.#settings.get('transcript.format', root),
      transcriptTimes: this.#settings.get('transcript.times', root),
    };
  }

  /**
   * Returns where assets of a kind are saved in a workspace folder.
   *
   * @throws MediaError `save` when the setting names no folder inside, or one that cannot be on every system
   */
  async referenceInFolder(kind: AssetKind, root: vscode.Uri): Promise<PlaceReference> {
    const { relativeFolder } = await import('../library/relativeFolder.ts');
    return this.referenceIn(root, relativeFolder(this.#settings.get('outputFolder', root), kind));
  }

  /** Asks for any folder; undefined when the person dismissed the question. */
  async chooseReference(): Promise<PlaceReference | undefined> {
    const chosen = await chooseFolder();
    return chosen && this.#referenceAt(chosen, chosen);
  }

  /** Returns the folder of a file as a place. */
  referenceBeside(file: vscode.Uri): PlaceReference {
    return this.#referenceAt(vscode.Uri.joinPath(file, '..'), file);
  }

  /** @param member the folder, or a file in it */
  #referenceAt(folder: vscode.Uri, member: vscode.Uri): PlaceReference {
    const root = vscode.workspace.getWorkspaceFolder(member)?.uri;
    return root ? this.referenceIn(root, pathFrom(root.path, folder.path)) : this.referenceIn(folder, '');
  }

  placeAt({ root, path, isPrivate }: PlaceReference): Place {
    const uri = vscode.Uri.parse(root, true);
    return {
      folder: this.#folderAt(uri, path),
      library: this.#libraryAt(uri, isPrivate ?? this.#isPrivate(uri)),
      recordedName: (name) => posix.join(path, name),
      linkTo: uri.scheme === 'file' ? (file) => this.#linkFrom(vscode.Uri.joinPath(uri, path), file) : undefined,
    };
  }

  /** Returns the library of a folder. Folders outside the workspace have theirs in the extension's own storage. */
  libraryOf(root: vscode.Uri): Library {
    return this.#libraryAt(root, this.#isPrivate(root));
  }

  /** Returns the address of a recording for a transcript in a folder. */
  async #linkFrom(folder: vscode.Uri, file: string): Promise<string | undefined> {
    // The transcript's name does not affect the link.
    const document = { uri: vscode.Uri.joinPath(folder, 'transcript.md'), languageId: 'markdown' };
    const { places, document: placed } = (await this.#projects()).placeOf(document);
    const written = await places.write(placed, vscode.Uri.file(file).path, { form: 'inline' });
    return written.isServed && written.wrapper === undefined ? written.address : undefined;
  }

  #isPrivate(root: vscode.Uri): boolean {
    const isOpen = (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => uri.toString() === root.toString());
    return !isOpen || this.#settings.keepsLibraryPrivate;
  }

  #libraryAt(root: vscode.Uri, isPrivate: boolean): Library {
    const name = hashOf(root.toString()).slice(0, 16);
    const folder = isPrivate
      ? this.#folderAt(this.#storage, `libraries/${name}`)
      : this.#folderAt(root, '.unified-media');
    const known = this.#libraries.get(folder.uri);
    if (known) return known;
    const library = new Library(folder);
    library.onDidChange(() => this.#didChange.fire());
    this.#libraries.set(folder.uri, library);
    return library;
  }

  #folderAt(root: vscode.Uri, path: string): Folder {
    const location = vscode.Uri.joinPath(root, path);
    if (root.scheme === 'file') {
      const path = location.fsPath;
      return laterFolder(
        pathToFileURL(path).href,
        (name) => pathToFileURL(join(path, name)).href,
        async () => {
          const { LocalFolder } = await import('../files/LocalFolder.ts');
          // The extension's own storage does not exist until something is written to it.
          return new LocalFolder(path, root === this.#storage ? undefined : root.fsPath);
        },
      );
    }
    const known =
      this.#virtualFolders.get(location.toString()) ??
      laterFolder(
        location.toString(),
        (name) => vscode.Uri.joinPath(location, name).toString(),
        async () => new (await import('./VirtualFolder.ts')).VirtualFolder(location),
      );
    this.#virtualFolders.set(location.toString(), known);
    return known;
  }
}

async function chooseFolder(): Promise<vscode.Uri | undefined> {
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      title: vscode.l10n.t('Save Media In'),
      openLabel: vscode.l10n.t('Save Here'),
    })) ?? [];
  return folder;
}

function activeWorkspaceFolder(): vscode.WorkspaceFolder | undefined {
  const active = vscode.window.activeTextEditor?.document.uri ?? activeTabUri();
  return active && vscode.workspace.getWorkspaceFolder(active);
}

/** Image and video previews are not text editors. */
function activeTabUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputNotebook ? input.uri : undefined;
}

/** Returns a folder whose code is loaded when it is first used: activation only needs to know where it is. */
function laterFolder(uri: string, uriOf: (name: string) => string, load: () => Promise<Folder>): Folder {
  const folder = lazy(load);
  return {
    uri,
    uriOf,
    check: async (...given) => (await folder()).check(...given),
    create: async (...given) => (await folder()).create(...given),
    moveIfAbsent: async (...given) => (await folder()).moveIfAbsent(...given),
    replace: async (...given) => (await folder()).replace(...given),
    append: async (...given) => (await folder()).append(...given),
    read: async (...given) => (await folder()).read(...given),
    async *stream(name) {
      yield* (await folder()).stream(name);
    },
    size: async (...given) => (await folder()).size(...given),
    list: async () => (await folder()).list(),
    remove: async (...given) => (await folder()).remove(...given),
  };
}
