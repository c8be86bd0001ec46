import type { Language } from '../Language.ts';

/** Matches everything above the player: front matter and title, in HTML up to `</h1>` or the start of the body. */
const tops: Partial<Readonly<Record<Language, RegExp>>> = {
  markdown: markdownTop(),
  mdx: markdownTop(),
  html: /^(?:[\s\S]*?<\/h1\s*>|[\s\S]*?<body[^>]*>)[ \t]*(?:\r?\n|$)/i,
  asciidoc: /^\s*=[ \t]+\S(?:.*\S.*(?:\r?\n|$))+/,
  restructuredtext: /^\s*(?:([!-/:-@[-`{-~])\1{2,}\r?\n)?.*\S.*\r?\n([!-/:-@[-`{-~])\2{2,}[ \t]*(?:\r?\n|$)/,
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
  const frontMatter = /(?:\ufeff?(?:---|\+\+\+)[ \t]*\r?\n[\s\S]*?\n(?:---|\+\+\+|\.\.\.)[ \t]*(?:\r?\n|$))?/;
  const blank = /(?:[ \t]*\r?\n)*/;
  const title = /(?:#{1,6}[ \t].*(?:\r?\n|$)|[^\s#>*+-].*\r?\n(?:=+|-+)[ \t]*(?:\r?\n|$))?/;
  return new RegExp(`^${frontMatter.source}${blank.source}${title.source}`);
}
