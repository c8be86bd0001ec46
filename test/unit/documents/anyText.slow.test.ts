import assert from 'node:assert/strict';
import { findReferences } from '../../../src/documents/findReferences.ts';
import type { Language } from '../../../src/documents/Language.ts';
import { anyCharacter, fc, runs } from '../../support/fastCheck.ts';
import { growsLinearly } from '../../support/growsLinearly.ts';

const languages: readonly Language[] = [
  'markdown',
  'mdx',
  'html',
  'jsx',
  'script',
  'vue',
  'svelte',
  'astro',
  'css',
  'scss',
  'latex',
  'asciidoc',
  'restructuredtext',
];

/** Tokens that the readers look for, so that arbitrary texts reach every branch. */
const tokens = [
  ...[
    '\n',
    '\n\n',
    '\r\n',
    ' ',
    '    ',
    '\t',
    '> ',
    '- ',
    '1. ',
    '# ',
    '---\n',
    '+++\n',
    '===\n',
    '|',
    ':',
    '::',
    ',',
    ';',
  ],
  ...[
    '`',
    '``',
    '```\n',
    '~~~\n',
    '<!--',
    '-->',
    '[',
    ']',
    '](',
    '![',
    '![](a.png)',
    ')',
    '(',
    '[a]: ',
    '<',
    '>',
    '\\',
    '!',
    '^',
  ],
  ...[
    '<img ',
    '<a b="',
    '<a b={',
    'src="',
    'src={',
    "src='",
    'srcset="a.png 1x, ',
    'style="',
    '/>',
    '</a>',
    '<script>',
    '</script>',
    '<style>',
    '<h1>',
  ],
  ...['{', '}', '{{', '}}', '{%', '%}', '<?', '?>', '{/*', '*/}', '${', '/', '//', '/*', '*/', '"', "'", '='],
  ...['import ', 'from ', 'require(', 'new URL(', 'import.meta.url', 'return ', 'x', 'extends ', '<T,', '<>', '</'],
  ...[
    'url(',
    'image-set(',
    '@{',
    '#{',
    '\\includegraphics',
    '\\includegraphics[',
    '\\includegraphics{',
    '\\graphicspath{',
    '{a/}',
    '\\begin{verbatim}',
    '\\end{verbatim}',
  ],
  ...[
    '\\verb|',
    '%',
    '\\caption{',
    '\\section{',
    'image::',
    'image:',
    'video::a.mp4[',
    ':imagesdir: ',
    '----\n',
    '////\n',
    '[source]\n',
    '.. ',
    '.. image:: ',
    '.. code::\n',
    '.. raw:: html\n',
    '   :alt: ',
  ],
  ...['image: ', 'cover:\n  ', 'a.png', 'b.mp3', 'c d.mp4', '\uE000', '\uFEFF', '\u2028', '😀', '\uD800', '__proto__'],
  ...[
    '<img src="a.png" alt="x" />',
    'import "a.png";',
    'url(a.png)',
    '\\includegraphics{a}',
    '\nimage::a.png[x]\n',
    '\n.. image:: a.png\n   :alt: x\n',
  ],
] as const;

const text = fc.array(
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...tokens) }, fc.string({ unit: anyCharacter })),
  {
    maxLength: 80,
    size: 'max',
  },
);

describe('findReferences with arbitrary text', () => {
  for (const language of languages) {
    it(`never throws, and returns exact, ordered ranges in ${language}`, () => {
      fc.assert(
        fc.property(text, (parts) => {
          const whole = parts.join('');
          let end = 0;
          for (const { range, alt, line } of findReferences(whole, language)) {
            const href = whole.slice(range.start, range.end);
            assert(href !== '' && range.end === range.start + href.length);
            assert(!/[\n\uE000]/.test(href) && href === href.trim(), JSON.stringify(href));
            assert(range.start >= end || language === 'latex', 'ranges are in order');
            end = range.start;
            assert(!alt || (alt.start <= alt.end && alt.end <= whole.length));
            assert.equal(line, whole.slice(0, range.start).split('\n').length - 1);
          }
        }),
        { numRuns: runs(500) },
      );
    });

    it(`reads repeated unclosed brackets, quotes and braces in linear time in ${language}`, () => {
      for (const part of [
        '[](',
        '![a](b ',
        '<a b={',
        '<a b="',
        "<a b='",
        '`a ``',
        '{{',
        '\\includegraphics[',
        'image:a',
        'url(',
      ]) {
        assert(
          growsLinearly(
            (whole) => findReferences(whole, language),
            (length) => part.repeat(Math.ceil(length / part.length)),
          ),
          part,
        );
      }
    });

    it(`takes at most linear time for repeated tokens in ${language}`, () => {
      const repeated = fc.tuple(
        fc.array(fc.constantFrom(...tokens), { maxLength: 2 }),
        fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 3 }),
      );
      fc.assert(
        fc.property(repeated, ([first, parts]) => {
          const part = parts.join('');
          const textOf = (length: number) => first.join('') + part.repeat(Math.ceil(length / part.length));
          assert(
            growsLinearly((whole) => findReferences(whole, language), textOf),
            JSON.stringify(parts),
          );
        }),
        { numRuns: runs(30) },
      );
    });
  }
});
