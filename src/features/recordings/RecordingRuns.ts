import * as vscode from 'vscode';
import type { Language } from '../../documents/Language.ts';
import { deliverTranscript, isTokenOpen, replaceToken } from '../../editor/deliverTranscript.ts';
import { exists } from '../../editor/fileContent.ts';
import { assetsOf } from '../../editor/PlacedRuns.ts';
import type { Caller } from '../../editor/runCommand.ts';
import { runCommand, tryToShow } from '../../editor/runCommand.ts';
import { commentIn } from '../../editor/transcriptIn.ts';
import type { Asset } from '../../library/Asset.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { operations } from '../../operations/operations.ts';
import type { DocumentToken } from '../../work/Job.ts';
import type { RecordingDependencies, RecordingOperation } from './RecordingDependencies.ts';

/** What a token stands for. */
export interface TranscriptRequest {
  readonly file: vscode.Uri;
  readonly operation: RecordingOperation;
  readonly withPlayer: boolean;
  /** Whether VS Code creates the file together with the token, as for files without a path from a browser. */
  readonly isCopied?: boolean;
  /** When undefined and no model is known, the person is asked. */
  readonly model?: unknown;
  /** Who gets the outcome; a person by default. */
  readonly caller?: Caller;
}

interface Run extends TranscriptRequest {
  readonly token: string;
  state: 'offered' | 'starting' | 'sent';
  abort: AbortController;
  readonly result: PromiseWithResolvers<readonly Asset[] | undefined>;
}

/** How many offers of earlier pastes are kept. VS Code asks for edits on each paste, and does not report when none is chosen. */
const maxOffers = 60;

/** Starts a job when its token appears in a document, however it got there. */
export class RecordingRuns implements vscode.Disposable {
  readonly #dependencies: RecordingDependencies;
  readonly #runs = new Map<string, Run>();
  readonly #subscriptions: vscode.Disposable;

  constructor(dependencies: RecordingDependencies) {
    this.#dependencies = dependencies;
    this.#subscriptions = vscode.Disposable.from(
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

  #start(run: Run, document: vscode.TextDocument): void {
    run.state = 'starting';
    run.abort = new AbortController();
    runCommand(run.caller ?? 'person', this.#dependencies, () => this.#transcribe(run, document)).then(
      run.result.resolve,
      run.result.reject,
    );
  }

  async #transcribe(run: Run, document: vscode.TextDocument): Promise<readonly Asset[] | undefined> {
    const { token, abort } = run;
    try {
      const into: DocumentToken = {
        document: document.uri.toString(),
        text: token,
        ...(run.withPlayer ? { player: run.file.toString() } : {}),
      };
      const assets = await this.#run(run, into);
      if (!assets) {
        this.#runs.delete(token);
        await replaceToken(token, '');
        return undefined;
      }
      this.#runs.delete(token);
      await tryToShow(this.#dependencies.log, deliverTranscript(assets, into, this.#dependencies));
      return assets;
    } catch (error) {
      // Nothing was sent. Redo restores the token and starts the job again.
      if (abort.signal.aborted && run.state === 'starting') run.state = 'offered';
      else this.#runs.delete(token);
      if (!canRecover(error)) await replaceToken(token, '');
      throw error;
    }
  }

  async #run(run: Run, into: DocumentToken): Promise<readonly Asset[] | undefined> {
    const { operation, file, model, caller = 'person', abort } = run;
    const { places, runs } = this.#dependencies;
    const place = await places.referenceFor('transcripts', caller === 'person');
    if (!place) return undefined;
    if (run.isCopied) await untilExists(file, abort.signal);
    const results = await runs.runPlaced(
      [{ operation, fields: { file, ...(model === undefined ? {} : { model }) }, place, into }],
      {
        title: vscode.l10n.t(operations[operation].title),
        caller,
        asksModel: false,
        signal: abort.signal,
        beforeSending: () => {
          if (run.state === 'sent') return;
          if (!isTokenOpen(run.token)) throw new MediaError('cancelled', vscode.l10n.t('Cancelled. Nothing was sent.'));
          run.state = 'sent';
        },
      },
    );
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
