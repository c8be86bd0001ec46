import { findInAsciidoc } from './asciidoc.ts';
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
  const findings = new Findings(text);
  readerOf(language)?.(text, findings);
  return findings.all();
}

/** A title stands above this, in characters. */
const maxTitleEnd = 20_000;

/** Returns the title of a document, such as that of its front matter, else its first heading; empty without one. */
export function titleOf(text: string, language: Language): string {
  const head = text.slice(0, maxTitleEnd);
  const findings = new Findings(head);
  readerOf(language)?.(head, findings);
  return findings.documentTitle;
}

function readerOf(language: Language): ((text: string, findings: Findings) => void) | undefined {
  switch (language) {
    case 'markdown':
    case 'mdx':
      return (text, findings) => findInMarkdown(text, language === 'mdx', findings);
    case 'html':
      return (text, findings) =>
        findInTags(withoutTemplates(text, findings, { '{# ': '#}', '{#-': '#}', '{#\n': '#}' }), findings);
    case 'vue':
    case 'svelte':
      return (text, findings) => findInTags(withoutTemplates(text, findings), findings);
    case 'astro':
      return findInAstro;
    case 'jsx':
    case 'script':
      return (text, findings) => findInScript(text, language === 'jsx', findings);
    case 'css':
    case 'scss':
      return (text, findings) => findInStyle(withoutTemplates(text, findings), language === 'scss', findings);
    case 'latex':
      return findInLatex;
    case 'asciidoc':
      return findInAsciidoc;
    case 'restructuredtext':
      return findInRestructuredText;
    case 'gdscript':
    case 'dart':
    case 'other':
      return undefined;
  }
}

/** An Astro file has a script between two fences at the top, and comments also in braces. */
function findInAstro(text: string, findings: Findings): void {
  const fenced = /^\s*---[ \t]*\r?\n/.exec(text);
  const close = fenced ? text.indexOf('\n---', fenced[0].length - 1) : -1;
  const body = close === -1 ? 0 : close + 4;
  if (fenced && close !== -1) findInScript(text.slice(fenced[0].length, close), false, findings, fenced[0].length);
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
  if (language !== 'latex' && language !== 'asciidoc') return [];
  // Appends a reference, because the readers return the folders of each reference.
  const reference = language === 'latex' ? '\n\\includegraphics{x}' : '\n\nimage::x.png[]';
  return findReferences(text.slice(0, offset) + reference, language).at(-1)?.folders ?? [];
}
