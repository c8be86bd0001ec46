import type { TextRange } from '../MediaReference.ts';

interface Run {
  readonly start: number;
  readonly length: number;
}

/**
 * Returns the code spans of a Markdown paragraph: each reaches from a run of backticks to the next run of the same
 * length.
 */
export function codeSpansIn(text: string, from: number, to: number): readonly TextRange[] {
  // Sliced, so that the search ends with the paragraph.
  const runs: readonly Run[] = Array.from(text.slice(from, to).matchAll(/`+/g), ({ 0: run, index }) => ({
    start: from + index,
    length: run.length,
  }));
  if (runs.length < 2) return [];
  const next = nextOfSameLength(runs);
  const spans: TextRange[] = [];
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index];
    const closing = next[index];
    const close = closing === undefined ? undefined : runs[closing];
    if (!run || closing === undefined || !close || isEscaped(text, run.start)) continue;
    spans.push({ start: run.start, end: close.start + close.length });
    index = closing;
  }
  return spans;
}

/** Returns the index of the next run of the same length for each run. */
function nextOfSameLength(runs: readonly Run[]): readonly (number | undefined)[] {
  const latest = new Map<number, number>();
  const next = new Array<number | undefined>(runs.length);
  for (let index = runs.length - 1; index >= 0; index--) {
    const length = runs[index]?.length ?? 0;
    next[index] = latest.get(length);
    latest.set(length, index);
  }
  return next;
}

function isEscaped(text: string, at: number): boolean {
  return text[at - 1] === '\\' && text[at - 2] !== '\\';
}
