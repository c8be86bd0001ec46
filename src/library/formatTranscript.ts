import type { Segment, Transcript } from '../operations/Transcript.ts';
import type { Cue } from './transcript/cuesOf.ts';
import { cuesOf } from './transcript/cuesOf.ts';
import type { Repeat } from './transcript/findRepeat.ts';
import { findRepeat } from './transcript/findRepeat.ts';
import type { Paragraph } from './transcript/paragraphsOf.ts';
import { paragraphsOf } from './transcript/paragraphsOf.ts';
import { readSubtitles } from './transcript/readSubtitles.ts';
import type { TranscriptOrigin } from './transcript/writeMarkdown.ts';
import { writeMarkdown } from './transcript/writeMarkdown.ts';
import { writeSubtitles } from './transcript/writeSubtitles.ts';

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
  /** A line that repeats suspiciously often. It stays in the file. */
  readonly repeat: Repeat | undefined;
}

type Written = Pick<FormattedTranscript, 'format' | 'text'>;

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
  const segments = sent.map(withoutEmptySpeaker);
  // Some services send segments for a part of the text only.
  const isWhole = segments.length > 0 && letters(segments) >= letters(cues.length > 0 ? cues : [transcript]);
  const paragraphs = isWhole ? paragraphsOf(segments) : paragraphsIn(transcript.text);
  const repeat = findRepeat(isWhole ? segments.map(({ text }) => text) : [transcript.text]);
  const written =
    write(format, { ...transcript, segments }, paragraphs) ??
    ({ format: 'markdown', text: writeMarkdown(origin, { transcript, paragraphs, repeat }) } as const);
  return { ...written, ...types[written.format], repeat };
}

/** Writes formats other than Markdown. Returns undefined for Markdown, and for subtitles that cannot be made. */
function write(
  format: TranscriptFormat,
  transcript: Transcript,
  paragraphs: readonly Paragraph[],
): Written | undefined {
  switch (format) {
    case 'markdown':
      return undefined;
    case 'text':
      return { format, text: plainText(paragraphs) };
    case 'json': {
      const { language, duration, segments } = transcript;
      const text = paragraphs.map((paragraph) => paragraph.text).join('\n\n');
      return { format, text: `${JSON.stringify({ text, language, duration, segments }, undefined, 2)}\n` };
    }
    default:
      return subtitles(format, transcript);
  }
}

function subtitles(format: 'srt' | 'vtt', { text, segments, subtitles: sent }: Transcript): Written | undefined {
  if (sent) {
    const cues = sent === format ? [] : readSubtitles(sent, text);
    return cues.length > 0
      ? { format, text: writeSubtitles(format, format === 'srt' ? withSpeakers(cues) : cues) }
      : { format: sent, text: `${text.trimEnd()}\n` };
  }
  if (segments.length === 0 || letters(segments) < minCoverage * letters([{ text }])) return undefined;
  return { format, text: writeSubtitles(format, cuesOf(segments, format === 'srt')) };
}

/** Puts each new speaker's name into the text, because SubRip has no other place for it. */
function withSpeakers(cues: readonly Cue[]): readonly Cue[] {
  return cues.map((cue, index) => {
    const { speaker, lines } = cue;
    const [first = '', ...others] = lines;
    const isNew = speaker !== undefined && speaker !== cues[index - 1]?.speaker;
    return isNew ? { ...cue, lines: [`${speaker}: ${first}`, ...others] } : cue;
  });
}

/** Reads the segments of a transcript that is a subtitle file. */
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
