import assert from 'node:assert/strict';
import { playerOffset } from '../../../../src/documents/findReferences.ts';
import type { Language } from '../../../../src/documents/Language.ts';

/** `|` marks where the player belongs. */
const cases: readonly (readonly [Language, string, string])[] = [
  ['markdown', 'a title', '# Fox\n|\nIt ran.\n'],
  ['markdown', 'a title of two lines', 'Fox\r\n===\r\n|It ran.'],
  ['markdown', 'front matter and a title', '---\ntitle: Fox\n---\n\n# Fox\n|\nIt ran.'],
  ['markdown', 'front matter alone', '+++\ntitle = "Fox"\n+++\n|It ran.'],
  ['markdown', 'empty front matter', '---\n---\n# Fox\n|It ran.'],
  ['markdown', 'empty front matter and a ruler', '---\n---\n|It ran.\n\n---\n\nOff'],
  ['markdown', 'neither', '|It ran.\n\n# Fox'],
  ['markdown', 'a list', '|- a\n---\n'],
  ['markdown', 'a title that ends the text', '# Fox|'],
  ['markdown', 'nothing', '|'],
  ['mdx', 'a title', '# Fox\n|\n<Tabs />'],
  ['html', 'a title', '<body>\n<h1>Fox</h1>\n|<p>It ran.'],
  ['html', 'no title', '<html><body class="a">\n|<p>It ran.'],
  ['asciidoc', 'a header', '= Fox\nAnn Author\n:toc:\n|\nIt ran.'],
  ['asciidoc', 'a title of one letter', '= F\n|\nIt ran.'],
  ['asciidoc', 'comments and attributes above the title', '// SPDX\n:toc:\n\n////\n= no\n////\n= Fox\n:icons:\n|\nIt'],
  ['asciidoc', 'attributes without a title', ':toc:\n\n|It ran.'],
  ['asciidoc', 'no title', '|It ran.'],
  ['restructuredtext', 'a title', 'Fox\n===\n|\nIt ran.'],
  ['restructuredtext', 'a label above the title', '.. _fox:\n\nFox\n===\n|\nIt ran.'],
  ['restructuredtext', 'metadata and a comment above the title', ':orphan:\n\n.. By\n   Ann\n\nFox\n===\n|\nIt ran.'],
  ['restructuredtext', 'metadata without a title', ':orphan:\n|\nIt ran.'],
  ['restructuredtext', 'a title between lines', '===\nFox\n===\n|\nIt ran.'],
];

describe('playerOffset', () => {
  for (const [language, what, marked] of cases) {
    it(`finds the position in ${language}: ${what}`, () => {
      const offset = marked.indexOf('|');
      assert.equal(playerOffset(marked.slice(0, offset) + marked.slice(offset + 1), language), offset);
    });
  }

  it('does not hang on many comments and blank lines', () => {
    const comments = '.. a\n\n\n   b\n\n\n:c: d\n\n\n// e\n\n\n:f:\n\n\n'.repeat(5000);
    for (const language of ['asciidoc', 'restructuredtext'] as const) {
      for (const text of [comments, comments.replaceAll('..', '//'), comments.replaceAll('// e', '..')]) {
        playerOffset(text, language);
      }
    }
  });

  it('returns undefined for LaTeX and for an HTML fragment', () => {
    assert.equal(playerOffset('Fox', 'latex'), undefined);
    assert.equal(playerOffset('<p>Fox', 'html'), undefined);
  });
});
