import * as vscode from 'vscode';
import { ageOf } from '../../editor/ageOf.ts';
import { oneLine } from '../../editor/displayText.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import type { Video } from '../../library/Lineage.ts';

/** A video in the tree. The same object as long as the video is listed. */
export class VideoItem implements Video {
  readonly root: string;
  entry: LibraryEntry;
  /** Whether the recorded file does not exist. */
  isMissing = false;
  /** The video's first frame as the tree shows it. */
  picture: vscode.Uri | undefined;

  readonly #folder: vscode.Uri;

  constructor(root: string, folder: vscode.Uri, entry: LibraryEntry) {
    this.root = root;
    this.#folder = folder;
    this.entry = entry;
  }

  get id(): string {
    return idOf(this.root, this.entry);
  }

  /** URI of the recorded file; undefined for a video that was added by its id. */
  get file(): vscode.Uri | undefined {
    const { file } = this.entry;
    return file === undefined ? undefined : vscode.Uri.joinPath(this.#folder, file);
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
    return oneLine(prompt) || oneLine(videoId) || file;
  }
}

export function idOf(root: string, { id }: LibraryEntry): string {
  return `${root}#${id}`;
}

export function treeItemOf(item: VideoItem, hasRemixes: boolean): vscode.TreeItem {
  const { entry, label, isMissing, picture } = item;
  const file = isMissing ? undefined : item.file;
  const treeItem = new vscode.TreeItem(
    label,
    hasRemixes ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
  );
  const facts = [
    isMissing ? vscode.l10n.t('missing') : undefined,
    entry.file === undefined ? vscode.l10n.t('no file') : undefined,
    oneLine(entry.model, 40),
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
export function tooltipOf({ entry, isMissing }: VideoItem): string {
  const { prompt, model, createdAt, file, videoId, parentVideoId, sandbox } = entry;
  const lines = [
    vscode.l10n.t('Model: {0}', model),
    vscode.l10n.t('Date: {0}', new Date(createdAt).toLocaleString(vscode.env.language)),
    file === undefined ? undefined : vscode.l10n.t('File: {0}', file),
    isMissing ? vscode.l10n.t('The file no longer exists. The video can still be remixed.') : undefined,
    videoId === undefined ? undefined : vscode.l10n.t('ID: {0}', videoId),
    parentVideoId === undefined ? undefined : vscode.l10n.t('Remix of: {0}', parentVideoId),
    sandbox ? vscode.l10n.t('Made by the sandbox') : undefined,
  ];
  return [
    ...(prompt === undefined ? [] : [oneLine(prompt, 2000), '']),
    ...lines.filter((line) => line !== undefined),
  ].join('\n');
}
