import * as vscode from 'vscode';
import type { MediaReference } from '../documents/MediaReference.ts';
import type { AssetKind } from '../operations/operations.ts';

/** Files to refer to, and what they show or say. */
export interface ReferredAssets {
  readonly uris: readonly vscode.Uri[];
  /** The title of every file that `titles` does not name; by default the file's name. */
  readonly title?: string | undefined;
  /** One title per file, where they differ. */
  readonly titles?: readonly string[] | undefined;
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

/** Writes references to files in the form that a document needs. */
export interface ReferenceWriter {
  /** Returns the references to insert into a document at a position, one per line. */
  textFor(document: vscode.TextDocument, at: vscode.Position, assets: ReferredAssets): Promise<string>;
  /** Returns the reference to one file for the start of a document. The document need not be open. */
  referenceTo(document: DocumentName, asset: TitledAsset): Promise<string>;
  /** Returns the element that shows captions in a video of a document. */
  trackFor(document: vscode.TextDocument, captions: Captions): Promise<string>;
  /**
   * Returns the edit that makes an existing reference of a document lead to a file.
   *
   * @returns undefined when readers would not get the file
   */
  correctionOf(
    document: vscode.TextDocument,
    reference: Pick<MediaReference, 'form' | 'element' | 'folders' | 'range'>,
    path: string,
  ): Promise<vscode.TextEdit | undefined>;
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
