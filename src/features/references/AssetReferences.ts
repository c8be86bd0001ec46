import { posix } from 'node:path';
import * as vscode from 'vscode';
import { foldersAt } from '../../documents/findReferences.ts';
import type { Language } from '../../documents/Language.ts';
import { languageOf } from '../../documents/Language.ts';
import type { MediaReference } from '../../documents/MediaReference.ts';
import { mediaExtensions, mediaKindOf } from '../../documents/MediaReference.ts';
import { playerOffset } from '../../documents/playerOffset.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import { notify } from '../../editor/notify.ts';
import { editorInUse, offerTextEditor } from '../../editor/openDocuments.ts';
import type { DocumentName, ReferenceWriter, ReferredAssets, TitledAsset } from '../../editor/ReferenceWriter.ts';
import { openUris } from '../../editor/workspaceFiles.ts';
import { plainLine } from '../../foreign/plainText.ts';
import { checked, list, objectWith, optional, text, yes } from '../../foreign/shape.ts';
import type { AssetKind } from '../../operations/operations.ts';
import { formatReference, formToWrite, hrefIn, languageToWrite } from './formatReference.ts';

/** Writes references to files, in the form of the document's language and with the address that its project needs. */
export class AssetReferences implements ReferenceWriter {
  readonly #places: DocumentPlaces;

  constructor(places: DocumentPlaces) {
    this.#places = places;
  }

  /** Warns when readers of the document would not get one of the files. */
  async textFor(
    document: vscode.TextDocument,
    at: vscode.Position,
    { uris, title, titles = [] }: ReferredAssets,
  ): Promise<string> {
    const language = languageToWrite(document.languageId, document.uri.path);
    const folders = foldersAt(document.getText(), language, document.offsetAt(at));
    const written = await Promise.all(
      uris.map((uri, index) => {
        const named = titles[index] ?? title ?? posix.parse(uri.path).name;
        return this.#write(document, { uri, kind: kindOf(uri), title: named }, folders);
      }),
    );
    const unserved = uris.filter((_, index) => written[index]?.isServed === false);
    if (unserved.length > 0) void this.#warnUnserved(document, unserved);
    return written.map((reference) => reference.text).join('\n');
  }

  async addressFor(
    document: vscode.TextDocument,
    { form, folders }: Pick<MediaReference, 'form' | 'folders'>,
    path: string,
  ): Promise<string | undefined> {
    const { places, document: placed } = this.#places.placeOf(document);
    const { address, wrapper, isServed } = await places.write(placed, path, { form, folders });
    return wrapper === undefined && isServed ? hrefIn(placed.language, form, address) : undefined;
  }

  async referenceTo(document: DocumentName, asset: TitledAsset): Promise<string> {
    return (await this.#write(document, asset, [])).text;
  }

  /** @param folders the folders that the document itself names, such as LaTeX's `\graphicspath` */
  async #write(document: DocumentName, { uri, kind, title }: TitledAsset, folders: readonly string[]) {
    const language = languageToWrite(document.languageId, document.uri.path);
    const { places, document: placed } = this.#places.placeOf(document, uri);
    const form = formToWrite(language, kind);
    const { address, wrapper, isServed } = await places.write({ ...placed, language }, uri.path, { form, folders });
    const configuration = vscode.workspace.getConfiguration('markdown.editor.filePaste', document.uri);
    const formatted = formatReference(
      language,
      { path: address, kind, title: plainLine(title), wrapper },
      {
        audio: configuration.get('audioSnippet') ?? '<audio controls src="${src}" title="${title}"></audio>',
        video: configuration.get('videoSnippet') ?? '<video controls src="${src}" title="${title}"></video>',
      },
    );
    return { text: formatted, isServed };
  }

  async #warnUnserved(document: vscode.TextDocument, uris: readonly vscode.Uri[]): Promise<void> {
    const { places, document: placed } = this.#places.placeOf(document);
    const folder = await places.folderFor(placed, 'image');
    const names = uris.map((uri) => vscode.workspace.asRelativePath(uri)).join(', ');
    const sentence =
      folder === undefined
        ? vscode.l10n.t('The reference will not work: the site does not serve {0}.', names)
        : vscode.l10n.t(
            'The reference will not work: the site does not serve {0}. Move the file to {1} and insert it again.',
            names,
            vscode.workspace.asRelativePath(document.uri.with({ path: folder })),
          );
    await notify.warning(sentence);
  }
}

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

/** Inserts references to files at the cursor. */
export async function insertAsset(references: AssetReferences, argument: unknown): Promise<boolean> {
  const { editor, otherEditor } = editorInUse();
  if (!editor) {
    if (otherEditor) void offerTextEditor(otherEditor);
    else void notify.information(vscode.l10n.t('Open the document to insert into first.'));
    return false;
  }
  const given = urisOf(argument);
  const uris = given.length > 0 ? given : await chooseFile();
  if (uris.length === 0) return false;
  const { document } = editor;
  const below = isBelowTitle(argument) ? playerOffset(document.getText(), languageOfDocument(document)) : undefined;
  const at = below === undefined ? editor.selection.active : document.positionAt(below);
  const text = await references.textFor(document, at, { uris, title: titleOf(argument), titles: titlesOf(argument) });
  if (below !== undefined) return editor.edit((edit) => edit.insert(at, paragraphAt(document, at, text)));
  return editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
}

export async function openAsset(argument: unknown): Promise<void> {
  await openUris(urisOf(argument));
}

/** Shows a file in the Explorer, or in the system's file manager when it is outside the workspace. */
export async function revealAsset(argument: unknown): Promise<void> {
  const [uri] = urisOf(argument);
  if (!uri) return;
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  await vscode.commands.executeCommand(isInside ? 'revealInExplorer' : 'revealFileInOS', uri);
}

const isDropped = objectWith({ uris: list(text()), title: optional(text()) });

/** Reads the data that a view put into a drag: JSON of `{uris, title}`. */
export function droppedAssets(text: string | undefined): ReferredAssets | undefined {
  const value: unknown = text ? JSON.parse(text) : undefined;
  if (!isDropped(value) || value.uris.length === 0) return undefined;
  return { uris: value.uris.map((uri) => vscode.Uri.parse(uri, true)), title: value.title };
}

/** Reads the files of an argument: `uri`, or `uris` for several, each a Uri or a string. */
function urisOf(argument: unknown): readonly vscode.Uri[] {
  if (typeof argument !== 'object' || argument === null) return [];
  const { uri, uris } = argument as { readonly uri?: unknown; readonly uris?: unknown };
  return (Array.isArray(uris) ? uris : [uri]).flatMap((value: unknown) => {
    if (value instanceof vscode.Uri) return [value];
    return typeof value === 'string' ? [vscode.Uri.parse(value, true)] : [];
  });
}

/** Returns the title, which becomes the alternative text. */
function titleOf(argument: unknown): string | undefined {
  return checked(objectWith({ title: text() }), argument)?.title;
}

/** Returns one title per file, where they differ. */
function titlesOf(argument: unknown): readonly string[] | undefined {
  return checked(objectWith({ titles: list(text()) }), argument)?.titles;
}

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

async function chooseFile(): Promise<readonly vscode.Uri[]> {
  const found = await vscode.workspace.findFiles(`**/*.{${mediaExtensions.join(',')}}`, undefined, 1000);
  const items = found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const title = vscode.l10n.t('Insert Asset at Cursor');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: vscode.l10n.t('Choose a file') });
  return chosen ? [chosen.uri] : [];
}
