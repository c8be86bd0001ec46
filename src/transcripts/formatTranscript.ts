import * as l10n from '@vscode/l10n';
import { escapeMarkdown, quoteYaml } from '../foreign/escape.ts';
import { type PlainLine, type PlainText, plainLine, plainRow, plainText } from '../foreign/plainText.ts';
import type { Segment, Transcript } from '../operations/operations.ts';
import { captionsOf, spokenWords } from './captions.ts';
import { type Cue, joinTexts, milliseconds, readSubtitles, writeSubtitles } from './subtitles.ts';
import { cuesWithTimes, timesFileOf } from './times.ts';

export interface Paragraph {
  /** Set when the speaker changes. */
  readonly speaker?: PlainLine;
  readonly text: PlainText;
  /** Seconds from the start of the recording, if known. */
  readonly start?: number;
}

/** Seconds of silence that start a new paragraph. */
const longPause = 2;
/** Characters after which the next end of a sentence starts a new paragraph. */
const longParagraph = 600;

/** Groups segments into paragraphs by speaker, long pauses and length. */
export function paragraphsOf(segments: readonly Segment[]): readonly Paragraph[] {
  const groups: Segment[][] = [];
  let length = 0;
  for (const segment of segments) {
    if (segment.text.trim() === '') continue;
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (!group || !last || isNewParagraph(last, segment, length)) {
      groups.push([segment]);
      length = 0;
    } else {
      group.push(segment);
    }
    length += segment.text.length;
  }
  return groups.map((group, index) => {
    const speaker = group[0]?.speaker;
    const isNew = speaker !== undefined && speaker !== groups[index - 1]?.[0]?.speaker;
    const text = joinTexts(group.map((segment) => segment.text));
    return { text, start: group[0]?.start, ...(isNew ? { speaker: plainRow(speaker) } : {}) };
  });
}

function isNewParagraph(last: Segment, next: Segment, length: number): boolean {
  if (next.speaker !== last.speaker || next.start - last.end >= longPause) return true;
  return length >= longParagraph && /[\p{Sentence_Terminal}…][\p{Pe}\p{Pf}"']*\s*$/u.test(last.text);
}

export interface Repeat {
  readonly text: PlainLine;
  readonly times: number;
}

/** As many repeats in a row suggest a hallucination, which services produce for silence. */
const minRepeats = 5;
const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });

/** Returns the sentence or line with the most repeats in a row, if suspiciously many. Ignores case and punctuation. */
export function findRepeat(texts: readonly string[]): Repeat | undefined {
  let most: Repeat | undefined;
  let last = '';
  let run: Repeat = { text: plainLine(''), times: 0 };
  for (const text of texts.flatMap(sentencesOf)) {
    const key = text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, '') || text;
    run = key === last ? { ...run, times: run.times + 1 } : { text, times: 1 };
    last = key;
    if (run.times >= minRepeats && run.times > (most?.times ?? 0)) most = run;
  }
  return most;
}

function sentencesOf(text: string): readonly PlainLine[] {
  return [...sentences.segment(text)].map(({ segment }) => plainLine(segment)).filter((sentence) => sentence !== '');
}

/** Source of a transcript. */
export interface TranscriptOrigin {
  /** The recording's path in the workspace, or its file name; absent for subtitles without a recording. */
  readonly source?: string;
  /** Relative link from the transcript to the recording, if any, with forward slashes and not percent-encoded. */
  readonly link?: string;
  /** The model and the operation of the request; absent when nothing was sent. */
  readonly model?: string;
  readonly operation?: string;
  /** Name of the file that it was made of on this computer. */
  readonly subtitles?: string;
  readonly date: Date;
  readonly sandbox?: boolean;
  readonly times?: TranscriptTimes;
}

/** Values of the setting `transcript.times`: whether each turn begins with its time. */
export type TranscriptTimes = 'none' | 'turns';

/** Writes Markdown with YAML front matter, a link to the recording and the text. */
function writeMarkdown(
  origin: TranscriptOrigin,
  {
    transcript,
    paragraphs,
    repeat,
  }: {
    readonly transcript: Transcript;
    readonly paragraphs: readonly Paragraph[];
    readonly repeat: Repeat | undefined;
  },
): string {
  const { duration, language } = transcript;
  const note = noteOn(transcript.segments, repeat);
  const speakers = [...new Set(paragraphs.flatMap(({ speaker }) => speaker ?? []))];
  const matter: readonly (string | undefined)[] = [
    origin.source === undefined ? undefined : `source: ${yaml(origin.source)}`,
    origin.subtitles === undefined ? undefined : `subtitles: ${yaml(origin.subtitles)}`,
    origin.model === undefined ? undefined : `model: ${yaml(origin.model)}`,
    origin.operation === undefined ? undefined : `operation: ${yaml(origin.operation)}`,
    `date: ${origin.date.toISOString()}`,
    duration === undefined ? undefined : `duration: ${Math.round(duration * 1000) / 1000} # seconds`,
    language === undefined ? undefined : `language: ${yaml(language)}`,
    speakers.length === 0 ? undefined : `speakers: [${speakers.map(yaml).join(', ')}]`,
    origin.sandbox ? 'sandbox: true' : undefined,
    note === undefined ? undefined : `note: ${yaml(note)}`,
  ];
  const front = matter.filter((line) => line !== undefined).join('\n');
  const marks = marksOf(paragraphs, origin);
  const body = paragraphs.map(({ speaker, text }, index) => {
    const name = speaker === undefined ? '' : `**${escapeMarkdown(plainLine(speaker))}:** `;
    return `${marks[index] ?? ''}${name}${escapeMarkdown(text)}`;
  });
  const link = origin.link === undefined ? [] : [linkTo(origin.link)];
  return `---\n${front}\n---\n\n${[...link, ...body].join('\n\n')}\n`;
}

/** Returns what stands before each paragraph: the time of a turn, as a link to the recording if there is one. */
function marksOf(paragraphs: readonly Paragraph[], { times, link }: Pick<TranscriptOrigin, 'times' | 'link'>) {
  const hasSpeakers = paragraphs.some(({ speaker }) => speaker !== undefined);
  return paragraphs.map(({ start, speaker }) => {
    if (times !== 'turns' || start === undefined || (hasSpeakers && speaker === undefined)) return '';
    const address = link === undefined ? '' : `(${addressOf(link)}#t=${Math.floor(start)})`;
    return `[${clockTime(start)}]${address} `;
  });
}

/** Formats a time as `00:07`, or as `1:00:07` from an hour on. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const clock = `${two((whole / 60) % 60)}:${two(whole % 60)}`;
  return whole < 3600 ? clock : `${Math.floor(whole / 3600)}:${clock}`;
}

/** The segments that are named one by one. */
const maxNamed = 5;

/** Returns what a reader should check against the recording; undefined if there is nothing. */
function noteOn(segments: readonly Segment[], repeat: Repeat | undefined): string | undefined {
  const silent = segments.filter(({ isSilence, text }) => isSilence && text.trim() !== '');
  const named = silent.slice(0, maxNamed).map(({ start, text }) => `${clockTime(start)} “${plainLine(text).trim()}”`);
  const notes = [
    repeat && l10n.t('“{0}” repeats {1} times in a row; perhaps no one said it.', repeat.text, repeat.times),
    silent.length > 0 && l10n.t('The service takes this for silence: {0}.', named.join(', ')),
    silent.length > maxNamed && l10n.t('And {0} more.', silent.length - maxNamed),
  ];
  return notes.filter(Boolean).join(' ') || undefined;
}

function yaml(text: string): string {
  return quoteYaml(plainRow(text));
}

function linkTo(path: string): string {
  const name = escapeMarkdown(plainLine(path.slice(path.lastIndexOf('/') + 1))).replace(/(?<!\\)[[\]]/g, '\\$&');
  return `[${name}](${addressOf(path)})`;
}

function addressOf(path: string): string {
  const address = path.toWellFormed().split('/').map(encodeURIComponent).join('/');
  // Markdown needs these encoded as well.
  return address.replace(/[()*!'~_]/g, percentEncoded);
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Values of the setting `transcript.format`. */
export const transcriptFormats = ['markdown', 'text', 'srt', 'vtt'] as const;
/** Agents may also choose `json`: the text and the segments with their times and speakers. */
export type TranscriptFormat = (typeof transcriptFormats)[number] | 'json';

export interface FormattedTranscript {
  /** The actual format, which is not the requested one if that is subtitles and the service sent no times. */
  readonly format: TranscriptFormat;
  /** File extension without the dot. */
  readonly extension: string;
  readonly mediaType: string;
  /** Content of the file. */
  readonly text: string;
  /** Content of the `.vtt` file beside it, with all times that the service sent; undefined without times. */
  readonly times: string | undefined;
  /** A line that repeats suspiciously often. It stays in the file. */
  readonly repeat: Repeat | undefined;
}

const types: Readonly<Record<TranscriptFormat, Pick<FormattedTranscript, 'extension' | 'mediaType'>>> = {
  markdown: { extension: 'md', mediaType: 'text/markdown' },
  text: { extension: 'txt', mediaType: 'text/plain' },
  srt: { extension: 'srt', mediaType: 'application/x-subrip' },
  vtt: { extension: 'vtt', mediaType: 'text/vtt' },
  json: { extension: 'json', mediaType: 'application/json' },
};
/** Share of the text that the segments must cover to be used for subtitles. */
const minCoverage = 0.8;

/**
 * Formats a transcript as a file. Never drops or adds words: when subtitles cannot be made, the result is Markdown, or
 * the subtitles that the service sent.
 */
export function formatTranscript(
  transcript: Transcript,
  format: TranscriptFormat,
  origin: TranscriptOrigin,
): FormattedTranscript {
  const cues = segmentsIn(transcript);
  const sent = letters(transcript.segments) >= letters(cues) ? transcript.segments : cues;
  const segments = sent.map(plainSegment);
  // Some services send segments for a part of the text only.
  const isWhole = segments.length > 0 && letters(segments) >= letters(cues.length > 0 ? cues : [transcript]);
  const paragraphs = isWhole ? paragraphsOf(segments) : paragraphsIn(transcript.text);
  const repeat = findRepeat(isWhole ? segments.map(({ text }) => text) : [transcript.text]);
  const timed = cuesWithTimes(transcript);
  const written =
    write(format, { ...transcript, segments, timed }, paragraphs, origin) ??
    ({ format: 'markdown', text: writeMarkdown(origin, { transcript, paragraphs, repeat }) } as const);
  const times = written.format === 'vtt' ? undefined : timesFileOf(transcript, timed);
  return { ...written, ...types[written.format], times, repeat };
}

/** Writes formats other than Markdown. Returns undefined for Markdown, and for subtitles that cannot be made. */
function write(
  format: TranscriptFormat,
  transcript: Transcript & { readonly timed: readonly Cue[] },
  paragraphs: readonly Paragraph[],
  { times }: Pick<TranscriptOrigin, 'times'>,
): Pick<FormattedTranscript, 'format' | 'text'> | undefined {
  switch (format) {
    case 'markdown':
      return undefined;
    case 'text':
      return { format, text: writeText(paragraphs, marksOf(paragraphs, { times })) };
    case 'json': {
      const { duration, segments } = transcript;
      const language = transcript.language && plainRow(transcript.language);
      const text = paragraphs.map((paragraph) => paragraph.text).join('\n\n');
      return { format, text: `${JSON.stringify({ text, language, duration, segments }, undefined, 2)}\n` };
    }
    default:
      return subtitles(format, transcript);
  }
}

function subtitles(
  format: 'srt' | 'vtt',
  transcript: Transcript & { readonly timed: readonly Cue[] },
): Pick<FormattedTranscript, 'format' | 'text'> | undefined {
  const { text, segments, subtitles: sent, words = [], timed } = transcript;
  if (sent) {
    const cues = sent === format ? [] : readSubtitles(sent, text);
    return cues.length > 0
      ? { format, text: writeSubtitles(format, format === 'srt' ? withSpeakers(cues) : cues) }
      : { format: sent, text: `${plainText(text).trimEnd()}\n` };
  }
  const isCovered = segments.length > 0 && letters(segments) >= minCoverage * letters([{ text }]);
  if (!isCovered && words.length === 0) return undefined;
  const said = isCovered
    ? segments
        .toSorted((one, other) => milliseconds(one.start) - milliseconds(other.start))
        .map((one) => ({ text: one.text, speaker: plainLine(one.speaker ?? '') }))
    : paragraphsIn(text);
  const captions = captionsOf(spokenWords(said, timed), format === 'srt');
  // The times of words are guesses where only segments have times.
  const cues = words.length > 0 ? captions : captions.map(({ words: _, ...cue }) => cue);
  return cues.length === 0 ? undefined : { format, text: writeSubtitles(format, cues) };
}

/** Puts each new speaker's name into the text, because SubRip has no other place for it. */
function withSpeakers(cues: readonly Cue[]): readonly Cue[] {
  return cues.map((cue, index) => {
    const { speaker, lines } = cue;
    const [first = '', ...others] = lines;
    const isNew = speaker !== undefined && speaker !== cues[index - 1]?.speaker;
    return isNew ? { ...cue, lines: [plainRow(`${speaker}: ${first}`), ...others] } : cue;
  });
}

/** Reads the segments of a transcript that is a subtitle file. */
export function segmentsIn({ text, subtitles: sent }: Pick<Transcript, 'text' | 'subtitles'>): readonly Segment[] {
  return sent ? segmentsOf(readSubtitles(sent, text)) : [];
}

export function segmentsOf(cues: readonly Cue[]): readonly Segment[] {
  return cues.map(({ start, end, lines, speaker }) => ({
    start: start / 1000,
    end: end / 1000,
    text: joinTexts(lines),
    ...(speaker === undefined ? {} : { speaker }),
  }));
}

function plainSegment({ start, end, text, speaker = '', isSilence }: Segment): Segment {
  const name = plainRow(speaker).trim();
  const silence = isSilence ? { isSilence } : {};
  return { start, end, text: plainText(text), ...(name === '' ? {} : { speaker: name }), ...silence };
}

function letters(texts: readonly { readonly text: string }[]): number {
  return texts.reduce((sum, { text }) => sum + text.replace(/[^\p{L}\p{N}\p{M}]+/gu, '').length, 0);
}

function paragraphsIn(text: string): readonly Paragraph[] {
  const paragraphs = plainText(text).split(/\n\s*\n/);
  return paragraphs.map((paragraph) => ({ text: plainText(paragraph.trim()) })).filter(({ text }) => text !== '');
}

function writeText(paragraphs: readonly Paragraph[], marks: readonly string[]): string {
  const lines = paragraphs.map(({ speaker, text }, index) => {
    return `${marks[index] ?? ''}${speaker === undefined ? '' : `${speaker}: `}${text}`;
  });
  return `${lines.join('\n\n')}\n`;
}
