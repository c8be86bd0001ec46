import { withoutEntities } from '../documents/characterReferences.ts';
import { escapeSrt, escapeVtt, subRipTags } from '../foreign/escape.ts';
import { type PlainLine, plainLine, plainRow, plainText } from '../foreign/plainText.ts';
import { type NamesBeforeColons, namesBeforeColons } from './namesBeforeColons.ts';
import { oneAfterAnother, type WrittenCue, withoutRepeats } from './rollingCaptions.ts';
import { blanklessScripts, isInWord } from './words.ts';

const inner = new RegExp(`[${blanklessScripts}。、，！？：；「」]`, 'u');

/** Joins pieces of speech, with a space between them unless their script has none. */
export function joinTexts(texts: readonly string[]): PlainLine {
  const lines = texts.map(plainLine).filter((text) => text !== '');
  // Looking at the end of the joined text would copy all of it for each piece.
  const pieces = lines.map(
    (text, index) => ' '.repeat(index === 0 ? 0 : blankBetween(lines[index - 1] ?? '', text)) + text,
  );
  return plainLine(pieces.join(''));
}

/** Returns how many spaces stand between two pieces of text. */
export function blankBetween(text: string, next: string): 0 | 1 {
  return inner.test(text.slice(-1)) && inner.test(next.charAt(0)) ? 0 : 1;
}

/** Maximum length of a subtitle line in columns. Wide characters count as two. */
export const maxLineLength = 42;
const blankless = new RegExp(`[${blanklessScripts}]`, 'u');
const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]/u;
const words = new Intl.Segmenter('und', { granularity: 'word' });

/** A piece of a text. */
export interface Piece {
  readonly text: string;
  /** Space between this piece and the one before it, or nothing. */
  readonly blank: string;
}

/** Wraps a text into lines of similar length, at most 42 columns each unless a single word is longer. */
export function wrapLines(text: string): readonly string[] {
  const pieces = piecesOf(text);
  const lines = wrap(pieces, maxLineLength);
  // The smallest width that needs no more lines gives lines of similar length.
  for (let width = Math.ceil(columns(text) / Math.max(1, lines.length)); width < maxLineLength; width++) {
    const narrow = wrap(pieces, width);
    if (narrow.length <= lines.length) return narrow;
  }
  return lines;
}

function wrap(pieces: readonly Piece[], width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let taken = 0;
  for (const { text, blank } of pieces) {
    const length = columns(text);
    if (line !== '' && taken + blank.length + length > width) {
      lines.push(line);
      line = '';
      taken = 0;
    }
    if (line !== '') taken += blank.length;
    line += line === '' ? text : blank + text;
    taken += length;
  }
  return line === '' ? lines : [...lines, line];
}

/** Splits a text into words, also in scripts without spaces. Punctuation stays with its word. */
function piecesOf(text: string): readonly Piece[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => innerWords(word).map((inner, index) => ({ text: inner, blank: index === 0 ? ' ' : '' })));
}

function innerWords(word: string): readonly string[] {
  if (!blankless.test(word)) return [word];
  const pieces: string[] = [];
  for (const { segment, isWordLike } of words.segment(word)) {
    const last = pieces.at(-1);
    const belongs = last !== undefined && (isWordLike !== true ? !/^[\p{Ps}\p{Pi}]/u.test(segment) : isOpening(last));
    if (belongs) pieces[pieces.length - 1] = last + segment;
    else pieces.push(segment);
  }
  return pieces;
}

function isOpening(piece: string): boolean {
  return /[\p{Ps}\p{Pi}]$/u.test(piece);
}

export function columns(text: string): number {
  let sum = 0;
  for (const character of text) {
    if (wide.test(character)) sum += 2;
    else if (!/[\p{M}\p{Cf}]/u.test(character)) sum += 1;
  }
  return sum;
}

/** One subtitle. */
export interface Cue {
  /** Milliseconds from the start, as an integer. */
  readonly start: number;
  readonly end: number;
  /** Non-empty lines without markup. */
  readonly lines: readonly PlainLine[];
  readonly speaker?: PlainLine;
  /** Words of the lines with their times, in order, as far as they are known. */
  readonly words?: readonly CueWord[];
}

/** A word with the punctuation around it, or several. Times are in milliseconds. */
export interface CueWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const minCueMs = 100;

/** In milliseconds; far beyond any recording. */
const maxTime = 99_999 * 3_600_000;

/** Converts a time of a service; what is no time counts as the start. */
export function milliseconds(seconds: number): number {
  return Number.isFinite(seconds) ? Math.min(maxTime, Math.max(0, Math.round(seconds * 1000))) : 0;
}

/** With the sign of a time before the start. Hours of more than five digits would lose their milliseconds. */
const clock = '(-?)(?:(\\d{1,5}):)?(\\d{1,2}):(\\d{1,2})';
/** Python writes whole seconds without a fraction, and others with microseconds. */
const cueTime = `${clock}(?:[,.](\\d{1,3})\\d*)?`;
const times = new RegExp(`^\\s*${cueTime}\\s*-->\\s*${cueTime}`);
const wordTime = new RegExp(`<${clock}[,.](\\d{1,3})>`);
/** Where the text of another voice, or of none, begins. */
const voiceStart = /(?=<v[. \t])|(?<=<\/v>)/;
const dashBeforeVoice = /(?<=^|<\/v>)[ \t]*[-–—][ \t]*(?=<v[. \t])/gm;
const voice = /<v(?:\.[^ \t<>]*)?[ \t]([^<>]+)>/;
/** Tags of WebVTT; anything else in angle brackets is text. */
const tags = /<\/?(?:[biuscv]|font|lang|ruby|rt)(?:[ .\t][^<>]*)?>|<\d[\d:.]*>/gi;

export type SubtitleFormat = 'srt' | 'vtt';

/** Reads the cues of a SubRip or WebVTT file, without styles and notes. Reads as much as possible of a damaged file. */
export function readSubtitles(format: SubtitleFormat, file: string): readonly Cue[] {
  const cues = withoutRepeats(writtenCues(format, file), (line) => plain(format, line).join(' '));
  if (format === 'vtt' && cues.some(({ lines }) => lines.some((line) => voice.test(line)))) {
    return cues.flatMap((cue) => cuesIn(format, cue, voicesIn(cue)));
  }
  const names = namesBeforeColons(cues);
  let speaker: string | undefined;
  return oneAfterAnother(cues).flatMap((cue) => {
    const parts = turnsIn(cue, names, speaker);
    if (names.isAtChanges) speaker = parts.at(-1)?.speaker;
    return cuesIn(format, cue, parts);
  });
}

function writtenCues(format: SubtitleFormat, file: string): readonly WrittenCue[] {
  const cues: (WrittenCue & { readonly lines: string[] })[] = [];
  const written = plainText(file).split('\n');
  // YouTube begins the text of a cue with a line of one space.
  const filled = written.filter((line, at) => line === '' || line.trim() !== '' || !times.test(written[at - 1] ?? ''));
  const blocks = filled.join('\n').split(/\n(?:[ \t]*\n)+/);
  for (const block of blocks) {
    const lines = block.split('\n');
    // Some files have no blank lines between their cues.
    const starts = lines.flatMap((line, index) => (times.test(line) ? [index] : []));
    for (const [index, at] of starts.entries()) {
      const [, ...numbers] = times.exec(lines[at] ?? '') ?? [];
      const next = starts[index + 1] ?? lines.length;
      const isNumbered = format === 'srt' && next < lines.length && /^\s*\d+\s*$/.test(lines[next - 1] ?? '');
      const start = parseTime(numbers.slice(0, 5));
      const end = Math.max(parseTime(numbers.slice(5)), start + minCueMs);
      cues.push({ start, end, lines: withReadable(format, lines.slice(at + 1, isNumbered ? next - 1 : next)) });
    }
    const last = cues.at(-1);
    // A SubRip cue must not contain blank lines, but some do.
    if (starts.length === 0 && format === 'srt' && last) {
      for (const line of withReadable(format, lines)) last.lines.push(line);
    }
  }
  return cues.filter(({ lines }) => lines.length > 0);
}

/** Returns the lines of a cue that show something, without the readings of ruby text. */
function withReadable(format: SubtitleFormat, lines: readonly string[]): string[] {
  const text = lines.join('\n');
  return (format === 'vtt' ? withoutReadings(text) : text).split('\n').filter((line) => plain(format, line).length > 0);
}

/** Removes the readings in ruby text, which are not spoken in addition to it. */
function withoutReadings(text: string): string {
  if (!/<ruby[.\s>]/.test(text)) return text;
  let isRuby = false;
  let isReading = false;
  return text
    .split(/(<[^<>]*>)/)
    .filter((piece) => {
      const [, end, tag] = /^<(\/?)(ruby|rt)(?=[.\s>])/.exec(piece) ?? [];
      if (tag === 'ruby') isRuby = end === '';
      if (tag !== undefined) isReading = isRuby && tag === 'rt' && end === '';
      return !isReading;
    })
    .join('');
}

/** What one voice, or none, says in a cue. */
interface VoicePart {
  readonly speaker: string | undefined;
  readonly text: string;
}

function voicesIn({ lines }: WrittenCue): readonly VoicePart[] {
  const parts: VoicePart[] = [];
  for (const text of lines.join('\n').replace(dashBeforeVoice, '').split(voiceStart)) {
    const speaker = voice.exec(text)?.[1];
    const last = parts.at(-1);
    // Punctuation after the end of a voice belongs to it.
    if (last && speaker === undefined && !/[\p{L}\p{N}]/u.test(plain('vtt', text).join(' '))) {
      parts[parts.length - 1] = { ...last, text: last.text + text };
    } else {
      parts.push({ speaker, text });
    }
  }
  return parts;
}

/** @param before who spoke last */
function turnsIn(
  { lines }: WrittenCue,
  { nameIn }: NamesBeforeColons,
  before: string | undefined,
): readonly VoicePart[] {
  const parts: VoicePart[] = [];
  for (const line of lines) {
    const named = nameIn(line);
    const last = parts.at(-1);
    if (named) parts.push({ speaker: named.name, text: named.text });
    else if (last) parts[parts.length - 1] = { ...last, text: `${last.text}\n${line}` };
    else parts.push({ speaker: before, text: line });
  }
  return parts;
}

/** Returns a cue for each voice. Those in one cue of the file share its time. */
function cuesIn(format: SubtitleFormat, { start, end }: WrittenCue, parts: readonly VoicePart[]): readonly Cue[] {
  const voices = parts
    .map((part) => ({ ...part, lines: plain(format, part.text) }))
    .filter(({ lines }) => lines.length > 0);
  const at = (index: number) => Math.round(start + ((end - start) * index) / voices.length);
  return voices.map(({ lines, speaker, text }, index) => ({
    start: at(index),
    end: at(index + 1),
    lines,
    ...(speaker === undefined ? {} : { speaker: plainLine(format === 'vtt' ? withoutEntities(speaker) : speaker) }),
    ...(format === 'vtt' ? wordTimesIn(text, at(index), at(index + 1)) : {}),
  }));
}

/** Reads the times inside a cue. Each counts until the next one; what is spoken before the first begins with the cue. */
function wordTimesIn(text: string, start: number, end: number): Pick<Cue, 'words'> {
  const [first = '', ...others] = text.split(wordTime);
  if (others.length === 0) return {};
  const parts = [{ text: first, start }];
  for (let index = 0; index < others.length; index += 6) {
    parts.push({ text: others[index + 5] ?? '', start: parseTime(others.slice(index, index + 5)) });
  }
  const words = parts.map((part, index) => ({
    text: plain('vtt', part.text).join(' '),
    start: Math.max(start, part.start),
    end: Math.max(start, part.start, Math.min(end, parts[index + 1]?.start ?? end)),
  }));
  return { words: words.filter((word) => word.text !== '') };
}

function parseTime([sign, hours = '0', minutes = '0', seconds = '0', rest = '0']: readonly (
  | string
  | undefined
)[]): number {
  if (sign === '-') return 0;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(rest.padEnd(3, '0'));
}

function plain(format: SubtitleFormat, text: string): PlainLine[] {
  return text
    .replace(format === 'vtt' ? tags : subRipTags, '')
    .split('\n')
    .map((line) => plainRow((format === 'vtt' ? withoutEntities(line) : line).trim()))
    .filter((line) => line !== '');
}

/** Writes a SubRip or WebVTT file. */
export function writeSubtitles(format: SubtitleFormat, cues: readonly Cue[]): string {
  const blocks = cues.map((cue, index) => {
    const { start, end, lines, speaker } = cue;
    const mark = format === 'srt' ? ',' : '.';
    const times = `${time(start, mark)} --> ${time(end, mark)}`;
    if (format === 'srt') return `${index + 1}\n${times}\n${lines.map(escapeSrt).join('\n')}\n`;
    const voice = speaker === undefined ? '' : `<v ${escapeVtt(speaker)}>`;
    return `${times}\n${voice}${linesWithTimes(cue).join('\n')}\n`;
  });
  return (format === 'vtt' ? ['WEBVTT\n', ...blocks] : blocks).join('\n');
}

/** A shorter silence between words is no breath. */
const minBreathMs = 200;

/** Writes the times of words before them. A time before a space is the end of a word before a breath. */
function linesWithTimes({ start, end, lines, words = [] }: Cue): readonly string[] {
  let next = 0;
  // The times in a cue must increase and lie inside it.
  let latest = start;
  const mark = (at: number) => {
    if (at <= latest || at >= end) return '';
    latest = at;
    return `<${time(at, '.')}>`;
  };
  return lines.map((line) => {
    let written = '';
    let at = 0;
    for (let word = words[next]; word; word = words[++next]) {
      const found = placeOf(word, line, at);
      if (found < 0) break;
      const before = words[next - 1];
      if (before && word.start - before.end >= minBreathMs) written += mark(before.end);
      written += escapeVtt(plainRow(line.slice(at, found))) + mark(word.start) + escapeVtt(plainRow(word.text));
      at = found + word.text.length;
    }
    return written + escapeVtt(plainRow(line.slice(at)));
  });
}

/** Finds a word right here or where a word begins. @returns a negative number if it is not there */
function placeOf({ text }: CueWord, line: string, from: number): number {
  let found = line.indexOf(text, from);
  while (found > from && isInWord(line, found)) found = line.indexOf(text, found + 1);
  return found;
}

/** Formats a time, with at least two digits for the hours. */
function time(milliseconds: number, mark: string): string {
  const digits = (value: number, count: number) => String(Math.floor(value)).padStart(count, '0');
  const seconds = milliseconds / 1000;
  const clock = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((value) => digits(value, 2)).join(':');
  return `${clock}${mark}${digits(milliseconds % 1000, 3)}`;
}
