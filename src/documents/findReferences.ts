import { findInAsciidoc } from './asciidoc.ts';
import { belowAsciidocTitle, belowHtmlTitle, belowMarkdownTitle, belowRestructuredTextTitle } from './belowTitle.ts';
import { Findings, Mask } from './Findings.ts';
import type { Language } from './Language.ts';
import { findInLatex } from './latex.ts';
import type { MediaReference } from './MediaReference.ts';
import { findInMarkdown } from './markdown.ts';
import { findInRestructuredText } from './restructuredText.ts';
import { hideTemplates } from './templates.ts';
import { findInScript, findInStyle, findInTags, isElementOpen } from './web.ts';

/**
 * Finds the references to local pictures, sounds and videos in a document, in document order. Code, comments and
 * template expressions are skipped. Any text can be read, in time linear in its length.
 *
 * It does not use the languages' own parsers: markdown-it reports no offsets within a line, and thirteen languages
 * would need thirteen parsers. Each reader passes over the text once; a property test fails if the time is not linear.
 */
export function findReferences(text: string, language: Language): readonly MediaReference[] {
  const findings = new Findings(text, language);
  readers[language].find?.(text, findings);
  return findings.all();
}

/**
 * Returns where a player for the whole document belongs: below its title.
 *
 * @returns the offset of the start of a line; undefined if the document has no such place
 */
export function playerOffset(text: string, language: Language): number | undefined {
  return readers[language].belowTitle?.(text);
}

/** A title stands above this, in characters. */
const maxTitleEnd = 20_000;

/** Returns the title of a document, such as that of its front matter, else its first heading; empty without one. */
export function titleOf(text: string, language: Language): string {
  const head = text.slice(0, maxTitleEnd);
  const findings = new Findings(head, language);
  readers[language].find?.(head, findings);
  return findings.documentTitle;
}

const jinja = { '{# ': '#}', '{#-': '#}', '{#\n': '#}' };

/** How each language is read. How it is written is in `Language.ts`. */
const readers: Readonly<
  Record<
    Language,
    {
      find?(text: string, findings: Findings): void;
      /** Returns the offset of the line below the title of a document; undefined if it has no such place. */
      belowTitle?(text: string): number | undefined;
      /** A reference that shows which folders the document sets for its media. */
      readonly probe?: string;
    }
  >
> = {
  markdown: { find: (text, findings) => findInMarkdown(text, false, findings), belowTitle: belowMarkdownTitle },
  mdx: { find: (text, findings) => findInMarkdown(text, true, findings), belowTitle: belowMarkdownTitle },
  html: {
    find: (text, findings) => findInTags(withoutTemplates(text, findings, jinja), findings),
    belowTitle: belowHtmlTitle,
  },
  vue: { find: (text, findings) => findInTags(withoutTemplates(text, findings), findings) },
  svelte: { find: (text, findings) => findInTags(withoutTemplates(text, findings), findings) },
  astro: { find: findInAstro },
  jsx: { find: (text, findings) => findInScript(text, true, findings) },
  script: { find: (text, findings) => findInScript(text, false, findings) },
  css: { find: (text, findings) => findInStyle(withoutTemplates(text, findings), false, findings) },
  scss: { find: (text, findings) => findInStyle(withoutTemplates(text, findings), true, findings) },
  latex: { find: findInLatex, probe: '\n\\includegraphics{x}' },
  asciidoc: { find: findInAsciidoc, belowTitle: belowAsciidocTitle, probe: '\n\nimage::x.png[]' },
  restructuredtext: { find: findInRestructuredText, belowTitle: belowRestructuredTextTitle },
  gdscript: {},
  dart: {},
  other: {},
};

/** An Astro file has a script between two fences at the top, and comments also in braces. */
function findInAstro(text: string, findings: Findings): void {
  const fenced = /^\s*---[ \t]*\r?\n/.exec(text);
  const close = fenced ? text.indexOf('\n---', fenced[0].length - 1) : -1;
  const body = close === -1 ? 0 : close + 4;
  if (fenced && close !== -1) findInScript(text.slice(0, close), false, findings, fenced[0].length);
  findInTags(withoutTemplates(text, findings, { '{/*': '*/}' }), findings, body);
}

function withoutTemplates(text: string, findings: Findings, more: Readonly<Record<string, string>> = {}): string {
  const mask = new Mask(text);
  hideTemplates(text, { mask, findings, more: { '<!--': '-->', ...more } });
  return mask.apply();
}

/** Returns whether text at an offset of JavaScript is the content of an element of JSX. */
export function isInElement(text: string, offset: number): boolean {
  return isElementOpen(text.slice(0, offset));
}

/** Returns the folders that a document sets for media at an offset: `\graphicspath`, `:imagesdir:`. */
export function foldersAt(text: string, language: Language, offset: number): readonly string[] {
  const { probe } = readers[language];
  if (probe === undefined) return [];
  // The readers return the folders of each reference.
  return findReferences(text.slice(0, offset) + probe, language).at(-1)?.folders ?? [];
}
