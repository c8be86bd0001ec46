/** Finds the next match of a global pattern. Asked again from further on, it does not search the same text again. */
export type Find = (pattern: RegExp, from: number) => RegExpExecArray | undefined;

/**
 * Replaces what begins with a pattern and ends somewhere behind it, such as a link or emphasized words. One pattern for
 * beginning, content and end would search the rest of the text again for each beginning without an end.
 *
 * @param begin a global pattern
 * @param read returns undefined if it is text after all; it finds the end with `find`, whose patterns must be constants
 */
export function replaceEnclosed(
  text: string,
  begin: RegExp,
  read: (
    begin: RegExpExecArray,
    find: Find,
  ) =>
    | {
        /** Offset after what is replaced. */
        readonly end: number;
        readonly text: string;
      }
    | undefined,
): string {
  const find = finderIn(text);
  let kept = '';
  let from = 0;
  begin.lastIndex = 0;
  for (let match = begin.exec(text); match; match = begin.exec(text)) {
    const replacement = read(match, find);
    if (!replacement) continue;
    kept += text.slice(from, match.index) + replacement.text;
    from = replacement.end;
    begin.lastIndex = replacement.end;
  }
  return kept + text.slice(from);
}

/** Returns a function that finds patterns in a text. They must be constants. */
export function finderIn(text: string): Find {
  const found = new Map<RegExp, { readonly from: number; readonly match: RegExpExecArray | undefined }>();
  return (pattern, from) => {
    const known = found.get(pattern);
    if (known && known.from <= from && (known.match === undefined || known.match.index >= from)) return known.match;
    pattern.lastIndex = from;
    const match = pattern.exec(text) ?? undefined;
    found.set(pattern, { from, match });
    return match;
  };
}
