import assert from 'node:assert/strict';
import { findReferences } from '../../../src/documents/findReferences.ts';
import type { Language } from '../../../src/documents/Language.ts';
import { playerOffset } from '../../../src/documents/playerOffset.ts';
import { speakableText } from '../../../src/documents/speakableText.ts';
import { describeData } from '../../../src/library/saveMedia.ts';
import { growsLinearly } from '../../support/growsLinearly.ts';

type Read = (text: string) => unknown;

const speech = (language: string) => (text: string) => speakableText(text, language);
const player = (language: Language) => (text: string) => playerOffset(text, language);
const references = (language: Language) => (text: string) => findReferences(text, language);

/** Texts that once took quadratic or exponential time: before the repeated part, that part and after it. */
const cases: readonly (readonly [string, Read, before: string, part: string, after: string])[] = [
  ['empty list items in Markdown', speech('markdown'), '', '-  ', 'x'],
  ['numbered list items in quotes in Markdown', speech('markdown'), '> ', '1.  ', 'x'],
  ['backticks in Markdown', speech('markdown'), '', '`a ``b ```c ', ''],
  ['backticks in MDX', speech('mdx'), '', '`', ' a'],
  ['runs of backticks in MDX', speech('mdx'), '', '`a ``b ```c ', ''],
  ['spaces in Markdown', speech('markdown'), 'a', ' ', 'b'],
  ['unclosed attributes in Markdown', speech('markdown'), '', '{#a', ''],
  ['spaces before unclosed attributes in Markdown', speech('markdown'), 'a', '    {', 'b'],
  ['containers in Markdown', speech('markdown'), '', ':::', ' a'],
  ['cells in Markdown', speech('markdown'), '|a|b|\n|-|-|\n', '|a|b|\n', ''],
  ['cells of one row in HTML', speech('html'), '<table><tr>', '<td>a', ''],
  ['addresses of subtitles in HTML', speech('html'), '<a href="', '.vtt?', '\n">a</a>'],
  ['unclosed index terms in AsciiDoc', speech('asciidoc'), '', '((', ''],
  ['unclosed references in AsciiDoc', speech('asciidoc'), '', '<<', ''],
  ['unclosed anchors in AsciiDoc', speech('asciidoc'), '', '[[', ''],
  ['unclosed links in AsciiDoc', speech('asciidoc'), '', 'link:', ''],
  ['marks without an end in AsciiDoc', speech('asciidoc'), '', ' *a', ''],
  ['spaces after a backtick in reStructuredText', speech('restructuredtext'), '`', ' ', 'a'],
  ['marks without an end in reStructuredText', speech('restructuredtext'), '', ' *', ''],
  ['unclosed references in reStructuredText', speech('restructuredtext'), '', '`a', ''],
  ['unclosed roles in reStructuredText', speech('restructuredtext'), '', ':a', ''],
  ['nested directives in reStructuredText', speech('restructuredtext'), '', '.. note::\n ', ''],
  ['unclosed interpolations in Vue', speech('vue'), '', '{{', ''],
  ['unclosed scripts in Svelte', speech('svelte'), '', '<script', ''],
  ['fields above a missing title', player('restructuredtext'), '', ':a: b\n', ''],
  ['comments above a missing title', player('restructuredtext'), '', '.. a\n', ''],
  ['spaces before a missing title', player('restructuredtext'), '', ' ', ''],
  ['unclosed bodies', player('html'), '', '<body', ''],
  ['unclosed comments', player('asciidoc'), '', '////\n', 'a'],
  ['blank lines above a missing title', player('markdown'), '---\n', '\n', ''],
  ['pictures in front matter', references('markdown'), '---\n', 'image: a.png\n', '---\n'],
  ['pictures with texts in front matter', references('markdown'), '---\n', 'image: a.png\nimageAlt: b\n', '---\n'],
  ['comments before a root', (text) => describeData(Buffer.from(text)), '', '<!---->', 'not here'],
  ['unclosed comments before a root', (text) => describeData(Buffer.from(text)), '', '<!--', ''],
  ['spaces before a root', (text) => describeData(Buffer.from(text)), '', ' \n', ''],
];

describe('time for text from outside', () => {
  for (const [name, read, before, part, after] of cases) {
    it(`grows at most linearly with ${name}`, () => {
      const textOf = (length: number) => before + part.repeat(Math.ceil(length / part.length)) + after;
      assert(growsLinearly(read, textOf, 300_000));
    });
  }
});
