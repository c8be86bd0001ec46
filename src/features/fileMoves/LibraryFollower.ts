import { posix } from 'node:path';
import * as vscode from 'vscode';
import { mediaKindOf } from '../../documents/MediaReference.ts';
import { Refresh } from '../../editor/LibraryReaders.ts';
import { type Lazy, lazy } from '../../editor/lazy.ts';
import { movesLibrary } from '../../editor/Settings.ts';
import { type TimedPair, timedPair } from '../../editor/timedPair.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { type ContentIdentity, entriesIn, exists, fileContent, filesAt, uriOf } from '../../editor/workspaceFiles.ts';
import { pathFrom } from '../../files/pathFrom.ts';
import type { Library } from '../../library/Library.ts';
import type { LibraryEntry, LibraryLine } from '../../library/LibraryRecord.ts';
import { isSpelledAlike } from '../../projects/Places.ts';
import { withSource } from '../../transcripts/formatTranscript.ts';
import { frontMatterSource } from '../../transcripts/frontMatter.ts';
import type { Rename } from './followMoves.ts';
import type { ReferenceFollower } from './ReferenceFollower.ts';

/** Names that an asset or a folder of assets can have. A checkout that changes a thousand source files matches none. */
const assetName =
  /(?:^|\/)(?:[^/.]+|[^/]*\.(?:avif|bmp|gif|heic|jpe?g|jxl|png|svg|tiff?|webp|aac|aiff?|flac|m4a|mp3|mpga|og[agv]|opus|pcm|wav|weba|avi|m4v|mkv|mov|mp4|mpe?g|webm|md|srt|txt|vtt))$/i;
const neverAssets = /\/(?:\.git|node_modules)(?:\/|$)/;

/** Watches files and libraries in the workspace folders for changes from outside. */
export class LibraryFollower implements vscode.Disposable {
  readonly #places: WorkspacePlaces;
  readonly #moves: FileMoves;
  readonly #subscriptions: readonly vscode.Disposable[];
  #libraryWatchers: readonly vscode.Disposable[] = [];
  readonly #follow: Refresh;
  /** Files that are moved along with another one, by their old address: their new one, and the old one of the other file. */
  readonly #taken = new Map<string, { readonly to: string; readonly by: string }>();

  /** @param window lets documents and manifests follow, too */
  constructor(
    places: WorkspacePlaces,
    log: vscode.LogOutputChannel,
    window?: ConstructorParameters<typeof ReferenceFollower>[0],
  ) {
    const references =
      window && lazy(async () => new (await import('./ReferenceFollower.ts')).ReferenceFollower(window));
    this.#places = places;
    this.#moves = new FileMoves(places);
    this.#follow = new Refresh(() =>
      this.#moves
        .follow()
        .catch((error: unknown) => log.warn(`A moved file could not be recorded in the library: ${String(error)}`)),
    );
    // Only creation and deletion matter, not changes of content.
    const files = vscode.workspace.createFileSystemWatcher('**/*', false, true, false);
    this.#subscriptions = [
      ...(references ? [references] : []),
      files,
      files.onDidCreate((uri) => this.#report(uri, () => this.#moves.created(uri))),
      files.onDidDelete((uri) => this.#report(uri, () => this.#moves.deleted(uri))),
      vscode.workspace.onWillRenameFiles((event) => event.waitUntil(this.#editFor(event, references))),
      vscode.workspace.onDidRenameFiles(({ files: renamed }) => {
        this.#forgetTaken(renamed);
        this.#moves.renamed(renamed);
        void this.#follow.request();
        void references?.current()?.then((loaded) => loaded.moved(renamed));
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#watchLibraries(true)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (movesLibrary(event)) this.#watchLibraries(true);
      }),
    ];
    this.#watchLibraries();
  }

  dispose(): void {
    for (const one of [...this.#subscriptions, ...this.#libraryWatchers]) one.dispose();
  }

  #report(uri: vscode.Uri, report: () => void): void {
    if (!assetName.test(uri.path) || neverAssets.test(uri.path)) return;
    report();
    void this.#follow.request();
  }

  /** Returns the edit of what follows files that the editor is about to move. It replaces no file. */
  async #editFor(
    { files, token }: vscode.FileWillRenameEvent,
    references: Lazy<ReferenceFollower> | undefined,
  ): Promise<vscode.WorkspaceEdit> {
    const edit = new vscode.WorkspaceEdit();
    // VS Code asks again about the files of the edit.
    const renames = files.filter(({ oldUri, newUri }) => this.#taken.get(oldUri.toString())?.to !== newUri.toString());
    const along = await this.#takeAlong(renames, files);
    const named = new Set<string>();
    for (const rename of renames) {
      const transcript = await this.#nameRecording(rename, edit);
      if (transcript) named.add(transcript.toString());
    }
    if (references && renames.length > 0) await (await references()).follow([...renames, ...along], edit, token, named);
    // Last, because texts are edited where they are before.
    for (const { oldUri, newUri } of along) edit.renameFile(oldUri, newUri, { overwrite: false });
    return edit;
  }

  /** Returns the moves of times with their transcript, or of a transcript with its times. */
  async #takeAlong(others: readonly Rename[], all: readonly Rename[]): Promise<readonly Rename[]> {
    const along: Rename[] = [];
    // An earlier attempt to rename these may have failed.
    this.#forgetTaken(others);
    const given = new Set([...this.#taken.keys(), ...all.map(({ oldUri }) => oldUri.toString())]);
    for (const { oldUri, newUri } of others) {
      const [from, to] = [posix.parse(oldUri.path), posix.parse(newUri.path)];
      if (!timed.includes(from.ext) || from.ext !== to.ext) continue;
      for (const extension of timed.filter((one) => (one === '.vtt') !== (from.ext === '.vtt'))) {
        const beside = oldUri.with({ path: posix.join(from.dir, from.name + extension) });
        const target = newUri.with({ path: posix.join(to.dir, to.name + extension) });
        if (given.has(beside.toString()) || !(await exists(beside)) || (await isTaken(target, beside))) continue;
        const [text, times] = from.ext === '.vtt' ? [beside, oldUri] : [oldUri, beside];
        const isRecorded = (await this.#moves.timesOf(text))?.name === posix.basename(times.path);
        const isAlong = isRecorded || (text !== beside && (await isOnlyFor(text, given).catch(() => false)));
        if (!isAlong) continue;
        this.#taken.set(beside.toString(), { to: target.toString(), by: oldUri.toString() });
        along.push({ oldUri: beside, newUri: target });
        break;
      }
    }
    return along;
  }

  /** Lets the transcript of a renamed recording name it as it is called then. @returns the transcript, if it does */
  async #nameRecording({ oldUri, newUri }: Rename, edit: vscode.WorkspaceEdit): Promise<vscode.Uri | undefined> {
    if (!['audio', 'video'].includes(mediaKindOf(oldUri.path) ?? '')) return undefined;
    const { text } = await timedPair(oldUri, this.#places).catch(() => ({}) as TimedPair);
    if (!text || !/\.(md|markdown)$/i.test(text.path)) return undefined;
    const document = await vscode.workspace.openTextDocument(text);
    const before = document.getText();
    const folder = posix.dirname(text.path);
    const source = frontMatterSource(before);
    if (source === undefined || posix.join(folder, source) !== oldUri.path) return undefined;
    const whole = new vscode.Range(document.positionAt(0), document.positionAt(before.length));
    edit.replace(text, whole, withSource(before, source, pathFrom(folder, newUri.path)));
    return text;
  }

  /** Also forgets files whose move along with these was skipped by the person. */
  #forgetTaken(renames: readonly Rename[]): void {
    const ended = new Set(renames.map(({ oldUri }) => oldUri.toString()));
    for (const [taken, { by }] of this.#taken) if (ended.has(taken) || ended.has(by)) this.#taken.delete(taken);
  }

  /**
   * Another window, a merge or a person may write to them.
   *
   * @param isOther whether others may count now, so that what was read before no longer does
   */
  #watchLibraries(isOther = false): void {
    for (const one of this.#libraryWatchers) one.dispose();
    this.#libraryWatchers = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => {
      const library = this.#places.libraryOf(uri);
      const file = vscode.Uri.parse(library.uri, true);
      const changed = () => library.changed();
      if (isOther) changed();
      // When its folder comes or goes, as with another branch, the editor reports only the folder.
      return [file, vscode.Uri.joinPath(file, '..')].flatMap((watched) => {
        const pattern = new vscode.RelativePattern(vscode.Uri.joinPath(watched, '..'), posix.basename(watched.path));
        const watcher = vscode.workspace.createFileSystemWatcher(pattern);
        return [watcher, watcher.onDidChange(changed), watcher.onDidCreate(changed), watcher.onDidDelete(changed)];
      });
    });
  }
}

/** A transcript and the file with its times, each of which goes where the other goes. */
const timed = ['.md', '.txt', '.vtt'];

/** Where the disk ignores case, a new name that differs in case alone seems to be taken by the file itself. */
async function isTaken(target: vscode.Uri, from: vscode.Uri): Promise<boolean> {
  return isSpelledAlike(target.path, from.path) ? isListed(target) : exists(target);
}

/** Whether a file has exactly this name on disk. */
async function isListed(uri: vscode.Uri): Promise<boolean> {
  const entries = await entriesIn(vscode.Uri.joinPath(uri, '..'));
  return entries.some(([name]) => name === posix.basename(uri.path));
}

/**
 * Whether the `.vtt` beside a text is for it alone: its front matter names a recording, or one is beside it, and no video
 * stays there of which the `.vtt` may be the captions.
 */
async function isOnlyFor(text: vscode.Uri, moved: ReadonlySet<string>): Promise<boolean> {
  const folder = vscode.Uri.joinPath(text, '..');
  const { name: stem } = posix.parse(text.path);
  const source = frontMatterSource(new TextDecoder().decode(await vscode.workspace.fs.readFile(text)));
  const isStaying = (name: string) => !moved.has(vscode.Uri.joinPath(folder, name).toString());
  const recordings = (await entriesIn(folder))
    .map(([name]) => name)
    .filter((name) => posix.parse(name).name === stem && ['audio', 'video'].includes(mediaKindOf(name) ?? ''));
  if (recordings.some((name) => mediaKindOf(name) === 'video' && isStaying(name))) return false;
  return source !== undefined || recordings.length > 0;
}

/** An entry of a workspace folder's library. */
interface Recorded {
  readonly entry: LibraryEntry;
  readonly root: vscode.Uri;
  readonly uri: vscode.Uri;
}

interface NewFile extends ContentIdentity {
  readonly uri: vscode.Uri;
}

/** Maximum number of new files that are compared with files that disappear later. */
const maxRemembered = 1000;

/** Finds out where files were moved to, and records it in the libraries. */
export class FileMoves {
  readonly #places: Pick<WorkspacePlaces, 'libraryOf'>;
  #renamed: Rename[] = [];
  #deleted: vscode.Uri[] = [];
  #created: vscode.Uri[] = [];
  /** New files by URI. A file may appear in its new place before it disappears from the old one. */
  #newFiles = new Map<string, NewFile>();
  /** Files that are in a library but not on disk, by URI. */
  #missing = new Map<string, vscode.Uri>();
  #lines = new Map<Library, LibraryLine[]>();

  constructor(places: Pick<WorkspacePlaces, 'libraryOf'>) {
    this.#places = places;
  }

  renamed(files: readonly Rename[]): void {
    this.#renamed.push(...files);
  }

  deleted(uri: vscode.Uri): void {
    this.#deleted.push(uri);
  }

  created(uri: vscode.Uri): void {
    this.#created.push(uri);
  }

  /** Processes all changes that were reported so far. */
  async follow(): Promise<void> {
    const [renamed, deleted, created] = [this.#renamed, this.#deleted, this.#created];
    this.#renamed = [];
    this.#deleted = [];
    this.#created = [];
    await this.#rename(renamed);
    await this.#write();
    const gone = await this.#recorded(deleted);
    for (const [address, { uri }] of gone) this.#missing.set(address, uri);
    for (const uri of deleted) this.#newFiles.delete(uri.toString());
    for (const uri of created) await this.#remember(uri);
    if (this.#missing.size > 0) await this.#findAgain();
    const written = await this.#write();
    for (const [root] of byFolder([...deleted, ...created])) {
      const library = this.#places.libraryOf(root);
      if (!written.has(library)) library.changed();
    }
  }

  async #rename(renames: readonly Rename[]): Promise<void> {
    for (const recorded of (await this.#recorded(renames.map(({ oldUri }) => oldUri))).values()) {
      const { path } = recorded.uri;
      for (const { oldUri, newUri } of renames) {
        const inside = pathFrom(oldUri.path, path);
        if (inside.split('/')[0] === '..') continue;
        const uri = vscode.Uri.joinPath(newUri, inside);
        this.#move(recorded, uri, await besideOf(recorded.entry.times, uri));
        break;
      }
    }
  }

  /** Records where a file is now. A file outside all workspace folders is lost to the library. */
  #move({ entry, root }: Recorded, uri: vscode.Uri, times = entry.times): void {
    const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri;
    if (!folder) return;
    const file = pathFrom(folder.path, uri.path);
    const { id, ...record } = entry;
    if (folder.toString() === root.toString()) {
      this.#add(root, { moved: id, file, ...(times === entry.times ? {} : { times }) });
    } else {
      this.#add(folder, { ...record, file, ...(times && { times }) });
      this.#add(root, { forgotten: id });
    }
  }

  #add(root: vscode.Uri, line: LibraryLine): void {
    const library = this.#places.libraryOf(root);
    const lines = this.#lines.get(library);
    if (lines) lines.push(line);
    else this.#lines.set(library, [line]);
  }

  /** @returns the libraries that were changed */
  async #write(): Promise<ReadonlySet<Library>> {
    const lines = this.#lines;
    this.#lines = new Map();
    for (const [library, added] of lines) await library.append(...added);
    return new Set(lines.keys());
  }

  async #remember(created: vscode.Uri): Promise<void> {
    // A folder that was moved here is reported without its files.
    for (const uri of await filesAt(created, maxRemembered)) {
      const content = await fileContent(uri);
      if (content) this.#newFiles.set(uri.toString(), { uri, ...content });
    }
    if (this.#newFiles.size > maxRemembered) this.#newFiles = new Map([...this.#newFiles].slice(-maxRemembered));
  }

  async #findAgain(): Promise<void> {
    // Stop looking for files that the libraries no longer name.
    const missing = await this.#recorded([...this.#missing.values()]);
    const free = new Map(this.#newFiles);
    for (const address of (await this.#recorded([...free.values()].map(({ uri }) => uri))).keys()) free.delete(address);
    for (const [address, recorded] of missing) {
      const { path } = recorded.uri;
      // Where the disk ignores case, a file whose name has another case now seems to be back.
      const respelled = [...free.values()].filter(({ uri }) => uri.path !== path && isSpelledAlike(uri.path, path));
      const renamed = await sameAs(recorded, respelled);
      const isBack = !renamed && (await exists(recorded.uri));
      const same = renamed ?? (isBack ? undefined : await sameAs(recorded, [...free.values()]));
      if (same) {
        this.#move(recorded, same.uri);
        free.delete(same.uri.toString());
        this.#newFiles.delete(same.uri.toString());
      }
      if (isBack || same) missing.delete(address);
    }
    this.#missing = new Map([...missing].map(([address, { uri }]) => [address, uri]));
  }

  /** Returns the recorded times of a transcript. */
  async timesOf(transcript: vscode.Uri): Promise<LibraryEntry['times']> {
    return (await this.#recorded([transcript])).get(transcript.toString())?.entry.times;
  }

  /** Returns the library entries of files, and of the files in folders, by URI. */
  async #recorded(uris: readonly vscode.Uri[]): Promise<Map<string, Recorded>> {
    const found = new Map<string, Recorded>();
    for (const [root, members] of byFolder(uris)) {
      for (const entry of await this.#entriesAt(root, members)) {
        const uri = uriOf({ entry, root });
        if (uri) found.set(uri.toString(), { entry, root, uri });
      }
    }
    return found;
  }

  async #entriesAt(root: vscode.Uri, uris: readonly vscode.Uri[]): Promise<readonly LibraryEntry[]> {
    try {
      return await this.#places.libraryOf(root).entriesAt(uris.map(({ path }) => pathFrom(root.path, path)));
    } catch {
      // A library that cannot be read, such as one behind a link to another folder, must not stop the others.
      return [];
    }
  }
}

/** Returns the times of a transcript under the name that they have beside it now. */
async function besideOf(times: LibraryEntry['times'], transcript: vscode.Uri): Promise<LibraryEntry['times']> {
  const name = `${posix.parse(transcript.path).name}.vtt`;
  const isThere = times && times.name !== name && (await isListed(vscode.Uri.joinPath(transcript, '..', name)));
  return isThere ? { ...times, name } : times;
}

async function sameAs({ entry }: Recorded, files: readonly NewFile[]): Promise<NewFile | undefined> {
  for (const file of files) {
    // Most differ in size and need not be read.
    if (file.bytes === entry.bytes && (await file.sha256().catch(() => undefined)) === entry.sha256) return file;
  }
  return undefined;
}

/** Groups URIs by workspace folder. URIs outside the workspace are dropped. */
function byFolder(uris: readonly vscode.Uri[]): readonly (readonly [vscode.Uri, readonly vscode.Uri[]])[] {
  const folders = Map.groupBy(uris, (uri) => vscode.workspace.getWorkspaceFolder(uri));
  return [...folders].flatMap(([folder, members]) => (folder ? [[folder.uri, members] as const] : []));
}
