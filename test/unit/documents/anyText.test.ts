import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findReferences } from '../../../src/documents/findReferences.ts';
import type { Language } from '../../../src/documents/Language.ts';

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

/** What the readers look for, so that arbitrary texts reach each of their branches. */
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

const text = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...tokens) }, fc.string({ unit: 'binary' })), {
  maxLength: 80,
  size: 'max',
});

function millisecondsFor(whole: string, language: Language): number {
  const start = performance.now();
  findReferences(whole, language);
  return performance.now() - start;
}

function best(whole: string, language: Language): number {
  return Math.min(...Array.from({ length: 5 }, () => millisecondsFor(whole, language)));
}

describe('findReferences in any text', () => {
  for (const language of languages) {
    it(`never throws, and cuts each href out of ${language} as it is`, () => {
      fc.assert(
        fc.property(text, (parts) => {
          const whole = parts.join('');
          let end = 0;
          for (const { range, alt, line } of findReferences(whole, language)) {
            const href = whole.slice(range.start, range.end);
            assert(href !== '' && range.end === range.start + href.length);
            assert(!/[\n\uE000]/.test(href) && href === href.trim(), JSON.stringify(href));
            assert(range.start >= end || language === 'latex', 'they are in order');
            end = range.start;
            assert(!alt || (alt.start <= alt.end && alt.end <= whole.length));
            assert.equal(line, whole.slice(0, range.start).split('\n').length - 1);
          }
        }),
        { numRuns: 500 },
      );
    });

    it(`needs no more than linear time for ${language}`, () => {
      const repeated = fc.tuple(
        fc.array(fc.constantFrom(...tokens), { maxLength: 2 }),
        fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 3 }),
      );
      fc.assert(
        fc.property(repeated, ([first, parts]) => {
          const textOf = (length: number) => {
            const part = parts.join('');
            return first.join('') + part.repeat(Math.ceil(length / part.length));
          };
          if (millisecondsFor(textOf(100_000), language) < 100) return;
          // Slow, or the machine is busy: four times the text must not need sixteen times as long.
          const [some, more] = [25_000, 100_000].map((length) => best(textOf(length), language));
          assert((more ?? 0) < 8 * (some ?? 0) + 20, `${JSON.stringify(parts)} took ${some} and ${more} ms`);
        }),
        { numRuns: 150 },
      );
    });
  }
});
