import { posix } from 'node:path';
import * as vscode from 'vscode';
import { Click } from '../../editor/Caller.ts';
import { deleteFiles, mayForget } from '../../editor/changeFiles.ts';
import { ageOf } from '../../editor/describeJob.ts';
import { LibraryReaders, Refresh } from '../../editor/LibraryReaders.ts';
import { libraryRoots, targetOf } from '../../editor/libraryRoots.ts';
import type { Previews } from '../../editor/Previews.ts';
import { movesLibrary } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { entriesIn, uriOf } from '../../editor/workspaceFiles.ts';
import { plainLine, shortLine } from '../../foreign/plainText.ts';
import type { Library, LibraryReader } from '../../library/Library.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { type Lineage, lineageOf, type Video } from '../../library/Lineage.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import type { JobList } from '../../work/Job.ts';

/** The tree of videos and its commands. Loaded when the view is shown or a command runs. */
export class Videos implements vscode.Disposable {
  readonly tree: VideoTree;
  readonly commands: VideoCommands;
  readonly #places: WorkspacePlaces;
  readonly #jobs: JobList;
  #roots: ReadonlySet<string> = new Set();
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(places: WorkspacePlaces, previews: Previews, jobs: JobList, log: vscode.LogOutputChannel) {
    this.#places = places;
    this.#jobs = jobs;
    this.tree = new VideoTree(previews, (error) => log.warn(`A library cannot be read: ${reasonOf(error)}`));
    this.commands = new VideoCommands(places);
    this.#subscriptions = [
      this.tree,
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#readLibraries()),
      places.onDidChoose(() => this.#readLibraries()),
      jobs.onDidChange((id) => {
        const job = jobs.get(id);
        const target = job && targetOf(job);
        if (target?.isChosen && !this.#roots.has(target.root)) this.#readLibraries();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (movesLibrary(event)) this.#readLibraries();
      }),
    ];
    this.#readLibraries();
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
  }

  #readLibraries(): void {
    const roots = libraryRoots(this.#places.chosen, this.#jobs);
    this.#roots = new Set(roots.map(String));
    this.tree.setRoots(roots, this.#places);
  }
}

/** Minimum time between updates of the ages, in milliseconds. */
const ageStep = 60_000;

/** Maximum number of items that are updated one by one; beyond it, the whole tree is. */
const maxAtOnce = 200;

/** The videos of several folders as a tree. Unchanged items are not refreshed. */
export class VideoTree implements vscode.TreeDataProvider<VideoItem>, vscode.Disposable {
  readonly #onError: (error: unknown) => void;
  readonly #changed = new vscode.EventEmitter<VideoItem[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #readers = new LibraryReaders('videos', () => void this.update());
  #items = new Map<string, VideoItem>();
  #lineage: Lineage<VideoItem> = new Map();
  readonly #parents = new Map<VideoItem, VideoItem>();
  readonly #refresh = new Refresh(() => this.#read());
  #shownAt = Date.now();
  readonly #previews: Previews;
  readonly #onPreview: vscode.Disposable;

  /** @param onError called for each library that cannot be read; the others are shown */
  constructor(previews: Previews, onError: (error: unknown) => void) {
    this.#previews = previews;
    this.#onError = onError;
    this.#onPreview = previews.onDidChange(() => {
      this.#refreshItems([...this.#items.values()].filter((item) => this.#pictureOf(item) !== item.picture));
    });
  }

  /** Replaces the folders whose videos are shown. */
  setRoots(roots: readonly vscode.Uri[], places: Pick<WorkspacePlaces, 'libraryOf'>): void {
    this.#readers.use(roots, places);
    void this.update();
  }

  dispose(): void {
    this.#onPreview.dispose();
    this.#readers.dispose();
    this.#changed.dispose();
  }

  async getChildren(item?: VideoItem): Promise<VideoItem[]> {
    await this.#refresh.running;
    return [...(this.#lineage.get(item) ?? [])];
  }

  getParent(item: VideoItem): VideoItem | undefined {
    return this.#parents.get(item);
  }

  getTreeItem(item: VideoItem): vscode.TreeItem {
    item.picture = this.#pictureOf(item);
    return treeItemOf(item, this.#lineage.has(item));
  }

  resolveTreeItem(treeItem: vscode.TreeItem, item: VideoItem): vscode.TreeItem {
    treeItem.tooltip = tooltipOf(item);
    return treeItem;
  }

  /** Reads changes that were not reported. From time to time also refreshes everything, because the ages change. */
  async checkForChanges(): Promise<void> {
    await this.update();
    if (Date.now() - this.#shownAt < ageStep) return;
    this.#shownAt = Date.now();
    this.#refreshItems([...this.#items.values()]);
  }

  /** Reads what has changed. Further changes during that are read in one go afterwards. */
  update(): Promise<void> {
    return this.#refresh.request();
  }

  async #read(): Promise<void> {
    const items = new Map<string, VideoItem>();
    const changed = new Set<VideoItem>();
    for (const { root, reader } of this.#readers.all) {
      const name = root.toString();
      for (const entry of await this.#entriesOf(reader)) {
        const item = this.#items.get(idOf(name, entry)) ?? new VideoItem(name, root, entry);
        if (item.entry !== entry) changed.add(item);
        item.entry = entry;
        items.set(item.id, item);
      }
    }
    for (const item of await markMissing([...items.values()])) changed.add(item);
    this.#items = items;
    this.#show(changed);
  }

  async #entriesOf(reader: LibraryReader): Promise<readonly LibraryEntry[]> {
    try {
      return await reader.entries();
    } catch (error) {
      this.#onError(error);
      return [];
    }
  }

  #show(changed: Set<VideoItem>): void {
    const before = this.#lineage;
    this.#lineage = lineageOf([...this.#items.values()]);
    this.#parents.clear();
    for (const [parent, children] of this.#lineage) {
      if (parent) for (const child of children) this.#parents.set(child, parent);
    }
    const isOther = (item: VideoItem | undefined) => !areSame(before.get(item), this.#lineage.get(item));
    for (const parent of new Set([...before.keys(), ...this.#lineage.keys()])) {
      if (parent && isOther(parent)) changed.add(parent);
    }
    if (isOther(undefined)) this.#changed.fire(undefined);
    else this.#refreshItems([...changed].filter(({ id }) => this.#items.has(id)));
  }

  /** Refreshes few items one by one, because VS Code drops the commands of a tree that it refreshes as a whole. */
  #refreshItems(items: VideoItem[]): void {
    if (items.length > 0) this.#changed.fire(items.length > maxAtOnce ? undefined : items);
  }

  #pictureOf({ entry }: VideoItem): vscode.Uri | undefined {
    return this.#previews.known(entry)?.uri;
  }
}

function areSame(some: readonly VideoItem[] = [], others: readonly VideoItem[] = []): boolean {
  return some.length === others.length && some.every((item, index) => item === others[index]);
}

/** @returns the items whose state changed */
async function markMissing(items: readonly VideoItem[]): Promise<readonly VideoItem[]> {
  const folders = Map.groupBy(items, ({ root, entry: { file } }) => file && `${root}#${posix.dirname(file)}`);
  const changed: VideoItem[] = [];
  for (const [folder, members] of folders) {
    const file = members[0]?.file;
    if (!folder || !file) continue;
    // One directory listing per folder.
    const names = new Set((await entriesIn(vscode.Uri.joinPath(file, '..'))).map(([name]) => name));
    for (const item of members) {
      const isMissing = !names.has(posix.basename(item.entry.file ?? ''));
      if (isMissing !== item.isMissing) changed.push(item);
      item.isMissing = isMissing;
    }
  }
  return changed;
}

/** A video in the tree. The same object as long as the video is listed. */
export class VideoItem extends Click implements Video {
  readonly root: string;
  entry: LibraryEntry;
  /** Whether the recorded file does not exist. */
  isMissing = false;
  /** The video's first frame as the tree shows it. */
  picture: vscode.Uri | undefined;

  readonly #folder: vscode.Uri;

  constructor(root: string, folder: vscode.Uri, entry: LibraryEntry) {
    super();
    this.root = root;
    this.#folder = folder;
    this.entry = entry;
  }

  get id(): string {
    return idOf(this.root, this.entry);
  }

  /** URI of the recorded file; undefined for a video that was added by its id. */
  get file(): vscode.Uri | undefined {
    return uriOf({ root: this.#folder, entry: this.entry });
  }

  /** The file when it exists, for the commands that show or insert one. */
  get uris(): readonly string[] {
    const { file } = this;
    return file && !this.isMissing ? [file.toString()] : [];
  }

  /** The title of the video when it is inserted into a document. */
  get title(): string | undefined {
    return this.entry.prompt;
  }

  /** The label in the tree, on one line. */
  get label(): string {
    const { prompt = '', videoId = '', file = '' } = this.entry;
    return shortLine(prompt, 80) || shortLine(videoId, 80) || plainLine(file);
  }
}

function idOf(root: string, { id }: LibraryEntry): string {
  return `${root}#${id}`;
}

function treeItemOf(item: VideoItem, hasRemixes: boolean): vscode.TreeItem {
  const { entry, label, isMissing, picture } = item;
  const file = isMissing ? undefined : item.file;
  const treeItem = new vscode.TreeItem(
    label,
    hasRemixes ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
  );
  const facts = [
    isMissing ? vscode.l10n.t('missing') : undefined,
    entry.file === undefined ? vscode.l10n.t('no file') : undefined,
    shortLine(entry.model, 40),
    ageOf(entry.createdAt),
  ].filter((fact) => fact !== undefined);
  treeItem.id = item.id;
  treeItem.description = facts.join(' · ');
  treeItem.accessibilityInformation = {
    label: [label, ...facts, ...(entry.sandbox ? [vscode.l10n.t('sandbox')] : [])].join(', '),
  };
  treeItem.iconPath = isMissing ? iconOf(item) : (picture ?? iconOf(item));
  treeItem.contextValue = [
    'video',
    file ? 'file' : 'noFile',
    entry.videoId === undefined ? 'noId' : 'remixable',
    entry.prompt === undefined ? 'noPrompt' : 'prompt',
  ].join(' ');
  if (file) {
    treeItem.command = { command: 'vscode.open', title: vscode.l10n.t('Play'), arguments: [file] };
  }
  return treeItem;
}

function iconOf({ entry, isMissing }: VideoItem): vscode.ThemeIcon {
  if (isMissing) return new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  if (entry.sandbox) return new vscode.ThemeIcon('beaker');
  return new vscode.ThemeIcon(entry.file === undefined ? 'cloud' : 'device-camera-video');
}

/** Plain text: links in a prompt must not run or load anything. */
function tooltipOf({ entry, isMissing }: VideoItem): string {
  const { prompt, model, createdAt, file, videoId, parentVideoId, sandbox } = entry;
  const lines = [
    vscode.l10n.t('Model: {0}', model),
    vscode.l10n.t('Date: {0}', new Date(createdAt).toLocaleString(vscode.env.language)),
    file === undefined ? undefined : vscode.l10n.t('File: {0}', file),
    isMissing ? missingSentence(videoId) : undefined,
    videoId === undefined ? undefined : vscode.l10n.t('ID: {0}', videoId),
    parentVideoId === undefined ? undefined : vscode.l10n.t('Remix of: {0}', parentVideoId),
    sandbox ? vscode.l10n.t('Made by the sandbox') : undefined,
  ];
  return [
    ...(prompt === undefined ? [] : [shortLine(prompt, 2000), '']),
    ...lines.filter((line) => line !== undefined),
  ].join('\n');
}

/** A video without an ID cannot be remixed. */
function missingSentence(videoId: string | undefined): string {
  return videoId === undefined
    ? vscode.l10n.t('The file no longer exists.')
    : vscode.l10n.t('The file no longer exists. The video can still be remixed.');
}

/** The commands on videos of the tree, in addition to those on any file. */
export class VideoCommands {
  readonly #places: Pick<WorkspacePlaces, 'libraryOf'>;

  constructor(places: Pick<WorkspacePlaces, 'libraryOf'>) {
    this.#places = places;
  }

  async copyId(item: unknown): Promise<void> {
    if (item instanceof VideoItem) await copy(item.entry.videoId);
  }

  async copyPrompt(item: unknown): Promise<void> {
    if (item instanceof VideoItem) await copy(item.entry.prompt);
  }

  /** Removes a video from the list after asking. Its file stays. */
  async forget(item: unknown): Promise<void> {
    if (!(item instanceof VideoItem)) return;
    const { file } = item.entry;
    if (!(await mayForget([file === undefined ? item.label : posix.basename(file)]))) return;
    await this.#libraryOf(item).append({ forgotten: item.entry.id });
  }

  /** Deletes a video's file. The video stays in the list, and can be remixed if it has an ID. */
  async deleteFile(item: unknown): Promise<void> {
    if (!(item instanceof VideoItem) || !item.file) return;
    const detail =
      item.entry.videoId === undefined
        ? vscode.l10n.t('The video stays in the list, but cannot be remixed.')
        : vscode.l10n.t('The video stays in the list and can still be remixed.');
    if (await deleteFiles([item.file], detail)) this.#libraryOf(item).changed();
  }

  #libraryOf({ root }: VideoItem): Library {
    return this.#places.libraryOf(vscode.Uri.parse(root, true));
  }
}

async function copy(text: string | undefined): Promise<void> {
  if (text !== undefined) await vscode.env.clipboard.writeText(text);
}
