import type { Segment } from '../../operations/Transcript.ts';
import { joinTexts } from './joinTexts.ts';

export interface Paragraph {
  /** Set where another one begins to speak. */
  readonly speaker?: string;
  readonly text: string;
}

/** Seconds of silence after which a new paragraph begins. */
const longPause = 2;
/** Characters after which one begins at the next end of a sentence. */
const longParagraph = 600;

/** Segments as one would set them: paragraphs by speaker, by long pauses and by length. */
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
