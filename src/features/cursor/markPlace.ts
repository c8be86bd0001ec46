import * as vscode from 'vscode';
import type { DocumentAnchor } from '../../editor/DocumentAnchor.ts';

/**
 * Shows in the document where the image will appear, until it is disposed.
 *
 * @param folder folder of the future file, relative to the workspace folder
 */
export function markPlace(anchor: DocumentAnchor, folder: string): vscode.Disposable {
  const mark = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    after: {
      contentText: vscode.l10n.t('The image will appear here, its file in {0}.', folder === '' ? '.' : folder),
      color: new vscode.ThemeColor('editorGhostText.foreground'),
      fontStyle: 'italic',
      margin: '0 1ch',
    },
  });
  const show = () => {
    const editors = vscode.window.visibleTextEditors.filter(
      ({ document }) => document.uri.toString() === anchor.uri.toString(),
    );
    for (const editor of editors) editor.setDecorations(mark, [anchor.range]);
  };
  show();
  return vscode.Disposable.from(mark, vscode.window.onDidChangeVisibleTextEditors(show));
}
