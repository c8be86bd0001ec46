import type { Segment, Transcript } from '../operations/Transcript.ts';
import { cuesOf } from './transcript/cuesOf.ts';
import type { Repeat } from './transcript/findRepeat.ts';
import { findRepeat } from './transcript/findRepeat.ts';
import type { Paragraph } from './transcript/paragraphsOf.ts';
import { paragraphsOf } from './transcript/paragraphsOf.ts';
import { readSubtitles } from './transcript/readSubtitles.ts';
import type { TranscriptOrigin } from './transcript/writeMarkdown.ts';
import { writeMarkdown } from './transcript/writeMarkdown.ts';
import { writeSubtitles } from './transcript/writeSubtitles.ts';

/** The setting `transcript.format`. */
export const transcriptFormats = ['markdown', 'text', 'srt', 'vtt'] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

export interface FormattedTranscript {
  /** What it became: not what was asked for where subtitles were, and the service told no times. */
  readonly format: TranscriptFormat;
  /** Without the dot. */
  readonly extension: string;
  readonly mediaType: string;
  /** The file. */
  readonly text: string;
  /** A line that stands suspiciously often in a row; it is in the file all the same. */
  readonly repeat: Repeat | undefined;
}

type Written = Pick<FormattedTranscript, 'format' | 'text'>;

const types: Readonly<Record<TranscriptFormat, Pick<FormattedTranscript, 'extension' | 'mediaType'>>> = {
  markdown: { extension: 'md', mediaType: 'text/markdown' },
  text: { extension: 'txt', mediaType: 'text/plain' },
  srt: { extension: 'srt', mediaType: 'application/x-subrip' },
  vtt: { extension: 'vtt', mediaType: 'text/vtt' },
};
/** How much of the text the segments must hold before they stand for it in subtitles. */
const enough = 0.8;

/**
 * The file that a transcript becomes. Nothing that the service wrote is left out, and nothing is added to its words:
 * subtitles that cannot be made become Markdown, or stay what the service sent.
 */
export function formatTranscript(
  transcript: Transcript,
  format: TranscriptFormat,
  origin: TranscriptOrigin,
): FormattedTranscript {
  const cues = segmentsIn(transcript);
  const told = letters(transcript.segments) >= letters(cues) ? transcript.segments : cues;
  const segments = told.map(withoutEmptySpeaker);
  // Some services tell segments of a part only.
  const isWhole = segments.length > 0 && letters(segments) >= letters(cues.length > 0 ? cues : [transcript]);
  const paragraphs = isWhole ? paragraphsOf(segments) : paragraphsIn(transcript.text);
  const repeat = findRepeat(isWhole ? segments.map(({ text }) => text) : [transcript.text]);
  const written =
    write(format, { ...transcript, segments }, paragraphs) ??
    ({ format: 'markdown', text: writeMarkdown(origin, { transcript, paragraphs, repeat }) } as const);
  return { ...written, ...types[written.format], repeat };
}

/** Anything but Markdown. */
function write(
  format: TranscriptFormat,
  transcript: Transcript,
  paragraphs: readonly Paragraph[],
): Written | undefined {
  if (format === 'markdown') return undefined;
  return format === 'text' ? { format, text: plainText(paragraphs) } : subtitles(format, transcript);
}

function subtitles(format: 'srt' | 'vtt', { text, segments, subtitles: sent }: Transcript): Written | undefined {
  if (sent) {
    const cues = sent === format ? [] : readSubtitles(sent, text);
    return cues.length > 0
      ? { format, text: writeSubtitles(format, cues) }
      : { format: sent, text: `${text.trimEnd()}\n` };
  }
  if (segments.length === 0 || letters(segments) < enough * letters([{ text }])) return undefined;
  return { format, text: writeSubtitles(format, cuesOf(segments, format === 'srt')) };
}

/** The segments that a subtitle file tells. */
export function segmentsIn({ text, subtitles: sent }: Pick<Transcript, 'text' | 'subtitles'>): readonly Segment[] {
  if (!sent) return [];
  return readSubtitles(sent, text).map(({ start, end, lines, speaker }) => ({
    start: start / 1000,
    end: end / 1000,
    text: lines.join(' '),
    ...(speaker === undefined ? {} : { speaker }),
  }));
}

function withoutEmptySpeaker({ speaker = '', ...segment }: Segment): Segment {
  return speaker.trim() === '' ? segment : { ...segment, speaker: speaker.trim() };
}

function letters(texts: readonly { readonly text: string }[]): number {
  return texts.reduce((sum, { text }) => sum + text.replace(/[^\p{L}\p{N}\p{M}]+/gu, '').length, 0);
}

function paragraphsIn(text: string): readonly Paragraph[] {
  const paragraphs = text.replace(/\r\n?/g, '\n').split(/\n\s*\n/);
  return paragraphs.map((paragraph) => ({ text: paragraph.trim() })).filter((paragraph) => paragraph.text !== '');
}

function plainText(paragraphs: readonly Paragraph[]): string {
  const lines = paragraphs.map(({ speaker, text }) => (speaker === undefined ? text : `${speaker}: ${text}`));
  return `${lines.join('\n\n')}\n`;
}
