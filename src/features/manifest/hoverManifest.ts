import { join } from 'node:path';
import * as vscode from 'vscode';
import { operations } from '../../operations/operations.ts';
import type { ManifestProjects } from './ManifestProjects.ts';
import { titleOf } from './stateTitle.ts';

/** Shows an entry's image, its state and what the lock records. */
export async function hoverManifest(
  document: vscode.TextDocument,
  position: vscode.Position,
  projects: ManifestProjects,
): Promise<vscode.Hover | undefined> {
  const planned = await projects.plan(document.uri).catch(() => undefined);
  const found = planned?.evaluated.find(({ entry }) => entry.line === position.line + 1);
  if (!found) return undefined;
  const { entry, output, line, model } = found;
  const text = new vscode.MarkdownString();
  text.supportHtml = true;
  const file = vscode.Uri.file(join(document.uri.fsPath, '..', entry.path));
  const isPicture = entry.type === 'derived' || operations[entry.operation].result === 'images';
  if (isPicture && output !== undefined) {
    text.appendMarkdown(`<img src="${file.toString()}" height="120">\n\n`);
  }
  text.appendMarkdown('**').appendText(entry.path).appendMarkdown('**\n\n').appendText(titleOf(found));
  const facts: readonly (readonly [string, string | undefined])[] = [
    [
      vscode.l10n.t('Operation'),
      entry.type === 'request' ? vscode.l10n.t(operations[entry.operation].title) : undefined,
    ],
    [vscode.l10n.t('Model'), model],
    [vscode.l10n.t('Variant'), line?.variant === undefined ? undefined : String(line.variant)],
    [vscode.l10n.t('Video ID'), line?.videoId],
    [vscode.l10n.t('Service'), line?.sandbox ? vscode.l10n.t('sandbox') : undefined],
    ['SHA-256', output?.slice(0, 16)],
  ];
  for (const [name, value] of facts) {
    if (value) text.appendMarkdown('\n\n').appendText(`${name}: ${value}`);
  }
  return new vscode.Hover(text);
}
