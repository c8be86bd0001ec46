import * as l10n from '@vscode/l10n';
import { plainLine, plainRow, plainText } from '../foreign/plainText.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { Segment, TimedText, Transcript } from '../operations/operations.ts';
import { parseJson } from '../operations/parseJson.ts';
import { readSegments } from '../operations/readSegments.ts';
import { alignWords, divided, endOf, type TimedWord } from './alignWords.ts';
import {
  type Cue,
  type CueWord,
  joinTexts,
  milliseconds,
  type Piece,
  readSubtitles,
  writeSubtitles,
} from './subtitles.ts';
import { wordsIn } from './words.ts';

// The times of a recording: in the .vtt beside a transcript, or in a file that another program wrote.

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });
const minCueMs = 100;

/**
 * Returns the WebVTT file with all times that a service sent: a cue for each segment, with its speaker and the times of
 * its words. Subtitles in WebVTT stay as they are.
 *
 * @param cues those with times of the transcript
 * @returns undefined when there are no times
 */
export function timesFileOf(transcript: Transcript, cues: readonly Cue[]): string | undefined {
  if (transcript.subtitles === 'vtt') {
    const isReadable = readSubtitles('vtt', transcript.text).length > 0;
    return isReadable ? `${plainText(transcript.text).trimEnd()}\n` : undefined;
  }
  return cues.length === 0 ? undefined : writeSubtitles('vtt', cues);
}

/** Returns a cue for each segment, in order; for each sentence of the text, when only words have times. */
export function cuesWithTimes({ text, subtitles, segments, words = [] }: Transcript): readonly Cue[] {
  const sent = subtitles ? readSubtitles(subtitles, text) : segments.flatMap(cueOf);
  const cues = sent.length > 0 || subtitles ? sent : untimed(words.length > 0 ? text : '');
  return withWords(cues, words, sent.length === 0).toSorted((one, other) => one.start - other.start);
}

function cueOf({ start, end, text, speaker }: Segment): readonly Cue[] {
  const line = plainLine(text);
  if (line === '' || !Number.isFinite(start)) return [];
  const from = milliseconds(start);
  const to = Math.max(Number.isFinite(end) ? milliseconds(end) : from, from + minCueMs);
  const name = speaker === undefined ? '' : plainRow(speaker).trim();
  return [{ start: from, end: to, lines: [line], ...(name === '' ? {} : { speaker: plainLine(name) }) }];
}

function untimed(text: string): readonly Cue[] {
  return [...sentences.segment(text)]
    .map(({ segment }) => plainLine(segment))
    .filter((line) => wordsIn(line).length > 0)
    .map((line) => ({ start: 0, end: 0, lines: [line] }));
}

/** Gives the words of cues their times. @param isWhole whether the cues have the times of their words alone */
function withWords(cues: readonly Cue[], words: readonly TimedText[], isWhole: boolean): readonly Cue[] {
  if (words.length === 0) return cues;
  const timed = words
    .filter(({ start, end }) => Number.isFinite(start) && Number.isFinite(end))
    .flatMap(({ start, end, text }) => timedWords(text, milliseconds(start), milliseconds(end)));
  const texts = cues.map(({ lines }) => piecesOf(joinTexts(lines)));
  const spans = alignWords(
    texts.flatMap((pieces) => pieces.map(({ key }) => key)),
    timed,
  );
  let from = 0;
  return cues.map((cue, index) => {
    const pieces = texts[index] ?? [];
    const own: readonly CueWord[] = pieces.flatMap(({ text }, at) => {
      const span = spans[from + at];
      return span ? [{ text, ...span }] : [];
    });
    from += pieces.length;
    const [first] = own;
    if (!isWhole) {
      // Words outside their segment were not recognised there.
      const inside = own.filter(({ start, end }) => start < cue.end && (start >= cue.start || end > cue.start));
      return endOf(inside) > cue.start ? { ...cue, words: inside } : cue;
    }
    if (!first) return cue;
    const end = Math.max(endOf(own), first.start + minCueMs);
    return { ...cue, start: first.start, end, words: own };
  });
}

/** Splits a line into one piece for each word, with the punctuation around it. */
export function piecesOf(text: string): readonly (Piece & {
  /** As in `wordsIn`. */
  readonly key: string;
})[] {
  const words = wordsIn(text);
  // What stands between two words belongs to the first one: up to the last space, or else up to what opens the second.
  const starts = words.map(({ from }, index) => {
    const before = text.slice(words[index - 1]?.to ?? 0, from);
    if (index === 0) return 0;
    return from - (/\s/.test(before) ? before.length - before.lastIndexOf(' ') - 1 : openingLength(before));
  });
  return starts.map((start, index) => ({
    key: words[index]?.key ?? '',
    text: text.slice(start, starts[index + 1]).trim(),
    blank: index === 0 || text[start - 1] === ' ' ? ' ' : '',
  }));
}

/** Returns how many characters at the end of a text open what follows, such as brackets. */
function openingLength(text: string): number {
  let from = text.length;
  while (/[\p{Ps}\p{Pi}]/u.test(text.charAt(from - 1))) from--;
  return text.length - from;
}

function timedWords(text: string, start: number, end: number): readonly TimedWord[] {
  const keys = wordsIn(text).map(({ key }) => key);
  return divided(start, Math.max(start, end), keys).map((span, index) => ({ key: keys[index] ?? '', ...span }));
}

/** Returns the words of cues; where only a cue has times, they are divided by the lengths of its words. */
export function wordsOfCues(cues: readonly Cue[]): readonly TimedWord[] {
  return cues.flatMap(({ start, end, lines, words = [{ text: lines.join(' '), start, end }] }) => {
    const timed = words.flatMap((word) => timedWords(word.text, word.start, word.end));
    // A cue such as “♪” has no words, but a time.
    return timed.length > 0 ? timed : [{ key: '', start, end }];
  });
}

/** A recording of ten hours with all its words needs less. */
const maxTimesBytes = 32_000_000;
/** Largest file whose times are followed while a recording plays, for which its words are aligned with the document. */
export const maxPlayedBytes = 8_000_000;

/** @throws MediaError `invalidInput` for a file that is too large */
export function checkTimesSize(name: string, bytes: number, limit = maxTimesBytes): void {
  if (bytes <= limit) return;
  const sizes = [Math.ceil(bytes / 1_000_000), limit / 1_000_000] as const;
  const sentence = l10n.t('{0} is too large ({1} MB); files with times may have {2} MB.', name, ...sizes);
  throw new MediaError('invalidInput', sentence, { field: 'uri' });
}

/**
 * Reads the times of a recording from a WebVTT or SubRip file or from JSON of Whisper.
 *
 * @param name file name, for errors; its extension decides how it is read
 * @throws MediaError `invalidInput` when it has no times, is too large or has another encoding than UTF-8
 */
export function readTimes(name: string, file: Uint8Array): readonly Cue[] {
  checkTimesSize(name, file.length);
  // What is made from it would have replacement characters in place of letters.
  if (!isUtf8(file)) {
    throw new MediaError('invalidInput', l10n.t('{0} is not saved as UTF-8. Save it as UTF-8.', name), {
      field: 'uri',
    });
  }
  const text = new TextDecoder().decode(file);
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const cues =
    extension === 'json'
      ? cuesInJson(text)
      : readSubtitles(extension === 'srt' ? 'srt' : 'vtt', text).toSorted((one, other) => one.start - other.start);
  if (cues.length > 0) return cues;
  const sentence = l10n.t('{0} has no times that can be read. Nothing was changed.', name);
  throw new MediaError('invalidInput', sentence, { field: 'uri' });
}

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function cuesInJson(json: string): readonly Cue[] {
  const value = parseJson(json);
  if (typeof value !== 'object' || value === null) return [];
  const { segments, words } = readSegments(value);
  const text = words.map((word) => word.text.trim()).join(' ');
  return cuesWithTimes({ text, subtitles: undefined, language: undefined, duration: undefined, segments, words });
}
