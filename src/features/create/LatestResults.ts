import { posix } from 'node:path';
import * as vscode from 'vscode';
import { LibraryReaders } from '../../editor/LibraryReaders.ts';
import { Refresh } from '../../editor/Refresh.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { hasAacSound } from '../../library/hasAacSound.ts';
import type { LibraryReader } from '../../library/LibraryReader.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import type { AssetKind, OperationId } from '../../operations/operations.ts';
import type { VideoChoice } from '../../webview/messages.ts';
import { forEachOperation, usedModels, videoChoices } from './makeSnapshot.ts';

/** What a job saved and what is shown of it. */
export interface LatestResult {
  readonly uri: string;
  readonly entry: LibraryEntry;
  /** Of a transcript, its beginning. */
  readonly text?: string;
  readonly isSilent?: boolean;
}

interface InFolder {
  readonly root: vscode.Uri;
  readonly entry: LibraryEntry;
}

interface Choices {
  readonly videos: readonly VideoChoice[];
  readonly models: Readonly<Record<OperationId, readonly string[]>>;
}

const mostResults = 12;
/** In characters. */
const longestText = 1200;

/** Follows the libraries of some folders: all entries, and the newest of those whose files are there. */
export class LatestResults implements vscode.Disposable {
  /** Newest first; undefined until they have been read. */
  latest: readonly LatestResult[] | undefined;
  readonly #places: Pick<WorkspacePlaces, 'libraryOf'>;
  readonly #onRead: () => void;
  #roots: readonly vscode.Uri[] = [];
  readonly #readers = new LibraryReaders(undefined, () => this.read());
  /** Newest first, of all folders. */
  #entries: readonly InFolder[] = [];
  #choices: (Choices & { readonly sandbox: boolean }) | undefined;
  readonly #refresh = new Refresh(() => this.#readAll());

  /** @param onRead called when there may be something new to show */
  constructor(places: Pick<WorkspacePlaces, 'libraryOf'>, onRead: () => void) {
    this.#places = places;
    this.#onRead = onRead;
  }

  /** Looks into these folders from now on. */
  follow(roots: readonly vscode.Uri[]): void {
    this.#roots = roots;
    this.read();
  }

  /** What the form can offer, of the sandbox or of the service. */
  choices(sandbox: boolean): Choices {
    if (this.#choices?.sandbox !== sandbox) {
      const entries = this.#entries.map(({ entry }) => entry);
      const models = forEachOperation((id) => usedModels(id, entries, sandbox));
      this.#choices = { sandbox, models, videos: videoChoices(entries, sandbox) };
    }
    return this.#choices;
  }

  /** The files of a kind, newest first; some may be gone. */
  files(kind: AssetKind): readonly { readonly uri: vscode.Uri; readonly prompt: string | undefined }[] {
    return this.#entries.flatMap(({ root, entry: { kind: its, file, prompt } }) =>
      its === kind && file !== undefined ? [{ uri: vscode.Uri.joinPath(root, file), prompt }] : [],
    );
  }

  /** Reads anew; what changes meanwhile is read once more after that. */
  read(): void {
    void this.#refresh.ask();
  }

  dispose(): void {
    this.#readers.dispose();
  }

  async #readAll(): Promise<void> {
    // Settings say where a folder's library is, so it is asked for each time.
    this.#readers.use(this.#roots.map((root) => ({ root, library: this.#places.libraryOf(root) })));
    // All of a large library takes a while: what was made last is shown at once.
    if (!this.latest) await this.#show((reader) => reader.newest());
    await this.#show((reader) => reader.entries());
  }

  /** Shows what is read, if that is not undefined for all folders. */
  async #show(read: (reader: LibraryReader) => Promise<readonly LibraryEntry[] | undefined>): Promise<void> {
    const found = await Promise.all(
      // A library that cannot be read is told of where it is written.
      this.#readers.all.map(async ({ root, reader }) => ({ root, entries: await read(reader).catch(() => []) })),
    );
    if (found.length > 0 && found.every(({ entries }) => entries === undefined)) return;
    this.#entries = found
      .flatMap(({ root, entries = [] }) => entries.map((entry) => ({ root, entry })))
      .sort((a, b) => (a.entry.createdAt < b.entry.createdAt ? 1 : -1));
    this.#choices = undefined;
    this.latest = await latestOf(this.#entries);
    this.#onRead();
  }
}

/** A longer text is none that a service has heard; in bytes. */
const largestTranscript = 10_000_000;

async function latestOf(newestFirst: readonly InFolder[]): Promise<readonly LatestResult[]> {
  const latest: LatestResult[] = [];
  // Of a long list of files that are gone, not all are looked for.
  for (const { root, entry } of newestFirst.slice(0, 5 * mostResults)) {
    if (entry.file === undefined || latest.length === mostResults) continue;
    const uri = vscode.Uri.joinPath(root, entry.file);
    const facts = await factsOf(uri, entry).catch(() => undefined);
    if (facts) latest.push({ uri: uri.toString(), entry, ...facts });
  }
  return latest;
}

async function factsOf(uri: vscode.Uri, { kind }: LibraryEntry): Promise<Pick<LatestResult, 'text' | 'isSilent'>> {
  const { type, size } = await vscode.workspace.fs.stat(uri);
  if ((type & vscode.FileType.File) === 0) throw new Error('no file');
  if (kind === 'transcripts') {
    if (size > largestTranscript) return {};
    return { text: beginningOf(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)), uri) };
  }
  if (kind === 'videos' && uri.scheme === 'file') return { isSilent: await hasAacSound(uri.fsPath) };
  return {};
}

/** A transcript's own words. */
function beginningOf(transcript: string, uri: vscode.Uri): string {
  const text = (posix.extname(uri.path) === '.md' ? withoutMarkup(transcript) : transcript).trim();
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

/** Of a transcript in Markdown: what stands above its words tells only where they come from. */
function withoutMarkup(markdown: string): string {
  const words = markdown.replace(/^---\n[\s\S]*?\n---\n\s*/, '').replace(/^\[.*\]\(\S*\)\n\n/, '');
  return words.replace(/\\([\p{P}\p{S}])/gu, '$1');
}
