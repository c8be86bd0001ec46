import { plainRow, plainText } from '../foreign/plainText.ts';
import type { Cue } from '../transcripts/subtitles.ts';

/** Something that is spoken with one request. */
export interface CueSource {
  readonly request: { readonly input: string };
  /** The text as it is written, if something else is spoken; empty if an earlier one has it. */
  readonly text?: string;
}

/**
 * Returns a cue for each text that is heard.
 *
 * @param lengths how long each of them is heard, in seconds
 */
export function cuesOf(blocks: readonly CueSource[], lengths: readonly number[]): readonly Cue[] {
  let seconds = 0;
  const cues = blocks.map(({ request, text = request.input }, index) => {
    const start = Math.round(seconds * 1000);
    seconds += lengths[index] ?? 0;
    const lines = plainText(text)
      .split('\n')
      .map((line) => plainRow(line.trim()))
      .filter((line) => line !== '');
    return { start, end: Math.round(seconds * 1000), lines };
  });
  // What was spoken in several parts is one cue.
  const whole: Cue[] = [];
  for (const cue of cues) {
    const last = whole.at(-1);
    if (cue.lines.length > 0) whole.push(cue);
    else if (last) whole[whole.length - 1] = { ...last, end: cue.end };
  }
  return whole;
}
