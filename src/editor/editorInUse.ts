import * as vscode from 'vscode';
import { MediaError } from '../operations/MediaError.ts';
import { plainText } from './displayText.ts';
import type { Caller } from './runCommand.ts';

/** The editor that the person works in. At most one of the two is set. */
export interface EditorInUse {
  readonly editor?: vscode.TextEditor;
  /**
   * The document of an editor that is not a text editor and exposes no cursor, such as VS Code's own Markdown editor.
   */
  readonly otherEditor?: vscode.Uri;
}

/**
 * Returns the active editor. While the active tab shows no document, such as an image or the gallery, returns the only
 * visible text editor; with several, it is unclear which one is meant.
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

/**
 * Returns the text editor to insert into.
 *
 * @returns undefined after offering the person to reopen the document as text
 * @throws MediaError `invalidInput` when there is no text editor
 */
export function textEditorFor(caller: Caller): vscode.TextEditor | undefined {
  const { editor, otherEditor } = editorInUse();
  if (editor) return editor;
  if (!otherEditor) throw new MediaError('invalidInput', vscode.l10n.t('Open the document to insert into first.'));
  if (caller !== 'person') throw new MediaError('invalidInput', noCursorSentence(otherEditor));
  void offerTextEditor(otherEditor);
  return undefined;
}

/** Explains that an editor does not report its cursor, and reopens its document as text if the person wants to. */
export async function offerTextEditor(uri: vscode.Uri): Promise<void> {
  const reopen = vscode.l10n.t('Reopen as Text');
  if ((await vscode.window.showInformationMessage(noCursorSentence(uri), reopen)) !== reopen) return;
  await vscode.commands.executeCommand('vscode.openWith', uri, 'default');
}

function noCursorSentence(uri: vscode.Uri): string {
  const name = plainText(vscode.workspace.asRelativePath(uri));
  return vscode.l10n.t(
    'Nothing was inserted, because the editor that shows {0} does not report its cursor. Reopen the file as text first.',
    name,
  );
}

/** False for output channels, which are text editors too. */
function isDocument({ document }: vscode.TextEditor): boolean {
  return document.uri.scheme !== 'output';
}

/** Returns the document of a group's active tab when a custom editor shows a text document there. */
function documentIn({ activeTab }: vscode.TabGroup): vscode.Uri | undefined {
  const input = activeTab?.input;
  if (!(input instanceof vscode.TabInputCustom)) return undefined;
  const address = input.uri.toString();
  return vscode.workspace.textDocuments.some(({ uri }) => uri.toString() === address) ? input.uri : undefined;
}
