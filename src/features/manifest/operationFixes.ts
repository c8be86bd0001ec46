import * as vscode from 'vscode';
import { wantsFixes } from '../../editor/wantsFixes.ts';
import { missingOperations } from '../../manifest/missingOperation.ts';
import { type AssetKind, type OperationId, operations } from '../../operations/operations.ts';
import { maxUnaskedLength } from '../../reading/DocumentReader.ts';
import { markSource } from './ManifestErrors.ts';

/** Returns a fix for each operation that an entry in the range may be meant for, the likeliest preferred. */
export function operationFixes(
  document: vscode.TextDocument,
  range: vscode.Range,
  context: vscode.CodeActionContext,
): vscode.CodeAction[] {
  const text = document.getText();
  if (!wantsFixes(context) || text.length > maxUnaskedLength) return [];
  const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  const diagnostics = context.diagnostics.filter(({ source }) => source === markSource);
  return missingOperations(text)
    .filter((entry) => entry.start <= end && start <= entry.end)
    .flatMap(({ fitting, at, fieldFor }) =>
      fitting.map((id, index) => {
        const action = new vscode.CodeAction(titleFor(id), vscode.CodeActionKind.QuickFix);
        action.edit = new vscode.WorkspaceEdit();
        action.edit.insert(document.uri, document.positionAt(at), fieldFor(id));
        action.diagnostics = diagnostics;
        action.isPreferred = index === 0;
        return action;
      }),
    );
}

function titleFor(id: OperationId): string {
  const kind: AssetKind = operations[id].result;
  switch (kind) {
    case 'images':
      return vscode.l10n.t('Make It an Image ({0})', id);
    case 'speech':
      return vscode.l10n.t('Make It Speech ({0})', id);
    case 'transcripts':
      return vscode.l10n.t('Make It a Transcript ({0})', id);
    case 'videos':
      return vscode.l10n.t('Make It a Video ({0})', id);
  }
}
