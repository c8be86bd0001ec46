import { withoutEntities } from './characterReferences.ts';
import type { Language } from './Language.ts';
import type { MediaReference, TextRange } from './MediaReference.ts';
import { replaceEnclosed } from './replaceEnclosed.ts';

/** A `<video>` of a document. */
export interface VideoElement {
  /** From the open tag to the close tag. */
  readonly range: TextRange;
  /** Addresses of its `<track>` elements. */
  readonly tracks: readonly string[];
  /** Returns the change of the document that puts a track behind the element's files. */
  insert(track: string): TextRange & { readonly text: string };
}

/** Files and tracks of a video, with the close tag that JSX allows. */
const child = /<(?:source|track)(?=[\s/>])[^<>]*>(?:\s{0,100}<\/(?:source|track)>)?/gi;
const trackAddress = /\ssrc\s{0,10}=\s{0,10}(?:\{[^"'`<>]{0,100})?(["'`])([^"'`<>\n]*)\1/i;

/** A `<video>` and the reference that it shows. */
export interface VideoReference<Reference> {
  readonly element: VideoElement;
  readonly reference: Reference;
}

/**
 * Returns the `<video>` elements that show files, by an attribute of their own or by a `<source>` inside them. Each is
 * read once, however many references it has.
 *
 * @param references those of the document, so none is in code or in a comment; left out is one that another form or
 *   element shows, or whose element does not end or contains another one
 * @param within leaves out elements outside of this range
 */
export function videoElementsIn<Reference extends Pick<MediaReference, 'range'>>(
  text: string,
  references: readonly Reference[],
  within: TextRange = { start: 0, end: text.length },
): readonly VideoReference<Reference>[] {
  // Lower case may be longer: that of İ has two characters.
  const starts = Array.from(text.matchAll(/<video/gi), ({ index }) => index);
  const placed = references.flatMap((reference) => {
    const start = starts[countBelow(starts, reference.range.start) - 1];
    return start === undefined ? [] : [{ reference, start }];
  });
  // A tag in a comment has no reference, and so ends no element.
  const used = [...new Set(placed.map(({ start }) => start))].sort((a, b) => a - b);
  const elements = new Map(
    used.map((start, index) => {
      const limit = used[index + 1] ?? text.length;
      const isNear = touches({ start, end: limit }, within);
      return [start, isNear ? elementAt(text, start, limit) : undefined];
    }),
  );
  return placed.flatMap(({ reference, start }) => {
    const element = elements.get(start);
    const isShown = element && reference.range.end <= element.shows && touches(element.range, within);
    return isShown ? [{ element, reference }] : [];
  });
}

function touches(one: TextRange, other: TextRange): boolean {
  return one.start <= other.end && other.start <= one.end;
}

/** Returns how many of the sorted numbers are below another one. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((numbers[middle] ?? limit) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** @param limit where the next element starts @returns also the offset before which its files stand */
function elementAt(
  text: string,
  start: number,
  limit: number,
): (VideoElement & { readonly shows: number }) | undefined {
  const from = endOfTag(text, start + '<video'.length, limit);
  if (from === undefined) return undefined;
  if (text.slice(from - 2, from) === '/>') {
    const close = text[from - 3] === ' ' ? from - 3 : from - 2;
    const insert = (track: string) => ({ start: close, end: from, text: `>${track}</video>` });
    return { range: { start, end: from }, shows: from, tracks: [], insert };
  }
  const length = text.slice(from, limit).search(/<\/video\s{0,100}>/i);
  if (length === -1) return undefined;
  const content = text.slice(from, from + length);
  const children = [...withoutComments(content).matchAll(child)];
  const last = children.at(-1);
  const at = from + (last ? last.index + last[0].length : 0);
  return {
    range: { start, end: from + length + '</video>'.length },
    shows: from + length,
    tracks: children
      .flatMap(([one]) => (/^<track/i.test(one) ? (trackAddress.exec(one)?.[2] ?? []) : []))
      .map(withoutEntities),
    insert: (track) => ({ start: at, end: at, text: `${breakBefore(text, start, content, last?.index)}${track}` }),
  };
}

/** Returns where an open tag ends, whose values may contain `>`. @param at where its attributes begin */
function endOfTag(text: string, at: number, limit: number): number | undefined {
  let depth = 0;
  for (let index = at; index < limit; index++) {
    const character = text[index] ?? '';
    if (character === '{') depth++;
    else if (character === '}') depth--;
    else if (character === '"' || character === "'") {
      const close = text.indexOf(character, index + 1);
      if (close === -1 || close >= limit) return undefined;
      index = close;
    } else if (depth <= 0 && character === '>') return index + 1;
    else if (depth <= 0 && character === '<') return undefined;
  }
  return undefined;
}

/** Returns the line break and the indentation of what stands in an element; empty where all is on one line. */
function breakBefore(text: string, start: number, content: string, lastChild: number | undefined): string {
  if (lastChild !== undefined) return content.slice(0, lastChild).includes('\n') ? spaceBefore(content, lastChild) : '';
  const first = content.length - content.trimStart().length;
  const space = content.slice(0, first);
  if (!space.includes('\n')) return '';
  // The close tag has the indentation of the open one.
  return first < content.length
    ? spaceBefore(content, first)
    : `${spaceBefore(`\n${text.slice(0, start)}`, start + 1)}  `;
}

/** Returns the last line break and what follows it, if that is only space. */
function spaceBefore(text: string, end: number): string {
  const lineBreak = text.lastIndexOf('\n', end - 1);
  const indent = text.slice(lineBreak + 1, end);
  if (lineBreak === -1) return '';
  const isCarriage = text[lineBreak - 1] === '\r';
  return indent.trim() === '' ? text.slice(isCarriage ? lineBreak - 1 : lineBreak, end) : '\n';
}

const commentStart = /<!--|\{\/\*/g;
const commentEnds = { '<': /-->/g, '{': /\*\/\}/g };

function withoutComments(content: string): string {
  return replaceEnclosed(content, commentStart, ({ 0: begin, index }, find) => {
    const match = find(commentEnds[begin === '<!--' ? '<' : '{'], index);
    const end = match ? match.index + match[0].length : content.length;
    return { end, text: ' '.repeat(end - index) };
  });
}

/** Writes the element that shows captions in a video. */
export function trackIn(
  language: Language,
  {
    source,
    language: spoken,
    label,
  }: {
    /** The attribute's value, with its quotes or braces. */
    readonly source: string;
    /** BCP 47 tag of the language, if known. */
    readonly language: string | undefined;
    /** Escaped for an attribute. */
    readonly label: string;
  },
): string {
  const isScript = ['jsx', 'mdx', 'script'].includes(language);
  const tag = spoken === undefined ? '' : ` ${isScript ? 'srcLang' : 'srclang'}="${spoken}"`;
  return `<track kind="captions" src=${source}${tag} label="${label}"${isScript ? ' />' : '>'}`;
}
