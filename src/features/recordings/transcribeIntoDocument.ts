import { posix } from 'node:path';
import * as vscode from 'vscode';
import { languageOf } from '../../documents/Language.ts';
import type { Caller } from '../../editor/Caller.ts';
import { callerOf } from '../../editor/Caller.ts';
import { isMediaInput, resolveInput } from '../../editor/MediaInputs.ts';
import { textEditorFor } from '../../editor/openDocuments.ts';
import { runCommand } from '../../editor/runCommand.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { extensionsOf } from '../../operations/fields.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { field } from '../../operations/operations.ts';
import { checkFields, validateField } from '../../operations/validateRequest.ts';
import type { RecordingDependencies, RecordingOperation, RecordingRuns } from './RecordingRuns.ts';
import { onOwnLines } from './RecordingRuns.ts';

const modelField = field('transcribe', 'model');
const fileField = field('transcribe', 'file');

/**
 * Transcribes a recording into the active document, at the cursor.
 *
 * @param argument `{file, model, operation}`
 * @returns the saved assets; undefined when the person dismissed a question or was shown the failure
 * @throws MediaError when there is an argument
 */
export function transcribeIntoDocument(
  argument: unknown,
  runs: RecordingRuns,
  dependencies: RecordingDependencies,
): Promise<readonly Asset[] | undefined> {
  const caller = callerOf(argument);
  let started: Promise<readonly Asset[] | undefined> | undefined;
  return runCommand(caller, dependencies, async () => {
    const title = vscode.l10n.t('Transcribe Audio into This Document');
    const given = argument === undefined ? {} : checkFields(title, ['file', 'model', 'operation'], argument);
    const operation = operationOf(given.operation);
    if (given.model !== undefined) validateField(modelField, given.model);
    const editor = textEditorFor(caller);
    if (!editor) return false;
    const { document, selection } = editor;
    const file = await fileOf(given.file, document, caller);
    if (!file) return false;
    const language = languageOf(document.languageId, document.uri.path);
    const request = { file, operation, withPlayer: false, model: given.model, caller } as const;
    const token = runs.offer(request, language);
    started = runs.resultOf(token);
    const text = onOwnLines(language, document, selection.active, token);
    if (await editor.edit((edit) => edit.insert(selection.active, text))) return true;
    runs.withdraw(token);
    const name = vscode.workspace.asRelativePath(document.uri);
    throw new MediaError('invalidInput', vscode.l10n.t('Nothing was sent, because {0} cannot be edited.', name));
  }).then((isStarted) => (isStarted ? started : undefined));
}

function operationOf(value: unknown): RecordingOperation {
  if (value === undefined || value === 'transcribe') return 'transcribe';
  if (value === 'translate') return 'translate';
  const sentence = vscode.l10n.t('Operation (operation) must be one of transcribe, translate.');
  throw new MediaError('invalidInput', sentence, { field: 'operation' });
}

async function fileOf(given: unknown, document: vscode.TextDocument, caller: Caller): Promise<vscode.Uri | undefined> {
  const value = given ?? (caller === 'person' ? await chooseRecording() : undefined);
  if (value === undefined && caller === 'person') return undefined;
  if (!isMediaInput(value)) validateField(fileField, value);
  const folder = vscode.workspace.getWorkspaceFolder(document.uri) ?? vscode.workspace.workspaceFolders?.[0];
  const base = folder?.uri ?? vscode.Uri.joinPath(document.uri, '..');
  const path = await resolveInput(fileField, value, base);
  return vscode.Uri.file(String(path));
}

/** More than a person scrolls through; typing narrows the list. */
const maxFiles = 1000;

async function chooseRecording(): Promise<vscode.Uri | undefined> {
  const extensions = extensionsOf(fileField);
  const found = await vscode.workspace.findFiles(`**/*.{${extensions.join(',')}}`, undefined, maxFiles);
  const files = found
    .map((uri) => {
      const path = vscode.workspace.asRelativePath(uri);
      return { label: posix.basename(path), description: posix.dirname(path).replace(/^\.$/, ''), uri };
    })
    .sort((a, b) => a.label.localeCompare(b.label));
  const browse = { label: vscode.l10n.t('$(folder-opened) Browse…'), alwaysShow: true, uri: undefined };
  const title = vscode.l10n.t('Transcribe Audio into This Document');
  const placeHolder = vscode.l10n.t('Choose a recording');
  const chosen = await vscode.window.showQuickPick([...files, browse], { title, placeHolder });
  if (!chosen || chosen.uri) return chosen?.uri;
  const filters = { [vscode.l10n.t(fileField.label)]: [...extensions] };
  const [opened] = (await vscode.window.showOpenDialog({ title, filters })) ?? [];
  return opened;
}
