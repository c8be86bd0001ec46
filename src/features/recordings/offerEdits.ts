import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { Language } from '../../documents/Language.ts';
import { languageOf } from '../../documents/Language.ts';
import { editKinds } from '../../editor/dropEdits.ts';
import { exists } from '../../editor/fileContent.ts';
import { needsOwnLine, textLanguages } from '../../editor/transcriptIn.ts';
import { numberedName } from '../../library/fileName.ts';
import { recordingFormats } from '../../operations/Field.ts';
import { operations } from '../../operations/operations.ts';
import type { RecordingDependencies, RecordingOperation } from './RecordingDependencies.ts';
import type { RecordingRuns } from './RecordingRuns.ts';

/** What is dropped or pasted, and where. */
export interface Dropped {
  readonly document: vscode.TextDocument;
  readonly at: vscode.Position | undefined;
  readonly data: vscode.DataTransfer;
}

/** A recording, with its content when it has no URI yet. */
interface DroppedRecording {
  readonly uri: vscode.Uri;
  readonly content?: vscode.DataTransferFile;
}

/**
 * Edits that take precedence over ours: references to assets from our own views, then VS Code's edits for files and for
 * the clipboard's content, so that the default insertion stays as it is.
 */
const others = [
  editKinds.reference,
  vscode.DocumentDropOrPasteEditKind.Empty.append('markdown', 'link'),
  vscode.DocumentDropOrPasteEditKind.Empty.append('uri'),
  vscode.DocumentDropOrPasteEditKind.Empty.append('html'),
  vscode.DocumentDropOrPasteEditKind.Text,
];

/**
 * Offers edits that insert a token for each recording. VS Code asks for edits whether or not one is chosen, so they
 * cost nothing: the work starts when a token appears in a document. Drop edits have the shape of paste edits.
 */
export async function offerEdits(
  { document, at = new vscode.Position(0, 0), data }: Dropped,
  load: () => Promise<RecordingRuns>,
  dependencies: RecordingDependencies,
): Promise<vscode.DocumentPasteEdit[] | undefined> {
  const language = languageOf(document.languageId, document.uri.path);
  if (!textLanguages.includes(language) && document.languageId !== 'plaintext') return undefined;
  const recordings = await recordingsIn(data, document, dependencies);
  if (recordings.length === 0) return undefined;
  const runs = await load();
  runs.makeRoom();
  const offer = (operation: RecordingOperation, withPlayer: boolean) =>
    recordings.map(({ uri, content }) =>
      runs.offer({ file: uri, operation, withPlayer, isCopied: content !== undefined }, language),
    );
  const edit = (title: string, kind: vscode.DocumentDropOrPasteEditKind, tokens: readonly string[]) => {
    const made = new vscode.DocumentPasteEdit(onOwnLines(language, document, at, tokens.join('\n\n')), title, kind);
    made.yieldTo = others;
    const copies = copiesOf(recordings);
    if (copies) made.additionalEdit = copies;
    return made;
  };
  return [
    edit(vscode.l10n.t('Insert Transcript'), editKinds.transcript, offer('transcribe', false)),
    edit(vscode.l10n.t('Insert English Translation'), editKinds.translation, offer('translate', false)),
    edit(vscode.l10n.t('Insert Player and Transcript'), editKinds.player, offer('transcribe', true)),
  ];
}

/** Puts a comment that extends to the end of its line on a line of its own. */
export function onOwnLines(
  language: Language,
  document: vscode.TextDocument,
  position: vscode.Position,
  text: string,
): string {
  if (!needsOwnLine(language)) return text;
  const line = document.lineAt(position.line).text;
  const before = line.slice(0, position.character).trim() === '' ? '' : '\n\n';
  const after = line.slice(position.character).trim() === '' ? '' : '\n\n';
  return `${before}${text}${after}`;
}

/** Returns the dropped recordings; empty unless everything dropped is a recording. */
async function recordingsIn(
  data: vscode.DataTransfer,
  document: vscode.TextDocument,
  dependencies: RecordingDependencies,
): Promise<readonly DroppedRecording[]> {
  const list = (await data.get('text/uri-list')?.asString()) ?? '';
  const uris = list
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => vscode.Uri.parse(line.trim()));
  if (uris.length > 0) return uris.every(isRecording) ? uris.map((uri) => ({ uri })) : [];
  const files = [...data].flatMap(([, item]) => item.asFile() ?? []);
  const unique = [...new Map(files.map((file) => [file.name, file])).values()];
  if (!unique.every(({ name }) => isRecording({ path: name }))) return [];
  const recordings: DroppedRecording[] = [];
  for (const file of unique) {
    recordings.push(
      file.uri ? { uri: file.uri } : { uri: await freeUri(document, file.name, dependencies), content: file },
    );
  }
  return recordings;
}

/** Returns a free URI for a file from a browser, which has no path: in the audio folder of the document's project. */
async function freeUri(
  document: vscode.TextDocument,
  name: string,
  { projects }: RecordingDependencies,
): Promise<vscode.Uri> {
  const { places, document: placed } = (await projects()).placeOf(document);
  const folder = (await places.folderFor(placed, 'audio')) ?? posix.dirname(document.uri.path);
  const { name: base, ext } = posix.parse(name);
  for (let number = 1; ; number++) {
    const uri = document.uri.with({ path: posix.join(folder, numberedName(base, ext.slice(1), number)) });
    if (!(await exists(uri))) return uri;
  }
}

/** VS Code writes the files when it applies the edit, not earlier. */
function copiesOf(recordings: readonly DroppedRecording[]): vscode.WorkspaceEdit | undefined {
  const copied = recordings.filter(({ content }) => content !== undefined);
  if (copied.length === 0) return undefined;
  const edit = new vscode.WorkspaceEdit();
  for (const { uri, content } of copied) if (content) edit.createFile(uri, { contents: content });
  return edit;
}

const [, field] = operations.transcribe.fields;

function isRecording({ path }: { readonly path: string }): boolean {
  return recordingFormats(field).includes(posix.extname(path).slice(1).toLowerCase());
}
