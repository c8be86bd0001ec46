import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { SpokenBlock } from '../../documents/speakableText.ts';
import { maxPointerBytes, pointerProblem } from '../../files/lfsPointer.ts';
import { pathFrom } from '../../files/pathFrom.ts';
import { fieldTable, validValues } from '../../operations/declarations.ts';
import { furtherOf } from '../../operations/toRequest.ts';
import type { DocumentReader } from '../../reading/DocumentReader.ts';
import { lineWithMark, markedBlock, type NarrationBlock, narrationBlocks } from '../../wholes/NarrationBlock.ts';
import type { RecordedNarration } from '../../wholes/planNarration.ts';
import type { Speaker } from '../../wholes/Speaker.ts';
import type { Settings } from '../Settings.ts';
import { fileContent, statOf } from '../workspaceFiles.ts';

/** A document of a workspace folder, and its recorded narrations. */
export class NarratedDocument {
  readonly root: vscode.Uri;
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly #document: vscode.TextDocument;
  readonly #settings: Pick<Settings, 'declaredFields' | 'get' | 'pronunciations' | 'usesSandbox'>;
  readonly #hashes: UriHashes;
  readonly #reader: DocumentReader;
  #texts: Promise<readonly SpokenBlock[]> | undefined;

  constructor(
    document: vscode.TextDocument,
    root: vscode.Uri,
    settings: Settings,
    hashes: UriHashes,
    reader: DocumentReader,
  ) {
    this.root = root;
    this.path = pathFrom(root.path, document.uri.path);
    this.#document = document;
    this.#settings = settings;
    this.#hashes = hashes;
    this.#reader = reader;
  }

  /** The texts of the blocks. Computed on first use, because most documents never need them. */
  get texts(): Promise<readonly SpokenBlock[]> {
    const { languageId, uri } = this.#document;
    this.#texts ??= this.#reader.spokenBlocks(this.#document.getText(), languageId, uri.path);
    return this.#texts;
  }

  /** Number of places that are left out or changed. */
  omittedPlaces(): Promise<number> {
    const { languageId, uri } = this.#document;
    return this.#reader.omittedPlaces(this.#document.getText(), languageId, uri.path);
  }

  /** @param maxCharacters maximum length of a block; that of the setting if absent */
  async blocks(
    speaker: Speaker,
    sandbox = this.#settings.usesSandbox,
    maxCharacters?: number,
  ): Promise<readonly NarrationBlock[]> {
    return this.#blocksOf(await this.texts, speaker, sandbox, maxCharacters);
  }

  #blocksOf(
    texts: readonly SpokenBlock[],
    speaker: Speaker,
    sandbox: boolean,
    maxCharacters = this.#settings.get('speech.maxCharacters'),
  ): readonly NarrationBlock[] {
    const settings = this.#settings;
    const table = fieldTable('speak', settings.declaredFields, speaker.model);
    const further = furtherOf(table, validValues(table, speaker.further?.values ?? {}));
    const all = { ...speaker, ...(further && { further }) };
    const pronunciations = settings.pronunciations(this.#document.uri);
    return narrationBlocks(texts, all, { sandbox, maxCharacters, pronunciations });
  }

  /** Returns the keys of what is spoken for the paragraph at a line, which counts from 0. */
  async keysAt(line: number, speaker: Speaker, sandbox: boolean, maxCharacters: number): Promise<readonly string[]> {
    const { languageId, uri, lineCount } = this.#document;
    const { range, text } = this.#document.lineAt(Math.min(line, lineCount - 1));
    const whole = this.#document.getText();
    const [start, end] = [this.#document.offsetAt(range.start), this.#document.offsetAt(range.end)];
    const marked = whole.slice(0, start) + lineWithMark(text) + whole.slice(end);
    const block = markedBlock(await this.texts, await this.#reader.spokenBlocks(marked, languageId, uri.path));
    return block ? this.#blocksOf([block], speaker, sandbox, maxCharacters).map(({ key }) => key) : [];
  }

  /** Returns this document's narrations, newest first, even if the document was moved or renamed since. */
  async ownOf(all: readonly RecordedNarration[]): Promise<readonly RecordedNarration[]> {
    const own = all.filter(({ document }) => document === this.path);
    if (own.length > 0) return own.toReversed();
    for (const narration of all.toReversed()) {
      const uri = vscode.Uri.joinPath(this.root, narration.document);
      if ((await statOf(uri)) === undefined && (await this.#hasBlockOf(narration))) {
        return all.filter(({ document }) => document === narration.document).toReversed();
      }
    }
    return [];
  }

  /** Returns the newest narration whose file is still as it was recorded. */
  async currentOf(own: readonly RecordedNarration[]): Promise<RecordedNarration | undefined> {
    for (const narration of own) {
      const uri = vscode.Uri.joinPath(this.root, narration.file);
      const stat = await statOf(uri);
      if (stat?.size === narration.bytes && (await this.#hashes.sha256Of(uri)) === narration.sha256) return narration;
    }
    return undefined;
  }

  /** Returns the sentence that says which of these narrations is a Git LFS pointer, so that its parts cannot be taken. */
  async pointerAmong(own: readonly RecordedNarration[]): Promise<string | undefined> {
    for (const { file } of own) {
      const uri = vscode.Uri.joinPath(this.root, file);
      const { size } = (await statOf(uri)) ?? { size: maxPointerBytes };
      if (size >= maxPointerBytes) continue;
      const problem = pointerProblem(posix.basename(file), await vscode.workspace.fs.readFile(uri));
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  async #hasBlockOf({ speaker, sandbox, blocks }: RecordedNarration): Promise<boolean> {
    const keys = new Set(blocks.map(({ key }) => key));
    return (await this.blocks(speaker, sandbox)).some(({ key }) => keys.has(key));
  }
}

/** Hashes of files, computed again only after a file changes. */
export class UriHashes {
  readonly #known = new Map<
    string,
    { readonly size: number; readonly mtime: number; readonly sha256: Promise<string | undefined> }
  >();

  /** In hexadecimal; undefined when the file does not exist. */
  async sha256Of(uri: vscode.Uri): Promise<string | undefined> {
    const stat = await statOf(uri);
    if (!stat) return undefined;
    const { size, mtime } = stat;
    const known = this.#known.get(uri.toString());
    if (known?.size === size && known.mtime === mtime) return known.sha256;
    const sha256 = fileContent(uri).then((content) => content?.sha256());
    this.#known.set(uri.toString(), { size, mtime, sha256: sha256.catch(() => undefined) });
    return sha256;
  }
}

/** Returns the argument that makes Insert Asset add a player, with the document's title, and a link to its transcript. */
export function playerArgument({
  asset,
  transcript,
}: {
  readonly asset: { readonly uri: string };
  readonly transcript: string;
}) {
  return { uris: [asset.uri, transcript], titles: ['', vscode.l10n.t('Transcript')], belowTitle: true };
}
