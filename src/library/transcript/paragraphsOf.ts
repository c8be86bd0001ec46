import type { Segment } from '../../operations/Transcript.ts';
import { joinTexts } from './joinTexts.ts';

export interface Paragraph {
  /** Set when the speaker changes. */
  readonly speaker?: string;
  readonly text: string;
}

/** Seconds of silence that start a new paragraph. */
const longPause = 2;
/** Characters after which the next end of a sentence starts a new paragraph. */
const longParagraph = 600;

/** Groups segments into paragraphs by speaker, long pauses and length. */
export function paragraphsOf(segments: readonly Segment[]): readonly Paragraph[] {
  const groups: Segment[][] = [];
  let length = 0;
  for (const segment of segments) {
    if (segment.text.trim() === '') continue;
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (!group || !last || isNewParagraph(last, segment, length)) {
      groups.push([segment]);
      length = 0;
    } else {
      group.push(segment);
    }
    length += segment.text.length;
  }
  return groups.map((group, index) => {
    const speaker = group[0]?.speaker;
    const isNew = speaker !== undefined && speaker !== groups[index - 1]?.[0]?.speaker;
    return { text: joinTexts(group.map(({ text }) => text)), ...(isNew ? { speaker } : {}) };
  });
}

function isNewParagraph(last: Segment, next: Segment, length: number): boolean {
  if (next.speaker !== last.speaker || next.start - last.end >= longPause) return true;
  return length >= longParagraph && /[\p{Sentence_Terminal}…][\p{Pe}\p{Pf}"']*\s*$/u.test(last.text);
}
