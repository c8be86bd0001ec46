interface TimeHeader {
  /** Who speaks from here on; empty if only the time is written. */
  readonly name: string;
  readonly seconds: number;
  readonly isBracketed: boolean;
}

const time = /(?:^|[ \t*_])([[(]?)(?:(\d{1,2}):)?(\d{1,2}):(\d\d)(?:\.\d{1,3})?[\])]?$/;
const maxWords = 5;

/**
 * Replaces the lines with times that stand above what is said, such as `Ana Diaz  0:01` of Otter and `**[00:00:01]**`:
 * nobody says them. A name goes to the line below.
 *
 * @param nameBefore writes the name of a speaker before what is said
 */
export function withoutTimeHeaders(text: string, nameBefore: (name: string) => string): string {
  const lines = text.split('\n');
  const headers = headersOf(lines);
  if (headers.size === 0) return text;
  let next = '';
  return lines
    .map((line, index) => {
      const header = headers.get(index);
      if (header) next = header.name === '' ? '' : nameBefore(header.name);
      if (header || line.trim() === '') return '';
      const written = next + line;
      next = '';
      return written;
    })
    .join('\n');
}

export function hasTimeHeaders(text: string): boolean {
  return headersOf(text.split('\n')).size > 0;
}

/** Returns the headers by the numbers of their lines. Without brackets there are several, in the order of their times. */
function headersOf(lines: readonly string[]): ReadonlyMap<number, TimeHeader> {
  const found = lines.flatMap((line, index) => {
    const header = headerIn(line);
    return header ? [[index, header] as const] : [];
  });
  const isOrdered = found.every(([, { seconds }], index) => seconds >= (found[index - 1]?.[1].seconds ?? 0));
  const areHeaders = found.length > 1 && isOrdered;
  return new Map(found.filter(([, { name, isBracketed }]) => areHeaders || (isBracketed && name === '')));
}

function headerIn(line: string): TimeHeader | undefined {
  const bare = withoutMarks(line);
  const found = time.exec(bare);
  if (!found) return undefined;
  const [, bracket = '', hours = '0', minutes, seconds] = found;
  const name = withoutMarks(bare.slice(0, found.index));
  const words = name === '' ? [] : name.split(/\s+/);
  if (words.length > maxWords || !words.every((word) => /^[\p{Lu}\p{Lo}\p{N}]/u.test(word))) return undefined;
  const total = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return { name, seconds: total, isBracketed: bracket !== '' };
}

/** Returns a line without what makes it bold or a heading. */
function withoutMarks(line: string): string {
  let [from, to] = [0, line.length];
  while (from < to && ' \t#*_'.includes(line.charAt(from))) from++;
  while (to > from && ' \t*_:'.includes(line.charAt(to - 1))) to--;
  return line.slice(from, to);
}
