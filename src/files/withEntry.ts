import { findNodeAtLocation, type Node, stripComments } from 'jsonc-parser';

/**
 * Sets an entry of a list in a JSON text with comments, and leaves everything else as it is, byte by byte. A list that is
 * not there is added.
 *
 * @param root the tree of the text
 * @throws Error if the root or the list is not an object
 */
export function withEntry(
  text: string,
  root: Node,
  [list, name]: readonly [string, string],
  entry: object | string,
): string {
  const entries = findNodeAtLocation(root, [list]);
  const known = entries && findNodeAtLocation(entries, [name]);
  if (!entries) return withProperty(text, root, list, { [name]: entry }, unitOf(text, root));
  if (!known) return withProperty(text, entries, name, entry, unitOf(text, root));
  const { offset, length } = known;
  const value = formatted(entry, text, indentAt(text, offset), unitOf(text, root));
  return text.slice(0, offset) + value + text.slice(offset + length);
}

/** Whatever belongs to a value on its line: commas and comments. */
const restOfLine = /^(?:[ \t]*(?:,|\/\*(?:[^*]|\*(?!\/))*\*\/))*(?:[ \t]*\/\/.*)?/;

/**
 * Adds a property to an object: where its name belongs if the names are in order, so that entries which are added on two
 * branches rarely meet, else as the last one.
 */
function withProperty(
  text: string,
  { type, offset, children = [] }: Node,
  name: string,
  value: object | string,
  unit: string,
): string {
  if (type !== 'object') throw new Error('not an object');
  const last = placeFor(text, children, name) ?? children.at(-1);
  const end = lineEndOf(text);
  const own = indentAt(text, offset);
  const isOnOwnLine = last && text.slice(offset, last.offset).includes('\n');
  const indent = isOnOwnLine ? indentAt(text, last.offset) : own + unit;
  const property = `${end}${indent}${JSON.stringify(name)}: ${formatted(value, text, indent, unit)}`;
  const start = last ? last.offset + last.length : offset + 1;
  const [line = ''] = restOfLine.exec(text.slice(start)) ?? [];
  const after = text.slice(start + line.length);
  if (!last) {
    const closing = /^\s*\}/.test(after) ? end + own + after.trimStart() : after;
    return `${text.slice(0, start)}${line}${property}${closing}`;
  }
  const hasComma = stripComments(line).includes(',');
  const [before, behind] = hasComma ? ['', ','] : [',', ''];
  return `${text.slice(0, start)}${before}${line}${property}${behind}${after}`;
}

/** Returns the property behind which a new one belongs; undefined for the end. */
function placeFor(text: string, properties: readonly Node[], name: string): Node | undefined {
  const names = properties.map(({ children: [key] = [] }) => String(key?.value));
  const isInOrder = names.every((one, index) => index === 0 || (names[index - 1] ?? '') < one);
  const before = isInOrder ? properties[names.findLastIndex((one) => one < name)] : undefined;
  if (!before || before === properties.at(-1)) return undefined;
  const [line = ''] = restOfLine.exec(text.slice(before.offset + before.length)) ?? [];
  return stripComments(line).includes(',') ? before : undefined;
}

function formatted(value: object | string, text: string, indent: string, unit: string): string {
  return JSON.stringify(value, undefined, unit).replaceAll('\n', lineEndOf(text) + indent);
}

/** Returns the line break of a text. */
export function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Returns the white space that the first property of a text is indented with. */
function unitOf(text: string, { children: [first] = [] }: Node): string {
  return (first && indentAt(text, first.offset)) || '  ';
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}
