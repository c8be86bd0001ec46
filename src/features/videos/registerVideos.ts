import * as vscode from 'vscode';
import { commandIds, mimeTypes, viewIds } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Window } from '../../editor/Window.ts';
import type { VideoItem } from './Videos.ts';

const uriList = 'text/uri-list';

/** Registers the view of all videos, with remixes below their originals. */
export function registerVideos({
  places,
  previews,
  jobs,
  log,
}: Pick<Window, 'places' | 'previews' | 'jobs' | 'log'>): vscode.Disposable {
  const changed = new vscode.EventEmitter<VideoItem[] | undefined>();
  const load = lazy(async () => {
    const { Videos } = await import('./Videos.ts');
    const videos = new Videos(places, previews, jobs, log);
    videos.tree.onDidChangeTreeData((items) => changed.fire(items));
    return videos;
  });
  const view = vscode.window.createTreeView<VideoItem>(viewIds.videos, {
    showCollapseAll: true,
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getChildren: async (item) => (await load()).tree.getChildren(item),
      getParent: async (item) => (await load()).tree.getParent(item),
      getTreeItem: async (item) => (await load()).tree.getTreeItem(item),
      resolveTreeItem: async (treeItem, item) => (await load()).tree.resolveTreeItem(treeItem, item),
    },
    dragAndDropController: {
      dragMimeTypes: [uriList, mimeTypes.assets],
      dropMimeTypes: [],
      handleDrag: (items, data) => {
        const uris = items.flatMap((item) => item.uris);
        if (uris.length === 0) return;
        data.set(uriList, new vscode.DataTransferItem(uris.join('\r\n')));
        // Several items have no common title.
        const title = items.length === 1 ? items[0]?.title : undefined;
        data.set(mimeTypes.assets, new vscode.DataTransferItem(JSON.stringify({ uris, title })));
      },
    },
  });
  // Ages grow, and not every file system reports deleted files.
  const checkForChanges = () =>
    void load
      .current()
      ?.then(({ tree }) => tree.checkForChanges())
      .catch(() => undefined);
  return vscode.Disposable.from(
    changed,
    view,
    view.onDidChangeVisibility(({ visible }) => visible && checkForChanges()),
    vscode.window.onDidChangeWindowState(({ focused }) => focused && view.visible && checkForChanges()),
    register(load, {
      [commandIds.copyVideoId]: ({ commands }, item) => commands.copyId(item),
      [commandIds.copyPrompt]: ({ commands }, item) => commands.copyPrompt(item),
      [commandIds.forgetVideo]: ({ commands }, item) => commands.forget(item),
      [commandIds.deleteVideoFile]: ({ commands }, item) => commands.deleteFile(item),
    }),
    load,
  );
}
