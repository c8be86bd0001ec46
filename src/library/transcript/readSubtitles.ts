import type { Cue } from './cuesOf.ts';
import { minCueMs } from './cuesOf.ts';

const clock = '(?:(\\d+):)?(\\d{1,2}):(\\d{1,2})[,.](\\d{1,3})';
const times = new RegExp(`^\\s*${clock}\\s*-->\\s*${clock}`);
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lrm: '\u200e',
  rlm: '\u200f',
};
const voice = /<v(?:\.[^ \t>]*)?[ \t]+([^>]+)>/;
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
    if (at >= 0) cues.push(...cuesIn(format, numbers, text));
    // A SubRip cue must not contain blank lines, but some do.
    else if (format === 'srt' && last)
      cues[cues.length - 1] = { ...last, lines: [...last.lines, ...plain(format, text)] };
  }
  return cues.filter(({ lines }) => lines.length > 0);
}

/** Returns a cue for each voice. Those in one cue of the file share its time. */
function cuesIn(format: 'srt' | 'vtt', numbers: readonly (string | undefined)[], text: string): readonly Cue[] {
  const start = milliseconds(numbers.slice(0, 4));
  const end = Math.max(milliseconds(numbers.slice(4)), start + minCueMs);
  const voices = text
    .split(/(?=<v[. \t])/)
    .map((part) => ({ lines: plain(format, part), speaker: voice.exec(part)?.[1] }))
    // An empty cue stays, because its text may follow after a blank line.
    .filter(({ lines }, _, { length }) => lines.length > 0 || length === 1);
  const at = (index: number) => Math.round(start + ((end - start) * index) / voices.length);
  return voices.map(({ lines, speaker }, index) => ({
    start: at(index),
    end: at(index + 1),
    lines,
    ...(speaker === undefined ? {} : { speaker: decode(speaker).trim() }),
  }));
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
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities[String(name)] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    return code >= 32 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
