import { posix } from 'node:path';
import * as vscode from 'vscode';
import { lengthProblem, pairBeside, type TimedPair, timedPair } from '../../editor/timedPair.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { exists } from '../../editor/workspaceFiles.ts';
import { plainLine } from '../../foreign/plainText.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { DocumentReader } from '../../reading/DocumentReader.ts';
import { spokenWords } from '../../transcripts/captions.ts';
import type { Paragraph } from '../../transcripts/formatTranscript.ts';
import { frontMatterSource } from '../../transcripts/frontMatter.ts';
import { type Cue, joinTexts } from '../../transcripts/subtitles.ts';
import { hasTimeHeaders } from '../../transcripts/timeHeaders.ts';
import { readTimes, wordsOfCues } from '../../transcripts/times.ts';
import { readTranscriptFile } from '../../transcripts/transcriptIn.ts';
import { wordsIn } from '../../transcripts/words.ts';
import { findSpeakers } from './speakers.ts';

/** A document as it reads now, with the times of its recording. */
export interface TimedDocument {
  readonly uri: vscode.Uri;
  readonly pair: TimedPair;
  /** The file with the times, as it was read. */
  readonly times: { readonly uri: vscode.Uri; readonly bytes: Uint8Array; readonly cues: readonly Cue[] };
  readonly words: ReturnType<typeof spokenWords>;
}

/** A text in which fewer words were said belongs to another recording. */
const minShare = 0.2;

/**
 * Opens a document whose words have times. Unsaved edits count.
 *
 * @param answer a file with times that counts instead of the document's own
 * @throws MediaError `invalidInput` when it has none, or those of another recording, or in another encoding than UTF-8
 */
export async function openTimed(
  uri: vscode.Uri | undefined,
  places: Pick<WorkspacePlaces, 'libraryOf'>,
  answer?: vscode.Uri,
): Promise<TimedDocument> {
  const target = uri ?? vscode.window.activeTextEditor?.document.uri;
  if (!target) throw invalid(vscode.l10n.t('Open a transcript first.'));
  const found = { ...(await timedPair(target, places)), ...(answer && { times: answer }) };
  // For a file with times, use the text file beside it.
  const isTimes = /\.(?:vtt|srt|json)$/i.test(target.path);
  const pair = isTimes ? { ...(await besideTimes(target, places)), times: target } : found;
  const name = vscode.workspace.asRelativePath(pair.text ?? target);
  if (!pair.times) {
    const sentence = vscode.l10n.t('{0} has no times: there is no .vtt, .srt or Whisper .json file for it.', name);
    throw invalid(sentence);
  }
  const bytes = await vscode.workspace.fs.readFile(pair.times);
  const cues = readTimes(posix.basename(pair.times.path), bytes);
  const problem = await lengthProblem(pair, cues);
  if (problem !== undefined) throw invalid(`${problem} ${vscode.l10n.t('Nothing was changed.')}`);
  const paragraphs =
    pair.text === undefined ? paragraphsOf(cues) : await readDocument(pair.text, cues, pair.isNarration);
  checkSame(paragraphs, cues, name, pair.times);
  const times = { uri: pair.times, bytes, cues };
  return { uri: pair.text ?? target, pair, times, words: spokenWords(paragraphs, cues) };
}

async function besideTimes(times: vscode.Uri, places: Pick<WorkspacePlaces, 'libraryOf'>): Promise<TimedPair> {
  const folder = vscode.Uri.joinPath(times, '..');
  const { name } = posix.parse(times.path);
  const named = ['.md', '.txt'].map((extension) => vscode.Uri.joinPath(folder, `${name}${extension}`));
  const { text: other } = await pairBeside(times);
  for (const text of other ? [...named, other] : named) {
    const pair = await timedPair(text, places);
    if (pair.times?.toString() === times.toString() && (await exists(text))) return pair;
  }
  return {};
}

function paragraphsOf(cues: readonly Cue[]): readonly Pick<Paragraph, 'text' | 'speaker'>[] {
  return cues.map(({ lines, speaker = plainLine('') }) => ({ text: joinTexts(lines), speaker }));
}

async function readDocument(
  uri: vscode.Uri,
  cues: readonly Cue[],
  isNarration = false,
): Promise<readonly Pick<Paragraph, 'text' | 'speaker'>[]> {
  const document = await vscode.workspace.openTextDocument(uri);
  const text = document.getText();
  const extension = posix.extname(uri.path).slice(1).toLowerCase();
  // What a narrated document has in bold before a colon is no speaker.
  const isTranscript =
    !isNarration &&
    (extension === 'txt' ||
      (extension === 'md' &&
        (frontMatterSource(text) !== undefined || findSpeakers('md', text).size > 0 || hasTimeHeaders(text))));
  if (isTranscript) return readTranscriptFile(extension, text, cues);
  const blocks = await new DocumentReader().spokenBlocks(text, document.languageId, uri.path);
  return blocks.map(({ text: block }) => ({ text: plainLine(block) }));
}

/** @throws MediaError when the times are those of another text */
function checkSame(
  paragraphs: readonly Pick<Paragraph, 'text'>[],
  cues: readonly Cue[],
  name: string,
  times: vscode.Uri,
): void {
  const said = new Set(wordsOfCues(cues).map(({ key }) => key));
  const words = paragraphs.flatMap(({ text }) => wordsIn(text));
  const known = words.filter(({ key }) => said.has(key)).length;
  if (words.length > 0 && known / words.length >= minShare) return;
  const sentence = vscode.l10n.t(
    '{0} and {1} have hardly a word in common, so they do not belong together. Nothing was changed.',
    name,
    posix.basename(times.path),
  );
  throw invalid(sentence);
}

function invalid(sentence: string): MediaError {
  return new MediaError('invalidInput', sentence, { field: 'uri' });
}
