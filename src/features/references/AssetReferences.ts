import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { isPlaceOfBlock } from '../../documents/asciidoc.ts';
import { foldersAt, isInElement, titleOf } from '../../documents/findReferences.ts';
import { type Language, languageOf } from '../../documents/Language.ts';
import { type MediaReference, mediaExtensions, mediaKindOf } from '../../documents/MediaReference.ts';
import { importOf } from '../../documents/mediaImport.ts';
import { playerOffset } from '../../documents/playerOffset.ts';
import { changeDocument, unchangedSentence } from '../../editor/changeDocument.ts';
import { run } from '../../editor/commands.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import type { LastEditors } from '../../editor/LastEditors.ts';
import { libraryRoots } from '../../editor/libraryRoots.ts';
import { urisArgument } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import { editorToWriteIn } from '../../editor/openDocuments.ts';
import { pickFile } from '../../editor/pickFile.ts';
import {
  type Captions,
  type DocumentName,
  editKinds,
  type ReferenceWriter,
  type ReferredAssets,
  type TitledAsset,
  type WrittenText,
} from '../../editor/ReferenceWriter.ts';
import { exists, openUris, uriOf } from '../../editor/workspaceFiles.ts';
import { plainLine } from '../../foreign/plainText.ts';
import { checked, list, objectWith, optional, text, yes } from '../../foreign/shape.ts';
import { altTextOf } from '../../library/origins.ts';
import type { AssetKind } from '../../operations/operations.ts';
import type { WrittenReference } from '../../projects/Places.ts';
import {
  codeFor,
  formatReference,
  formatTrack,
  formToWrite,
  hrefIn,
  isCode,
  languageToWrite,
} from './formatReference.ts';
import { type Libraries, presentFiles } from './presentFiles.ts';

/** Writes references to files, in the form of the document's language and with the address that its project needs. */
export class AssetReferences implements ReferenceWriter {
  readonly #places: DocumentPlaces;

  constructor(places: DocumentPlaces) {
    this.#places = places;
  }

  /** Warns when readers of the document would not get one of the files. */
  async textFor(
    document: vscode.TextDocument,
    at: vscode.Range,
    { uris, title, titles = [], isParagraph = false }: ReferredAssets,
  ): Promise<WrittenText> {
    const [text, offset] = [document.getText(), document.offsetAt(at.start)];
    const isElement = document.languageId === 'javascript' && isInElement(text, offset);
    const language = isElement ? 'jsx' : languageToWrite(document.languageId, document.uri.path);
    const folders = foldersAt(text, language, offset);
    const before = document.lineAt(at.start.line).text.slice(0, at.start.character);
    const after = document.lineAt(at.end.line).text.slice(at.end.character);
    const isInLine = !isParagraph && !isPlaceOfBlock(before, after);
    const imports = new Imports(text);
    const written: { readonly text: string; readonly isServed: boolean }[] = [];
    for (const [index, uri] of uris.entries()) {
      const named = titles[index] || title || posix.parse(uri.path).name;
      written.push(
        await this.#write(document, { uri, kind: kindOf(uri), title: named }, { language, folders, imports, isInLine }),
      );
    }
    const unserved = uris.filter((_, index) => written[index]?.isServed === false);
    if (unserved.length > 0) void this.#warnUnserved(document, unserved);
    const lines = written.map((reference) => reference.text).join('\n');
    const indent = isParagraph ? '' : before.replace(/[^\t]/g, ' ');
    // Further pictures and the options of each belong to the same block as the first one.
    const block = language === 'restructuredtext' ? lines.replaceAll('\n', `\n${indent}`) : lines;
    return { text: block, imports: imports.editsIn(document) };
  }

  async trackFor(document: vscode.TextDocument, { uri, ...captions }: Captions): Promise<WrittenText> {
    const { places, document: placed } = this.#places.placeOf(document, uri);
    const written = await places.write(placed, uri.path, { form: 'tag', element: 'track' });
    if (!written.isServed) void this.#warnUnserved(document, [uri]);
    const imports = new Imports(document.getText());
    const text = formatTrack(placed.language, { ...written, imported: imports.nameOf(written) }, captions);
    return { text, imports: imports.editsIn(document) };
  }

  async correctionOf(
    document: vscode.TextDocument,
    { form, element, folders, range }: Pick<MediaReference, 'form' | 'element' | 'folders' | 'range'>,
    path: string,
  ): Promise<readonly vscode.TextEdit[] | undefined> {
    const { places, document: placed } = this.#places.placeOf(document);
    const written = await places.write(placed, path, { form, element, folders });
    const { address, wrapper, isServed } = written;
    if (!isServed) return undefined;
    const replace = (start: number, end: number, text: string) =>
      vscode.TextEdit.replace(new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
    const text = document.getText();
    const before = text.slice(Math.max(0, range.start - 20), range.start);
    const href = hrefIn(placed.language, form, { address, wrapper }, before);
    if (href !== undefined) return [replace(range.start, range.end, href)];
    if (!isCode(wrapper)) return undefined;
    // Code replaces the quotes, too.
    const [start, end] = [range.start - 1, range.end + 1];
    const isQuoted = /["']/.test(text[start] ?? '') && text[start] === text[range.end] && text[start - 1] === '=';
    if (!isQuoted) return undefined;
    const imports = new Imports(text);
    return [replace(start, end, codeFor(address, imports.nameOf(written))), ...imports.editsIn(document)];
  }

  async referenceTo(document: DocumentName, asset: TitledAsset): Promise<string> {
    const language = languageToWrite(document.languageId, document.uri.path);
    const imports = new Imports('');
    const { text } = await this.#write(document, asset, { language, folders: [], imports });
    return imports.text + text;
  }

  /**
   * @param folders the folders that the document itself names, such as LaTeX's `\graphicspath`
   * @param imports takes the import that the reference needs
   */
  async #write(
    document: DocumentName,
    { uri, kind, title }: TitledAsset,
    {
      language,
      folders,
      imports,
      isInLine = false,
    }: {
      readonly language: Language;
      readonly folders: readonly string[];
      readonly imports: Imports;
      readonly isInLine?: boolean;
    },
  ) {
    const { places, document: place } = this.#places.placeOf(document, uri);
    const placed = { ...place, language };
    const form = formToWrite(language, kind, isInLine);
    const hasSource = kind === 'speech' && (await places.needsSource(placed));
    const element = hasSource ? 'source' : elements[kind];
    const short = await places.write(placed, uri.path, { form, element, folders });
    // Some sites find a file only from a tag.
    const tagged =
      kind === 'images' && form === 'inline' && !short.isServed
        ? await places.write(placed, uri.path, { form: 'tag', element })
        : undefined;
    const isTag = tagged?.isServed === true;
    const written = isTag ? tagged : short;
    const { address, wrapper, isServed } = written;
    const imported = imports.nameOf(written);
    const configuration = vscode.workspace.getConfiguration('markdown.editor.filePaste', document.uri);
    const formatted = formatReference(
      language,
      { path: address, kind, title: plainLine(title), wrapper, imported, isTag, hasSource, isInLine },
      {
        audio: configuration.get('audioSnippet') ?? '<audio controls src="${src}" title="${title}"></audio>',
        video: configuration.get('videoSnippet') ?? '<video controls src="${src}" title="${title}"></video>',
      },
    );
    return { text: formatted, isServed };
  }

  /** Offers to move or copy the files to where the site serves them, which corrects the references. */
  async #warnUnserved(document: vscode.TextDocument, uris: readonly vscode.Uri[]): Promise<void> {
    const { places, document: placed } = this.#places.placeOf(document);
    const folder = await places.folderFor(placed, mediaKindOf(uris[0]?.path ?? '') ?? 'image');
    const names = uris.map((uri) => vscode.workspace.asRelativePath(uri)).join(', ');
    if (folder === undefined) {
      const sentence = vscode.l10n.t('The reference will not work: the site does not serve {0}.', names);
      await notify.warning(sentence);
      return;
    }
    const [move, copy] = [vscode.l10n.t('Move Here'), vscode.l10n.t('Copy Here')];
    const sentence = vscode.l10n.t(
      'The reference will not work: the site does not serve {0}. It serves the files in {1}.',
      names,
      vscode.workspace.asRelativePath(document.uri.with({ path: folder })),
    );
    const chosen = await notify.warning(sentence, move, copy);
    if (chosen === undefined) return;
    for (const { path } of uris) {
      const argument = { uri: document.uri.toString(), path, copies: chosen === copy };
      await run(commandIds.serveFile, argument);
    }
  }
}

/** Collects the imports that new references of a script need. */
class Imports {
  readonly #text: string;
  /** The names of new imports by their addresses. */
  readonly #names = new Map<string, string>();
  #offset = 0;
  /** The statements. */
  text = '';

  /** @param text the script before the edit */
  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the identifier that holds an address; undefined unless it has to be imported. */
  nameOf({ address, wrapper }: WrittenReference): string | undefined {
    if (wrapper !== 'import') return undefined;
    const known = this.#names.get(address);
    if (known !== undefined) return known;
    const { name, insertion } = importOf(this.#text, address, new Set(this.#names.values()));
    this.#names.set(address, name);
    this.#offset = insertion?.offset ?? this.#offset;
    this.text += insertion?.text ?? '';
    return name;
  }

  editsIn(document: vscode.TextDocument): readonly vscode.TextEdit[] {
    return this.text === '' ? [] : [vscode.TextEdit.insert(document.positionAt(this.#offset), this.text)];
  }
}

/** The elements that show media or link to them. */
const elements: Readonly<Record<AssetKind, string>> = {
  images: 'img',
  speech: 'audio',
  videos: 'video',
  transcripts: 'a',
};

function kindOf(uri: vscode.Uri): AssetKind {
  switch (mediaKindOf(uri.path)) {
    case 'image':
      return 'images';
    case 'audio':
      return 'speech';
    case 'video':
      return 'videos';
    case undefined:
      return 'transcripts';
  }
}

/** Inserts references to files where the person wrote last, and puts the cursor behind them. */
export async function insertAsset(
  references: AssetReferences,
  last: Pick<LastEditors, 'places'>,
  libraries: Libraries,
  argument: unknown,
): Promise<boolean> {
  const newest = isLast(argument) ? await newestResult(libraries) : undefined;
  const isGiven = newest !== undefined || urisArgument(argument).length > 0;
  const given = newest ? [newest.uri] : await presentFiles(argument, libraries);
  const uris = isGiven ? given : await pickedFile();
  if (uris.length === 0) return false;
  // A file that is open itself, such as a transcript that the person looks at, is not inserted into itself.
  const editor = await editorToWriteIn(last.places, vscode.l10n.t('Insert at Cursor'), uris);
  if (!editor) return false;
  const { document } = editor;
  const isPlayer = isBelowTitle(argument);
  let isAtCursor = true;
  const isInserted = await changeDocument(
    () => document,
    async () => {
      const [text, language] = [document.getText(), languageOfDocument(document)];
      const below = isPlayer ? playerOffset(text, language) : undefined;
      isAtCursor = below === undefined;
      const place = document.positionAt(below ?? 0);
      const at = below === undefined ? editor.selection : new vscode.Range(place, place);
      const ownTitle = (isPlayer && titleOf(text, language)) || undefined;
      const { text: reference, imports } = await references.textFor(document, at, {
        uris,
        title: newest?.title ?? givenTitle(argument) ?? ownTitle,
        titles: titlesOf(argument),
        isParagraph: !isAtCursor,
      });
      return () =>
        editor.edit((edit) => {
          for (const { range, newText } of imports) edit.insert(range.start, newText);
          if (!isAtCursor) edit.insert(at.start, paragraphAt(document, at.start, reference));
          else for (const selection of editor.selections) edit.replace(selection, reference);
        });
    },
  );
  if (!isInserted) void notify.warning(unchangedSentence(document));
  if (!isInserted || !isAtCursor) return isInserted;
  editor.selections = editor.selections.map(({ end }) => new vscode.Selection(end, end));
  // A view may have the focus, and what is typed next belongs behind the reference.
  await vscode.window.showTextDocument(document, { viewColumn: editor.viewColumn });
  return isInserted;
}

export async function openAsset(argument: unknown, libraries: Libraries): Promise<void> {
  await openUris(await presentFiles(argument, libraries));
}

/**
 * Shows a file in the Explorer, or in the system's file manager when it is outside the workspace. A browser has no file
 * manager, and that of a remote window does not have the file.
 */
export async function revealAsset(argument: unknown, libraries: Libraries): Promise<void> {
  const [uri] = await presentFiles(argument, libraries);
  if (!uri) return;
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  const { clipboard, remoteName, uiKind } = vscode.env;
  if (isInside || (remoteName === undefined && uiKind === vscode.UIKind.Desktop)) {
    await vscode.commands.executeCommand(isInside ? 'revealInExplorer' : 'revealFileInOS', uri);
    return;
  }
  const copy = vscode.l10n.t('Copy Path');
  const sentence = vscode.l10n.t(
    'This window cannot show the folder of {0}, which is outside the workspace.',
    uri.fsPath,
  );
  if ((await notify.information(sentence, copy)) === copy) await clipboard.writeText(uri.fsPath);
}

/** Returns the edit that inserts what a view put into a drag; undefined when the data is not from a view. */
export async function dropIn(
  references: () => Promise<AssetReferences>,
  document: vscode.TextDocument,
  position: vscode.Position,
  data: string | undefined,
): Promise<vscode.DocumentDropEdit | undefined> {
  const dropped = droppedAssets(data);
  if (!dropped) return undefined;
  const { text, imports } = await (await references()).textFor(document, new vscode.Range(position, position), dropped);
  // VS Code indents the further lines of a drop like the line that it is on.
  const [indent = ''] = /^\s*/.exec(document.lineAt(position.line).text.slice(0, position.character)) ?? [];
  const drop = new vscode.DocumentDropEdit(
    text.replaceAll(`\n${indent}`, '\n'),
    vscode.l10n.t('Insert Reference'),
    editKinds.reference,
  );
  drop.additionalEdit = new vscode.WorkspaceEdit();
  drop.additionalEdit.set(document.uri, [...imports]);
  return drop;
}

const isDropped = objectWith({ uris: list(text()), title: optional(text()) });

/** Reads the data that a view put into a drag: JSON of `{uris, title}`. */
function droppedAssets(text: string | undefined): ReferredAssets | undefined {
  const value: unknown = text ? JSON.parse(text) : undefined;
  if (!isDropped(value) || value.uris.length === 0) return undefined;
  return { uris: value.uris.map((uri) => vscode.Uri.parse(uri, true)), title: value.title };
}

/** Returns the title of the argument, which becomes the alternative text. */
function givenTitle(argument: unknown): string | undefined {
  return checked(objectWith({ title: text() }), argument)?.title;
}

/** Returns one title per file, where they differ. */
function titlesOf(argument: unknown): readonly string[] | undefined {
  return checked(objectWith({ titles: list(text()) }), argument)?.titles;
}

/** Whether the newest result is meant, as by the keybinding. */
function isLast(argument: unknown): boolean {
  return objectWith({ last: yes })(argument);
}

/** Returns the newest result whose file is still there. */
async function newestResult({ places, jobs }: Libraries) {
  const roots = libraryRoots(places.chosen, jobs);
  const newest = await Promise.all(
    roots.map(async (root) => {
      const all = (await places.libraryOf(root).entries()).map((entry) => ({ entry }));
      for (const { entry } of all.toReversed()) {
        const uri = uriOf({ root, entry });
        if (uri && (await exists(uri))) return [{ ...entry, uri, title: altTextOf({ entry }, all) }];
      }
      return [];
    }),
  );
  return newest.flat().sort((one, other) => other.createdAt.localeCompare(one.createdAt))[0];
}

/** Whether a player of the whole document is meant, which has the document's title. */
function isBelowTitle(argument: unknown): boolean {
  return objectWith({ belowTitle: yes })(argument);
}

function languageOfDocument({ languageId, uri }: vscode.TextDocument): Language {
  return languageOf(languageId, uri.path);
}

/** Returns a text with a blank line before and after it, where there is none yet. */
function paragraphAt(document: vscode.TextDocument, { line, character }: vscode.Position, text: string): string {
  const isBlank = (number: number) =>
    number < 0 || number >= document.lineCount || document.lineAt(number).isEmptyOrWhitespace;
  const before = character > 0 ? '\n\n' : isBlank(line - 1) ? '' : '\n';
  return `${before}${text}\n${isBlank(line) ? '' : '\n'}`;
}

async function pickedFile(): Promise<readonly vscode.Uri[]> {
  const title = vscode.l10n.t('Insert Asset at Cursor');
  const file = await pickFile(title, vscode.l10n.t('Choose a file'), mediaExtensions);
  return file ? [file] : [];
}
