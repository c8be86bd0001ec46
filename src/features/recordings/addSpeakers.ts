import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type Caller, callerOf } from '../../editor/Caller.ts';
import { notify } from '../../editor/notify.ts';
import { assetsOf } from '../../editor/requests/requests.ts';
import { runCommand, tryToShow } from '../../editor/runCommand.ts';
import { type TimedPair, timedPair } from '../../editor/timedPair.ts';
import type { Window } from '../../editor/Window.ts';
import { entriesIn } from '../../editor/workspaceFiles.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import { recordingMinutes } from '../../sound/readRecording.ts';
import { readTimes } from '../../transcripts/times.ts';
import { documentOf, extensionFor } from './renameSpeakers.ts';
import { checkNoNarration, writeTimes } from './saveSubtitles.ts';
import { findSpeakers, namedTurns, type SpeakerTurn, turnsIn, withSpeakers } from './speakers.ts';
import { openTimed } from './timedDocument.ts';

/** What the names of answers end with, before the extension. */
const suffix = '.speakers';
/** How services tell speakers apart that need to be asked for it. */
const diarizing = { response_format: 'diarized_json', chunking_strategy: 'auto' };

/** Who speaks when, and the file that says so. */
interface Turns {
  readonly uri: vscode.Uri;
  readonly turns: readonly SpeakerTurn[];
}

/**
 * Names the speakers of a transcript that has none. The recording is sent once more, to a model that tells speakers apart;
 * of its answer only the turns are used, and the text stays as it was edited. The answer is a file beside the transcript:
 * while it is there, nothing is sent again.
 *
 * @param argument `{uri, model, fields}`; a person is asked for the model, and before anything is sent
 * @returns the number of changed places; undefined when the person dismissed a question
 * @throws MediaError when there is an argument
 */
export function addSpeakers(argument: unknown, dependencies: Window): Promise<number | undefined> {
  const given = argument instanceof vscode.Uri ? { uri: argument } : argument;
  const caller = callerOf(argument);
  return runCommand(caller, dependencies, async () => {
    const { places } = dependencies;
    const title = vscode.l10n.t('Add Speakers');
    const { uri, model, fields } = given === undefined ? {} : checkFields(title, ['uri', 'model', 'fields'], given);
    const document = await documentOf(uri);
    const pair = await timedPair(document.uri, places);
    const recording = recordingOf(document, pair);
    await checkNoNarration({ uri: document.uri, pair }, places);
    // Times of another text are found before anything is paid for.
    if (pair.times) await openTimed(document.uri, places);
    const answer =
      (await earlierAnswer(document.uri)) ??
      (await ask(document.uri, recording, { model, fields }, caller, dependencies));
    if (!answer) return undefined;
    const count = await apply(document, answer, caller, places);
    if (count === undefined) return undefined;
    if (caller === 'person') void tryToShow(dependencies.log, tellOf(answer));
    return count;
  });
}

/** @throws MediaError `invalidInput` when no speakers can be added */
function recordingOf(document: vscode.TextDocument, { recording }: TimedPair): vscode.Uri {
  const name = vscode.workspace.asRelativePath(document.uri);
  const extension = extensionFor(document.uri);
  if (extension !== 'md' && extension !== 'txt') {
    throw invalid(vscode.l10n.t('Speakers can be added to transcripts in Markdown and text, not to {0}.', name));
  }
  if (findSpeakers(extension, document.getText()).size > 0) {
    throw invalid(vscode.l10n.t('{0} names its speakers already. “Rename Speakers” changes their names.', name));
  }
  if (!recording) {
    throw invalid(
      vscode.l10n.t(
        '{0} has no recording. It is needed, because a service finds the speakers by listening. Put it beside the transcript under the same name.',
        name,
      ),
    );
  }
  return recording;
}

/**
 * Returns the newest answer beside a transcript that names speakers. It was paid for already.
 *
 * @throws MediaError `invalidInput` when one cannot be read, which would be paid for again
 */
async function earlierAnswer(transcript: vscode.Uri): Promise<Turns | undefined> {
  const folder = vscode.Uri.joinPath(transcript, '..');
  const start = posix.parse(transcript.path).name + suffix;
  const entries = await entriesIn(folder);
  const names = entries
    .map(([name]) => name)
    .filter((name) => name.startsWith(start) && /^(?:-\d+)?\.vtt$/.test(name.slice(start.length)));
  const inOrder = names.toSorted((one, other) => one.length - other.length || (one < other ? -1 : 1));
  for (const name of inOrder.toReversed()) {
    const answer = await readTurns(vscode.Uri.joinPath(folder, name));
    if (answer.turns.length > 0) return answer;
  }
  return undefined;
}

async function readTurns(uri: vscode.Uri): Promise<Turns> {
  const cues = readTimes(posix.basename(uri.path), await vscode.workspace.fs.readFile(uri));
  return { uri, turns: turnsIn(cues) };
}

/** Sends the recording. @returns undefined when the person dismissed a question */
async function ask(
  transcript: vscode.Uri,
  recording: vscode.Uri,
  { model, fields }: { readonly model?: unknown; readonly fields?: unknown },
  caller: Caller,
  { places, runs }: Pick<Window, 'places' | 'runs'>,
): Promise<Turns | undefined> {
  const place = {
    ...places.referenceBeside(transcript),
    transcriptFormat: 'vtt' as const,
    exactName: `${posix.parse(transcript.path).name}${suffix}.vtt`,
  };
  const name = posix.basename(recording.path);
  const length = await recordingMinutes(recording.fsPath);
  const minutes = Math.max(1, Math.round(length.minutes));
  const request = { operation: 'transcribe' as const, fields: { file: recording, model, fields }, place };
  const outcomes = await runs.run([request], caller, {
    title: vscode.l10n.t('Add Speakers'),
    asks: ['model'],
    preferred: diarizing,
    question: length.minutesAtMost
      ? vscode.l10n.t('Send {0} (at most {1} min) once more to find out who speaks?', name, Math.ceil(length.minutes))
      : minutes === 1
        ? vscode.l10n.t('Send {0} (1 minute) once more to find out who speaks?', name)
        : vscode.l10n.t('Send {0} ({1} minutes) once more to find out who speaks?', name, minutes),
    billing: vscode.l10n.t(
      'The service may bill the whole recording again. Your text is not changed, except for the names.',
    ),
    send: vscode.l10n.t('Send'),
  });
  const [asset] = outcomes ? assetsOf(outcomes) : [];
  if (!asset) return undefined;
  const answer = await readTurns(vscode.Uri.parse(asset.uri, true));
  if (answer.turns.length > 0) return answer;
  const sentence = vscode.l10n.t(
    'The answer, {0}, names no speakers, so the transcript was not changed. Choose a model that tells speakers apart.',
    posix.basename(answer.uri.path),
  );
  throw new MediaError('invalidInput', sentence, { field: 'model', saved: [asset.uri] });
}

/**
 * Names the speakers in its times and in the text as it reads now.
 *
 * @returns undefined, without any change, when the person dismissed the question whether to replace the times
 */
async function apply(
  document: vscode.TextDocument,
  { uri, turns }: Turns,
  caller: Caller,
  places: Window['places'],
): Promise<number | undefined> {
  const own = (await timedPair(document.uri, places)).times;
  const { times } = await openTimed(document.uri, places, own ?? uri);
  // The times come first: a text that names its speakers already is refused, so a failure could not be made good.
  const written = await writeTimes(document.uri, own && times, withSpeakers(times.cues, turns), caller, places);
  if (!written) return undefined;
  const edits = namedTurns(extensionFor(document.uri), document.getText(), times.cues, turns);
  const edit = new vscode.WorkspaceEdit();
  for (const { start, end, text } of edits) {
    edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
  }
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw invalid(vscode.l10n.t('{0} cannot be edited.', vscode.workspace.asRelativePath(document.uri)));
  }
  return edits.length;
}

async function tellOf({ uri }: Turns): Promise<void> {
  const sentence = vscode.l10n.t(
    'The speakers are named in the text. {0} has the answer of the service; while it is there, nothing is sent again.',
    posix.basename(uri.path),
  );
  await notify.information(sentence);
}

function invalid(sentence: string): MediaError {
  return new MediaError('invalidInput', sentence, { field: 'uri' });
}
