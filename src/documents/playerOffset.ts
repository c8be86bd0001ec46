import type { Language } from './Language.ts';

/** Matches everything above the player: front matter and title, in HTML up to `</h1>` or the start of the body. */
const tops: Partial<Readonly<Record<Language, RegExp>>> = {
  markdown: markdownTop(),
  mdx: markdownTop(),
  html: /^(?:[\s\S]*?<\/h1\s*>|[\s\S]*?<body[^>]*>)[ \t]*(?:\r?\n|$)/i,
  asciidoc: asciidocTop(),
  restructuredtext: restructuredTextTop(),
};

/**
 * Returns where a player for the whole document belongs: below its title.
 *
 * @returns the offset of the start of a line; undefined if the language has no such place
 */
export function playerOffset(text: string, language: Language): number | undefined {
  const length = tops[language]?.exec(text)?.[0].length;
  // Without a title the player goes to the very top; an HTML fragment has no top.
  return length ?? (language === 'asciidoc' || language === 'restructuredtext' ? 0 : undefined);
}

function markdownTop(): RegExp {
  const frontMatter = /(?:\ufeff?(?:---|\+\+\+)[ \t]*\r?\n(?:[\s\S]*?\n)??(?:---|\+\+\+|\.\.\.)[ \t]*(?:\r?\n|$))?/;
  const blank = /(?:[ \t]*\r?\n)*/;
  const title = /(?:#{1,6}[ \t].*(?:\r?\n|$)|[^\s#>*+-].*\r?\n(?:=+|-+)[ \t]*(?:\r?\n|$))?/;
  return new RegExp(`^${frontMatter.source}${blank.source}${title.source}`);
}

/** Comments and attributes may precede the title. Below other content, it would not be the title. */
function asciidocTop(): RegExp {
  const block = /(\/{4,})[ \t]*\r?\n(?:[\s\S]*?\n)??\1[ \t]*(?:\r?\n|$)/;
  const above = /[ \t]*\r?\n|\/\/(?!\/).*(?:\r?\n|$)|:!?\w[\w-]*!?:.*(?:\r?\n|$)/;
  const header = /=[ \t]+\S.*(?:\r?\n|$)(?:[ \t]*\S.*(?:\r?\n|$))*/;
  return new RegExp(`^(?:${block.source}|${above.source})*(?:${header.source})?`);
}

/** Metadata, labels and comments may precede the title; metadata counts only at the top. */
function restructuredTextTop(): RegExp {
  const blank = /[ \t]*\r?\n/.source;
  const indented = `(?:(?:${blank})*[ \\t]+\\S.*\\r?\\n)*`;
  const field = `:[^:\\s][^:\\n]*:(?:[ \\t].*)?\\r?\\n${indented}`;
  const explicit = `\\.\\.(?:[ \\t].*)?\\r?\\n${indented}`;
  const title = /(?:([!-/:-@[-`{-~])\1{2,}\r?\n)?.*\S.*\r?\n([!-/:-@[-`{-~])\2{2,}[ \t]*(?:\r?\n|$)/;
  return new RegExp(`^(?:(?:${blank}|${field}|${explicit})*${title.source}|(?:${blank})*(?:${field})+)`);
}
