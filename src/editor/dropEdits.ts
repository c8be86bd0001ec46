import * as vscode from 'vscode';

const kind = (name: string) => vscode.DocumentDropOrPasteEditKind.Empty.append('media', name);

/** The kinds of edits that are offered for a drop or a paste. */
export const editKinds = {
  /** A reference to an asset that was dragged out of one of our views. */
  reference: kind('reference'),
  transcript: kind('transcript'),
  translation: kind('translation'),
  player: kind('player'),
} as const;

/**
 * All documents. Markdown is named because VS Code's own Markdown provider is registered for it, and yields only to
 * providers whose selector scores at least as high.
 */
export const dropSelector: vscode.DocumentSelector = [{ language: 'markdown' }, '*'];
