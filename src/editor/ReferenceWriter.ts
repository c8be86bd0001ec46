import * as vscode from 'vscode';
import type { MediaReference } from '../documents/MediaReference.ts';
import type { AssetKind } from '../operations/operations.ts';

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

export type DocumentName = Pick<vscode.TextDocument, 'uri' | 'languageId'>;

export interface TitledAsset {
  readonly uri: vscode.Uri;
  readonly kind: AssetKind;
  readonly title: string;
}

/** A file with captions. */
export interface Captions {
  readonly uri: vscode.Uri;
  /** BCP 47 tag, if known. */
  readonly language: string | undefined;
  /** How players call them. */
  readonly label: string;
}

/** What to write into a document. */
export interface WrittenText {
  readonly text: string;
  /** The imports that the text needs, above all else in the document. */
  readonly imports: readonly vscode.TextEdit[];
}

/** Writes references to files in the form that a document needs. */
export interface ReferenceWriter {
  /** Returns the references to insert into a document in place of a range, one per line. */
  textFor(document: vscode.TextDocument, at: vscode.Range, assets: ReferredAssets): Promise<WrittenText>;
  /** Returns the reference to one file, below the import that it needs. The document need not be open. */
  referenceTo(document: DocumentName, asset: TitledAsset): Promise<string>;
  /** Returns the element that shows captions in a video of a document. */
  trackFor(document: vscode.TextDocument, captions: Captions): Promise<WrittenText>;
  /**
   * Returns the edits that make an existing reference of a document lead to a file.
   *
   * @returns undefined when readers would not get the file
   */
  correctionOf(
    document: vscode.TextDocument,
    reference: Pick<MediaReference, 'form' | 'element' | 'folders' | 'range'>,
    path: string,
  ): Promise<readonly vscode.TextEdit[] | undefined>;
}

const kind = (name: string) => vscode.DocumentDropOrPasteEditKind.Empty.append('media', name);

/** The kinds of edits that are offered on drop and paste. */
export const editKinds = {
  /** A reference to an asset that was dragged out of one of our views. */
  reference: kind('reference'),
  transcript: kind('transcript'),
  translation: kind('translation'),
  player: kind('player'),
} as const;

/**
 * All documents. VS Code's own Markdown provider is registered for Markdown by name and yields only to providers that
 * match as closely, hence the first filter.
 */
export const dropSelector: vscode.DocumentSelector = [{ language: 'markdown' }, '*'];

/** Returns edits without those that several references of a document share: the import of their file. */
export function eachOnce(edits: readonly vscode.TextEdit[]): vscode.TextEdit[] {
  const keyOf = ({ range, newText }: vscode.TextEdit) => JSON.stringify([range, newText]);
  return [...new Map(edits.map((edit) => [keyOf(edit), edit])).values()];
}
