import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { Window } from '../../editor/Window.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import type { FirstParts, SpokenSoFar } from '../../wholes/SpokenSoFar.ts';
import type { OpenRecording, Player } from './Player.ts';

/** What is there of a narration in the player, which goes on with the parts as they come, and with the saved file. */
export class GrowingRecording implements vscode.Disposable {
  /** The document that is narrated. */
  readonly uri: vscode.Uri;
  readonly #spoken: SpokenSoFar;
  readonly #player: Player;
  readonly #log: Window['log'];
  readonly #subscriptions: readonly { dispose(): void }[];
  #open: OpenRecording;
  #parts: FirstParts;
  #isJoining = false;
  #isShown = false;
  #isOver = false;

  private constructor(
    uri: vscode.Uri,
    { spoken, parts }: { readonly spoken: SpokenSoFar; readonly parts: FirstParts },
    player: Player,
    log: Window['log'],
  ) {
    this.uri = uri;
    this.#spoken = spoken;
    this.#parts = parts;
    this.#player = player;
    this.#log = log;
    this.#open = this.#recordingOf(parts);
    this.#subscriptions = [spoken.onDidChange(() => this.#look()), player.onDidChange(() => this.#look())];
  }

  /** @throws Error when the parts cannot be read or joined */
  static async start(
    uri: vscode.Uri,
    spoken: SpokenSoFar,
    player: Player,
    log: Window['log'],
  ): Promise<GrowingRecording> {
    return new GrowingRecording(uri, { spoken, parts: await spoken.join() }, player, log);
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
    void this.#spoken.close();
  }

  /** Whether it plays on in what is there of this narration. */
  isOf(spoken: SpokenSoFar): boolean {
    return this.#spoken === spoken && !this.#isOver;
  }

  get open(): OpenRecording {
    return this.#open;
  }

  /** Whether the player has something else open, or the saved file. */
  get isOver(): boolean {
    return this.#isOver;
  }

  #look(): void {
    const { current, state } = this.#player;
    if (this.#isOver) return;
    if (current !== this.#open) {
      // Another recording was opened.
      if (this.#isShown) this.#finish();
      return;
    }
    this.#isShown = true;
    const { end, count } = this.#spoken;
    if (end && 'saved' in end) {
      this.#finish();
      if (end.saved === '') return;
      const { name: _, note: __, ...saved } = { ...this.#open, recording: vscode.Uri.parse(end.saved, true) };
      this.#playOn({ ...saved, cues: end.cues }, 'open');
      return;
    }
    // Until the player has come to what is new in its file, there is one that it still needs.
    const isNew = state.milliseconds >= this.#parts.newFrom;
    if (count > this.#parts.count && isNew) void this.#join();
    else if (end && this.#open.note !== this.#note) this.#playOn({ ...this.#open, note: this.#note }, 'open');
  }

  #finish(): void {
    this.#isOver = true;
    this.dispose();
  }

  async #join(): Promise<void> {
    if (this.#isJoining) return;
    this.#isJoining = true;
    try {
      const parts = await this.#spoken.join();
      if (this.#player.current !== this.#open || this.#isOver) return;
      this.#parts = parts;
      this.#playOn(this.#recordingOf(parts), 'next');
    } catch (error) {
      this.#log.warn(`What is there of a narration could not be joined: ${reasonOf(error)}`);
    } finally {
      this.#isJoining = false;
    }
  }

  #playOn(open: OpenRecording, when: 'open' | 'next'): void {
    this.#open = open;
    this.#player.playOn(open, when);
  }

  #recordingOf({ file, cues }: FirstParts): OpenRecording {
    const savedIn = vscode.Uri.parse(this.#spoken.savedIn, true);
    return { recording: vscode.Uri.file(file), cues, name: posix.basename(this.uri.path), note: this.#note, savedIn };
  }

  get #note(): string {
    const { end } = this.#spoken;
    return end && 'problem' in end
      ? vscode.l10n.t('This is only the beginning, because the rest did not come. {0}', end.problem)
      : vscode.l10n.t('This is what is there so far. The rest follows as it is spoken.');
  }
}
