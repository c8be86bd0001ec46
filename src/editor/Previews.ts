import * as vscode from 'vscode';
import { hashOf } from '../files/sha256.ts';
import type { LibraryEntry } from '../library/LibraryRecord.ts';
import { entriesIn } from './workspaceFiles.ts';

/** The first frame of a video, and the video's length. */
export interface VideoPreview {
  readonly uri: vscode.Uri;
  readonly seconds: number;
}

/** Previews arrive one by one and are shown together after this many milliseconds. */
const changePause = 500;

type PreviewedVideo = Pick<LibraryEntry, 'id' | 'sha256'>;

/**
 * Stores small pictures of videos in the extension's storage. The webview makes them, because only a browser can decode
 * video.
 */
export class Previews implements vscode.Disposable {
  readonly folder: vscode.Uri;
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fired once for all that are kept within a short time. */
  readonly onDidChange = this.#changed.event;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<Map<string, VideoPreview>> | undefined;
  #known: ReadonlyMap<string, VideoPreview> = new Map();

  constructor(folder: vscode.Uri) {
    this.folder = folder;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#changed.dispose();
  }

  async of(video: PreviewedVideo): Promise<VideoPreview | undefined> {
    return (await this.#read()).get(keyOf(video));
  }

  /** Like {@link of}, for synchronous callers: also undefined until the folder has been read. */
  known(video: PreviewedVideo): VideoPreview | undefined {
    if (!this.#reading) void this.#read().then(({ size }) => size > 0 && this.#changed.fire());
    return this.#known.get(keyOf(video));
  }

  async keep(video: PreviewedVideo, bytes: Uint8Array, seconds: number): Promise<void> {
    const previews = await this.#read();
    const key = keyOf(video);
    if (previews.has(key)) return;
    const uri = vscode.Uri.joinPath(this.folder, `${key}-${Math.round(seconds * 1000)}.webp`);
    await vscode.workspace.fs.writeFile(uri, bytes);
    previews.set(key, { uri, seconds });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#changed.fire();
    }, changePause);
  }

  #read(): Promise<Map<string, VideoPreview>> {
    this.#reading ??= readPreviews(this.folder).then((previews) => {
      this.#known = previews;
      return previews;
    });
    return this.#reading;
  }
}

/** Keyed by content where possible, so that a video that was moved or copied keeps its picture. */
function keyOf({ id, sha256 }: PreviewedVideo): string {
  return /^[0-9a-f]{64}$/.test(sha256 ?? '') ? (sha256 ?? '') : hashOf(id);
}

async function readPreviews(folder: vscode.Uri): Promise<Map<string, VideoPreview>> {
  const previews = (await entriesIn(folder)).flatMap(([name]) => {
    const [, key = '', milliseconds] = /^([0-9a-f]{64})-(\d+)\.webp$/.exec(name) ?? [];
    const preview = { uri: vscode.Uri.joinPath(folder, name), seconds: Number(milliseconds) / 1000 };
    return key === '' ? [] : [[key, preview] as const];
  });
  return new Map(previews);
}
