import { posix } from 'node:path';
import * as vscode from 'vscode';
import { imageExtensions } from '../../editor/MediaInputs.ts';
import type { AudioFileField, ImageField } from '../../operations/Field.ts';
import { recordingFormats } from '../../operations/Field.ts';

/** More than a person scrolls through; typing narrows the list. */
const maxFiles = 1000;

interface FileItem extends vscode.QuickPickItem {
  readonly value?: vscode.Uri | string;
}

/** Fills a quick pick with the workspace's files for a field. The person can also type a URL or browse. */
export async function offerFiles(
  input: vscode.QuickPick<vscode.QuickPickItem>,
  field: ImageField | AudioFileField,
): Promise<void> {
  input.busy = true;
  const extensions = field.type === 'audioFile' ? recordingFormats(field) : imageExtensions;
  const files = await vscode.workspace.findFiles(`**/*.{${extensions.join(',')}}`, undefined, maxFiles);
  const found = files
    .map((uri): FileItem => {
      const path = vscode.workspace.asRelativePath(uri);
      return { label: posix.basename(path), description: posix.dirname(path).replace(/^\.$/, ''), value: uri };
    })
    .sort((a, b) => a.label.localeCompare(b.label));
  const fixed: FileItem[] = [...found, { label: vscode.l10n.t('$(folder-opened) Browse…'), alwaysShow: true }];
  const show = (typed: string): void => {
    const isUrl = field.type !== 'audioFile' && /^https?:\/\/\S+$/i.test(typed.trim());
    const url: FileItem = {
      label: typed.trim(),
      description: vscode.l10n.t('use this URL'),
      alwaysShow: true,
      value: typed.trim(),
    };
    input.items = isUrl ? [url, ...fixed] : fixed;
  };
  show(input.value);
  input.onDidChangeValue(show);
  input.busy = false;
}

/** Returns the files of the chosen items, opening a dialog for Browse; empty when the dialog was dismissed. */
export async function chosenFiles(
  items: readonly vscode.QuickPickItem[],
  field: ImageField | AudioFileField,
): Promise<readonly (vscode.Uri | string)[]> {
  const values = (items as readonly FileItem[]).map(({ value }) => value);
  const known = values.filter((value) => value !== undefined);
  if (known.length === values.length) return known;
  const extensions = field.type === 'audioFile' ? [...recordingFormats(field)] : [...imageExtensions];
  const opened = await vscode.window.showOpenDialog({
    title: vscode.l10n.t(field.label),
    canSelectMany: field.type === 'images',
    filters: { [vscode.l10n.t(field.label)]: extensions },
  });
  return [...known, ...(opened ?? [])];
}
