import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { Click, callerOf } from '../../editor/Caller.ts';
import { Refresh } from '../../editor/LibraryReaders.ts';
import { uriArgument } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import { editorInUse } from '../../editor/openDocuments.ts';
import { runCommand, tryToShow } from '../../editor/runCommand.ts';
import { lengthProblem, pairBeside, type TimedPair, TimedPairs, timedPair } from '../../editor/timedPair.ts';
import type { Window } from '../../editor/Window.ts';
import { statOf } from '../../editor/workspaceFiles.ts';
import { isObject } from '../../foreign/shape.ts';
import { MediaError, reasonOf } from '../../operations/MediaError.ts';
import type { Cue } from '../../transcripts/subtitles.ts';
import { checkTimesSize, maxPlayedBytes, readTimes } from '../../transcripts/times.ts';
import type { PlayerMessage } from '../../webview/protocol/player.ts';
import { SpokenSoFar } from '../../wholes/SpokenSoFar.ts';
import { DocumentFollower } from './DocumentFollower.ts';
import { GrowingRecording } from './GrowingRecording.ts';
import { OpenFiles } from './OpenFiles.ts';
import { type OpenRecording, Player } from './Player.ts';

/** The same list each time, by which the player knows a recording that it has open. */
const noCues: readonly Cue[] = [];

/** The commands of the player; loaded on first use. */
export class PlayerCommands implements vscode.Disposable {
  readonly player: Player;
  readonly #parts: Pick<Window, 'settings' | 'places' | 'log' | 'context'>;
  readonly #follower: DocumentFollower;
  /** Cues of recordings, by the file with the times and its last change. */
  readonly #read = new Map<string, readonly Cue[]>();
  readonly #pairs: TimedPairs;
  /** What was said of the lengths of recordings, by their address. */
  readonly #warned = new Map<string, string>();
  readonly #files: OpenFiles;
  /** The narration that is played while it is made. */
  #growing: GrowingRecording | undefined;

  constructor(parts: Pick<Window, 'settings' | 'places' | 'log' | 'context'>) {
    this.#parts = parts;
    this.player = new Player(parts);
    this.#follower = new DocumentFollower(this.player);
    this.#pairs = new TimedPairs(parts.places);
    const look = new Refresh(() => this.#lookAgain());
    this.#files = new OpenFiles(() => void tryToShow(parts.log, look.request()));
  }

  dispose(): void {
    this.#growing?.dispose();
    this.#files.dispose();
    this.#pairs.dispose();
    this.#follower.dispose();
    this.player.dispose();
  }

  /** @returns whether a recording is open */
  send(message: PlayerMessage): boolean {
    return this.player.send(message);
  }

  /**
   * Plays a recording from where the text at the cursor is heard.
   *
   * @param argument `{uri, line}`: a document with a recording, or a recording; `line` counts from 0. What is there of a
   *   narration comes as `{uri, spoken}`
   * @throws MediaError `invalidInput`, whose message ends with its kind, when a program gave the argument
   */
  playFromHere(argument: unknown): Promise<void> {
    return runCommand(callerOf(argument), this.#parts, async () => {
      const { uri, position, milliseconds, spoken } = placeIn(argument);
      if (spoken) await this.#grow(uri, spoken);
      const { pair, open, problem } = await this.#open(uri);
      const isText = open.recording.toString() !== uri.toString();
      const at = milliseconds ?? (isText ? await this.#timeOf(uri, position, open) : undefined);
      await this.#play(uri, pair, open, at ?? 0);
      void tryToShow(this.#parts.log, this.#warn(pair, open, problem));
    }).then(() => undefined);
  }

  /**
   * Plays the paragraph at a line, as it was narrated or said, and pauses at its end.
   *
   * @param argument as `playFromHere` takes it
   */
  hearParagraph(argument: unknown): Promise<void> {
    return runCommand(callerOf(argument), this.#parts, async () => {
      const { uri, position } = placeIn(argument);
      const { pair, open, problem } = await this.#open(uri);
      const document = await vscode.workspace.openTextDocument(uri);
      const { line } = document.validatePosition(position);
      const span = this.#follower.spanOf(document, open, paragraphAt(document, line));
      if (!span) {
        const sentence = vscode.l10n.t('Line {0} is in no paragraph that is heard in the recording.', line + 1);
        throw new MediaError('invalidInput', problem ?? sentence, { field: 'line' });
      }
      await this.#play(uri, pair, open, span.start, span.end);
      void tryToShow(this.#parts.log, this.#warn(pair, open, problem));
    }).then(() => undefined);
  }

  async #grow(uri: vscode.Uri, spoken: SpokenSoFar): Promise<void> {
    const before = this.#growing;
    if (before?.isOf(spoken)) return;
    this.#growing = await GrowingRecording.start(uri, spoken, this.player, this.#parts.log);
    before?.dispose();
  }

  /** @throws MediaError `invalidInput` when a file has no recording */
  async #open(uri: vscode.Uri): Promise<{
    readonly pair: TimedPair;
    readonly open: OpenRecording;
    /** Why the times of the recording could not be read. */
    readonly problem?: string;
  }> {
    if (this.#growing?.uri.toString() === uri.toString() && !this.#growing.isOver) {
      return { pair: { text: uri }, open: this.#growing.open };
    }
    const pair = await timedPair(uri, this.#parts.places);
    const { recording, times } = pair;
    if (!recording) {
      const sentence = vscode.l10n.t(
        '{0} has no recording. Transcribe one, or narrate the document; a recording of the same name beside it counts, too.',
        posix.basename(uri.path),
      );
      throw new MediaError('invalidInput', sentence, { field: 'uri' });
    }
    const version = (await statOf(recording))?.mtime;
    try {
      return { pair, open: { recording, version, cues: times ? await this.#cuesIn(times) : noCues } };
    } catch (error) {
      // The recording can be heard all the same: a .json of its name may be anything.
      return { pair, open: { recording, version, cues: noCues }, problem: reasonOf(error) };
    }
  }

  async #play(uri: vscode.Uri, pair: TimedPair, ...what: Parameters<Player['play']>): Promise<void> {
    this.#follow(uri, pair);
    await this.player.play(...what);
  }

  #follow(uri: vscode.Uri, { recording, text, times }: TimedPair): void {
    this.#follower.follow([uri, text, times].filter((one) => one !== undefined));
    this.#files.follow([uri, recording, times].filter((one) => one !== undefined));
  }

  /** Plays on at the same words in what the files of the open recording are now. */
  async #lookAgain(): Promise<void> {
    const { current } = this.player;
    const [uri] = this.#files.files;
    if (!current || !uri || (this.#growing && !this.#growing.isOver)) return;
    // What is gone stays open, and can be heard to its end.
    const found = await this.#open(uri).catch(() => undefined);
    if (!found || this.player.current !== current) return;
    const { pair, open } = found;
    const isSameFile = String(open.recording) === String(current.recording) && open.version === current.version;
    if (isSameFile && open.cues === current.cues) return;
    this.#follow(uri, pair);
    this.player.playOn(open, 'open');
  }

  /** Returns the line above a document that plays its recording. */
  async lenses({ uri }: vscode.TextDocument, token: vscode.CancellationToken): Promise<vscode.CodeLens[]> {
    // The library adds narrations alone, whose own line plays them.
    const { recording } = await pairBeside(uri);
    if (!recording || token.isCancellationRequested) return [];
    const { times, isNarration } = await this.#pairs.of(uri);
    if (!times || isNarration) return [];
    const title = `$(play) ${vscode.l10n.t('Play')}`;
    const command = { title, command: commandIds.playFromHere, arguments: [Click.on({ uri, line: 0 })] };
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
  }

  /** Says once that the times cannot be read, or belong to another recording. It is played all the same. */
  async #warn(pair: TimedPair, { recording, cues }: OpenRecording, unreadable: string | undefined): Promise<void> {
    const problem = unreadable ?? (await lengthProblem(pair, cues));
    if (problem === undefined || this.#warned.get(recording.toString()) === problem) return;
    this.#warned.set(recording.toString(), problem);
    await notify.warning(problem);
  }

  async #timeOf(uri: vscode.Uri, position: vscode.Position, open: OpenRecording): Promise<number | undefined> {
    const document = await vscode.workspace.openTextDocument(uri);
    return this.#follower.timeAt(document, open, document.validatePosition(position));
  }

  async #cuesIn(times: vscode.Uri): Promise<readonly Cue[]> {
    const stat = await statOf(times);
    const key = `${times} ${stat?.mtime} ${stat?.size}`;
    const name = posix.basename(times.path);
    if (stat) checkTimesSize(name, stat.size, maxPlayedBytes);
    const cues = this.#read.get(key) ?? readTimes(name, await vscode.workspace.fs.readFile(times));
    this.#read.clear();
    this.#read.set(key, cues);
    return cues;
  }
}

/** Returns the lines without an empty one around a line. */
function paragraphAt(document: vscode.TextDocument, line: number): vscode.Range {
  const isEmpty = (one: number) => document.lineAt(one).isEmptyOrWhitespace;
  let [first, last] = [line, line];
  while (first > 0 && !isEmpty(first - 1)) first--;
  while (last + 1 < document.lineCount && !isEmpty(last + 1)) last++;
  return isEmpty(line)
    ? document.lineAt(line).range
    : new vscode.Range(first, 0, last, document.lineAt(last).text.length);
}

/** Reads what to play: a document with a recording, or a recording. @throws MediaError `invalidInput` */
function placeIn(argument: unknown): {
  readonly uri: vscode.Uri;
  /** From 0. */
  readonly position: vscode.Position;
  /** Set when the address names a time, as `call.md#t=7` does. */
  readonly milliseconds?: number;
  /** What is there of the narration of a document, which is played from its start. */
  readonly spoken?: SpokenSoFar;
} {
  const { editor } = editorInUse();
  // Menus pass the address, of the editor that was clicked too.
  const given = argument instanceof vscode.Uri ? { uri: argument } : argument;
  const { uri, line, spoken } = isObject(given) ? given : {};
  if (line !== undefined && !(Number.isSafeInteger(line) && Number(line) >= 0)) {
    throw new MediaError('invalidInput', vscode.l10n.t('line must be a line number of 0 or more.'), { field: 'line' });
  }
  const named = uriArgument(uri) ?? editor?.document.uri;
  const address = named?.with({ fragment: '' });
  if (!named || !address) {
    const sentence = vscode.l10n.t('Open a document with a recording first, or give its address (uri).');
    throw new MediaError('invalidInput', sentence, { field: 'uri' });
  }
  if (spoken instanceof SpokenSoFar)
    return { uri: address, position: new vscode.Position(0, 0), milliseconds: 0, spoken };
  const isAtCursor = line === undefined && editor?.document.uri.toString() === address.toString();
  const position = isAtCursor ? editor.selection.active : new vscode.Position(Number(line ?? 0), 0);
  const [, seconds] = /^t=(\d+(?:\.\d+)?)$/.exec(named.fragment) ?? [];
  return { uri: address, position, milliseconds: seconds === undefined ? undefined : Number(seconds) * 1000 };
}
