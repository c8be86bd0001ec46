import { frontMatterIn } from './frontMatter.ts';

// Each returns the offset of the start of the line below the title of a document.

/** Returns the offset after what stands at an offset, if it does. @param pattern a sticky pattern */
function after(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Returns the offset after as many lines of a kind as follow each other. */
function afterAll(pattern: RegExp, text: string, from: number): number {
  let at = from;
  for (let next = after(pattern, text, at); next !== undefined; next = after(pattern, text, at)) at = next;
  return at;
}

const blank = /[ \t]*\r?\n/y;
const heading = /#{1,6}[ \t].*(?:\r?\n|$)/y;
const underlined = /[^\s#>*+-].*\r?\n(?:=+|-+)[ \t]*(?:\r?\n|$)/y;

export function belowMarkdownTitle(text: string): number {
  const at = afterAll(blank, text, frontMatterIn(text)?.after ?? 0);
  return after(heading, text, at) ?? after(underlined, text, at) ?? at;
}

/** Below the first heading, or at the start of the body. An HTML fragment has no such place. */
export function belowHtmlTitle(text: string): number | undefined {
  for (const end of [/<\/h1\s*>[ \t]*(?:\r?\n|$)/i, /<body[^<>]*>[ \t]*(?:\r?\n|$)/i]) {
    const found = end.exec(text);
    if (found) return found.index + found[0].length;
  }
  return undefined;
}

const opensComment = /(\/{4,})[ \t]*\r?\n/y;
const closesComment = /(\/{4,})[ \t]*(?:\r?\n|$)/y;
const commentOrAttribute = /\/\/(?!\/).*(?:\r?\n|$)|:!?\w[\w-]*!?:.*(?:\r?\n|$)/y;
const documentTitle = /=[ \t]+\S.*(?:\r?\n|$)/y;
const notBlank = /[ \t]*\S.*(?:\r?\n|$)/y;

/** Comments and attributes may precede the title. Below other content, it would not be the title. */
export function belowAsciidocTitle(text: string): number {
  let at = 0;
  for (;;) {
    const next = afterComment(text, at) ?? after(blank, text, at) ?? after(commentOrAttribute, text, at);
    if (next === undefined) break;
    at = next;
  }
  const authors = after(documentTitle, text, at);
  return authors === undefined ? at : afterAll(notBlank, text, authors);
}

function afterComment(text: string, at: number): number | undefined {
  const opening = slashes(opensComment, text, at);
  if (opening === 0) return undefined;
  for (let line = text.indexOf('\n', at) + 1; line !== 0; line = text.indexOf('\n', line) + 1) {
    if (slashes(closesComment, text, line) === opening) return closesComment.lastIndex;
  }
  return undefined;
}

function slashes(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[1]?.length ?? 0;
}

const indented = /[ \t]+\S.*\r?\n/y;
const field = /:[^:\s][^:\n]*:(?:[ \t].*)?\r?\n/y;
/** A comment, target or directive. */
const explicit = /\.\.(?:[ \t].*)?\r?\n/y;
const title = /(?:([!-/:-@[-`{-~])\1{2,}\r?\n)?[^\S\n]*\S.*\r?\n([!-/:-@[-`{-~])\2{2,}[ \t]*(?:\r?\n|$)/y;

/** Without a title and metadata it is the very top. */
export function belowRestructuredTextTitle(text: string): number {
  return belowOwnTitle(text) ?? belowFields(text) ?? 0;
}

/** Metadata, labels and comments may precede the title. */
function belowOwnTitle(text: string): number | undefined {
  const starts: number[] = [];
  let isBelow = false;
  for (let at: number | undefined = 0; at !== undefined; ) {
    starts.push(at);
    const marked: number | undefined = after(explicit, text, at) ?? after(field, text, at);
    isBelow ||= marked !== undefined;
    at = marked ?? after(blank, text, at) ?? (isBelow ? after(indented, text, at) : undefined);
  }
  // A line that looks like a comment may be the title.
  for (const start of starts.reverse()) {
    const end = after(title, text, start);
    if (end !== undefined) return end;
  }
  return undefined;
}

/** Returns the offset below the metadata, which counts only at the top. */
function belowFields(text: string): number | undefined {
  let end: number | undefined;
  let at = after(field, text, afterAll(blank, text, 0));
  while (at !== undefined) {
    end = at;
    // Indented lines belong to the field, also below blank lines.
    at = after(indented, text, afterAll(blank, text, end)) ?? after(field, text, end);
  }
  return end;
}
