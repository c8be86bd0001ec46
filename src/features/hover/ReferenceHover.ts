import * as vscode from 'vscode';
import { commandIds, commandOf } from '../../contributions.ts';
import type { MediaReference, TextRange } from '../../documents/MediaReference.ts';
import { maySend } from '../../editor/askAbout.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import { LibraryReaders } from '../../editor/LibraryReaders.ts';
import { assetsOf } from '../../editor/requests/requests.ts';
import { runCommand } from '../../editor/runCommand.ts';
import type { Window } from '../../editor/Window.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { statOf, uriOf } from '../../editor/workspaceFiles.ts';
import { escapeHover } from '../../foreign/escape.ts';
import { plainText, shortLine } from '../../foreign/plainText.ts';
import { either, integer, list, objectWith, oneOf, optional, text, that } from '../../foreign/shape.ts';
import { differsSentence } from '../../library/differences.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { inputsOf } from '../../library/origins.ts';
import { describeMarks } from '../../library/recordedMarks.ts';
import { type Operation, operations } from '../../operations/operations.ts';
import { validateRequest } from '../../operations/validateRequest.ts';
import { decodeAddress } from '../../projects/Places.ts';

/**
 * Shows what the library knows about the file that a reference leads to. Loaded on the first hover over a line that may
 * hold one.
 */
export class ReferenceHover implements vscode.Disposable {
  readonly #places: Pick<WorkspacePlaces, 'libraryOf'>;
  readonly #documentPlaces: DocumentPlaces;
  readonly #readers: LibraryReaders;
  /** The newest entry of each file, by URI. Discarded when a library changes. */
  #entries: Promise<ReadonlyMap<string, LibraryEntry>> | undefined;

  constructor(documentPlaces: DocumentPlaces, places: Pick<WorkspacePlaces, 'libraryOf'>) {
    this.#places = places;
    this.#documentPlaces = documentPlaces;
    this.#readers = new LibraryReaders(undefined, () => {
      this.#entries = undefined;
    });
  }

  dispose(): void {
    this.#readers.dispose();
  }

  async at(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    const folder = vscode.workspace.getWorkspaceFolder(document.uri);
    if (!folder) return undefined;
    const { places, document: placed } = this.#documentPlaces.placeOf(document);
    const offset = document.offsetAt(position);
    const references = await this.#documentPlaces.referencesIn(document);
    const reference = references.find((one) => holds(one, offset));
    if (!reference) return undefined;
    const target = await places.resolve(placed, reference);
    if (!target) return undefined;
    const uri = folder.uri.with({ path: target.path });
    const entry = (await this.#entriesNow()).get(uri.toString());
    if (!entry) return undefined;
    // Asked for each time: the cached names may lack a file that was just created.
    const stat = await statOf(uri);
    if (!stat) return undefined;
    const { start, end } = reference.range;
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    const isShown = stat.size <= maxPictureBytes && !isShownByEditor(document, reference, uri);
    return new vscode.Hover(describeAsset(entry, uri, isShown), range);
  }

  #entriesNow(): Promise<ReadonlyMap<string, LibraryEntry>> {
    // Settings and folders may have changed. Known readers continue where they stopped.
    const { workspaceFolders = [] } = vscode.workspace;
    const before = this.#readers.all.map(({ reader }) => reader);
    this.#readers.use(
      workspaceFolders.map(({ uri }) => uri),
      this.#places,
    );
    const isSame =
      before.length === this.#readers.all.length &&
      this.#readers.all.every(({ reader }, index) => reader === before[index]);
    if (!isSame) this.#entries = undefined;
    this.#entries ??= this.#readEntries().catch((error: unknown) => {
      this.#entries = undefined;
      throw error;
    });
    return this.#entries;
  }

  async #readEntries(): Promise<ReadonlyMap<string, LibraryEntry>> {
    const known = new Map<string, LibraryEntry>();
    for (const { root, reader } of this.#readers.all) {
      for (const entry of await reader.entries()) {
        const uri = uriOf({ root, entry });
        if (uri) known.set(uri.toString(), entry);
      }
    }
    return known;
  }
}

/** A larger picture takes longer to load than a hover is looked at. In bytes. */
const maxPictureBytes = 20_000_000;

/** Whether VS Code itself shows the picture: in Markdown, beside the document or below the folder, but not of a site. */
function isShownByEditor(
  { languageId, uri }: vscode.TextDocument,
  { address }: MediaReference,
  picture: vscode.Uri,
): boolean {
  if (languageId !== 'markdown') return false;
  const root = vscode.workspace.getWorkspaceFolder(uri)?.uri ?? uri;
  const base = address.startsWith('/') ? root : vscode.Uri.joinPath(uri, '..');
  const path = decodeAddress(address, { path: uri.path, language: 'markdown' }, {});
  return path !== undefined && vscode.Uri.joinPath(base, path).path === picture.path;
}

function holds({ range, alt }: MediaReference, offset: number): boolean {
  const isIn = ({ start, end }: TextRange) => offset >= start && offset <= end;
  return isIn(range) || (alt !== undefined && isIn(alt));
}

/** Maximum length of a prompt in a hover, in characters. */
const maxPromptLength = 500;

/** Height of a picture in a hover, in pixels. */
const pictureHeight = 120;

/**
 * Describes how a file was made, with links to what can be done with it. Text from the library is never treated as
 * markup.
 */
function describeAsset(entry: LibraryEntry, uri: vscode.Uri, isShown: boolean): vscode.MarkdownString {
  const links = linksOf(entry, uri);
  const text = new vscode.MarkdownString();
  text.isTrusted = { enabledCommands: links.map(({ command }) => command) };
  const { kind, prompt, model, operation, createdAt, sandbox, madeFrom } = entry;
  // A URI has its parentheses, spaces and bars encoded.
  if (isShown && kind === 'images') text.appendMarkdown(`![](${uri.toString()}|height=${pictureHeight})\n\n`);
  if (prompt) {
    const shown = prompt.length > maxPromptLength ? `${prompt.slice(0, maxPromptLength)}…` : prompt;
    text.appendMarkdown(`${escapeHover(plainText(shown))}\n\n`);
  }
  const facts = [
    vscode.l10n.t(operations[operation].title),
    model,
    new Date(createdAt).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' }),
    ...(sandbox ? [vscode.l10n.t('sandbox')] : []),
  ];
  text.appendMarkdown(escapeHover(plainText(facts.join(' · '))));
  if (madeFrom) {
    const made =
      kind === 'transcripts'
        ? vscode.l10n.t('Made of {0}, at no cost', madeFrom.file)
        : vscode.l10n.t('Resized, cropped or converted from {0}', madeFrom.file);
    text.appendMarkdown(`\n\n${escapeHover(plainText(made))}`);
  }
  const marks = describeMarks(entry);
  if (marks !== undefined) {
    text.appendMarkdown(`\n\n${escapeHover(plainText(vscode.l10n.t('Marks of origin: {0}', marks)))}`);
  }
  if (entry.differs) text.appendMarkdown(`\n\n${escapeHover(plainText(differsSentence(entry.differs)))}`);
  text.appendMarkdown(
    `\n\n${links.map(({ title, command, argument }) => linkTo(title, command, argument)).join(' | ')}`,
  );
  return text;
}

interface HoverLink {
  readonly title: string;
  readonly command: string;
  readonly argument: unknown;
}

function linksOf(entry: LibraryEntry, uri: vscode.Uri): readonly HoverLink[] {
  const { kind, operation, model, prompt, parentVideoId } = entry;
  const ofPictures: readonly HoverLink[] = [
    { title: vscode.l10n.t('Edit'), command: commandOf('editImage'), argument: uri },
    { title: vscode.l10n.t('Animate'), command: commandOf('animateImage'), argument: uri },
  ];
  const remixed = parentVideoId === undefined ? {} : { video_id: parentVideoId };
  const again = { operation, model, prompt, ...entry.values, ...remixed, ...imagesOf(entry, uri) };
  return [
    ...(kind === 'images' ? ofPictures : []),
    ...(canRepeat(again) && !entry.madeFrom && hasOwnValuesOnly(entry)
      ? [{ title: vscode.l10n.t('Run Again'), command: commandIds.repeatAsset, argument: again }]
      : []),
    { title: vscode.l10n.t('Show in Library'), command: commandIds.openLibrary, argument: { uri: uri.toString() } },
  ];
}

/** Whether nothing was sent that the link would leave out. */
function hasOwnValuesOnly({ operation, values = {} }: LibraryEntry): boolean {
  const { fields }: Operation = operations[operation];
  return Object.keys(values).every((name) => fields.some((field) => field.name === name));
}

/** Returns the images of a request by their field; nothing if one of them is no longer known. */
function imagesOf(entry: LibraryEntry, uri: vscode.Uri): Readonly<Record<string, unknown>> {
  const { file = '', operation } = entry;
  if (!uri.path.endsWith(`/${file}`)) return {};
  const root = uri.with({ path: uri.path.slice(0, -file.length) });
  const images = inputsOf(entry).map((input) =>
    input.file === undefined ? input.address : vscode.Uri.joinPath(root, input.file).toString(),
  );
  if (images.length === 0 || images.includes(undefined)) return {};
  return operation === 'editImage' ? { image_urls: images } : { image_url: images[0] };
}

/** The titles are our own, and everything else is encoded. */
function linkTo(title: string, command: string, argument: unknown): string {
  const encoded = encodeURIComponent(JSON.stringify([argument])).replace(
    /[()']/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );
  return `[${title}](command:${command}?${encoded})`;
}

/** A request of one of the operations that the library records completely. Older records lack the number of images. */
const repeated = { model: text(), prompt: that(text(), (prompt) => prompt !== ''), n: optional(integer) };
export const canRepeat = either(
  either(
    objectWith({ ...repeated, operation: oneOf(['remixVideo']), video_id: text() }),
    objectWith({ ...repeated, operation: oneOf(['generateImage', 'generateVideo']) }),
  ),
  either(
    objectWith({ ...repeated, operation: oneOf(['editImage']), image_urls: list(text()) }),
    objectWith({ ...repeated, operation: oneOf(['animateImage']), image_url: text() }),
  ),
);

/** Sends the request of a result again after asking, because a link in a hover is easily clicked by mistake. */
export async function repeatAsset(
  argument: unknown,
  { runs, settings, log }: Pick<Window, 'runs' | 'settings' | 'log'>,
): Promise<unknown> {
  if (!canRepeat(argument)) return undefined;
  const { operation, model, prompt } = argument;
  const given = new Map<string, unknown>(Object.entries(argument));
  const { fields }: Operation = operations[operation];
  const request = validateRequest(
    operation,
    Object.fromEntries(fields.flatMap(({ name }) => (given.has(name) ? [[name, given.get(name)]] : []))),
  );
  const question = {
    title: vscode.l10n.t('Send this to {0} again? {1}', shortLine(model, 80), shortLine(prompt, 200)),
    requests: [{ operation, request, sandbox: settings.usesSandbox }],
    billing: vscode.l10n.t('The service may bill this request.'),
    send: vscode.l10n.t('Run Again'),
  };
  if (!(await maySend(question, settings))) return undefined;
  return runCommand('person', { settings, log }, async () => {
    const outcomes = await runs.run([{ operation, fields: request }], 'person', { isAgreed: true });
    return outcomes && assetsOf(outcomes);
  });
}
