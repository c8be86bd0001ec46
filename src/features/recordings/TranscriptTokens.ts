import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type Language, languageOf, languages } from '../../documents/Language.ts';
import type { Caller } from '../../editor/Caller.ts';
import { deliverTranscript, isTokenOpen, removeToken } from '../../editor/deliverTranscript.ts';
import { editKinds } from '../../editor/editKinds.ts';
import { movedUri } from '../../editor/openDocuments.ts';
import { assetsOf } from '../../editor/requests/requests.ts';
import { runCommand, tryToShow } from '../../editor/runCommand.ts';
import { TimedPairs } from '../../editor/timedPair.ts';
import type { Window } from '../../editor/Window.ts';
import { exists } from '../../editor/workspaceFiles.ts';
import { numberedName } from '../../library/fileName.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { isRecording } from '../../operations/fields.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { commentIn, textLanguages } from '../../transcripts/transcriptIn.ts';
import type { DocumentToken } from '../../work/Job.ts';

export type RecordingOperation = 'transcribe' | 'translate';

/** What a token stands for. */
export interface TranscriptRequest {
  readonly file: vscode.Uri;
  readonly operation: RecordingOperation;
  readonly withPlayer: boolean;
  /** Whether VS Code creates the file together with the token, as for files without a path from a browser. */
  readonly isCopied?: boolean;
  /** When undefined and no model is known, the person is asked. */
  readonly model?: unknown;
  /** Values of further fields. */
  readonly fields?: unknown;
  /** Who gets the outcome; a person by default. */
  readonly caller?: Caller;
}

interface PendingTranscript extends TranscriptRequest {
  readonly token: string;
  state: 'offered' | 'starting' | 'sent';
  abort: AbortController;
  readonly result: PromiseWithResolvers<readonly Asset[] | undefined>;
}

/** How many offers of earlier pastes are kept. VS Code asks for edits on each paste, and does not report when none is chosen. */
const maxOffers = 60;

/** Starts a job when its token appears in a document, however it got there. */
export class TranscriptTokens implements vscode.Disposable {
  readonly #dependencies: Window;
  readonly #runs = new Map<string, PendingTranscript>();
  /** For what is asked at each move of the cursor. */
  readonly pairs: TimedPairs;
  readonly #subscriptions: vscode.Disposable;

  constructor(dependencies: Window) {
    this.#dependencies = dependencies;
    this.pairs = new TimedPairs(dependencies.places);
    this.#subscriptions = vscode.Disposable.from(
      this.pairs,
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (this.#runs.size === 0) return;
        if (contentChanges.some(({ rangeLength }) => rangeLength > 0)) this.#stopLost();
        for (const run of this.#runs.values()) {
          const isInserted = contentChanges.some(({ text }) => text.includes(run.token));
          if (run.state === 'offered' && isInserted) this.#start(run, document);
        }
      }),
      vscode.workspace.onDidCloseTextDocument(() => this.#stopLost()),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** Discards the oldest offers. Called before those of a paste, so that however many they are, none discards another. */
  makeRoom(): void {
    const offered = [...this.#runs.values()].filter(({ state }) => state === 'offered');
    for (const { token } of offered.slice(0, -maxOffers)) this.#runs.delete(token);
  }

  /** @returns the text to insert; the job starts when the text appears in a document */
  offer(request: TranscriptRequest, language: Language): string {
    const name = request.file.path.slice(request.file.path.lastIndexOf('/') + 1);
    const text =
      request.operation === 'translate'
        ? vscode.l10n.t('translating {0}', name)
        : vscode.l10n.t('transcribing {0}', name);
    const token = commentIn(language, `${text} · ${crypto.randomUUID().slice(0, 8)}`);
    const result = Promise.withResolvers<readonly Asset[] | undefined>();
    // Only a program awaits it.
    result.promise.catch(() => undefined);
    this.#runs.set(token, { ...request, token, state: 'offered', abort: new AbortController(), result });
    return token;
  }

  /** Returns the outcome of an inserted token's job. */
  resultOf(token: string): Promise<readonly Asset[] | undefined> | undefined {
    return this.#runs.get(token)?.result.promise;
  }

  /** Discards a token that could not be inserted. */
  withdraw(token: string): void {
    this.#runs.delete(token);
  }

  /** Aborts jobs whose token was removed before anything was sent. */
  #stopLost(): void {
    for (const run of this.#runs.values()) if (run.state === 'starting' && !isTokenOpen(run.token)) run.abort.abort();
  }

  #start(run: PendingTranscript, document: vscode.TextDocument): void {
    run.state = 'starting';
    run.abort = new AbortController();
    runCommand(run.caller ?? 'person', this.#dependencies, () => this.#transcribe(run, document)).then(
      run.result.resolve,
      run.result.reject,
    );
  }

  async #transcribe(run: PendingTranscript, document: vscode.TextDocument): Promise<readonly Asset[] | undefined> {
    const { token, abort } = run;
    let { uri } = document;
    const renames = vscode.workspace.onDidRenameFiles(({ files }) => {
      uri = movedUri(uri, files);
    });
    const into = (): DocumentToken => ({
      document: uri.toString(),
      text: token,
      player: run.withPlayer ? run.file.toString() : undefined,
    });
    try {
      const assets = await this.#run(run, into());
      if (!assets) {
        this.#runs.delete(token);
        await removeToken(into(), this.#dependencies.log);
        return undefined;
      }
      this.#runs.delete(token);
      await tryToShow(this.#dependencies.log, deliverTranscript(assets, into(), this.#dependencies));
      return assets;
    } catch (error) {
      // Nothing was sent. Redo restores the token and starts the job again.
      if (abort.signal.aborted && run.state === 'starting') run.state = 'offered';
      else this.#runs.delete(token);
      if (!canRecover(error)) await removeToken(into(), this.#dependencies.log);
      throw error;
    } finally {
      renames.dispose();
    }
  }

  async #run(run: PendingTranscript, into: DocumentToken): Promise<readonly Asset[] | undefined> {
    const { operation, file, model, fields, caller = 'person', abort } = run;
    const { places, runs } = this.#dependencies;
    const place = await places.referenceFor('transcripts', caller === 'person');
    if (!place) return undefined;
    if (run.isCopied) await untilExists(file, abort.signal);
    const results = await runs.run([{ operation, fields: { file, model, fields }, place, into }], caller, {
      signal: abort.signal,
      beforeSending: () => {
        if (run.state === 'sent') return;
        if (!isTokenOpen(run.token)) throw new MediaError('cancelled', vscode.l10n.t('Cancelled. Nothing was sent.'));
        run.state = 'sent';
      },
    });
    return results && assetsOf(results);
  }
}

/** Whether a failed job can still deliver its transcript, so that its token must stay. */
function canRecover(error: unknown): boolean {
  if (!(error instanceof MediaError) || error.jobId === undefined) return false;
  return error.actions.some((action) => ['runAgain', 'downloadAgain', 'askAgain', 'saveElsewhere'].includes(action));
}

/** How long VS Code may take to write a file that was dropped from a browser, in milliseconds. */
const writingMs = 60_000;

/** Waits until a file exists. VS Code applies the text of an edit first and writes its files afterwards. */
async function untilExists(file: vscode.Uri, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const made = vscode.workspace.onDidCreateFiles(({ files }) => {
    if (files.some((uri) => uri.toString() === file.toString())) resolve();
  });
  const timer = setTimeout(resolve, writingMs);
  signal.addEventListener('abort', () => resolve(), { once: true });
  try {
    if (!(await exists(file))) await promise;
  } finally {
    clearTimeout(timer);
    made.dispose();
  }
}

/** What is dropped or pasted, and where. */
export interface Dropped {
  readonly document: vscode.TextDocument;
  readonly at: vscode.Position | undefined;
  readonly data: vscode.DataTransfer;
}

/** A recording, with its content when it has no URI yet. */
interface DroppedRecording {
  readonly uri: vscode.Uri;
  readonly content?: vscode.DataTransferFile;
}

/**
 * Edits that take precedence over ours: references to assets from our own views, then VS Code's edits for files and for
 * the clipboard's content, so that the default insertion stays as it is.
 */
const others = [
  editKinds.reference,
  vscode.DocumentDropOrPasteEditKind.Empty.append('markdown', 'link'),
  vscode.DocumentDropOrPasteEditKind.Empty.append('uri'),
  vscode.DocumentDropOrPasteEditKind.Empty.append('html'),
  vscode.DocumentDropOrPasteEditKind.Text,
];

/**
 * Offers edits that insert a token for each recording. VS Code asks for edits whether or not one is chosen, so they
 * cost nothing: the work starts when a token appears in a document. Drop edits have the shape of paste edits.
 */
export async function offerEdits(
  { document, at = new vscode.Position(0, 0), data }: Dropped,
  load: () => Promise<TranscriptTokens>,
  dependencies: Window,
): Promise<vscode.DocumentPasteEdit[] | undefined> {
  const language = languageOf(document.languageId, document.uri.path);
  if (!textLanguages.includes(language) && document.languageId !== 'plaintext') return undefined;
  const recordings = await recordingsIn(data, document, dependencies);
  if (recordings.length === 0) return undefined;
  const runs = await load();
  runs.makeRoom();
  const offer = (operation: RecordingOperation, withPlayer: boolean) =>
    recordings.map(({ uri, content }) =>
      runs.offer({ file: uri, operation, withPlayer, isCopied: content !== undefined }, language),
    );
  const edit = (title: string, kind: vscode.DocumentDropOrPasteEditKind, tokens: readonly string[]) => {
    const made = new vscode.DocumentPasteEdit(onOwnLines(language, document, at, tokens.join('\n\n')), title, kind);
    made.yieldTo = others;
    const copies = copiesOf(recordings);
    if (copies) made.additionalEdit = copies;
    return made;
  };
  return [
    edit(vscode.l10n.t('Insert Transcript'), editKinds.transcript, offer('transcribe', false)),
    edit(vscode.l10n.t('Insert English Translation'), editKinds.translation, offer('translate', false)),
    edit(vscode.l10n.t('Insert Player and Transcript'), editKinds.player, offer('transcribe', true)),
  ];
}

/** Puts a comment that extends to the end of its line on a line of its own. */
export function onOwnLines(
  language: Language,
  document: vscode.TextDocument,
  position: vscode.Position,
  text: string,
): string {
  if (!languages[language].hasLineComments) return text;
  const line = document.lineAt(position.line).text;
  const before = line.slice(0, position.character).trim() === '' ? '' : '\n\n';
  const after = line.slice(position.character).trim() === '' ? '' : '\n\n';
  return `${before}${text}${after}`;
}

/** Returns the dropped recordings; empty unless everything dropped is a recording. */
async function recordingsIn(
  data: vscode.DataTransfer,
  document: vscode.TextDocument,
  dependencies: Window,
): Promise<readonly DroppedRecording[]> {
  const list = (await data.get('text/uri-list')?.asString()) ?? '';
  const uris = list
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => vscode.Uri.parse(line.trim()));
  if (uris.length > 0) return uris.every(({ path }) => isRecording(path)) ? uris.map((uri) => ({ uri })) : [];
  const files = [...data].flatMap(([, item]) => item.asFile() ?? []);
  const unique = [...new Map(files.map((file) => [file.name, file])).values()];
  if (!unique.every(({ name }) => isRecording(name))) return [];
  const recordings: DroppedRecording[] = [];
  for (const file of unique) {
    recordings.push(
      file.uri ? { uri: file.uri } : { uri: await freeUri(document, file.name, dependencies), content: file },
    );
  }
  return recordings;
}

/** Returns a free URI for a file from a browser, which has no path: in the audio folder of the document's project. */
async function freeUri(
  document: vscode.TextDocument,
  name: string,
  { projects }: Pick<Window, 'projects'>,
): Promise<vscode.Uri> {
  const { places, document: placed } = (await projects()).placeOf(document);
  const folder = (await places.folderFor(placed, 'audio')) ?? posix.dirname(document.uri.path);
  const { name: base, ext } = posix.parse(name);
  for (let number = 1; ; number++) {
    const uri = document.uri.with({ path: posix.join(folder, numberedName(base, ext.slice(1), number)) });
    if (!(await exists(uri))) return uri;
  }
}

/** VS Code writes the files when it applies the edit, not earlier. */
function copiesOf(recordings: readonly DroppedRecording[]): vscode.WorkspaceEdit | undefined {
  const copied = recordings.filter(({ content }) => content !== undefined);
  if (copied.length === 0) return undefined;
  const edit = new vscode.WorkspaceEdit();
  for (const { uri, content } of copied) if (content) edit.createFile(uri, { contents: content });
  return edit;
}
