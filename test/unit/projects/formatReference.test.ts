import assert from 'node:assert/strict';
import { convert } from '@asciidoctor/core';
import MarkdownIt from 'markdown-it';
import { findReferences } from '../../../src/documents/findReferences.ts';
import type { Language } from '../../../src/documents/Language.ts';
import { plainLine } from '../../../src/foreign/plainText.ts';
import type { AssetKind } from '../../../src/operations/operations.ts';
import { codeFor, formatReference, hrefIn, languageToWrite } from '../../../src/projects/formatReference.ts';
import { decodeAddress } from '../../../src/projects/Places.ts';
import type { Wrapper } from '../../../src/projects/Project.ts';

const snippets = {
  audio: '<audio controls src="${src}" title="${title}"></audio>',
  video: '<video src="${src}"></video>',
};

describe('hrefIn', () => {
  const path = "../a fox's (1) & 2.png";
  const addresses = [
    ['markdown', 'inline', '../a%20fox%27s%20%281%29%20&%202.png'],
    ['markdown', 'tag', '../a%20fox%27s%20(1)%20&amp;%202.png'],
    ['css', 'style', '../a%20fox%27s%20%281%29%20&%202.png'],
    ['latex', 'macro', path],
    ['gdscript', 'tag', path],
    ['dart', 'tag', path],
    ['jsx', 'module', undefined],
    ['asciidoc', 'macro', '../a%20fox%27s%20(1)%20&%202.png'],
  ] as const;
  for (const [language, form, address] of addresses) {
    it(`encodes the path for ${form} in ${language}`, () =>
      assert.equal(hrefIn(language, form, { address: path }), address));
  }

  it('keeps a relative module path as it is', () =>
    assert.equal(hrefIn('jsx', 'module', { address: './a fox.png' }), './a fox.png'));

  it('writes a path into a tag of Hexo as the file is named, and in quotes unless it is a plain word', () => {
    const within = (address: string, before: string) => hrefIn('markdown', 'macro', { address }, before);
    assert.equal(within('ü/fox.png', '{% asset_img '), 'ü/fox.png');
    assert.equal(within('my pic.png', '{% asset_img '), '"my pic.png"');
    assert.equal(within('50%.png', '{% asset_path "'), '50%.png');
    assert.equal(within('say "x".png', '{% asset_img '), `'say "x".png'`);
    assert.equal(within("it's.png", `{% asset_img '`), undefined);
    assert.equal(within('a %} {{ b }}.png', '{% asset_img '), undefined);
    assert.equal(within('my pic.png', '```{figure} '), 'my%20pic.png');
  });

  it('encodes no more than what is around the address needs', () => {
    const written = { address: "a fox's & 2.png" };
    assert.equal(hrefIn('css', 'style', written, 'url("'), 'a fox%27s & 2.png');
    assert.equal(hrefIn('css', 'style', written, 'url('), 'a%20fox%27s%20&%202.png');
    assert.equal(hrefIn('jsx', 'tag', written, "<img src={ '"), 'a%20fox%27s%20&%202.png');
    assert.equal(hrefIn('jsx', 'tag', written, '<img src="'), 'a%20fox%27s%20&amp;%202.png');
  });
});

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
  ['css', 'images', 'url("../media/a fox (1).png")'],
  ['latex', 'images', '\\includegraphics{../media/a fox (1).png}'],
  ['latex', 'videos', '\\href{../media/a fox (1).png}{A "fox" [red]}'],
  ['asciidoc', 'images', 'image::../media/a%20fox%20(1).png["A &#34;fox&#34; &#91;red&#93;"]'],
  ['asciidoc', 'transcripts', 'link:../media/a%20fox%20(1).png[A "fox" &#91;red&#93;]'],
  ['asciidoc', 'speech', 'audio::../media/a%20fox%20(1).png[]'],
  ['restructuredtext', 'images', '.. image:: ../media/a\\ fox\\ (1).png\n   :alt: A "fox" [red]'],
  ['restructuredtext', 'videos', '`A "fox" [red] <../media/a%20fox%20(1).png>`__'],
  ['rust', 'images', '../media/a fox (1).png'],
  ['javascript', 'images', '../media/a fox (1).png'],
  ['mdx', 'images', '![A "fox" \\[red\\]](../media/a%20fox%20%281%29.png)'],
  ['mdx', 'videos', '<video controls src="../media/a%20fox%20(1).png" title="A &quot;fox&quot; [red]"></video>'],
];

const wrapped: readonly (readonly [string, AssetKind, Wrapper, string])[] = [
  ['mdx', 'speech', 'require', `<audio controls src={require("./it's %.mp3").default} title="Fox"></audio>`],
  ['markdown', 'speech', 'require', `<audio controls src={require("./it's %.mp3").default} title="Fox"></audio>`],
  ['typescriptreact', 'images', 'import', '<img src={itS} alt="Fox" />'],
  ['markdown', 'images', 'relativeUrl', `![Fox]({{ './it%27s%20%25.mp3' | relative_url }})`],
  ['markdown', 'videos', 'relativeUrl', `<video src="{{ './it%27s%20%25.mp3' | relative_url }}"></video>`],
  ['markdown', 'images', 'url', `![Fox]({{ './it%27s%20%25.mp3' | url }})`],
  ['markdown', 'speech', 'assetPath', `<audio controls src="{% asset_path "./it's %.mp3" %}" title="Fox"></audio>`],
  ['html', 'images', 'relativeUrl', `<img src="{{ './it%27s%20%25.mp3' | relative_url }}" alt="Fox">`],
];

describe('formatReference', () => {
  for (const [language, kind, expected] of rows) {
    it(`writes ${kind} in ${language}`, () => {
      const reference = { path: '../media/a fox (1).png', kind, title: plainLine('A "fox"\n [red]') };
      assert.equal(formatReference(languageToWrite(language), reference, snippets), expected);
    });
  }

  for (const [language, kind, wrapper, expected] of wrapped) {
    it(`writes ${kind} in ${language} with ${wrapper}`, () => {
      const imported = wrapper === 'import' ? 'itS' : undefined;
      const reference = { path: "./it's %.mp3", kind, title: plainLine('Fox'), wrapper, imported };
      assert.equal(formatReference(languageToWrite(language), reference, snippets), expected);
    });
  }

  it('writes a tag where the site does not find a picture of Markdown', () => {
    const reference = { path: 'a.png', kind: 'images', title: plainLine('Fox'), isTag: true } as const;
    assert.equal(formatReference('markdown', reference, snippets), '<img src="a.png" alt="Fox">');
    assert.equal(formatReference('mdx', reference, snippets), '<img src="a.png" alt="Fox" />');
  });

  it('writes a source where the framework does not transform the address of a sound', () => {
    const reference = { path: './a.mp3', kind: 'speech', title: plainLine('Fox'), hasSource: true } as const;
    const expected = '<audio controls title="Fox"><source src="./a.mp3"></audio>';
    assert.equal(formatReference('vue', reference, snippets), expected);
    assert.equal(formatReference('markdown', reference, snippets), expected);
  });

  it('puts code in place of the quotes of an existing attribute, and expressions between them', () => {
    assert.equal(hrefIn('mdx', 'tag', { address: './a.mp3', wrapper: 'require' }), undefined);
    assert.equal(codeFor('./a.mp3', undefined), "{require('./a.mp3').default}");
    assert.equal(codeFor('./a.mp3', 'a'), '{a}');
    assert.equal(codeFor(`./"it's".mp3`, undefined), `{require("./\\"it's\\".mp3").default}`);
    assert.equal(hrefIn('html', 'tag', { address: '/a.mp3', wrapper: 'url' }), "{{ '/a.mp3' | url }}");
  });

  it('writes the component of React Native, whose address is found again', () => {
    const reference = { path: "./it's.png", kind: 'images', title: plainLine('Fox'), wrapper: 'native' } as const;
    const text = formatReference('jsx', reference, snippets);
    assert.equal(text, `<Image source={require("./it's.png")} alt="Fox" />`);
    assert.deepEqual(
      findReferences(text, 'jsx').map(({ form, address }) => [form, address]),
      [['module', "./it's.png"]],
    );
  });

  it('writes code whose address is found again', () => {
    for (const path of ["./it's.mp3", './"it".mp3', './$5.mp3', './a $.mp3'])
      for (const language of ['markdown', 'mdx', 'jsx'] as const) {
        const reference = { path, kind: 'speech', title: plainLine('Fox'), wrapper: 'require' } as const;
        const [found, ...others] = findReferences(formatReference(language, reference, snippets), language);
        assert.deepEqual([found?.address, others], [path, []], language);
      }
  });

  it('uses an expression only when the snippet has a quoted value', () => {
    const reference = { path: './a.mp3', kind: 'speech', title: plainLine('Fox'), wrapper: 'require' } as const;
    const text = formatReference('markdown', reference, { ...snippets, audio: '{{audio ${src}}}' });
    assert.equal(text, `<audio controls src={require('./a.mp3').default} title="Fox"></audio>`);
  });

  it('never lets a prompt become markup', () => {
    const title = plainLine('"><script>alert(1)</script>{evil()}');
    for (const kind of ['images', 'speech', 'videos', 'transcripts'] as const) {
      const write = (language: string) =>
        formatReference(languageToWrite(language), { path: 'a.png', kind, title }, snippets);
      for (const language of ['html', 'typescriptreact', 'vue', 'svelte']) {
        assert.doesNotMatch(write(language), /<script|[{}]/, language);
      }
      assert.doesNotMatch(new MarkdownIt({ html: true }).render(write('markdown')), /<script/);
      assert.doesNotMatch(write('mdx'), /(?<!\\)(?:<script|\{)/);
    }
  });

  it('keeps a title with a bar in the cell of a table', () => {
    const reference = { path: 'a.png', kind: 'images', title: plainLine('day | night \\| \\') } as const;
    const text = formatReference('markdown', reference, snippets);
    const html = new MarkdownIt().render(`| a | b |\n| - | - |\n| ${text} | x |`);
    assert.match(html, /<td><img src="a.png" alt="day \| night \\\| \\"><\/td>\s*<td>x<\/td>/);
    for (const language of ['markdown', 'mdx'] as const) {
      const [found] = findReferences(formatReference(language, reference, snippets), language);
      assert.equal(found?.altText, reference.title);
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
    it(`escapes ${character} in LaTeX`, () => {
      const title = plainLine(`a${character}b${character}`);
      const text = formatReference('latex', { path: 'a.mp4', kind: 'videos', title }, snippets);
      assert.equal(text, `\\href{a.mp4}{a${escaped}b${escaped}}`);
    });
  }

  it('writes a path into LaTeX as it is, and none that LaTeX cannot read', () => {
    const title = plainLine('Fox');
    for (const path of [
      'a&b.png',
      'a~b.png',
      'a$b.png',
      '$5.png',
      'a^b.png',
      'a_b.png',
      "a'b.png",
      'a b.png',
      'ä.png',
    ]) {
      const written = formatReference('latex', { path, kind: 'images', title }, snippets);
      assert.equal(written, `\\includegraphics{${path}}`);
      assert.equal(findReferences(written, 'latex')[0]?.address, path);
      assert.equal(hrefIn('latex', 'macro', { address: path }), path);
    }
    for (const path of [
      'a%b.png',
      'a#b.png',
      'a{b.png',
      'a\\b.png',
      'a"b.png',
      'a^^5cb.png',
      '~a.png',
      'a$b$c.png',
      '$a/b.png',
    ])
      assert.equal(hrefIn('latex', 'macro', { address: path }), undefined);
  });

  it('encodes brackets in the address of an AsciiDoc macro', () => {
    const text = formatReference('asciidoc', { path: 'a[1].png', kind: 'images', title: plainLine('A fox') }, snippets);
    assert.equal(text, 'image::a%5B1%5D.png[A fox]');
    assert.equal(hrefIn('asciidoc', 'macro', { address: 'a[1].png' }), 'a%5B1%5D.png');
  });

  it('writes an address into a line of AsciiDoc that Asciidoctor reads as the path', async () => {
    const paths = [
      ...['_fox_.png', 'a__b__c.png', 'fox@2x.png', '*a*b.png', 'a--b.png', 'a....png', 'a~b~+c+.png', '(C)((a)).png'],
      ...['$$a$$.png', 'a_b.png', '../a.png', "a's.png", '`a`.png', 'a[1].png'],
    ];
    for (const path of paths) {
      for (const kind of ['images', 'transcripts', 'speech'] as const) {
        const reference = { path, kind, title: plainLine('Fox'), isInLine: true };
        const line = `*b* _c_ +d+ ${formatReference('asciidoc', reference, snippets)} *e* _f_`;
        const [, address = ''] = /(?:src|href)="([^"]*)"/.exec(String(await convert(line))) ?? [];
        assert.equal(decodeURIComponent(address), path, line);
        const [found] = kind === 'images' ? findReferences(line, 'asciidoc') : [];
        if (kind === 'images') assert.equal(decodeURIComponent(found?.address ?? ''), path, line);
      }
    }
    assert.equal(hrefIn('asciidoc', 'macro', { address: 'fox@2x.png' }, 'See image:'), 'fox%402x.png');
    assert.equal(hrefIn('asciidoc', 'macro', { address: 'fox@2x.png' }, 'image::'), 'fox@2x.png');
  });

  it('writes titles that end no cell of a table', () => {
    const title = plainLine('Fox | hen');
    for (const language of ['markdown', 'mdx'] as const) {
      for (const kind of ['speech', 'videos', 'images', 'transcripts'] as const) {
        const reference = { path: 'a.png', kind, title, isTag: kind === 'images' };
        const html = new MarkdownIt({ html: true }).render(
          `| x |\n| - |\n| ${formatReference(language, reference, snippets)} |\n`,
        );
        assert.match(html, /<td>.*(?:<\/audio>|<\/video>|<img [^<]*>|<\/a>)<\/td>/, html);
      }
    }
  });

  it('writes no address that a reader takes for a character reference', () => {
    const title = plainLine('Fox');
    const written = (language: Language, kind: AssetKind, wrapper?: Wrapper) =>
      formatReference(language, { path: 'a&copy;&#169;.png', kind, title, wrapper }, snippets);
    const html = new MarkdownIt().render(written('markdown', 'images'));
    assert.equal(html, '<p><img src="a%26copy;&amp;%23169;.png" alt="Fox"></p>\n');
    assert.equal(written('asciidoc', 'images'), 'image::a%26copy;&%23169;.png[Fox]');
    assert.equal(written('html', 'images'), '<img src="a&amp;copy;&amp;%23169;.png" alt="Fox">');
    assert.equal(written('css', 'images'), 'url("a&copy;&%23169;.png")');
    // Browsers need no semicolon.
    const short = (language: Language, kind: AssetKind) =>
      formatReference(language, { path: 'a&amp.png', kind, title }, snippets);
    assert.equal(short('markdown', 'speech'), '<audio controls src="a%26amp.png" title="Fox"></audio>');
    assert.equal(short('asciidoc', 'images'), 'image::a%26amp.png[Fox]');
    for (const [language, kind, wrapper] of [
      ['markdown', 'images', undefined],
      ['markdown', 'speech', undefined],
      ['markdown', 'images', 'relativeUrl'],
      ['html', 'images', 'url'],
      ['mdx', 'images', undefined],
      ['html', 'images', undefined],
      ['asciidoc', 'images', undefined],
    ] as const) {
      const [found] = findReferences(written(language, kind, wrapper), language);
      const path = decodeAddress(found?.address ?? '', { path: '/a.md', language }, {});
      assert.equal(path, 'a&copy;&#169;.png', `${kind} in ${language} with ${wrapper}`);
    }
    assert.equal(hrefIn('markdown', 'inline', { address: 'a&copy;.png' }), 'a%26copy;.png');
    assert.equal(hrefIn('asciidoc', 'macro', { address: 'a&copy;.png' }), 'a%26copy;.png');
  });

  it('keeps letters of any script', () => {
    const reference = { path: 'bilder/雪の狐.png', kind: 'images', title: plainLine('雪') } as const;
    assert.equal(formatReference('markdown', reference, snippets), '![雪](bilder/雪の狐.png)');
  });
});
