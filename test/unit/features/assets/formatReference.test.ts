import assert from 'node:assert/strict';
import { formatReference } from '../../../../src/features/assets/formatReference.ts';
import type { AssetKind } from '../../../../src/operations/operations.ts';

const snippets = {
  audio: '<audio controls src="${src}" title="${title}"></audio>',
  video: '<video src="${src}"></video>',
};

const rows: readonly (readonly [string, AssetKind, string])[] = [
  ['markdown', 'images', '![A "fox" \\[red\\]](../media/a%20fox%20%281%29.png)'],
  [
    'markdown',
    'speech',
    '<audio controls src="../media/a%20fox%20%281%29.png" title="A &quot;fox&quot; [red]"></audio>',
  ],
  ['markdown', 'videos', '<video src="../media/a%20fox%20%281%29.png"></video>'],
  ['markdown', 'transcripts', '[A "fox" \\[red\\]](../media/a%20fox%20%281%29.png)'],
  ['html', 'images', '<img src="../media/a%20fox%20(1).png" alt="A &quot;fox&quot; [red]">'],
  ['typescriptreact', 'images', '<img src="../media/a%20fox%20(1).png" alt="A &quot;fox&quot; [red]" />'],
  ['vue', 'videos', '<video controls src="../media/a%20fox%20(1).png" title="A &quot;fox&quot; [red]"></video>'],
  ['svelte', 'speech', '<audio controls src="../media/a%20fox%20(1).png" title="A &quot;fox&quot; [red]"></audio>'],
  ['css', 'images', 'url("../media/a%20fox%20(1).png")'],
  ['latex', 'images', '\\includegraphics{../media/a fox (1).png}'],
  ['latex', 'videos', '\\href{../media/a fox (1).png}{A "fox" [red]}'],
  ['asciidoc', 'images', 'image::../media/a%20fox%20(1).png[A "fox" [red\\]]'],
  ['asciidoc', 'speech', 'audio::../media/a%20fox%20(1).png[]'],
  ['restructuredtext', 'images', '.. image:: ../media/a%20fox%20(1).png\n   :alt: A "fox" [red]'],
  ['restructuredtext', 'videos', '`A "fox" [red] <../media/a%20fox%20(1).png>`_'],
  ['rust', 'images', '../media/a fox (1).png'],
];

describe('formatReference', () => {
  for (const [language, kind, expected] of rows) {
    it(`${kind} in ${language}`, () => {
      const reference = { path: '../media/a fox (1).png', kind, title: 'A "fox"\n [red]' };
      assert.equal(formatReference(language, reference, snippets), expected);
    });
  }

  it('lets no prompt become markup', () => {
    const title = '"><script>alert(1)</script>{evil()}';
    for (const language of ['html', 'typescriptreact', 'markdown']) {
      for (const kind of ['images', 'speech', 'videos', 'transcripts'] as const) {
        const text = formatReference(language, { path: 'a.png', kind, title }, snippets);
        if (language !== 'markdown') assert(!/<script|[{}]/.test(text), text);
      }
    }
  });

  const latex = [
    ['\\', '\\textbackslash{}'],
    ['{', '\\{'],
    ['}', '\\}'],
    ['%', '\\%'],
    ['#', '\\#'],
    ['$', '\\$'],
    ['&', '\\&'],
    ['_', '\\_'],
    ['^', '\\textasciicircum{}'],
    ['~', '\\textasciitilde{}'],
  ] as const;
  for (const [character, escaped] of latex) {
    it(`writes ${character} as text in LaTeX`, () => {
      const title = `a${character}b${character}`;
      for (const language of ['latex', 'tex']) {
        const text = formatReference(language, { path: 'a.mp4', kind: 'videos', title }, snippets);
        assert.equal(text, `\\href{a.mp4}{a${escaped}b${escaped}}`);
      }
    });
  }

  it('keeps letters of any script', () => {
    const reference = { path: 'bilder/雪の狐.png', kind: 'images', title: '雪' } as const;
    assert.equal(formatReference('markdown', reference, snippets), '![雪](bilder/雪の狐.png)');
  });
});
