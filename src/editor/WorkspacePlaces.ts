import { createHash, randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { MediaKind } from '../documents/MediaReference.ts';
import type { CreatedFile, FileContent, Folder } from '../files/Folder.ts';
import { hasFile } from '../files/Folder.ts';
import { LocalFolder } from '../files/LocalFolder.ts';
import { Library } from '../library/Library.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { AssetKind } from '../operations/operations.ts';
import type { Place } from '../work/deliver.ts';
import type { PlaceReference } from '../work/Job.ts';
import type { DocumentPlaces } from './DocumentPlaces.ts';
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
  readonly #virtualFolders = new Map<string, VirtualFolder>();
  /** One instance per file, so that its listeners see every write. */
  readonly #libraries = new Map<string, Library>();
  /** The folder that the person chose while no folder was open. */
  #chosen: vscode.Uri | undefined;

  /**
   * @param storage the extension's global storage, for private libraries
   * @param projects loads what knows the projects of documents
   */
  constructor(settings: Settings, storage: vscode.Uri, projects: () => Promise<DocumentPlaces>) {
    this.#settings = settings;
    this.#storage = storage;
    this.#projects = projects;
  }

  /**
   * Returns where assets of a kind are saved: in the workspace folder of the active file, or else in the only one, or
   * else in the one that the person chooses. A command with arguments takes the first.
   *
   * @returns undefined when the person dismissed the question
   * @throws MediaError `save` when no folder is open and nobody can be asked, or when the setting points outside the
   *   folder
   */
  async referenceFor(kind: AssetKind, byPerson: boolean): Promise<PlaceReference | undefined> {
    const { workspaceFolders: folders = [] } = vscode.workspace;
    const known = activeWorkspaceFolder() ?? (folders.length === 1 || !byPerson ? folders[0] : undefined);
    if (known) return this.referenceIn(known.uri, relativeFolder(this.#settings.outputFolder(known.uri), kind));
    if (!byPerson) {
      const sentence = vscode.l10n.t('Nothing was sent. Open a folder first, so that the results can be saved in it.');
      throw new MediaError('save', sentence);
    }
    if (folders.length > 0) {
      const placeHolder = vscode.l10n.t('Choose the folder to save the result in');
      const folder = await vscode.window.showWorkspaceFolderPick({ placeHolder });
      return folder && this.referenceIn(folder.uri, relativeFolder(this.#settings.outputFolder(folder.uri), kind));
    }
    this.#chosen ??= await chooseFolder();
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
    return this.referenceIn(root, relativeFolder(this.#settings.outputFolder(root), kind));
  }

  /** Returns the place at a path relative to a workspace folder. */
  referenceIn(root: vscode.Uri, path: string): PlaceReference {
    return {
      root: root.toString(),
      isPrivate: this.#isPrivate(root),
      path,
      fileName: this.#settings.fileName(root),
      transcriptFormat: this.#settings.transcriptFormat(root),
    };
  }

  /**
   * Returns where assets of a kind are saved in a workspace folder.
   *
   * @throws MediaError `save` when the setting points outside the folder
   */
  referenceInFolder(kind: AssetKind, root: vscode.Uri): PlaceReference {
    return this.referenceIn(root, relativeFolder(this.#settings.outputFolder(root), kind));
  }

  /** Asks for any folder; undefined when the person dismissed the question. */
  async chooseReference(): Promise<PlaceReference | undefined> {
    const chosen = await chooseFolder();
    if (!chosen) return undefined;
    const owner = vscode.workspace.getWorkspaceFolder(chosen);
    return owner
      ? this.referenceIn(owner.uri, posix.relative(owner.uri.path, chosen.path))
      : this.referenceIn(chosen, '');
  }

  /** Returns the folder of a file as a place. */
  referenceBeside(file: vscode.Uri): PlaceReference {
    const folder = vscode.Uri.joinPath(file, '..');
    const owner = vscode.workspace.getWorkspaceFolder(file);
    return owner
      ? this.referenceIn(owner.uri, posix.relative(owner.uri.path, folder.path))
      : this.referenceIn(folder, '');
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
    const name = createHash('sha256').update(root.toString()).digest('hex').slice(0, 16);
    const folder = isPrivate
      ? this.#folderAt(this.#storage, `libraries/${name}`)
      : this.#folderAt(root, '.unified-media');
    const library = this.#libraries.get(folder.uri) ?? new Library(folder);
    this.#libraries.set(folder.uri, library);
    return library;
  }

  #folderAt(root: vscode.Uri, path: string): Folder {
    const location = vscode.Uri.joinPath(root, path);
    if (root.scheme === 'file') {
      // The extension's own storage does not exist until something is written to it.
      return new LocalFolder(location.fsPath, root === this.#storage ? undefined : root.fsPath);
    }
    const known = this.#virtualFolders.get(location.toString()) ?? new VirtualFolder(location);
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

function relativeFolder(pattern: string, kind: AssetKind): string {
  const path = posix.normalize(pattern.replaceAll('\\', '/').replaceAll('${kind}', kind)).replace(/\/$/, '');
  if (path === '..' || path.startsWith('../') || posix.isAbsolute(path) || /^[a-z]:/i.test(path)) {
    const sentence = vscode.l10n.t(
      'Nothing was sent: the setting “unifiedMedia.outputFolder” ({0}) points outside the workspace folder. Change it to a folder inside.',
      pattern,
    );
    throw new MediaError('save', sentence);
  }
  return path;
}

const lineBreak = 10;

/** A folder of a virtual workspace. Nothing can be streamed there, so each file is written at once. */
export class VirtualFolder implements Folder {
  readonly uri: string;
  readonly #location: vscode.Uri;
  #appending: Promise<void> = Promise.resolve();

  constructor(location: vscode.Uri) {
    this.#location = location;
    this.uri = location.toString();
  }

  uriOf(name: string): string {
    return this.#at(name).toString();
  }

  async check(appendTo?: string): Promise<void> {
    const probe = this.#at(`.${randomUUID()}.part`);
    try {
      await vscode.workspace.fs.createDirectory(this.#location);
      await vscode.workspace.fs.writeFile(probe, new Uint8Array());
      await vscode.workspace.fs.delete(probe);
      if (appendTo !== undefined && !(await this.#exists(this.#at(appendTo))))
        await this.#append(this.#at(appendTo), '');
    } catch (error) {
      const sentence = vscode.l10n.t('Files cannot be saved in {0} ({1}).', this.uri, reasonOf(error));
      throw new MediaError('save', sentence, { cause: error });
    }
  }

  async create(name: string, data: AsyncIterable<Uint8Array>): Promise<CreatedFile> {
    const file = this.#at(name);
    if (await this.#exists(file)) throw vscode.FileSystemError.FileExists(file);
    const chunks: Uint8Array[] = [];
    for await (const chunk of data) chunks.push(chunk);
    const content = Buffer.concat(chunks);
    try {
      await vscode.workspace.fs.writeFile(file, content);
    } catch (error) {
      await this.remove(name).catch(() => undefined);
      throw error;
    }
    return { name, bytes: content.length };
  }

  async moveIfAbsent(created: CreatedFile, to: string): Promise<boolean> {
    const { name } = created;
    await this.#checkUnchanged(created);
    try {
      await vscode.workspace.fs.rename(this.#at(name), this.#at(to), { overwrite: false });
      return true;
    } catch (error) {
      if (error instanceof vscode.FileSystemError && error.code === 'FileExists') return false;
      throw error;
    }
  }

  async replace(created: CreatedFile, name: string, content: FileContent): Promise<boolean> {
    await this.#checkUnchanged(created);
    if (!(await hasFile(this, name, content))) return false;
    await vscode.workspace.fs.rename(this.#at(created.name), this.#at(name), { overwrite: true });
    return true;
  }

  append(name: string, text: string): Promise<void> {
    // Virtual file systems cannot append, so two appends at the same time would lose a line.
    const appended = this.#appending.then(() => this.#append(this.#at(name), text));
    this.#appending = appended.catch(() => undefined);
    return appended;
  }

  async remove(name: string): Promise<void> {
    try {
      await vscode.workspace.fs.delete(this.#at(name));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async read(name: string, from = 0): Promise<Uint8Array | undefined> {
    return (await this.#readBytes(this.#at(name)))?.subarray(from);
  }

  async *stream(name: string): AsyncGenerator<Uint8Array> {
    yield await vscode.workspace.fs.readFile(this.#at(name));
  }

  async size(name: string): Promise<number | undefined> {
    return (await this.#stat(this.#at(name)))?.size;
  }

  async list(): Promise<readonly string[]> {
    try {
      const entries = await vscode.workspace.fs.readDirectory(this.#location);
      return entries.filter(([, type]) => type === vscode.FileType.File).map(([name]) => name);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async #checkUnchanged({ name, bytes }: CreatedFile): Promise<void> {
    const size = await this.size(name);
    // Some file systems report no size.
    if (size === bytes || size === 0) return;
    const sentence = vscode.l10n.t(
      'The result was not saved, because another program changed {0} before it got its final name.',
      this.uriOf(name),
    );
    throw new MediaError('save', sentence);
  }

  async #append(file: vscode.Uri, text: string): Promise<void> {
    const before = (await this.#readBytes(file)) ?? new Uint8Array();
    const isCut = text !== '' && before.length > 0 && before.at(-1) !== lineBreak;
    await vscode.workspace.fs.writeFile(file, Buffer.concat([before, Buffer.from(isCut ? `\n${text}` : text)]));
  }

  async #exists(file: vscode.Uri): Promise<boolean> {
    return (await this.#stat(file)) !== undefined;
  }

  async #stat(file: vscode.Uri): Promise<vscode.FileStat | undefined> {
    try {
      return await vscode.workspace.fs.stat(file);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async #readBytes(file: vscode.Uri): Promise<Uint8Array | undefined> {
    try {
      return await vscode.workspace.fs.readFile(file);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #at(name: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#location, name);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof vscode.FileSystemError && error.code === 'FileNotFound';
}
