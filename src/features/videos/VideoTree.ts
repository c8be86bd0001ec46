import { posix } from 'node:path';
import * as vscode from 'vscode';
import { LibraryReaders } from '../../editor/LibraryReaders.ts';
import type { Previews } from '../../editor/Previews.ts';
import { Refresh } from '../../editor/Refresh.ts';
import type { Library } from '../../library/Library.ts';
import type { LibraryReader } from '../../library/LibraryReader.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import type { Lineage } from '../../library/Lineage.ts';
import { lineageOf } from '../../library/Lineage.ts';
import { idOf, tooltipOf, treeItemOf, VideoItem } from './VideoItem.ts';

/** Minimum time between updates of the ages, in milliseconds. */
const ageStep = 60_000;

/** Previews arrive one by one and are shown together after this many milliseconds. */
const pictureStep = 500;

/** Maximum number of items that are updated one by one; beyond it, the whole tree is. */
const maxAtOnce = 200;

/** The videos of all workspace folders as a tree. Unchanged items are not refreshed. */
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
  #pictureTimer: NodeJS.Timeout | undefined;

  /** @param onError called for each library that cannot be read; the others are shown */
  constructor(previews: Previews, onError: (error: unknown) => void) {
    this.#previews = previews;
    this.#onError = onError;
    this.#onPreview = previews.onDidChange(() => {
      this.#pictureTimer ??= setTimeout(() => {
        this.#pictureTimer = undefined;
        this.#refreshItems([...this.#items.values()].filter((item) => this.#pictureOf(item) !== item.picture));
      }, pictureStep);
    });
  }

  /** Replaces the libraries to show. */
  setLibraries(libraries: readonly { readonly root: vscode.Uri; readonly library: Library }[]): void {
    this.#readers.use(libraries);
    void this.update();
  }

  dispose(): void {
    clearTimeout(this.#pictureTimer);
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

  /** Refreshes only the items that changed. */
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

/**
 * Updates `isMissing` of all items.
 *
 * @returns the items whose state changed
 */
async function markMissing(items: readonly VideoItem[]): Promise<readonly VideoItem[]> {
  const folders = Map.groupBy(items, ({ root, entry: { file } }) => file && `${root}#${posix.dirname(file)}`);
  const changed: VideoItem[] = [];
  for (const [folder, members] of folders) {
    const file = members[0]?.file;
    if (!folder || !file) continue;
    // One directory listing per folder.
    const names = await namesIn(vscode.Uri.joinPath(file, '..'));
    for (const item of members) {
      const isMissing = !names.has(posix.basename(item.entry.file ?? ''));
      if (isMissing !== item.isMissing) changed.push(item);
      item.isMissing = isMissing;
    }
  }
  return changed;
}

async function namesIn(folder: vscode.Uri): Promise<ReadonlySet<string>> {
  try {
    return new Set((await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name));
  } catch {
    return new Set();
  }
}
