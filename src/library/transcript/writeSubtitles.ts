import type { Cue } from './cuesOf.ts';

/** Writes a SubRip or WebVTT file. */
export function writeSubtitles(format: 'srt' | 'vtt', cues: readonly Cue[]): string {
  const blocks = cues.map(({ start, end, lines, speaker }, index) => {
    const mark = format === 'srt' ? ',' : '.';
    const times = `${time(start, mark)} --> ${time(end, mark)}`;
    if (format === 'srt') return `${index + 1}\n${times}\n${lines.map(withoutArrows).join('\n')}\n`;
    const voice = speaker === undefined ? '' : `<v ${escapeMarkup(speaker.replace(/\s+/g, ' ').trim())}>`;
    return `${times}\n${voice}${lines.map(escapeMarkup).join('\n')}\n`;
  });
  return (format === 'vtt' ? ['WEBVTT\n', ...blocks] : blocks).join('\n');
}

/** Formats a time, with at least two digits for the hours. */
function time(milliseconds: number, mark: string): string {
  const digits = (value: number, count: number) => String(Math.floor(value)).padStart(count, '0');
  const seconds = milliseconds / 1000;
  const clock = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((value) => digits(value, 2)).join(':');
  return `${clock}${mark}${digits(milliseconds % 1000, 3)}`;
}

/** Replaces the arrow that separates times, which SubRip cannot escape. */
function withoutArrows(line: string): string {
  return line.replaceAll('-->', '→');
}

function escapeMarkup(line: string): string {
  return line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
