/** Position in a document; line and character start at 0, as in VS Code. */
export interface TextPosition {
  readonly line: number;
  readonly character: number;
}

/**
 * Returns where a position is after a change.
 *
 * @param isPushed whether text inserted exactly at the position moves it
 */
export function movePosition(
  position: TextPosition,
  {
    range,
    text,
  }: { readonly range: { readonly start: TextPosition; readonly end: TextPosition }; readonly text: string },
  isPushed: boolean,
): TextPosition {
  const { start, end } = range;
  if (isBefore(position, start) || (isEqual(position, start) && !(isPushed && isEqual(start, end)))) return position;
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.at(-1)?.length ?? 0;
  const newEnd = {
    line: start.line + lines.length - 1,
    character: lines.length === 1 ? start.character + last : last,
  };
  // The text around the position was replaced.
  if (isBefore(position, end)) return isBefore(newEnd, position) ? newEnd : position;
  const line = position.line + newEnd.line - end.line;
  if (position.line > end.line) return { line, character: position.character };
  return { line, character: position.character + newEnd.character - end.character };
}

/** Returns where an offset is after an unobserved change, judged by the unchanged text before and after it. */
export function findOffset(before: string, after: string, offset: number): number {
  const shorter = Math.min(before.length, after.length);
  let front = 0;
  while (front < shorter && before[front] === after[front]) front++;
  if (offset <= front) return offset;
  let back = 0;
  while (back < shorter - front && before[before.length - 1 - back] === after[after.length - 1 - back]) back++;
  return before.length - offset <= back ? after.length - (before.length - offset) : front;
}

function isBefore(a: TextPosition, b: TextPosition): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}

function isEqual(a: TextPosition, b: TextPosition): boolean {
  return a.line === b.line && a.character === b.character;
}
