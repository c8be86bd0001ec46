import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { NarrationBlock, Speaker } from '../../narration/NarrationBlock.ts';
import { narrationBlocks } from '../../narration/NarrationBlock.ts';
import type { RecordedNarration } from '../../narration/planNarration.ts';
import type { DocumentReader } from '../../reading/DocumentReader.ts';
import type { Settings } from '../Settings.ts';
import { fileContent, statOf } from '../workspaceFiles.ts';

/** A document of a workspace folder, and its recorded narrations. */
export class NarratedDocument {
  readonly root: vscode.Uri;
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly #document: vscode.TextDocument;
  readonly #settings: Pick<Settings, 'usesSandbox' | 'speechMaxCharacters'>;
  readonly #hashes: FileHashes;
  readonly #reader: DocumentReader;
  #texts: Promise<readonly string[]> | undefined;

  constructor(
    document: vscode.TextDocument,
    root: vscode.Uri,
    settings: Settings,
    hashes: FileHashes,
    reader: DocumentReader,
  ) {
    this.root = root;
    this.path = posix.relative(root.path, document.uri.path);
    this.#document = document;
    this.#settings = settings;
    this.#hashes = hashes;
    this.#reader = reader;
  }

  /** The texts of the blocks. Computed on first use, because most documents never need them. */
  get texts(): Promise<readonly string[]> {
    const { languageId, uri } = this.#document;
    this.#texts ??= this.#reader.spokenBlocks(this.#document.getText(), languageId, uri.path);
    return this.#texts;
  }

  async blocks(speaker: Speaker, sandbox = this.#settings.usesSandbox): Promise<readonly NarrationBlock[]> {
    return narrationBlocks(await this.texts, speaker, { sandbox, maxCharacters: this.#settings.speechMaxCharacters });
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

  async #hasBlockOf({ speaker, sandbox, blocks }: RecordedNarration): Promise<boolean> {
    const keys = new Set(blocks.map(({ key }) => key));
    return (await this.blocks(speaker, sandbox)).some(({ key }) => keys.has(key));
  }
}

interface Known {
  readonly size: number;
  readonly mtime: number;
  readonly sha256: Promise<string | undefined>;
}

/** Hashes of files, computed again only after a file changes. */
export class FileHashes {
  readonly #known = new Map<string, Known>();

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

/** Returns the argument that makes Insert Asset add a player and a link to the transcript below the title. */
export function playerArgument({
  asset,
  transcript,
}: {
  readonly asset: { readonly uri: string };
  readonly transcript: string;
}): object {
  const title = decodeURIComponent(posix.parse(asset.uri).name);
  return { uris: [asset.uri, transcript], titles: [title, vscode.l10n.t('Transcript')], belowTitle: true };
}
