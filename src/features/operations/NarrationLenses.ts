import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds, section } from '../../contributions.ts';
import { Click } from '../../editor/Caller.ts';
import type { Lazy } from '../../editor/lazy.ts';
import { NarratedDocument, playerArgument, UriHashes } from '../../editor/requests/NarratedDocument.ts';
import type { Window } from '../../editor/Window.ts';
import type { Library } from '../../library/Library.ts';
import { DocumentReader, maxUnaskedLength } from '../../reading/DocumentReader.ts';
import {
  isSameNarration,
  paidBlocks,
  planNarration,
  type RecordedNarration,
  readNarrations,
} from '../../wholes/planNarration.ts';
import { Store } from '../../work/Store.ts';
import type { OperationCommands } from './OperationCommands.ts';

/** Pause after the last change before the lenses are computed again, in milliseconds. */
const pause = 700;

/** Computes the CodeLenses above documents that have a narration: when one is opened, and after a pause in typing. */
export class NarrationLenses implements vscode.Disposable {
  readonly #parts: Pick<Window, 'settings' | 'places' | 'log' | 'storeFolder'>;
  readonly #onDidChange: () => void;
  readonly #commands: Pick<Lazy<OperationCommands>, 'current'>;
  readonly #hashes = new UriHashes();
  readonly #reader = new DocumentReader();
  readonly #store: Store;
  /** By the document's URI. */
  readonly #shown = new Map<string, { lenses: Promise<readonly vscode.CodeLens[]>; timer?: NodeJS.Timeout }>();
  readonly #narrations = new Map<Library, Promise<readonly RecordedNarration[]>>();
  readonly #subscriptions: { dispose(): void }[];
  #refresh: NodeJS.Timeout | undefined;

  constructor(
    parts: Pick<Window, 'settings' | 'places' | 'log' | 'storeFolder'>,
    onDidChange: () => void,
    commands: Pick<Lazy<OperationCommands>, 'current'>,
  ) {
    this.#parts = parts;
    this.#commands = commands;
    this.#onDidChange = onDidChange;
    this.#store = new Store(parts.storeFolder);
    this.#subscriptions = [
      parts.places.onDidChange(() => {
        this.#narrations.clear();
        this.#refreshSoon();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#wait(document.uri.toString())),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#forget(uri.toString())),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(section)) this.#forgetAll();
      }),
    ];
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
    clearTimeout(this.#refresh);
    for (const { timer } of this.#shown.values()) clearTimeout(timer);
  }

  /** Returns the previous lenses while the person types. */
  async lensesOf(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!this.#parts.settings.get('narration.codeLens')) return [];
    const key = document.uri.toString();
    const known = this.#shown.get(key) ?? { lenses: this.#work(document) };
    this.#shown.set(key, known);
    return [...(await this.#playing(document.uri)), ...(await known.lenses)];
  }

  /** Returns the lens that plays what is there of a document while it is spoken. */
  async #playing(uri: vscode.Uri): Promise<readonly vscode.CodeLens[]> {
    const spoken = (await this.#commands.current())?.spoken.get(uri.toString());
    if (!spoken) return [];
    const title = `$(play) ${vscode.l10n.t('Play What Is There')}`;
    const command = { title, command: commandIds.playFromHere, arguments: [Click.on({ uri, spoken })] };
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
  }

  #wait(key: string): void {
    const shown = this.#shown.get(key);
    if (!shown) return;
    clearTimeout(shown.timer);
    shown.timer = setTimeout(() => {
      this.#shown.delete(key);
      this.#onDidChange();
    }, pause);
  }

  #forget(key: string): void {
    clearTimeout(this.#shown.get(key)?.timer);
    this.#shown.delete(key);
  }

  /** A library changes several times in a row, and VS Code may drop a request that comes in between. */
  #refreshSoon(): void {
    clearTimeout(this.#refresh);
    this.#refresh = setTimeout(() => this.#forgetAll(), pause);
  }

  #forgetAll(): void {
    for (const key of [...this.#shown.keys()]) this.#forget(key);
    this.#onDidChange();
  }

  async #work(document: vscode.TextDocument): Promise<readonly vscode.CodeLens[]> {
    try {
      const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
      const all = root ? await this.#narrationsIn(root) : [];
      // Most folders have no narrations, so their documents are not read.
      if (!root || all.length === 0 || document.getText().length > maxUnaskedLength) return [];
      return await this.#lenses(document, root, all);
    } catch (error) {
      this.#parts.log.warn(`The state of a narration could not be read: ${String(error)}`);
      // The next request reads again.
      this.#forget(document.uri.toString());
      return [];
    }
  }

  async #lenses(
    document: vscode.TextDocument,
    root: vscode.Uri,
    all: readonly RecordedNarration[],
  ): Promise<readonly vscode.CodeLens[]> {
    const narrated = new NarratedDocument(document, root, this.#parts.settings, this.#hashes, this.#reader);
    const own = await narrated.ownOf(all);
    const [newest] = own;
    if (!newest) return [];
    const current = await narrated.currentOf(own);
    const blocks = await narrated.blocks(newest.speaker);
    const states = await this.#store.statesOf(
      blocks.map(({ key }) => key),
      { root: root.toString() },
    );
    const { generate, characters } = planNarration(blocks, [...(current?.blocks ?? []), ...paidBlocks(blocks, states)]);
    const missing = new Set(generate.map(({ key }) => key));
    const changed = blocks.filter(({ key }) => missing.has(key)).length;
    const isSame = current !== undefined && isSameNarration(blocks, current.blocks);
    const narrate = { command: commandIds.narrateDocument, arguments: [Click.on({ uri: document.uri })] };
    const isMoved = current?.document !== narrated.path;
    const title = titleFor({ changed, blocks: blocks.length, requests: generate.length, characters, isSame, isMoved });
    // The player finds the sound of a document by its recorded path.
    const state =
      isSame && !isMoved
        ? { title, command: commandIds.playFromHere, arguments: [Click.on({ uri: document.uri, line: 0 })] }
        : { title, ...narrate };
    const player = current && !refersTo(document, current) ? [insertPlayer(root, current)] : [];
    return [state, ...player].map((command) => new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command));
  }

  /** Cached until the library changes. */
  #narrationsIn(root: vscode.Uri): Promise<readonly RecordedNarration[]> {
    const library = this.#parts.places.libraryOf(root);
    const reading = this.#narrations.get(library) ?? readNarrations(library);
    this.#narrations.set(library, reading);
    reading.catch(() => this.#narrations.delete(library));
    return reading;
  }
}

function titleFor({
  changed,
  blocks,
  requests,
  characters,
  isSame,
  isMoved,
}: {
  readonly changed: number;
  readonly blocks: number;
  readonly requests: number;
  readonly characters: number;
  readonly isSame: boolean;
  /** Whether the narration is recorded for another path. */
  readonly isMoved: boolean;
}): string {
  if (isSame && isMoved) return vscode.l10n.t('Narration: document moved or renamed · Update for Free');
  if (isSame) return vscode.l10n.t('Narration: up to date · Play');
  if (requests === 0) return vscode.l10n.t('Narration: paragraphs moved or removed · Update for Free');
  return vscode.l10n.t(
    'Narration: {0} of {1} paragraphs out of date · Narrate {2} ({3} characters)',
    changed,
    blocks,
    requests,
    characters.toLocaleString(vscode.env.language),
  );
}

function insertPlayer(root: vscode.Uri, { file, transcript }: RecordedNarration): vscode.Command {
  const sound = vscode.Uri.joinPath(root, file);
  const cues = vscode.Uri.joinPath(sound, '..', transcript.name);
  return {
    title: vscode.l10n.t('Insert Player'),
    command: commandIds.insertAsset,
    arguments: [playerArgument({ asset: { uri: sound.toString() }, transcript: cues.toString() })],
  };
}

function refersTo(document: vscode.TextDocument, { file }: RecordedNarration): boolean {
  const name = posix.basename(file);
  const text = document.getText();
  return text.includes(name) || text.includes(encodeURIComponent(name));
}
