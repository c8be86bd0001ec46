import { type Passage, passages } from './dialects.ts';
import { Mask } from './Findings.ts';
import { finderIn } from './replaceEnclosed.ts';

/** A passage that a page does not show as it stands. Offsets count from the start of the text; `end` is exclusive. */
export interface FoundPassage {
  readonly passage: Passage;
  readonly start: number;
  readonly end: number;
  /** Text that is read instead. */
  readonly text: string;
}

const endOfParagraph = /\n[ \t>]*(?=\r?\n)/g;
/** Of one in a paragraph, in characters. It keeps the time linear where an end has many beginnings. */
const maxLength = 1000;

/**
 * Finds all passages of a document, in order. None lies in another.
 *
 * @param masked the text without code
 */
export function findPassages(text: string, masked: string): readonly FoundPassage[] {
  const definitions = new Set(
    Array.from(text.matchAll(/^[ \t>]{0,20}\[(@[^\]\n]{1,300})\]:/gm), ([, label = '']) => label.toLowerCase()),
  );
  const all: FoundPassage[] = [];
  let hidden = masked;
  for (const passage of passages) {
    const found = findAll(passage, hidden, text, definitions);
    if (found.length === 0) continue;
    const mask = new Mask(hidden);
    for (const { start, end } of found) mask.hide(start, end);
    hidden = mask.apply();
    all.push(...found);
  }
  return withoutInner(all.sort((one, other) => one.start - other.start || other.end - one.end));
}

function findAll(
  passage: Passage,
  hidden: string,
  text: string,
  definitions: ReadonlySet<string>,
): readonly FoundPassage[] {
  const found: FoundPassage[] = [];
  const { begin, end, isInParagraph, shownAfter, spoken } = passage;
  const find = finderIn(hidden);
  begin.lastIndex = 0;
  for (let match = begin.exec(hidden); match; match = begin.exec(hidden)) {
    const { index } = match;
    const from = begin.lastIndex;
    const close = end && find(end, from);
    if (end && !close) break;
    const to = close?.index ?? from;
    const isEnded = !isInParagraph || (to - from <= maxLength && (find(endOfParagraph, from)?.index ?? to) >= to);
    if (!isEnded) continue;
    const after = to + (close?.[0].length ?? 0);
    if (shownAfter !== undefined) {
      const shown = shownAfter === '' ? from : text.indexOf(shownAfter, from) + shownAfter.length;
      if (shown < from || shown > to) continue;
      found.push({ passage, start: index, end: shown, text: '' }, { passage, start: to, end: after, text: '' });
    } else {
      const instead = spoken ? spoken(match, text.slice(from, to), definitions) : '';
      if (instead === undefined) continue;
      found.push({ passage, start: index, end: after, text: instead });
    }
    begin.lastIndex = after;
  }
  return found;
}

function withoutInner(sorted: readonly FoundPassage[]): readonly FoundPassage[] {
  let end = 0;
  return sorted.filter((one) => {
    if (one.start < end) return false;
    end = one.end;
    return true;
  });
}

/** Returns a text as a page shows it, where passages differ from it, and at how many places that is worth a word. */
export function withoutPassages(
  text: string,
  found: readonly FoundPassage[],
): { readonly text: string; readonly places: number } {
  let kept = '';
  let from = 0;
  for (const one of found) {
    kept += text.slice(from, one.start) + one.text;
    from = one.end;
    // A line of nothing but a comment does not end the paragraph.
    const isLine = one.passage.joinsLines === true && (kept === '' || kept.endsWith('\n'));
    const lineEnd = isLine ? /^[ \t]*\r?\n/.exec(text.slice(from, from + 100)) : null;
    from += lineEnd?.[0].length ?? 0;
  }
  return { text: kept + text.slice(from), places: found.filter(({ passage }) => passage.isSeen).length };
}
