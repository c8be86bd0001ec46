import type * as vscode from 'vscode';
import type { AssetKind } from '../operations/operations.ts';

/** Files to refer to, and what they show or say. */
export interface ReferredAssets {
  readonly uris: readonly vscode.Uri[];
  /** The title of every file that `titles` does not name; by default the file's name. */
  readonly title?: string | undefined;
  /** One title per file, where they differ. */
  readonly titles?: readonly string[] | undefined;
}

/** Writes references to files in the form that a document needs. */
export interface ReferenceWriter {
  /** Returns the references to insert into a document at a position, one per line. */
  textFor(document: vscode.TextDocument, at: vscode.Position, assets: ReferredAssets): Promise<string>;
  /** Returns the reference to one file for the start of a document. The document need not be open. */
  referenceTo(
    document: Pick<vscode.TextDocument, 'uri' | 'languageId'>,
    asset: { readonly uri: vscode.Uri; readonly kind: AssetKind; readonly title: string },
  ): Promise<string>;
}
