import { posix } from 'node:path';
import * as vscode from 'vscode';
import { imageExtensions } from '../../editor/MediaInputs.ts';
import type { Field } from '../../operations/Field.ts';
import type { CreateSession } from './CreateSession.ts';

/** Files that the person chooses for a field; empty when they dismissed the question. */
export async function pickInputs(
  field: Field,
  from: 'disk' | 'library',
  { results }: CreateSession,
): Promise<readonly vscode.Uri[]> {
  const title = vscode.l10n.t(field.label);
  const isImage = field.type !== 'audioFile';
  if (from === 'disk') {
    const extensions = field.type === 'audioFile' ? [...field.formats] : [...imageExtensions];
    const canSelectMany = field.type === 'images';
    const opened = await vscode.window.showOpenDialog({ title, canSelectMany, filters: { [title]: extensions } });
    return opened ?? [];
  }
  const kind = isImage ? 'images' : 'speech';
  const items = results.files(kind).map(({ uri, prompt }) => ({
    label: posix.basename(uri.path),
    description: prompt?.replace(/\s+/g, ' ').slice(0, 100) ?? '',
    uri,
  }));
  const placeHolder =
    items.length === 0 ? vscode.l10n.t('The library is empty') : vscode.l10n.t('Choose from the library');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true });
  return chosen ? [chosen.uri] : [];
}
