import type { Cue } from './cuesOf.ts';
import { minCueMs } from './cuesOf.ts';

const clock = '(?:(\\d+):)?(\\d{1,2}):(\\d{1,2})[,.](\\d{1,3})';
const times = new RegExp(`^\\s*${clock}\\s*-->\\s*${clock}`);
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: ' ',
  lrm: '\u200e',
  rlm: '\u200f',
};
/** Tags of SubRip and WebVTT; anything else in angle brackets is text. */
const tags = /<\/?(?:[biuscv]|font|lang|ruby|rt)(?:[ .\t][^>]*)?>|<\d[\d:.]*>/gi;

/** Reads the cues of a SubRip or WebVTT file, without styles and notes. Reads as much as possible of a damaged file. */
export function readSubtitles(format: 'srt' | 'vtt', file: string): readonly Cue[] {
  const cues: Cue[] = [];
  const blocks = file
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split(/\n(?:[ \t]*\n)+/);
  for (const block of blocks) {
    const lines = block.split('\n');
    const at = lines.findIndex((line) => times.test(line));
    const [, ...numbers] = times.exec(lines[at] ?? '') ?? [];
    const text = lines.slice(at + 1).join('\n');
    const last = cues.at(-1);
    if (at >= 0) cues.push(cueOf(format, numbers, text));
    // A SubRip cue must not contain blank lines, but some do.
    else if (format === 'srt' && last)
      cues[cues.length - 1] = { ...last, lines: [...last.lines, ...plain(format, text)] };
  }
  return cues.filter(({ lines }) => lines.length > 0);
}

function cueOf(format: 'srt' | 'vtt', numbers: readonly (string | undefined)[], text: string): Cue {
  const start = milliseconds(numbers.slice(0, 4));
  const speaker = /<v(?:\.[^ \t>]*)?[ \t]+([^>]+)>/.exec(text)?.[1];
  return {
    start,
    end: Math.max(milliseconds(numbers.slice(4)), start + minCueMs),
    lines: plain(format, text),
    ...(speaker === undefined ? {} : { speaker: decode(speaker).trim() }),
  };
}

function milliseconds([hours = '0', minutes = '0', seconds = '0', rest = '0']: readonly (
  | string
  | undefined
)[]): number {
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(rest.padEnd(3, '0'));
}

function plain(format: 'srt' | 'vtt', text: string): readonly string[] {
  return text
    .replace(tags, '')
    .split('\n')
    .map((line) => (format === 'vtt' ? decode(line) : line).trim())
    .filter((line) => line !== '');
}

function decode(text: string): string {
  return text.replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole);
}
