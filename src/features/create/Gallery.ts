import * as vscode from 'vscode';
import { LibraryReaders, Refresh } from '../../editor/LibraryReaders.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { sha256Of, statOf, uriOf } from '../../editor/workspaceFiles.ts';
import { nameOf } from '../../foreign/nameOf.ts';
import { describeDifferences, differsSentence } from '../../library/differences.ts';
import type { LibraryReader } from '../../library/Library.ts';
import { canRemix, type LibraryEntry, type RecordedInput } from '../../library/LibraryRecord.ts';
import { inputsOf, originsOf, usesOf } from '../../library/origins.ts';
import { describeMarks } from '../../library/recordedMarks.ts';
import { matchesWords } from '../../library/recordFacts.ts';
import { describeUsage } from '../../library/requestFacts.ts';
import { describeBytes } from '../../operations/describeBytes.ts';
import {
  extensionOf,
  imageExtensions,
  type Operation,
  type OperationId,
  operations,
  takesVideo,
} from '../../operations/operations.ts';
import { hasAacSound } from '../../sound/hasAacSound.ts';
import { readTranscriptFile } from '../../transcripts/transcriptIn.ts';
import type { Details, FeedItem, Filter, PictureSource } from '../../webview/protocol/messages.ts';
import { type Arranged, arrangeResults, type Group } from './arrangeResults.ts';
import { dragOf } from './dragOf.ts';
import { shortened } from './jobCards.ts';

/** An entry of a folder's library. */
export interface GalleryResult {
  /** Unique among the results of all folders. */
  readonly id: string;
  readonly root: vscode.Uri;
  readonly entry: LibraryEntry;
}

/** Follows the libraries of some folders, and holds all their entries, newest first. */
export class Gallery implements vscode.Disposable {
  /** Incremented by each change. */
  revision = 0;
  /** False while only the newest entries of a large library are known. */
  isRead = false;
  /** Newest first. Results of one job keep the order of its answer. */
  all: readonly GalleryResult[] = [];
  readonly #places: Pick<WorkspacePlaces, 'libraryOf'>;
  readonly #onRead: () => void;
  #roots: readonly vscode.Uri[] = [];
  readonly #readers = new LibraryReaders(undefined, () => {
    // A deleted file changes no entry, so a change is noted even if the entries stay the same.
    this.#isChanged = true;
    void this.read();
  });
  #isChanged = false;
  readonly #refresh = new Refresh(() => this.#readAll());
  #selected: { readonly key: string; readonly arranged: Arranged<GalleryResult> } | undefined;
  #byId: ReadonlyMap<string, GalleryResult> | undefined;
  #models: readonly string[] | undefined;
  #filesOfJobs: ReadonlyMap<string, number> | undefined;

  /** @param onRead called when there may be something new to show */
  constructor(places: Pick<WorkspacePlaces, 'libraryOf'>, onRead: () => void) {
    this.#places = places;
    this.#onRead = onRead;
  }

  /** Replaces the folders to follow. */
  follow(roots: readonly vscode.Uri[]): Promise<void> {
    this.#roots = roots;
    return this.read();
  }

  /** Reads new entries. Resolves when all entries that existed at the time of the call are known. */
  read(): Promise<void> {
    return this.#refresh.request();
  }

  /** Makes the views read their pages again, which they do until they have the revision that they were told. */
  announce(): void {
    this.revision++;
    this.#onRead();
  }

  dispose(): void {
    this.#readers.dispose();
  }

  get(id: string): GalleryResult | undefined {
    this.#byId ??= new Map(this.all.map((result) => [result.id, result]));
    return this.#byId.get(id);
  }

  /** The models' names, the last used first. */
  get models(): readonly string[] {
    this.#models ??= [...new Set(this.all.map(({ entry }) => entry.model))];
    return this.#models;
  }

  /** Returns the number of known results of a job. */
  filesOf(jobId: string): number {
    this.#filesOfJobs ??= countJobs(this.all);
    return this.#filesOfJobs.get(jobId) ?? 0;
  }

  /**
   * Returns the number of results newer than a moment.
   *
   * @param moment ISO 8601, UTC
   */
  newerThan(moment: string): number {
    let [from, to] = [0, this.all.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.all[middle]?.entry.createdAt ?? '') > moment) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /**
   * Returns the results that pass a filter, in its order.
   *
   * @param since a moment, ISO 8601, UTC; results from then until now pass every filter
   */
  select(filter: Filter, since: string | null): Arranged<GalleryResult> {
    const key = JSON.stringify([this.revision, filter, since]);
    if (this.#selected?.key !== key) {
      const isMatch = matching(filter);
      const now = new Date().toISOString();
      const isNew = ({ entry: { createdAt } }: GalleryResult) =>
        since !== null && createdAt > since && createdAt <= now;
      const results = this.all.filter((result) => isNew(result) || isMatch(result));
      this.#selected = { key, arranged: arrangeResults(results, filter) };
    }
    return this.#selected.arranged;
  }

  async #readAll(): Promise<void> {
    // The settings decide where a folder's library is, so the libraries are looked up each time.
    this.#readers.use(this.#roots, this.#places);
    if (!this.isRead && (await this.#take((reader) => reader.newest()))) this.announce();
    const before = this.all;
    const wasChanged = this.#isChanged || !this.isRead;
    this.#isChanged = false;
    await this.#take((reader) => reader.entries());
    this.isRead = true;
    const isSame = before.length === this.all.length && before.every((result, index) => result === this.all[index]);
    if (wasChanged || !isSame) this.announce();
  }

  /** @returns false when no library can be read this way */
  async #take(read: (reader: LibraryReader) => Promise<readonly LibraryEntry[] | undefined>): Promise<boolean> {
    const found = await Promise.all(
      // A library that cannot be read is reported when it is written to.
      this.#readers.all.map(async ({ root, reader }) => ({ root, entries: await read(reader).catch(() => []) })),
    );
    if (found.length > 0 && found.every(({ entries }) => entries === undefined)) return false;
    const known = new Map(this.all.map((result) => [result.id, result]));
    const results = found.flatMap(({ root, entries = [] }) => {
      const folder = root.toString();
      return entries.map((entry) => {
        const id = `${folder}#${entry.id}`;
        const before = known.get(id);
        return before?.entry === entry ? before : { id, root, entry };
      });
    });
    this.all = results.sort((a, b) => compare(b.entry.createdAt, a.entry.createdAt));
    this.#byId = undefined;
    this.#models = undefined;
    this.#filesOfJobs = undefined;
    return true;
  }
}

/** Returns whether a result passes a filter. */
export function matching({ words, kind, model, sandbox, starred }: Filter): (result: GalleryResult) => boolean {
  const hasWords = matchesWords(words);
  return ({ entry }) => {
    if (kind !== null && entry.kind !== kind) return false;
    if (model !== null && entry.model !== model) return false;
    if (sandbox !== null && (entry.sandbox === true) !== sandbox) return false;
    if (starred && entry.starred !== true) return false;
    return hasWords(entry);
  };
}

function countJobs(results: readonly GalleryResult[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { entry } of results) counts.set(entry.jobId, (counts.get(entry.jobId) ?? 0) + 1);
  return counts;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Maximum length of a transcript's preview, in characters. */
const maxTextLength = 600;
/** The text of a transcript begins before that, in characters: above it stand its front matter and cues' times. */
const maxMarkupLength = 30_000;
/** Maximum size of a transcript that is read, in bytes. No recording has more words. */
const largestTranscript = 10_000_000;

/** Whether an origin is itself a result. */
export function isResult(origin: GalleryResult | RecordedInput): origin is GalleryResult {
  return 'entry' in origin;
}

export interface ItemContext {
  /** Returns the URI that the view may load a file from. */
  load(uri: vscode.Uri): string;
  usesSandbox(): boolean;
  altTextOf(result: GalleryResult): string | undefined;
  previewOf(result: GalleryResult): Promise<{ readonly uri: vscode.Uri; readonly seconds: number } | undefined>;
}

function titleOf({ madeFrom, kind, operation }: LibraryEntry): string {
  if (!madeFrom) return vscode.l10n.t(operations[operation].title);
  if (kind === 'transcripts') return vscode.l10n.t('Make a Document of Subtitles');
  return kind === 'videos' ? vscode.l10n.t('Crop Video') : vscode.l10n.t('Resize, Crop or Convert Image');
}

/** Returns the heading of a group of results; empty for one of single results. */
export function headingOf({ first, isMixed }: Group<GalleryResult>, group: Filter['group']): string {
  const { prompt, createdAt } = first.entry;
  if (isMixed) return '';
  if (group === 'request') return prompt === undefined ? titleOf(first.entry) : shortened(prompt);
  const day = new Date(createdAt);
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (day.toDateString() === today.toDateString()) return vscode.l10n.t('Today');
  if (day.toDateString() === yesterday.toDateString()) return vscode.l10n.t('Yesterday');
  return day.toLocaleDateString(vscode.env.language, { dateStyle: 'full' });
}

/** Returns a result as a tile shows it. */
export async function itemOf(result: GalleryResult, context: ItemContext): Promise<FeedItem> {
  const { entry } = result;
  const uri = uriOf(result);
  const facts = uri && (await factsOf(uri, result, context).catch(() => undefined));
  return {
    id: result.id,
    jobId: entry.jobId,
    kind: entry.kind,
    name: uri ? nameOf(uri.path) : (entry.videoId ?? ''),
    title: titleOf(entry),
    model: entry.model,
    sandbox: entry.sandbox === true,
    isStarred: entry.starred === true,
    isVersion: entry.madeFrom !== undefined,
    createdAt: entry.createdAt,
    canRemix: canRemix(entry, context.usesSandbox()),
    hasVideoId: entry.videoId !== undefined,
    origin: originOf(entry.operation, inputsOf(entry).map(nameOfInput), entry.madeFrom !== undefined),
    differs: entry.differs && shortened(describeDifferences(entry.differs)),
    isMissing: uri !== undefined && facts === undefined,
    drag: uri && facts && dragOf(uri, context.load(uri), context.altTextOf(result)),
    source: uri && facts && context.load(uri),
    words: entry.prompt === undefined ? undefined : shortened(entry.prompt),
    ...facts,
  };
}

/** @throws when the file does not exist */
async function factsOf(
  uri: vscode.Uri,
  result: GalleryResult,
  { load, previewOf }: ItemContext,
): Promise<Pick<FeedItem, 'text' | 'isSilent' | 'preview' | 'seconds'>> {
  const { type, size } = await vscode.workspace.fs.stat(uri);
  if ((type & vscode.FileType.File) === 0) throw new Error('not a file');
  const { kind } = result.entry;
  if (kind === 'transcripts') {
    if (size > largestTranscript) return {};
    return { text: beginningOf(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)), uri) };
  }
  if (kind !== 'videos') return {};
  const [preview, isSilent] = await Promise.all([
    previewOf(result),
    uri.scheme === 'file' ? hasAacSound(uri.fsPath) : false,
  ]);
  return { isSilent, preview: preview && load(preview.uri), seconds: preview?.seconds };
}

function beginningOf(transcript: string, uri: vscode.Uri): string {
  const start = transcript.slice(0, maxMarkupLength);
  const paragraphs = readTranscriptFile(extensionOf(uri.path), start);
  const words = paragraphs.map(({ speaker, text }) => (speaker ? `${speaker}: ${text}` : text)).join('\n\n');
  const text = words || start.trim();
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}

const maxRelated = 50;

/** Returns all facts about a result, with its origins and what was made from it. */
export async function detailsOf(
  result: GalleryResult,
  gallery: Gallery,
  context: ItemContext,
): Promise<Omit<Details, 'position'>> {
  const { prompt } = result.entry;
  const itemsOf = (results: readonly GalleryResult[]) =>
    Promise.all(results.slice(0, maxRelated).map((one) => itemOf(one, context)));
  const origins = originsOf(result, gallery.all);
  const [item, known, files, results] = await Promise.all([
    itemOf(result, context),
    itemsOf(origins.filter(isResult)),
    Promise.all(origins.flatMap((one) => (isResult(one) ? [] : [sourceOf(one, result.root, context)]))),
    itemsOf(usesOf(result, gallery.all)),
  ]);
  return { item, prompt, facts: listFacts(result), origins: known, sources: files, results };
}

/** Returns an input that the library does not list. */
async function sourceOf(input: RecordedInput, root: vscode.Uri, { load }: ItemContext): Promise<PictureSource> {
  const { file, address } = input;
  const uri = await unchangedFile(input, root);
  const isImage = uri !== undefined && imageExtensions.some((one) => one === extensionOf(uri.path));
  return {
    name: address === undefined ? nameOfInput(input) : vscode.Uri.parse(address).authority || nameOfInput(input),
    uri: uri?.toString(),
    isMissing: file !== undefined && uri === undefined,
    address,
    source: isImage ? load(uri) : undefined,
  };
}

function listFacts({ entry }: GalleryResult): Details['facts'] {
  const facts: readonly (readonly [string, string | undefined])[] = [
    [vscode.l10n.t('Operation'), titleOf(entry)],
    [vscode.l10n.t('Model'), entry.model],
    ...Object.entries(entry.values ?? {}).map(
      ([name, value]) => [labelOf(entry.operation, name), String(value)] as const,
    ),
    [vscode.l10n.t('Differs'), entry.differs && differsSentence(entry.differs)],
    [vscode.l10n.t('Service'), entry.sandbox ? vscode.l10n.t('sandbox') : undefined],
    [vscode.l10n.t('Date'), new Date(entry.createdAt).toLocaleString(vscode.env.language)],
    [vscode.l10n.t('File'), entry.file],
    [vscode.l10n.t('Type'), entry.mediaType],
    [vscode.l10n.t('Size'), entry.bytes === undefined ? undefined : describeBytes(entry.bytes, vscode.env.language)],
    [vscode.l10n.t('Usage'), describeUsage(entry.usage)],
    [vscode.l10n.t('Video ID'), entry.videoId],
    [vscode.l10n.t('Remix of'), entry.parentVideoId],
    [vscode.l10n.t('Marks of origin'), describeMarks(entry)],
    [vscode.l10n.t('SHA-256'), entry.sha256],
  ];
  return facts.flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

/** Returns the name of a field as the composer shows it. */
function labelOf(id: OperationId, name: string): string {
  const { fields }: Operation = operations[id];
  const field = fields.find((one) => one.name === name);
  return field ? vscode.l10n.t(field.label) : name;
}

/** Larger files, which are recordings, are taken by their path: reading them would take seconds. */
const maxHashedBytes = 100_000_000;

/** Returns the file of an input if it still has the content that was sent. */
export async function unchangedFile(
  { file, sha256 }: RecordedInput,
  root: vscode.Uri,
): Promise<vscode.Uri | undefined> {
  if (file === undefined) return undefined;
  const uri = vscode.Uri.joinPath(root, file);
  const stat = await statOf(uri);
  if (!stat) return undefined;
  return sha256 === undefined || stat.size > maxHashedBytes || (await sha256Of(uri)) === sha256 ? uri : undefined;
}

/** Returns how a person calls an input. */
export function nameOfInput({ file, name, address }: RecordedInput): string {
  return nameOf(file ?? name ?? address ?? '');
}

/** Says in a few words what a result was made from, such as “edit of hero.png”; undefined where its name says it. */
function originOf(operation: OperationId, names: readonly string[], isLocal: boolean): string | undefined {
  const [first, ...others] = names;
  if (!first || (takesVideo(operations[operation]) && !isLocal)) return undefined;
  const name = others.length === 0 ? first : vscode.l10n.t('{0} and {1} more', first, others.length);
  if (isLocal) return vscode.l10n.t('version of {0}', name);
  if (operation === 'editImage') return vscode.l10n.t('edit of {0}', name);
  if (operation === 'animateImage') return vscode.l10n.t('video of {0}', name);
  return operation === 'speak' ? vscode.l10n.t('narration of {0}', name) : undefined;
}
