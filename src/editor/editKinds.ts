import * as vscode from 'vscode';

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
