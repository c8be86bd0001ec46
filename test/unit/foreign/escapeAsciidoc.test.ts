import assert from 'node:assert/strict';
import { convert } from '@asciidoctor/core';
import { escapeAsciidoc, escapeAsciidocValue } from '../../../src/foreign/escape.ts';
import { plainLine } from '../../../src/foreign/plainText.ts';
import { fc, runs } from '../../support/fastCheck.ts';

/** The text that a browser shows for HTML without tags. AsciiDoc makes apostrophes typographic, which is welcome. */
function shown(html: string): string {
  const names: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return html
    .replace(/&(?:#(\d+)|(\w+));/g, (whole, code: string | undefined, name = '') =>
      code === undefined ? (names[name] ?? whole) : String.fromCodePoint(Number(code)),
    )
    .replaceAll('’', "'");
}

async function converted(line: string): Promise<string> {
  return String(await convert(`:name: replaced\n\n${line}`)).replaceAll('\n', '');
}

/** What Asciidoctor shows of a title: as the text of an image, of a link and as a paragraph. */
async function shownEverywhere(words: string): Promise<readonly (string | undefined)[]> {
  const alt = / alt="([^"]*)"/;
  const title = plainLine(words);
  const value = escapeAsciidocValue(title);
  return [
    alt.exec(await converted(`image::a.png[${value}]`))?.[1],
    alt.exec(await converted(`See image:a.png[${value}] here.`))?.[1],
    /<a href="a\.md">(.*?)<\/a>/.exec(await converted(`link:a.md[${escapeAsciidoc(title)}]`))?.[1],
    /^<div class="paragraph"><p>(.*?)<\/p><\/div>$/.exec(await converted(escapeAsciidoc(title)))?.[1],
  ].map((html) => html && shown(html));
}

describe('escapeAsciidoc', () => {
  const titles = [
    'A "fox" [red]',
    'a, b=c',
    '"a", "b"',
    "it's 'quoted', twice",
    '{name} {counter:x} {set:x:y} \\{name}',
    '+++<script>alert(1)</script>+++ ++<b>++ +x+ $$<b>$$',
    'pass:[<b>x</b>] pass:q[*x*] stem:[x] kbd:[x] footnote:[x]',
    'image:a.png[] link:b[c] xref:d[e] include::/etc/passwd[] ifdef::x[]',
    'https://x.test/a[b] me@x.test mailto:me@x.test[b]',
    '((term)) (((a, b))) <<x>> [[y]] [#z]',
    '*b* _i_ `m` #h# ^s^ ~t~ **b** __i__ a_b "`c`"',
    '(C) (R) (TM) a--b -- ... -> => <- <=',
    '&amp; &#65; & a & b;',
    'a | b |=== ends \\',
    ...['. x', '- x', '* x', '1. x', 'a. x', 'ix) x', '• x', '== x', '# x', '// x', ':a: x', 'NOTE: x', "'''"],
    ...['[source]', '.x', '|===', '----', 'a:: b', 'a;; b', '<1> x', 'x +', 'image::a.png[]'],
  ];
  for (const title of titles) {
    it(`shows ${title} as it is`, async () => {
      assert.deepEqual(await shownEverywhere(title), [title, title, title, title]);
    });
  }

  it('shows any text as it is', async () => {
    const characters = [...'[]{}<>()+*_`#^~|\\"\'=:;,.-$&@!/% a1C', 'pass:', 'image:', 'https://', 'name', '++', '::'];
    const title = fc
      .array(fc.constantFrom(...characters), { maxLength: 14 })
      .map((parts) => parts.join('').replace(/\s+/g, ' ').trim())
      .filter((text) => /\w/.test(text));
    await fc.assert(
      fc.asyncProperty(title, async (text) => {
        assert.deepEqual(await shownEverywhere(text), [text, text, text, text]);
      }),
      { numRuns: runs(300) },
    );
  });

  it('leaves ordinary prose readable', () => {
    const prose = "At 12:30 the fox, who can't swim, said: half-way (almost) there! 5% & more; a.b/c?";
    assert.equal(escapeAsciidoc(plainLine(prose)), prose);
    assert.equal(escapeAsciidocValue(plainLine('A red fox')), 'A red fox');
    assert.equal(escapeAsciidocValue(plainLine('A red fox, at dawn')), '"A red fox, at dawn"');
  });
});
