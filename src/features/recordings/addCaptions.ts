import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { languageOf } from '../../documents/Language.ts';
import type { MediaReference } from '../../documents/MediaReference.ts';
import { type VideoElement, videoElementsIn } from '../../documents/videoElement.ts';
import { type Caller, Click, callerOf } from '../../editor/Caller.ts';
import { changeDocument, unchangedSentence } from '../../editor/changeDocument.ts';
import { run } from '../../editor/commands.ts';
import { uriArgument } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import { editorInUse } from '../../editor/openDocuments.ts';
import { runCommand, tryToShow } from '../../editor/runCommand.ts';
import { type TimedPair, type TimedPairs, timedPair } from '../../editor/timedPair.ts';
import type { Window } from '../../editor/Window.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import { DocumentReader } from '../../reading/DocumentReader.ts';
import { spokenWords } from '../../transcripts/captions.ts';
import { ownNameOf, spokenLanguage } from '../../transcripts/frontMatter.ts';
import { joinTexts } from '../../transcripts/subtitles.ts';
import { captionsSuffix, writeCaptions } from './saveSubtitles.ts';
import { openTimed, type TimedDocument } from './timedDocument.ts';

/** A video that a document shows. */
interface ShownVideo {
  readonly element: VideoElement;
  readonly uri: vscode.Uri;
}

/** One thread for all looks at a document. */
const reader = new DocumentReader();

/** Returns the references of a document, also of a very long one. */
function referencesIn(document: vscode.TextDocument): Promise<readonly MediaReference[]> {
  const language = languageOf(document.languageId, document.uri.path);
  return reader.findReferences(document.getText(), language);
}

/** Returns the action that puts captions into the video at a position; none when it has them, or there are none. */
export async function captionActions(
  document: vscode.TextDocument,
  { start: { line } }: vscode.Range,
  pairs: TimedPairs,
  dependencies: Window,
): Promise<vscode.CodeAction[]> {
  const references = await (await dependencies.projects()).referencesIn(document);
  const video = await videoAt(document, line, references, dependencies);
  if (!video) return [];
  const pair = await pairs.of(video.uri);
  if (!pair.times || (await trackOf(document, video, pair, dependencies))) return [];
  const title = vscode.l10n.t('Add Captions to Video');
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.RefactorRewrite);
  action.command = { title, command: commandIds.addCaptions, arguments: [Click.on({ uri: document.uri, line })] };
  return [action];
}

/**
 * Puts captions into a `<video>` of a document: the `.vtt` file of the video, or captions of its transcript as that reads
 * now. Nothing is sent.
 *
 * @param argument `{uri, line}`, where `line` counts from 0; without, the line of the cursor
 * @returns the URI of the captions; undefined when the person dismissed a question
 */
export function addCaptions(argument: unknown, dependencies: Window): Promise<vscode.Uri | undefined> {
  const caller = callerOf(argument);
  return runCommand(caller, dependencies, async () => {
    const { document, line } = await placeOf(argument);
    const video = await videoAt(document, line, await referencesIn(document), dependencies);
    if (!video) throw await noVideo(document, line);
    const pair = await timedPair(video.uri, dependencies.places);
    const there = await trackOf(document, video, pair, dependencies);
    if (there) {
      const sentence = vscode.l10n.t('The video has these captions already: {0}.', posix.basename(there.path));
      throw new MediaError('invalidInput', sentence, { field: 'line' });
    }
    if (!pair.times && caller === 'person') {
      void tryToShow(dependencies.log, offerToTranscribe(video.uri));
      return undefined;
    }
    const { captions, language } = await captionsFor(document, video.uri, pair, { caller, dependencies });
    if (!captions) return undefined;
    const label = language === undefined ? vscode.l10n.t('Captions') : ownNameOf(language);
    const writer = await dependencies.references();
    const isAdded = await changeDocument(
      () => document,
      async () => {
        const track = await writer.trackFor(document, { uri: captions, language, label });
        const now = await videoAt(document, line, await referencesIn(document), dependencies);
        if (now?.uri.toString() !== video.uri.toString()) throw await noVideo(document, line);
        const { start, end, text } = now.element.insert(track.text);
        const edit = new vscode.WorkspaceEdit();
        const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
        edit.set(document.uri, [...track.imports, vscode.TextEdit.replace(range, text)]);
        return () => vscode.workspace.applyEdit(edit);
      },
    );
    if (isAdded) return captions;
    throw new MediaError('invalidInput', unchangedSentence(document), { field: 'uri' });
  });
}

async function videoAt(
  document: vscode.TextDocument,
  line: number,
  references: readonly MediaReference[],
  { projects }: Pick<Window, 'projects'>,
): Promise<ShownVideo | undefined> {
  const text = document.getText();
  const within = offsetsOf(text, line);
  if (!within) return undefined;
  const videos = references.filter(({ kind }) => kind === 'video');
  const shown = videoElementsIn(text, videos, within);
  const { places, document: placed } = (await projects()).placeOf(document);
  for (const { element, reference } of shown) {
    const target = await places.resolve(placed, reference);
    if (target?.exists) return { element, uri: document.uri.with({ path: target.path }) };
  }
  return undefined;
}

/** Returns where a line begins and ends in a text; undefined if there is no such line. */
function offsetsOf(text: string, line: number): { readonly start: number; readonly end: number } | undefined {
  let [start, before] = [0, line];
  for (const { index, 0: end } of text.matchAll(/\r\n|[\r\n]|$/g)) {
    if (before === 0) return { start, end: index };
    start = index + end.length;
    before--;
  }
  return undefined;
}

/** Returns the file of the captions that a video has already. */
async function trackOf(
  document: vscode.TextDocument,
  { element, uri }: ShownVideo,
  { times, text }: TimedPair,
  { projects }: Pick<Window, 'projects'>,
): Promise<vscode.Uri | undefined> {
  const { places, document: placed } = (await projects()).placeOf(document);
  const own = [times, text && captionsBeside(text), captionsBeside(uri)].filter((one) => one !== undefined);
  for (const address of element.tracks) {
    const target = await places.resolve(placed, { form: 'tag', element: 'track', address });
    const found = own.find(({ path }) => path === target?.path);
    if (found) return found;
  }
  return undefined;
}

function captionsBeside(uri: vscode.Uri): vscode.Uri {
  const { dir, name } = posix.parse(uri.path);
  return uri.with({ path: posix.join(dir, `${name}${captionsSuffix}.vtt`) });
}

/** Returns the file with the captions of a video, and their language. A text that was edited gives new captions. */
async function captionsFor(
  document: vscode.TextDocument,
  video: vscode.Uri,
  { times, text }: TimedPair,
  { caller, dependencies: { places } }: { readonly caller: Caller; readonly dependencies: Window },
): Promise<{ readonly captions: vscode.Uri | undefined; readonly language?: string }> {
  if (!times) throw new MediaError('invalidInput', noCaptions(video), { field: 'line' });
  // A page may have the name of its video.
  const isTranscript = text && /\.(?:md|txt)$/i.test(text.path) && text.toString() !== document.uri.toString();
  if (!isTranscript) {
    if (isWebVtt(times)) return { captions: times };
    return { captions: await writeCaptions(await openTimed(times, places), 'vtt', caller, places) };
  }
  const timed = await openTimed(text, places);
  const language = spokenLanguage((await vscode.workspace.openTextDocument(text)).getText());
  if (isWebVtt(timed.times.uri) && !isEdited(timed)) return { captions: timed.times.uri, language };
  return { captions: await writeCaptions(timed, 'vtt', caller, places), language };
}

function noCaptions({ path }: vscode.Uri): string {
  return vscode.l10n.t(
    '{0} has no captions: there is no .vtt file of the same name, and no transcript with times. Transcribe it first.',
    posix.basename(path),
  );
}

/** Says that a video has no captions, with a button that transcribes it, which asks as it does in the Explorer. */
async function offerToTranscribe(video: vscode.Uri): Promise<void> {
  const transcribe = vscode.l10n.t('Transcribe');
  if ((await notify.error(noCaptions(video), transcribe)) === transcribe) await run('unifiedMedia.transcribe', video);
}

function isWebVtt({ path }: vscode.Uri): boolean {
  return /\.vtt$/i.test(path);
}

function isEdited({ words, times: { cues } }: TimedDocument): boolean {
  const said = spokenWords(
    cues.map(({ lines }) => ({ text: joinTexts(lines) })),
    cues,
  );
  const textOf = (all: typeof words) => all.map(({ text }) => text).join('');
  return textOf(said) !== textOf(words);
}

/** Returns why no captions can be put into a line. */
async function noVideo(document: vscode.TextDocument, line: number): Promise<MediaError> {
  const other = (await referencesIn(document)).find((one) => one.kind === 'video' && one.line === line);
  const sentence = other
    ? vscode.l10n.t(
        'Line {0} shows a video, but not in a <video> element of a file in this workspace, so it has no place for captions.',
        line + 1,
      )
    : vscode.l10n.t('There is no <video> element in line {0}. Put the cursor into one first.', line + 1);
  return new MediaError('invalidInput', sentence, { field: 'line' });
}

/** @throws MediaError `invalidInput` */
async function placeOf(argument: unknown): Promise<{ readonly document: vscode.TextDocument; readonly line: number }> {
  const { editor } = editorInUse();
  const title = vscode.l10n.t('Add Captions to Video');
  const given = argument === undefined ? {} : checkFields(title, ['uri', 'line'], argument);
  const { line = editor?.selection.active.line ?? 0 } = given;
  const uri = uriArgument(given.uri) ?? editor?.document.uri;
  if (uri === undefined) {
    throw new MediaError('invalidInput', vscode.l10n.t('Open a document with a video first.'), { field: 'uri' });
  }
  if (!Number.isSafeInteger(line) || Number(line) < 0) {
    throw new MediaError('invalidInput', vscode.l10n.t('line must be a line number of 0 or more.'), { field: 'line' });
  }
  return { document: await vscode.workspace.openTextDocument(uri), line: Number(line) };
}
