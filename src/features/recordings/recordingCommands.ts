import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { languageOf } from '../../documents/Language.ts';
import { type Caller, callerOf } from '../../editor/Caller.ts';
import { isMediaInput, resolveInput } from '../../editor/MediaInputs.ts';
import { textEditorFor } from '../../editor/openDocuments.ts';
import { pickFile } from '../../editor/pickFile.ts';
import { runCommand } from '../../editor/runCommand.ts';
import type { Window } from '../../editor/Window.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { fieldTable } from '../../operations/declarations.ts';
import { extensionsOf } from '../../operations/fields.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { field } from '../../operations/operations.ts';
import { checkFurther } from '../../operations/toRequest.ts';
import { checkFields, validateField } from '../../operations/validateRequest.ts';
import { addCaptions } from './addCaptions.ts';
import { addSpeakers } from './addSpeakers.ts';
import { renameSpeakers } from './renameSpeakers.ts';
import { saveSubtitles, updateTimes } from './saveSubtitles.ts';
import { onOwnLines, type RecordingOperation, type TranscriptTokens } from './TranscriptTokens.ts';
import { useSubtitles } from './useSubtitles.ts';

// What the commands and providers load on first use, together: a chunk of its own for each costs more at every start.

export { captionActions } from './addCaptions.ts';
export { prepareRename, renameAt, speakerLenses } from './renameSpeakers.ts';

/** The commands that take a file and the window. */
export const byId = {
  [commandIds.renameSpeakers]: renameSpeakers,
  [commandIds.addSpeakers]: addSpeakers,
  [commandIds.saveSubtitles]: saveSubtitles,
  [commandIds.updateTimes]: updateTimes,
  [commandIds.addCaptions]: addCaptions,
  [commandIds.useSubtitles]: useSubtitles,
};

const modelField = field('transcribe', 'model');
const fileField = field('transcribe', 'file');

/**
 * Transcribes a recording into the active document, at the cursor.
 *
 * @param argument `{file, model, operation, fields}`
 * @returns the saved assets; undefined when the person dismissed a question or was shown the failure
 * @throws MediaError when there is an argument
 */
export function transcribeIntoDocument(
  argument: unknown,
  runs: TranscriptTokens,
  dependencies: Window,
): Promise<readonly Asset[] | undefined> {
  const caller = callerOf(argument);
  let started: Promise<readonly Asset[] | undefined> | undefined;
  return runCommand(caller, dependencies, async () => {
    const title = vscode.l10n.t('Transcribe Audio into This Document');
    const given = argument === undefined ? {} : checkFields(title, ['file', 'model', 'operation', 'fields'], argument);
    const operation = operationOf(given.operation);
    const { model, fields = {} } = given;
    if (model !== undefined) validateField(modelField, model);
    const declared = dependencies.settings.declaredFields;
    checkFurther(fieldTable(operation, declared, typeof model === 'string' ? model : undefined), declared, fields);
    const editor = await textEditorFor(caller, dependencies.lastEditors.places, title);
    if (!editor) return false;
    const { document } = editor;
    const file = await fileOf(given.file, document, caller);
    if (!file) return false;
    const language = languageOf(document.languageId, document.uri.path);
    const request = { file, operation, withPlayer: false, model, fields, caller } as const;
    const token = runs.offer(request, language);
    started = runs.resultOf(token);
    const { active } = editor.selection;
    const text = onOwnLines(language, document, active, token);
    if (await editor.edit((edit) => edit.insert(active, text))) return true;
    runs.withdraw(token);
    const name = vscode.workspace.asRelativePath(document.uri);
    throw new MediaError(
      'invalidInput',
      vscode.l10n.t('Nothing was sent, because {0} kept changing or cannot be edited.', name),
    );
  }).then((isStarted) => (isStarted ? started : undefined));
}

function operationOf(value: unknown): RecordingOperation {
  if (value === undefined || value === 'transcribe') return 'transcribe';
  if (value === 'translate') return 'translate';
  const sentence = vscode.l10n.t('Operation (operation) must be one of transcribe, translate.');
  throw new MediaError('invalidInput', sentence, { field: 'operation' });
}

async function fileOf(given: unknown, document: vscode.TextDocument, caller: Caller): Promise<vscode.Uri | undefined> {
  const title = vscode.l10n.t('Transcribe Audio into This Document');
  const choose = () => pickFile(title, vscode.l10n.t('Choose a recording'), extensionsOf(fileField));
  const value = given ?? (caller === 'person' ? await choose() : undefined);
  if (value === undefined && caller === 'person') return undefined;
  if (!isMediaInput(value)) validateField(fileField, value);
  const folder = vscode.workspace.getWorkspaceFolder(document.uri) ?? vscode.workspace.workspaceFolders?.[0];
  const base = folder?.uri ?? vscode.Uri.joinPath(document.uri, '..');
  const path = await resolveInput(fileField, value, base);
  return vscode.Uri.file(String(path));
}
