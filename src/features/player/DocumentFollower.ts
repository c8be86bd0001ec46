import * as vscode from 'vscode';
import { movedUri } from '../../editor/openDocuments.ts';
import { alignWords, endOf, type Span } from '../../transcripts/alignWords.ts';
import { wordsOfCues } from '../../transcripts/times.ts';
import { type Word, wordsIn } from '../../transcripts/words.ts';
import type { OpenRecording, Player } from './Player.ts';

/** The words of a document and when each is heard. */
interface FollowedDocument {
  readonly version: number;
  readonly recording: OpenRecording;
  readonly words: readonly Word[];
  readonly spans: readonly Span[];
}

/** Longer texts would be aligned for too long while the person types. In characters. */
const maxLength = 2_000_000;
const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });

/** Shows in text editors which sentence and word are heard, and scrolls with them until the person scrolls away. */
export class DocumentFollower implements vscode.Disposable {
  readonly #player: Player;
  readonly #sentence = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('editor.wordHighlightBackground'),
    // High-contrast themes have no backgrounds.
    outline: '1px dotted var(--vscode-contrastActiveBorder, transparent)',
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  readonly #word = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('editor.wordHighlightStrongBackground'),
    borderRadius: '2px',
    outline: '1px solid var(--vscode-contrastActiveBorder, transparent)',
  });
  readonly #subscription: vscode.Disposable;
  /** By the document's URI. */
  readonly #timed = new Map<string, FollowedDocument>();
  /** Where the word that is heard is in view, while editors follow. */
  /** The word that is in view, and the first line that is. */
  readonly #shown = new WeakMap<vscode.TextEditor, { readonly word: vscode.Range; readonly top: number | undefined }>();
  /** The cursors before the last click. */
  readonly #cursors = new WeakMap<vscode.TextEditor, readonly vscode.Selection[]>();
  /** Documents that belong to the open recording. */
  #documents: readonly vscode.Uri[] = [];

  constructor(player: Player) {
    this.#player = player;
    this.#subscription = vscode.Disposable.from(
      this.#sentence,
      this.#word,
      player.onDidChange(() => this.#show()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#show()),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.#noteScroll(textEditor)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.#playAdded(event)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#timed.delete(uri.toString())),
      vscode.workspace.onDidRenameFiles(({ files }) => {
        this.#documents = this.#documents.map((uri) => movedUri(uri, files));
        this.#show();
      }),
    );
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** Names the documents that belong to the recording that is opened next. */
  follow(documents: readonly vscode.Uri[]): void {
    this.#documents = documents;
  }

  /**
   * Returns when the sentence at a position is heard, in milliseconds; on a line without words, the next sentence.
   *
   * @returns undefined when the document has no words that are heard
   */
  timeAt(document: vscode.TextDocument, recording: OpenRecording, position: vscode.Position): number | undefined {
    const { words, spans } = this.#align(document, recording);
    const offset = document.offsetAt(position);
    const line = document.offsetAt(document.lineAt(position.line).range.start);
    const at = words.findLast(({ from }) => line <= from && from <= offset) ?? words.find(({ to }) => to > offset);
    const { start } = at ? sentenceAround(document, at) : { start: new vscode.Position(0, 0) };
    const first = words.findIndex(({ from }) => from >= document.offsetAt(start));
    return spans[at ? first : words.length - 1]?.start;
  }

  /** Returns when the words of a range are heard; undefined when none of them is. */
  spanOf(document: vscode.TextDocument, recording: OpenRecording, range: vscode.Range): Span | undefined {
    const { words, spans } = this.#align(document, recording);
    const [from, to] = [document.offsetAt(range.start), document.offsetAt(range.end)];
    const heard = spans.filter((_, index) => {
      const word = words[index];
      return word !== undefined && from <= word.from && word.to <= to;
    });
    return heard[0] && { start: heard[0].start, end: endOf(heard) };
  }

  /**
   * Plays from the word where Alt+click adds a cursor. The click adds it as ever: no stable API tells of the key, and none
   * of the providers that VS Code asks on Alt+click knows a click from a mouse that passes.
   */
  #playAdded({ textEditor: editor, selections, kind }: vscode.TextEditorSelectionChangeEvent): void {
    const { current } = this.#player;
    if (!current || !this.#belongs(editor.document)) return;
    const before = this.#cursors.get(editor) ?? selections.slice(0, 1);
    this.#cursors.set(editor, selections);
    if (kind !== vscode.TextEditorSelectionChangeKind.Mouse || selections.length !== before.length + 1) return;
    const added = selections.find((one) => one.isEmpty && !before.some((other) => other.isEqual(one)));
    const { words, spans } = this.#align(editor.document, current);
    const offset = added && editor.document.offsetAt(added.active);
    const index = words.findIndex(({ from, to }) => offset !== undefined && from <= offset && offset <= to);
    const start = spans[index]?.start;
    if (start !== undefined) void this.#player.play(current, start);
  }

  #belongs({ uri }: vscode.TextDocument): boolean {
    return this.#documents.some((one) => one.toString() === uri.toString());
  }

  #show(): void {
    const { current, state } = this.#player;
    for (const editor of vscode.window.visibleTextEditors) {
      const isMeant = current !== undefined && this.#belongs(editor.document);
      const heard =
        isMeant && state.isPlaying ? this.#heardIn(editor.document, current, state.milliseconds) : undefined;
      editor.setDecorations(this.#sentence, heard ? [heard.sentence] : []);
      editor.setDecorations(this.#word, heard ? [heard.word] : []);
      if (heard && state.follows) this.#reveal(editor, heard.word);
      else this.#shown.delete(editor);
    }
  }

  #reveal(editor: vscode.TextEditor, word: vscode.Range): void {
    if (isVisible(editor, word)) {
      this.#shown.set(editor, { word, top: topOf(editor) });
      return;
    }
    // Until the word is in view, the editor scrolls because of this, and not because of the person.
    this.#shown.delete(editor);
    editor.revealRange(word, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Stops following when the person scrolls away from the word that is heard, as the list of cues does. */
  #noteScroll(editor: vscode.TextEditor): void {
    const shown = this.#shown.get(editor);
    // An editor that becomes smaller keeps its first line.
    if (!shown || isVisible(editor, shown.word) || topOf(editor) === shown.top) return;
    this.#shown.delete(editor);
    this.#player.stopFollowing();
  }

  #heardIn(document: vscode.TextDocument, recording: OpenRecording, now: number) {
    const { words, spans } = this.#align(document, recording);
    // Moved passages are not in the order of the text, so every span is looked at.
    const index = spans.findLastIndex(({ start, end }) => start <= now && now < Math.max(end, start + 1));
    const word = words[index];
    if (!word) return undefined;
    const range = new vscode.Range(document.positionAt(word.from), document.positionAt(word.to));
    return { word: range, sentence: sentenceAround(document, word) };
  }

  #align(document: vscode.TextDocument, recording: OpenRecording): FollowedDocument {
    const key = document.uri.toString();
    const known = this.#timed.get(key);
    if (known?.version === document.version && known.recording === recording) return known;
    const words = wordsIn(document.getText().slice(0, maxLength));
    const spans = alignWords(
      words.map((one) => one.key),
      wordsOfCues(recording.cues),
    );
    const timed = { version: document.version, recording, words, spans };
    this.#timed.set(key, timed);
    return timed;
  }
}

function isVisible({ visibleRanges }: vscode.TextEditor, word: vscode.Range): boolean {
  return visibleRanges.some((range) => range.start.line <= word.start.line && word.end.line <= range.end.line);
}

function topOf({ visibleRanges }: vscode.TextEditor): number | undefined {
  return visibleRanges[0]?.start.line;
}

/** Returns the sentence that contains a word, within its line. */
function sentenceAround(document: vscode.TextDocument, { from, to }: Word): vscode.Range {
  const line = document.lineAt(document.positionAt(from).line);
  const start = document.offsetAt(line.range.start);
  for (const { index, segment } of sentences.segment(line.text)) {
    const [first, last] = [start + index, start + index + segment.trimEnd().length];
    if (first <= from && to <= last) return new vscode.Range(document.positionAt(first), document.positionAt(last));
  }
  return line.range;
}
