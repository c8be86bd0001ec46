import { posix } from 'node:path';
import * as vscode from 'vscode';
import { foldersAt } from '../../documents/findReferences.ts';
import type { MediaReference } from '../../documents/MediaReference.ts';
import { mediaKindOf } from '../../documents/MediaReference.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import { plainText } from '../../editor/displayText.ts';
import type { ReferenceWriter, ReferredAssets } from '../../editor/ReferenceWriter.ts';
import type { AssetKind } from '../../operations/operations.ts';
import { formatReference, formToWrite, hrefIn, languageToWrite } from './formatReference.ts';

type DocumentName = Pick<vscode.TextDocument, 'uri' | 'languageId'>;

interface TitledAsset {
  readonly uri: vscode.Uri;
  readonly kind: AssetKind;
  readonly title: string;
}

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
    const text = document.getText();
    const offset = document.offsetAt(at);
    const written = await Promise.all(
      uris.map((uri, index) => {
        const named = titles[index] ?? title ?? posix.parse(uri.path).name;
        const folders = foldersAt(text, languageToWrite(document.languageId, document.uri.path), offset);
        return this.#write(document, { uri, kind: kindOf(uri), title: named }, folders);
      }),
    );
    const unserved = uris.filter((_, index) => written[index]?.isServed === false);
    if (unserved.length > 0) void this.#warnUnserved(document, unserved);
    return written.map((reference) => reference.text).join('\n');
  }

  /**
   * Returns the address that makes an existing reference of a document lead to another file.
   *
   * @returns undefined when the address needs a wrapper, or readers would not get the file
   */
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
      { path: address, kind, title, wrapper },
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
    const names = plainText(uris.map((uri) => vscode.workspace.asRelativePath(uri)).join(', '));
    const sentence =
      folder === undefined
        ? vscode.l10n.t('The reference will not work: the site does not serve {0}.', names)
        : vscode.l10n.t(
            'The reference will not work: the site does not serve {0}. Move the file to {1} and insert it again.',
            names,
            plainText(vscode.workspace.asRelativePath(document.uri.with({ path: folder }))),
          );
    await vscode.window.showWarningMessage(sentence);
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
