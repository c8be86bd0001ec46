import * as vscode from 'vscode';
import { plainText } from './plainText.ts';

/** The editor that a person works in. At most one of the two is there. */
export interface EditorInUse {
  readonly editor?: vscode.TextEditor;
  /** The document of an editor that is no text editor and tells no cursor, such as VS Code's own one for Markdown. */
  readonly otherEditor?: vscode.Uri;
}

/**
 * The active editor. While none is active that shows a document, such as a picture or the gallery, it is the only text
 * editor that can be seen: where several can, nobody knows which is meant.
 */
export function editorInUse(): EditorInUse {
  const { activeTextEditor, visibleTextEditors, tabGroups } = vscode.window;
  if (activeTextEditor && isDocument(activeTextEditor)) return { editor: activeTextEditor };
  const otherEditor = documentIn(tabGroups.activeTabGroup);
  if (otherEditor) return { otherEditor };
  const [editor, ...others] = visibleTextEditors.filter(isDocument);
  const isOnly = others.length === 0 && tabGroups.all.every((group) => documentIn(group) === undefined);
  return editor && isOnly ? { editor } : {};
}

/** Says that an editor tells no cursor, and opens its document in a text editor if the person wants that. */
export async function offerTextEditor(uri: vscode.Uri): Promise<void> {
  const reopen = vscode.l10n.t('Reopen as Text');
  const sentence = sentenceAbout(uri);
  if ((await vscode.window.showInformationMessage(sentence, reopen)) !== reopen) return;
  await vscode.commands.executeCommand('vscode.openWith', uri, 'default');
}

/** That an editor tells no cursor. */
export function sentenceAbout(uri: vscode.Uri): string {
  const name = plainText(vscode.workspace.asRelativePath(uri));
  return vscode.l10n.t(
    'Nothing can be inserted: the editor that shows {0} does not tell extensions where the cursor is. Reopen it as text first.',
    name,
  );
}

/** Not the output of a log, which is a text editor as well. */
function isDocument({ document }: vscode.TextEditor): boolean {
  return document.uri.scheme !== 'output';
}

/** The document of a group's active tab, where that is an editor of another kind on a text document. */
function documentIn({ activeTab }: vscode.TabGroup): vscode.Uri | undefined {
  const input = activeTab?.input;
  if (!(input instanceof vscode.TabInputCustom)) return undefined;
  const address = input.uri.toString();
  return vscode.workspace.textDocuments.some(({ uri }) => uri.toString() === address) ? input.uri : undefined;
}
