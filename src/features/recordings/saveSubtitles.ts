import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type Caller, callerOf } from '../../editor/Caller.ts';
import { uriArgument } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import { runCommand, tryToShow } from '../../editor/runCommand.ts';
import type { Window } from '../../editor/Window.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { openUris } from '../../editor/workspaceFiles.ts';
import type { CreatedFile, FileContent, Folder } from '../../files/Folder.ts';
import { pathFrom } from '../../files/pathFrom.ts';
import { hashOf } from '../../files/sha256.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { nameNew, saveBytes } from '../../library/saveMedia.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import { captionsOf, cuesOfText } from '../../transcripts/captions.ts';
import { type Cue, type SubtitleFormat, writeSubtitles } from '../../transcripts/subtitles.ts';
import { readNarrations } from '../../wholes/planNarration.ts';
import { ownTranscript } from '../../wholes/recordNarration.ts';
import { openTimed, type TimedDocument } from './timedDocument.ts';

/** What the names of captions in WebVTT end with, before the extension. */
export const captionsSuffix = '.captions';

/**
 * Saves subtitles of a transcript or a narrated document as it reads now. Nothing is sent.
 *
 * @param argument `{uri, format}`; without, the open document, and a person chooses the format
 * @returns the URI of the new file; undefined when the person dismissed a question
 */
export function saveSubtitles(
  argument: unknown,
  dependencies: Pick<Window, 'settings' | 'places' | 'log'>,
): Promise<vscode.Uri | undefined> {
  const caller = callerOf(argument);
  return runCommand(caller, dependencies, async () => {
    const title = vscode.l10n.t('Save as Subtitles');
    const { uri, format: given } = fieldsOf(title, ['uri', 'format'], argument);
    const document = await openTimed(uri, dependencies.places);
    const format = given === undefined && caller === 'person' ? await pickFormat(title) : formatOf(given ?? 'srt');
    if (!format) return undefined;
    const saved = await writeCaptions(document, format, caller, dependencies.places);
    if (saved === undefined) return undefined;
    if (caller === 'person') void tryToShow(dependencies.log, offerToOpenSubtitles(saved));
    return saved;
  });
}

/**
 * Writes captions of a document as it reads now into a file beside it. A program never replaces a file.
 *
 * @returns the URI of the file; undefined when the person dismissed the question whether to replace another one
 */
export async function writeCaptions(
  document: TimedDocument,
  format: SubtitleFormat,
  caller: Caller,
  places: WorkspacePlaces,
): Promise<vscode.Uri | undefined> {
  const cues = captionsOf(document.words, format === 'srt').map(({ words: _, ...cue }) => cue);
  // The times of the words stay in the pair's own .vtt.
  const stem = posix.parse(document.uri.path).name + (format === 'vtt' ? captionsSuffix : '');
  const content = Buffer.from(writeSubtitles(format, cues));
  const { folder } = places.placeAt(places.referenceBeside(document.uri));
  const name = `${stem}.${format}`;
  const replaced = await mayReplace(folder, name, content, caller);
  if (replaced === undefined) return undefined;
  const saved = await write(folder, content, async (created) =>
    replaced === 'no' ? nameNew(folder, created, stem, format) : replace(folder, created, name, replaced),
  );
  return vscode.Uri.parse(folder.uriOf(saved), true);
}

/**
 * Writes the times of a text that was edited into its `.vtt` file. Words that it had keep their times.
 *
 * @param argument `{uri}`; without, the open document
 * @returns the URI of the `.vtt` file; undefined when the person dismissed the question whether to replace another one
 */
export function updateTimes(
  argument: unknown,
  dependencies: Pick<Window, 'settings' | 'places' | 'log'>,
): Promise<vscode.Uri | undefined> {
  const caller = callerOf(argument);
  return runCommand(caller, dependencies, async () => {
    const { places } = dependencies;
    const { uri } = fieldsOf(vscode.l10n.t('Update Times'), ['uri'], argument);
    const document = await openTimed(uri, places);
    await checkNoNarration(document, places);
    const saved = await writeTimes(document.uri, document.times, cuesOfText(document.words), caller, places);
    if (saved === undefined) return undefined;
    const name = posix.basename(saved.path);
    if (caller === 'person') {
      void tryToShow(dependencies.log, told(vscode.l10n.t('{0} has the times of the text as it reads now.', name)));
    }
    return saved;
  });
}

/**
 * Writes the times of a text: into its own `.vtt` file, or into a new one beside it where a person or another program made
 * those that it has. A person may replace these. If the library has no entry for the text, a file that reads as this
 * extension would write it counts as its own.
 *
 * @param times the file with the times, as it was read
 * @returns the URI of the file; undefined when the person dismissed the question
 */
export async function writeTimes(
  document: vscode.Uri,
  times: TimedDocument['times'] | undefined,
  cues: readonly Cue[],
  caller: Caller,
  places: WorkspacePlaces,
): Promise<vscode.Uri | undefined> {
  const { folder } = places.placeAt(places.referenceBeside(document));
  const content = Buffer.from(writeSubtitles('vtt', cues));
  const name = times && besideName(document, times.uri);
  const isOwn =
    times && ((await entryOf(document, places)) ? await isOwnTimes(document, times.uri, places) : isAsWritten(times));
  const replaced =
    name === undefined ? 'no' : isOwn ? contentOf(times.bytes) : await mayReplace(folder, name, content, caller);
  if (replaced === undefined) return undefined;
  const saved = await write(folder, content, async (created) =>
    name === undefined || replaced === 'no'
      ? nameNew(folder, created, posix.parse(document.path).name, 'vtt')
      : replace(folder, created, name, replaced),
  );
  await record(document, { name: saved, sha256: contentOf(content).sha256 }, places);
  return vscode.Uri.parse(folder.uriOf(saved), true);
}

/** Whether the library records that this file has the times of a document, and nobody has changed it since. */
export async function isOwnTimes(document: vscode.Uri, times: vscode.Uri, places: WorkspacePlaces): Promise<boolean> {
  const { folder } = places.placeAt(places.referenceBeside(document));
  const recorded = (await entryOf(document, places))?.times;
  if (!recorded || recorded.name !== besideName(document, times)) return false;
  return typeof (await ownTranscript(folder, recorded.name, new Set([recorded.sha256]))) === 'object';
}

async function entryOf(document: vscode.Uri, places: WorkspacePlaces): Promise<LibraryEntry | undefined> {
  const { library, recordedName } = places.placeAt(places.referenceBeside(document));
  return (await library.entriesAt([recordedName(posix.basename(document.path))])).at(-1);
}

/** Whether writing the times again would lose nothing, such as a note or a colour. */
function isAsWritten({ bytes, cues }: TimedDocument['times']): boolean {
  return new TextDecoder().decode(bytes).replaceAll('\r\n', '\n') === writeSubtitles('vtt', cues);
}

/** Returns the name of a `.vtt` in the folder of a document; undefined for any other file. */
function besideName(document: vscode.Uri, times: vscode.Uri): string | undefined {
  const { dir, base, ext } = posix.parse(times.path);
  return ext.toLowerCase() === '.vtt' && dir === posix.dirname(document.path) ? base : undefined;
}

async function told(sentence: string): Promise<void> {
  await notify.information(sentence);
}

/** The sound of a narration is known block by block; its times come with it. */
export async function checkNoNarration(
  { uri, pair }: Pick<TimedDocument, 'uri' | 'pair'>,
  places: WorkspacePlaces,
): Promise<void> {
  const root = vscode.workspace.getWorkspaceFolder(uri)?.uri;
  if (!root || !pair.recording) return;
  const file = pathFrom(root.path, pair.recording.path);
  if (!(await readNarrations(places.libraryOf(root))).some((narration) => narration.file === file)) return;
  const sentence = vscode.l10n.t('The times of a narration are updated when the document is narrated again.');
  throw new MediaError('invalidInput', sentence, { field: 'uri' });
}

/** Records the content of own times that were changed. */
export async function recordTimes(document: vscode.Uri, times: vscode.Uri, places: WorkspacePlaces): Promise<void> {
  const { sha256 } = contentOf(await vscode.workspace.fs.readFile(times));
  await record(document, { name: posix.basename(times.path), sha256 }, places);
}

/** Records the new content, so that the file still counts as ours. */
async function record(
  uri: vscode.Uri,
  times: { readonly name: string; readonly sha256: string },
  places: WorkspacePlaces,
): Promise<void> {
  const { library, recordedName } = places.placeAt(places.referenceBeside(uri));
  const entry = await entryOf(uri, places);
  if (entry) await library.append({ moved: entry.id, file: recordedName(posix.basename(uri.path)), times });
}

async function write(
  folder: Folder,
  content: Uint8Array,
  place: (created: CreatedFile & FileContent) => Promise<string>,
): Promise<string> {
  await folder.check();
  return saveBytes(folder, content, place, (reason) =>
    vscode.l10n.t('The subtitles cannot be saved in {0}: {1}.', folder.uri, reason),
  );
}

/** @throws MediaError when the file has another content than was read */
async function replace(
  folder: Folder,
  created: CreatedFile & FileContent,
  name: string,
  content: FileContent,
): Promise<string> {
  if (await folder.replace(created, name, content)) return name;
  await folder.remove(created.name);
  throw new MediaError('save', vscode.l10n.t('{0} changed in the meantime, so it was not replaced. Try again.', name));
}

/** @returns the content of the file to replace, or `no`; undefined when the person dismissed the question */
async function mayReplace(
  folder: Folder,
  name: string,
  content: Uint8Array,
  caller: Caller,
): Promise<FileContent | 'no' | undefined> {
  if (caller !== 'person') return 'no';
  const found = await folder.read(name);
  if (!found || Buffer.from(found).equals(content)) return 'no';
  const [replaces, keeps] = [vscode.l10n.t('Replace'), vscode.l10n.t('Keep Both')];
  const title = vscode.l10n.t('{0} already exists. Replace it?', name);
  const chosen = await vscode.window.showQuickPick([replaces, keeps], { title });
  if (chosen === undefined) return undefined;
  return chosen === replaces ? contentOf(found) : 'no';
}

function contentOf(bytes: Uint8Array): FileContent {
  return { bytes: bytes.length, sha256: hashOf(bytes) };
}

async function offerToOpenSubtitles(uri: vscode.Uri): Promise<void> {
  const open = vscode.l10n.t('Open');
  const sentence = vscode.l10n.t('Saved {0}. Nothing was sent.', posix.basename(uri.path));
  if ((await notify.information(sentence, open)) === open) await openUris([uri]);
}

async function pickFormat(title: string): Promise<SubtitleFormat | undefined> {
  const items = [
    { label: 'SubRip', description: '.srt', format: 'srt' as const },
    { label: 'WebVTT', description: '.captions.vtt', format: 'vtt' as const },
  ];
  const placeHolder = vscode.l10n.t('Choose the format of the subtitles');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.format;
}

function formatOf(value: unknown): SubtitleFormat {
  if (value === 'srt' || value === 'vtt') return value;
  const sentence = vscode.l10n.t('Format (format) must be one of {0}.', 'srt, vtt');
  throw new MediaError('invalidInput', sentence, { field: 'format' });
}

function fieldsOf(
  title: string,
  names: readonly string[],
  argument: unknown,
): { readonly uri?: vscode.Uri; readonly format?: unknown } {
  if (argument === undefined) return {};
  if (argument instanceof vscode.Uri) return { uri: argument };
  const { uri, format } = checkFields(title, names, argument);
  return { uri: uriArgument(uri), format };
}
