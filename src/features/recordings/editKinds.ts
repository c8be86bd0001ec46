import * as vscode from 'vscode';

const kind = (name: string) => vscode.DocumentDropOrPasteEditKind.Empty.append('media', name);

/** What can be inserted for a recording that is dropped or pasted. */
export const editKinds = {
  transcript: kind('transcript'),
  translation: kind('translation'),
  player: kind('player'),
} as const;
