import { posix } from 'node:path';
import * as vscode from 'vscode';
import { pathFrom } from '../files/pathFrom.ts';
import type { Library } from '../library/Library.ts';
import { inputsOf } from '../library/origins.ts';
import { extensionsOf } from '../operations/fields.ts';
import { extensionOf, field, spokenExtensions } from '../operations/operations.ts';
import { readRecording } from '../sound/readRecording.ts';
import { endOf } from '../transcripts/alignWords.ts';
import { clockTime } from '../transcripts/formatTranscript.ts';
import { frontMatterDuration, frontMatterSource } from '../transcripts/frontMatter.ts';
import type { Cue } from '../transcripts/subtitles.ts';
import { readNarrations } from '../wholes/planNarration.ts';
import type { WorkspacePlaces } from './WorkspacePlaces.ts';
import { entriesIn, exists } from './workspaceFiles.ts';

/** A recording and the text and times that belong to it: what was transcribed from it, or spoken in it. */
export interface TimedPair {
  readonly recording?: vscode.Uri;
  readonly text?: vscode.Uri;
  /** A `.vtt`, an `.srt` or JSON of Whisper. */
  readonly times?: vscode.Uri;
  /** Whether the recording is the narration of the text. */
  readonly isNarration?: true;
  /** Whether the library records the text as a transcript. */
  readonly isTranscript?: true;
}

const recordings = [...extensionsOf(field('transcribe', 'file')), 'aac'];
const times = ['vtt', 'srt', 'json'];
/** What Zoom and yt-dlp write before the extension of times: `.transcript` and a language. */
const beforeTimes = /\.(?:transcript|[a-z]{2,3}(?:-[a-z\d]{2,8})*)$/i;
/** The size of the picture in the names of Zoom's videos, which their times do not have. */
const pictureSize = /_\d+x\d+$/;

function isTimesName(path: string): boolean {
  return times.includes(extensionOf(path));
}

function isRecordingName(path: string): boolean {
  return recordings.includes(extensionOf(path));
}

/**
 * Finds what belongs to a document or a recording: by the library's records of narrations and transcripts, by the
 * `source` in the front matter, or by name.
 */
export async function timedPair(uri: vscode.Uri, places: Pick<WorkspacePlaces, 'libraryOf'>): Promise<TimedPair> {
  return pairWith(uri, await recorded(uri, places));
}

/** Finds pairs for what the editor asks again and again, and reads a library once until it changes. */
export class TimedPairs implements vscode.Disposable {
  readonly #places: Pick<WorkspacePlaces, 'libraryOf'>;
  /** What the library says, by the address that was asked about. */
  readonly #recorded = new Map<string, Promise<TimedPair>>();
  readonly #listening: vscode.Disposable;

  constructor(places: Pick<WorkspacePlaces, 'libraryOf' | 'onDidChange'>) {
    this.#places = places;
    this.#listening = places.onDidChange(() => this.#recorded.clear());
  }

  dispose(): void {
    this.#listening.dispose();
  }

  async of(uri: vscode.Uri): Promise<TimedPair> {
    const key = uri.toString();
    const found = this.#recorded.get(key) ?? recorded(uri, this.#places);
    this.#recorded.set(key, found);
    found.catch(() => this.#recorded.delete(key));
    return pairWith(uri, await found);
  }
}

async function pairWith(uri: vscode.Uri, found: TimedPair): Promise<TimedPair> {
  const own: TimedPair = isRecordingName(uri.path) ? { recording: uri } : { text: uri };
  return { ...(await pairBeside(uri)), ...defined(found), ...own };
}

/** Finds what belongs to a document or a recording by front matter or name. Reads no library, which may be large. */
export async function pairBeside(uri: vscode.Uri): Promise<TimedPair> {
  const beside = await besideOf(uri);
  const byName: TimedPair = {
    recording: beside(recordings),
    text: beside(spokenExtensions),
    times: beside(times),
  };
  return { ...defined(byName), ...defined(await sourceOf(uri)) };
}

function defined(pair: TimedPair): TimedPair {
  return Object.fromEntries(Object.entries(pair).filter(([, one]) => one !== undefined));
}

/** Returns a function that finds the file of the same name, or times with more in theirs, in the order of extensions. */
async function besideOf(uri: vscode.Uri): Promise<(extensions: readonly string[]) => vscode.Uri | undefined> {
  const folder = vscode.Uri.joinPath(uri, '..');
  const entries = await entriesIn(folder);
  const { name: stem, base } = posix.parse(uri.path);
  const names = entries.map(([name]) => name);
  const same = names.filter((name) => posix.parse(name).name === stem);
  const longer = names.filter((name) => isTimesOf(name, base) || isTimesOf(base, name));
  return (extensions) => {
    const first = (those: readonly string[]) =>
      extensions.flatMap((one) => those.find((name) => name.toLowerCase().endsWith(`.${one}`)) ?? [])[0];
    const found = first(same) ?? first(longer);
    return found === undefined ? undefined : vscode.Uri.joinPath(folder, found);
  };
}

/** Whether one name is that of times, with more before its extension, of the other file. */
function isTimesOf(name: string, file: string): boolean {
  if (!isTimesName(name) || isTimesName(file)) return false;
  const written = posix.parse(name).name;
  const stem = posix.parse(file).name;
  // whisper.cpp adds to the whole name of the recording.
  if (isRecordingName(written)) return isRecordingName(file) ? written === file : posix.parse(written).name === stem;
  return [stem, stem.replace(pictureSize, '')].includes(written.replace(beforeTimes, ''));
}

async function sourceOf(uri: vscode.Uri): Promise<TimedPair> {
  if (!/\.(md|markdown)$/i.test(uri.path)) return {};
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  const text = document?.getText() ?? (await readText(uri));
  const source = frontMatterSource(text);
  if (source === undefined) return {};
  const recording = vscode.Uri.joinPath(uri, '..', source);
  return (await exists(recording)) ? { recording } : {};
}

async function recorded(uri: vscode.Uri, places: Pick<WorkspacePlaces, 'libraryOf'>): Promise<TimedPair> {
  const root = vscode.workspace.getWorkspaceFolder(uri)?.uri;
  if (!root) return {};
  const path = pathFrom(root.path, uri.path);
  for (const narration of (await readNarrations(places.libraryOf(root))).toReversed()) {
    if (narration.document !== path && narration.file !== path) continue;
    const recording = vscode.Uri.joinPath(root, narration.file);
    const written = vscode.Uri.joinPath(recording, '..', narration.transcript.name);
    if (!(await exists(recording)) || !(await exists(written))) continue;
    return { recording, times: written, text: vscode.Uri.joinPath(root, narration.document), isNarration: true };
  }
  const text = isRecordingName(path) ? await transcriptOf(path, places.libraryOf(root)) : path;
  if (text === undefined) return {};
  const { kind, times: written, madeFrom } = (await places.libraryOf(root).entriesAt([text])).at(-1) ?? {};
  const isTranscript: TimedPair = kind === 'transcripts' ? { isTranscript: true } : {};
  const transcript = vscode.Uri.joinPath(root, text);
  // Times of a document of subtitles are the file that it was made of, which is not ours.
  const named = written ? posix.join(posix.dirname(text), written.name) : kind === 'transcripts' && madeFrom?.file;
  if (!named) return isTranscript;
  const times = vscode.Uri.joinPath(root, named);
  if (!(await exists(times))) return isTranscript;
  const isOther = text !== path && (await exists(transcript));
  return { ...isTranscript, times, ...(isOther ? { text: transcript } : {}) };
}

/** Returns the path of the newest transcript of a recording that has times. */
async function transcriptOf(recording: string, library: Library): Promise<string | undefined> {
  const entries = await library.entries();
  return entries.findLast(
    (entry) => (entry.times ?? entry.madeFrom) !== undefined && inputsOf(entry).some(({ file }) => file === recording),
  )?.file;
}

/** Milliseconds that times may lie beyond the end of a recording, since services round. */
const maxBeyond = 2000;

/** Returns a sentence when the length of the recording shows that it is another one than that of the times. */
export async function lengthProblem({ recording, text }: TimedPair, cues: readonly Cue[]): Promise<string | undefined> {
  if (recording?.scheme !== 'file') return undefined;
  const signal = new AbortController().signal;
  const facts = await readRecording({ type: 'examine', file: recording.fsPath }, { signal });
  if (facts.type !== 'examined' || !facts.sound) return undefined;
  const name = posix.basename(recording.path);
  const length = facts.sound.seconds * 1000;
  const end = endOf(cues);
  if (end > length + maxBeyond) {
    return vscode.l10n.t(
      'The times reach {0}, but {1} ends at {2}, so it is a different recording.',
      clockTime(Math.round(end / 1000)),
      name,
      clockTime(Math.round(facts.sound.seconds)),
    );
  }
  const before = text && frontMatterDuration((await vscode.workspace.openTextDocument(text)).getText());
  if (before === undefined || length <= before * 1000 + Math.max(maxBeyond, before * 20)) return undefined;
  return vscode.l10n.t(
    '{0} is {1} long, but the recording that was transcribed was {2} long, so the file was replaced. Transcribe it again.',
    name,
    clockTime(Math.round(facts.sound.seconds)),
    clockTime(Math.round(before)),
  );
}

async function readText(uri: vscode.Uri): Promise<string> {
  return vscode.workspace.fs.readFile(uri).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => '',
  );
}
