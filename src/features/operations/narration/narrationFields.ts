import * as vscode from 'vscode';
import type { Speaker } from '../../../narration/NarrationBlock.ts';
import { MediaError } from '../../../operations/MediaError.ts';
import { operations } from '../../../operations/operations.ts';
import { checkFields, validateField } from '../../../operations/validateRequest.ts';

export interface NarrationFields {
  /** URI of the document; undefined for the active one. */
  readonly uri: vscode.Uri | undefined;
  /** Whether a person asks for the recorded model and voice. */
  readonly usesRecorded: boolean;
  readonly speaker: Partial<Speaker>;
}

const speakerNames = ['model', 'voice', 'response_format'];

/** Whether a person ran the command from the palette, a menu or a button. */
export function isByPerson(argument: unknown): boolean {
  if (argument === undefined || argument instanceof vscode.Uri) return true;
  return typeof argument === 'object' && argument !== null && 'byPerson' in argument && argument.byPerson === true;
}

/** @throws MediaError `invalidInput` that names the first invalid field */
export function narrationFields(argument: unknown): NarrationFields {
  if (argument === undefined) return { uri: undefined, usesRecorded: false, speaker: {} };
  if (argument instanceof vscode.Uri) return { uri: argument, usesRecorded: false, speaker: {} };
  const title = vscode.l10n.t('Narrate Document');
  const { uri, byPerson, ...given } = checkFields(title, ['uri', ...speakerNames, 'byPerson'], argument);
  for (const field of operations.speak.fields) {
    if (given[field.name] !== undefined) validateField(field, given[field.name]);
  }
  return { uri: uriOf(uri), usesRecorded: byPerson === true, speaker: given as Partial<Speaker> };
}

/**
 * Opens the document to narrate.
 *
 * @throws MediaError `invalidInput` when it cannot be opened as text
 */
export async function openDocument(uri: vscode.Uri | undefined): Promise<vscode.TextDocument> {
  const target = uri ?? activeUri();
  if (!target) throw invalidField('uri', vscode.l10n.t('Open a document first.'));
  try {
    return await vscode.workspace.openTextDocument(target);
  } catch {
    throw invalidField('uri', vscode.l10n.t('{0} cannot be opened as text.', vscode.workspace.asRelativePath(target)));
  }
}

export function invalidField(field: 'uri' | 'response_format', problem: string): MediaError {
  const label = field === 'uri' ? vscode.l10n.t('Document') : vscode.l10n.t('Audio format');
  return new MediaError('invalidInput', `${label} (${field}): ${problem}`, { field });
}

function uriOf(value: unknown): vscode.Uri | undefined {
  if (value === undefined || value instanceof vscode.Uri) return value;
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (typeof value === 'string' && /^[a-z][a-z\d+.-]+:/i.test(value)) return vscode.Uri.parse(value, true);
  if (typeof value === 'string' && value.trim() !== '' && root) return vscode.Uri.joinPath(root, value);
  throw invalidField('uri', vscode.l10n.t('It must be the URI of a document, or its path in the workspace folder.'));
}

/** Custom editors, such as a rendering Markdown editor, are not text editors. */
function activeUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return (
    vscode.window.activeTextEditor?.document.uri ?? (input instanceof vscode.TabInputCustom ? input.uri : undefined)
  );
}
