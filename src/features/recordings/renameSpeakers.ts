import { posix } from 'node:path';
import * as vscode from 'vscode';
import { editorInUse } from '../../editor/openDocuments.ts';
import { runCommand } from '../../editor/runCommand.ts';
import { plainRow } from '../../foreign/plainText.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import type { SpeakerPlace } from './findSpeakers.ts';
import { findSpeakers, writtenName } from './findSpeakers.ts';
import type { RecordingDependencies } from './RecordingRuns.ts';

/**
 * Renames a speaker everywhere in a transcript.
 *
 * @param argument `{uri, speaker, name}`; missing fields are asked for
 * @returns the number of changed places; undefined when the person dismissed a question
 * @throws MediaError when there is an argument
 */
export function renameSpeakers(argument: unknown, dependencies: RecordingDependencies): Promise<number | undefined> {
  // The Explorer and the editor title pass the file.
  const given = argument instanceof vscode.Uri ? { uri: argument } : argument;
  const caller = argument === undefined || argument instanceof vscode.Uri ? 'person' : 'program';
  return runCommand(caller, dependencies, async () => {
    const title = vscode.l10n.t('Rename Speakers');
    const fields = given === undefined ? {} : checkFields(title, ['uri', 'speaker', 'name'], given);
    const document = await documentOf(fields.uri);
    const extension = posix.extname(document.uri.path).slice(1) || 'md';
    const speakers = findSpeakers(extension, document.getText());
    if (speakers.size === 0) {
      const name = vscode.workspace.asRelativePath(document.uri);
      throw new MediaError('invalidInput', vscode.l10n.t('No speakers are named in {0}.', name), { field: 'uri' });
    }
    const speaker = fields.speaker ?? (caller === 'person' ? await pickSpeaker(title, speakers) : undefined);
    if (speaker === undefined && caller === 'person') return undefined;
    if (!speakers.has(String(speaker))) {
      const sentence = vscode.l10n.t('Speaker (speaker) must be one of {0}.', [...speakers.keys()].join(', '));
      throw new MediaError('invalidInput', sentence, { field: 'speaker' });
    }
    const name = fields.name ?? (caller === 'person' ? await askName(title, String(speaker)) : undefined);
    if (name === undefined && caller === 'person') return undefined;
    const problem = problemOf(name);
    if (problem !== undefined) throw new MediaError('invalidInput', problem, { field: 'name' });
    // The document may have changed while the person answered.
    const places = findSpeakers(extension, document.getText()).get(String(speaker)) ?? [];
    const edit = new vscode.WorkspaceEdit();
    for (const { start, end } of places) {
      const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
      edit.replace(document.uri, range, writtenName(extension, plainRow(String(name).trim())));
    }
    return (await vscode.workspace.applyEdit(edit)) ? places.length : 0;
  });
}

async function documentOf(uri: unknown): Promise<vscode.TextDocument> {
  if (uri instanceof vscode.Uri) return vscode.workspace.openTextDocument(uri);
  if (typeof uri === 'string') return vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
  const { editor } = editorInUse();
  if (editor) return editor.document;
  throw new MediaError('invalidInput', vscode.l10n.t('First open the transcript whose speakers you want to rename.'));
}

async function pickSpeaker(
  title: string,
  speakers: ReadonlyMap<string, readonly SpeakerPlace[]>,
): Promise<string | undefined> {
  const items = [...speakers].map(([label, places]) => ({
    label,
    description: places.length === 1 ? vscode.l10n.t('named once') : vscode.l10n.t('named {0} times', places.length),
  }));
  const placeHolder = vscode.l10n.t('Choose the speaker to rename');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.label;
}

async function askName(title: string, speaker: string): Promise<string | undefined> {
  const prompt = vscode.l10n.t('The new name for {0} in this transcript', speaker);
  return vscode.window.showInputBox({ title, prompt, value: speaker, validateInput: problemOf });
}

function problemOf(name: unknown): string | undefined {
  if (typeof name !== 'string' || name.trim() === '') return vscode.l10n.t('Name (name) is missing.');
  return /[:\n\r]/.test(name)
    ? vscode.l10n.t('Name (name) must be on one line and must not contain a colon.')
    : undefined;
}
