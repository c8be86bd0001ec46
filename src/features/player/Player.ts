import { posix } from 'node:path';
import * as vscode from 'vscode';
import { contextKeys, viewIds } from '../../contributions.ts';
import { PageHost } from '../../editor/PageHost.ts';
import type { Window } from '../../editor/Window.ts';
import { openExternally, statOf } from '../../editor/workspaceFiles.ts';
import { mayHoldPicture } from '../../operations/fields.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import { hasAacSound } from '../../sound/hasAacSound.ts';
import { readRecording } from '../../sound/readRecording.ts';
import { type Cue, joinTexts } from '../../transcripts/subtitles.ts';
import { type PlayerMessage, type PlayerStart, playerCues, playerRequests } from '../../webview/protocol/player.ts';

/** A recording that the player has open. */
export interface OpenRecording {
  readonly recording: vscode.Uri;
  /** In order. */
  readonly cues: readonly Cue[];
  /** When the file was changed last. */
  readonly version?: number;
  /** What it is called, if not as its file. */
  readonly name?: string;
  /** What a person should know of it. */
  readonly note?: string;
  /** The folder of the file that it will be played from in the end, if it is another one. */
  readonly savedIn?: vscode.Uri;
}

/** Where a recording is played. */
export interface PlayerState {
  readonly milliseconds: number;
  readonly isPlaying: boolean;
  /** Whether documents follow, as the person chose. */
  readonly follows: boolean;
}

/** Waveforms that are kept. */
const maxWaveforms = 50;

/** The player in the panel. It keeps its page while it is hidden, so that the sound goes on. */
export class Player implements vscode.Disposable {
  readonly #dependencies: Pick<Window, 'log' | 'context'>;
  readonly #changed = new vscode.EventEmitter<void>();
  /** By address, size and time of the file. */
  readonly #waveforms = new Map<string, Promise<readonly number[]>>();
  readonly #ended = new AbortController();
  #host: PageHost<typeof playerRequests> | undefined;
  #webview: vscode.Webview | undefined;
  #open: OpenRecording | undefined;
  #isAac = false;
  #state: PlayerState = { milliseconds: 0, isPlaying: false, follows: true };
  /** Whether the page was told to follow no longer, and has not reported it yet. */
  #stopsFollowing = false;
  /** Messages for a page that has not started yet. */
  #waiting: readonly PlayerMessage[] = [];

  constructor(dependencies: Pick<Window, 'log' | 'context'>) {
    this.#dependencies = dependencies;
  }

  dispose(): void {
    this.#ended.abort();
    this.#changed.dispose();
  }

  /** Fires when another recording is opened, and when the player reports its state. */
  get onDidChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  get current(): OpenRecording | undefined {
    return this.#open;
  }

  get state(): PlayerState {
    return this.#state;
  }

  /** Fills the view, which VS Code creates when it is first shown. */
  show(view: vscode.WebviewView): void {
    const { context, log } = this.#dependencies;
    this.#webview = view.webview;
    this.#host = new PageHost(view, {
      file: { name: 'player', id: 'player', title: vscode.l10n.t('Player') },
      requests: playerRequests,
      answers: {
        report: async (state) => {
          this.#report(state);
          return null;
        },
        measure: async ({ seconds }) => ({ peaks: await this.#measure(seconds) }),
        openExternally: async ({ milliseconds }) => {
          await this.#openExternally(milliseconds);
          return null;
        },
      },
      extensionUri: context.extensionUri,
      log,
      isKept: true,
      roots: () => (this.#open ? foldersOf(this.#open) : []),
      start: () => this.#start(),
      onReady: () => this.#sendWaiting(),
      failed: (error, request) => {
        log.warn(`${request} failed: ${reasonOf(error)}`);
        return reasonOf(error);
      },
    });
    view.onDidDispose(() => {
      this.#host = undefined;
      this.#webview = undefined;
      this.#report({ ...this.#state, isPlaying: false });
    });
  }

  /**
   * Plays a recording from a place, and shows the player without taking the focus.
   *
   * @param until where to pause, in milliseconds
   */
  async play(open: OpenRecording, milliseconds: number, until?: number): Promise<void> {
    const isSame =
      this.#open?.recording.toString() === open.recording.toString() &&
      this.#open.version === open.version &&
      this.#open.cues === open.cues;
    if (!isSame) {
      this.#isAac = await hasAacSound(open.recording.fsPath).catch(() => false);
      this.#open = open;
      this.#host?.load();
      this.#report({ ...this.#state, milliseconds, isPlaying: false });
    }
    this.#waiting = [{ type: 'seek', milliseconds, ...(until !== undefined && { until }) }];
    // The sound does not wait until the view is in front.
    if (isSame && this.#host?.hasStarted) this.#sendWaiting();
    await vscode.commands.executeCommand('setContext', contextKeys.hasPlayer, true);
    await vscode.commands.executeCommand(`${viewIds.player}.focus`, { preserveFocus: true });
    if (this.#host?.hasStarted) this.#sendWaiting();
  }

  /**
   * Plays on in another file of the open recording, which lies in the same folder or where that is saved.
   *
   * @param when at once at the same words, or when the file that plays has been heard
   */
  playOn(open: OpenRecording, when: 'open' | 'next'): void {
    this.#open = open;
    const { track } = this.#start();
    if (track) this.send({ type: when, track });
    this.#changed.fire();
  }

  /** @returns false when no recording is open */
  send(message: PlayerMessage): boolean {
    if (!this.#open || !this.#host) return false;
    this.#waiting = [...this.#waiting, message];
    if (this.#host.hasStarted) this.#sendWaiting();
    return true;
  }

  /** Turns the switch *Follow* off. */
  stopFollowing(): void {
    this.#stopsFollowing = this.send({ type: 'stopFollowing' });
    this.#state = { ...this.#state, follows: false };
  }

  #sendWaiting(): void {
    for (const message of this.#waiting) this.#host?.post(message);
    this.#waiting = [];
  }

  #start(): PlayerStart {
    if (!this.#open || !this.#webview) return {};
    const { recording, version, cues, name = posix.basename(recording.path), note } = this.#open;
    return {
      track: {
        name,
        note,
        // The page loads a file that was replaced only from another address.
        source: this.#webview
          .asWebviewUri(version === undefined ? recording : recording.with({ query: `v=${version}` }))
          .toString(),
        isVideo: mayHoldPicture(recording.path),
        isAac: this.#isAac,
        cues: playerCues(
          cues.map(({ start, end, lines, speaker }) => ({ start, end, text: joinTexts(lines), speaker })),
        ),
      },
    };
  }

  #report(state: PlayerState): void {
    const hasChanged = state.isPlaying !== this.#state.isPlaying;
    if (!state.follows) this.#stopsFollowing = false;
    this.#state = { ...state, follows: state.follows && !this.#stopsFollowing };
    if (hasChanged) void vscode.commands.executeCommand('setContext', contextKeys.isPlaying, state.isPlaying);
    this.#changed.fire();
  }

  async #measure(seconds: number): Promise<readonly number[]> {
    const recording = this.#open?.recording;
    const stat = recording && (await statOf(recording));
    // Only files on disk can be read packet by packet.
    if (!stat || recording.scheme !== 'file') return [];
    const key = `${recording} ${stat.size} ${stat.mtime}`;
    const measuring = this.#waveforms.get(key) ?? this.#read(recording.fsPath, seconds);
    this.#waveforms.delete(key);
    this.#waveforms.set(key, measuring);
    for (const oldest of [...this.#waveforms.keys()].slice(0, -maxWaveforms)) this.#waveforms.delete(oldest);
    return measuring;
  }

  async #read(file: string, seconds: number): Promise<readonly number[]> {
    const { signal } = this.#ended;
    const result = await readRecording({ type: 'peaks', file, seconds }, { signal });
    if (result.type === 'peaks') return result.peaks;
    if (result.type === 'unreadable') this.#dependencies.log.info(`No waveform: ${result.reason}`);
    return [];
  }

  /** Players understand the time of a media fragment, https://www.w3.org/TR/media-frags/. */
  async #openExternally(milliseconds: number): Promise<void> {
    if (!this.#open) return;
    const fragment = `t=${Math.floor(milliseconds / 1000)}`;
    await openExternally(this.#open.recording.with({ fragment }));
  }
}

function foldersOf({ recording, savedIn }: OpenRecording): readonly vscode.Uri[] {
  return [vscode.Uri.joinPath(recording, '..'), ...(savedIn ? [savedIn] : [])];
}
