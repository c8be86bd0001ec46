import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../contributions.ts';
import { isPlaceOfBlock } from '../documents/asciidoc.ts';
import { foldersAt, isInElement } from '../documents/findReferences.ts';
import type { Language } from '../documents/Language.ts';
import { type MediaReference, mediaKindOf } from '../documents/MediaReference.ts';
import { importOf } from '../documents/mediaImport.ts';
import { plainLine } from '../foreign/plainText.ts';
import type { AssetKind } from '../operations/operations.ts';
import {
  codeFor,
  formatReference,
  formatTrack,
  formToWrite,
  hrefIn,
  isCode,
  languageToWrite,
} from '../projects/formatReference.ts';
import type { WrittenReference } from '../projects/Places.ts';
import { run } from './commands.ts';
import type { DocumentPlaces } from './DocumentPlaces.ts';
import { notify } from './notify.ts';

/** Files to refer to, and what they show or say. */
export interface ReferredAssets {
  readonly uris: readonly vscode.Uri[];
  /** The title of every file that `titles` does not name; by default the file's name. */
  readonly title?: string;
  /** One title per file, where they differ. */
  readonly titles?: readonly string[];
  /** Whether the text is inserted with blank lines around it. */
  readonly isParagraph?: boolean;
}

/** As many characters as a blank line and the end of the one above may have. */
const maxBlank = 300;

/**
 * Whether the only blank line between two paragraphs needs another one above and below what is written on it, so that
 * the three do not become one.
 */
function blankLinesAt(text: string, offset: number): readonly [above: boolean, below: boolean] {
  return [
    /\S[ \t]*\r?\n[ \t]*$/.test(text.slice(Math.max(0, offset - maxBlank), offset)),
    /^[ \t]*\r?\n[ \t]*[^\s]/.test(text.slice(offset, offset + maxBlank)),
  ];
}

export type DocumentName = Pick<vscode.TextDocument, 'uri' | 'languageId'>;

export interface TitledAsset {
  readonly uri: vscode.Uri;
  readonly kind: AssetKind;
  readonly title: string;
}

/** What to write into a document. */
export interface WrittenText {
  readonly text: string;
  /** The imports that the text needs, above all else in the document. */
  readonly imports: readonly vscode.TextEdit[];
}

/** Writes references to files, in the form of the document's language and with the address that its project needs. */
export class ReferenceWriter {
  readonly #places: DocumentPlaces;

  constructor(places: DocumentPlaces) {
    this.#places = places;
  }

  /**
   * Returns the references to insert into a document in place of a range, one per line. Warns when readers of the document
   * would not get one of the files.
   */
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
    const isOnBlankLine =
      !isParagraph && at.start.line === at.end.line && document.lineAt(at.start.line).text.trim() === '';
    const hasBlocks = language === 'markdown' || language === 'mdx';
    const [above, below] = isOnBlankLine && hasBlocks ? blankLinesAt(text, offset) : [];
    return {
      text: `${above ? `\n${before}` : ''}${block}${below ? '\n' : ''}`,
      imports: imports.editsIn(document),
    };
  }

  /**
   * Returns the element that shows captions in a video of a document.
   *
   * @param captions with their language as a BCP 47 tag, if known, and how players call them
   */
  async trackFor(
    document: vscode.TextDocument,
    { uri, ...captions }: { readonly uri: vscode.Uri; readonly language: string | undefined; readonly label: string },
  ): Promise<WrittenText> {
    const { places, document: placed } = this.#places.placeOf(document, uri);
    const written = await places.write(placed, uri.path, { form: 'tag', element: 'track' });
    if (!written.isServed) void this.#warnUnserved(document, [uri]);
    const imports = new Imports(document.getText());
    const text = formatTrack(placed.language, { ...written, imported: imports.nameOf(written) }, captions);
    return { text, imports: imports.editsIn(document) };
  }

  /**
   * Returns the edits that make an existing reference of a document lead to a file.
   *
   * @returns undefined when readers would not get the file
   */
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
    // React Native shows nothing in an element of HTML.
    if (!isCode(wrapper) || wrapper === 'native') return undefined;
    // Code replaces the quotes, too.
    const [start, end] = [range.start - 1, range.end + 1];
    const isQuoted = /["']/.test(text[start] ?? '') && text[start] === text[range.end] && text[start - 1] === '=';
    if (!isQuoted) return undefined;
    const imports = new Imports(text);
    return [replace(start, end, codeFor(address, imports.nameOf(written))), ...imports.editsIn(document)];
  }

  /** Returns the reference to one file, below the import that it needs. The document need not be open. */
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
