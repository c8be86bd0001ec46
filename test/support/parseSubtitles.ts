import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

interface WebVtt {
  parse(
    text: string,
    kind: 'captions',
  ): {
    readonly errors: readonly { readonly message: string; readonly line: number }[];
    readonly cues: readonly { readonly startTime: number; readonly endTime: number; readonly text: string }[];
  };
}

interface SubRip {
  fromSrt(
    text: string,
  ): readonly { readonly startSeconds: number; readonly endSeconds: number; readonly text: string }[];
}

interface Parsers {
  readonly WebVTTParser: new (entities: object) => WebVtt;
  readonly default: new () => SubRip;
}

export interface ParsedCue {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Reads subtitles with parsers of other authors. The one of the W3C throws for what its specification forbids. */
export function parseSubtitles(format: 'srt' | 'vtt', text: string): readonly ParsedCue[] {
  if (format === 'srt') {
    const { default: Parser }: Parsers = require('srt-parser-2');
    return new Parser().fromSrt(text).map(({ startSeconds, endSeconds, text: words }) => ({
      start: startSeconds,
      end: endSeconds,
      text: words,
    }));
  }
  const { WebVTTParser }: Parsers = require('webvtt-parser');
  const { errors, cues } = new WebVTTParser(require('webvtt-parser/html-entities.json')).parse(text, 'captions');
  if (errors.length > 0) throw new Error(errors.map(({ message, line }) => `line ${line}: ${message}`).join('\n'));
  return cues.map(({ startTime, endTime, text: words }) => ({ start: startTime, end: endTime, text: words }));
}
