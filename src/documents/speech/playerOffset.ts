import type { Language } from '../Language.ts';

/** Behind the front matter, the title of the document where it begins with one, and in HTML `<h1>` or the begin of the body. */
const tops: Partial<Readonly<Record<Language, RegExp>>> = {
  markdown: markdownTop(),
  mdx: markdownTop(),
  html: /^[\s\S]*?(?:<\/h1\s*>|<body[^>]*>)[ \t]*(?:\r?\n|$)/i,
  asciidoc: /^\s*=[ \t]+\S(?:.*\S.*(?:\r?\n|$))+/,
  restructuredtext: /^\s*(?:([!-/:-@[-`{-~])\1{2,}\r?\n)?.*\S.*\r?\n([!-/:-@[-`{-~])\2{2,}[ \t]*(?:\r?\n|$)/,
};

/**
 * Where a player for the whole document belongs: below its title.
 *
 * @returns an offset at the begin of a line; undefined for a language in which no such place is known
 */
export function playerOffset(text: string, language: Language): number | undefined {
  const top = tops[language];
  return top && (top.exec(text)?.[0].length ?? 0);
}

function markdownTop(): RegExp {
  const frontMatter = /(?:\ufeff?(?:---|\+\+\+)[ \t]*\r?\n[\s\S]*?\n(?:---|\+\+\+|\.\.\.)[ \t]*(?:\r?\n|$))?/;
  const blank = /(?:[ \t]*\r?\n)*/;
  const title = /(?:#{1,6}[ \t].*(?:\r?\n|$)|[^\s#>*+-].*\r?\n(?:=+|-+)[ \t]*(?:\r?\n|$))?/;
  return new RegExp(`^${frontMatter.source}${blank.source}${title.source}`);
}
