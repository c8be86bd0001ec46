import assert from 'node:assert/strict';
import { speakableLanguages, speakableText, spokenBlocks } from '../../../../src/documents/speakableText.ts';

type Case = readonly [what: string, source: string, spoken: string];

const markdown: readonly Case[] = [
  ['emphasis', 'A **bold**, *soft* and ~~old~~ `word`.', 'A bold, soft and old word.'],
  ['a heading', '# The fox\nin the snow', 'The fox.\n\nin the snow'],
  ['a heading of two lines', 'The fox\n===\ntext', 'The fox.\n\ntext'],
  ['headings that pause already', '# Why?\n## So:\n### “Ah!”', 'Why?\n\nSo:\n\n“Ah!”'],
  ['a heading in Chinese', '# 狐狸', '狐狸。'],
  ['a heading in Hindi', '# लोमड़ी', 'लोमड़ी।'],
  ['paragraphs', 'One\ntwo\n\n\nThree', 'One two\n\nThree'],
  ['CRLF', '# One\r\n\r\nTwo\r\nthree\r\n', 'One.\n\nTwo three'],
  ['lines of Chinese', '狐狸在\n雪里', '狐狸在雪里'],
  ['a hard break', 'Roses  \nare\\\nred', 'Roses\nare\nred'],
  ['a list', 'Buy:\n- apples\n- pears!\n', 'Buy:\n\napples.\npears!'],
  ['a loose list', '1. one\n\n2. two\n\n   more', 'one.\ntwo.\nmore.'],
  ['a list in a list', '- fruit\n  - apple\n- rest', 'fruit.\napple.\nrest.'],
  ['two lists', '- a\n\n* b', 'a.\n\nb.'],
  ['task list check boxes', '- [x] done\n- [ ] open\n> 1. [X] quoted', 'done.\nopen.\n\nquoted.'],
  ['a link', 'See [the *manual*](https://a.b/c?d=e "Title").', 'See the manual.'],
  ['a link by reference', 'See [it][1].\n\n[1]: https://a.b', 'See it.'],
  ['an image', 'Here ![a fox](fox.png), there ![](hen.png).', 'Here a fox, there.'],
  [
    'images that stand alone',
    '![a fox](fox.png)\n\n![Two!](a.png)\n![](b.png) ![three](c.png)',
    'Image: a fox.\n\nImage: Two! Image: three.',
  ],
  ['a table of nothing but headings', '| A | B |\n|---|---|', 'A, B.'],
  ['a table without headings', '| | |\n|---|---|\n| Name | Ann |', 'Name, Ann.'],
  ['an image that is a link', '[![build](b.svg)](https://ci) [![docs](d.svg)](/d)', 'build docs'],
  ['web addresses', 'At <https://a.b/c>, www.x.org/y_z and http://a.b/(c)?d=e.', 'At, and.'],
  ['an address in brackets', 'Fox (https://a.b/fox). Hen（https://a.b/鶏）', 'Fox. Hen（鶏）'],
  ['an address as the text of a link', '[https://a.b](https://a.b) now', 'now'],
  ['an email address, which stays', '<ann@example.org>', 'ann@example.org'],
  ['code blocks', 'a\n\n```js\nb()\n```\n\n    c()\n\n~~~\nd\n~~~\ne', 'a\n\ne'],
  ['a code block in an item', '1. Run:\n\n   ```sh\n   go\n   ```\n2. Wait', 'Run:\nWait.'],
  ['a quote', '> A fox\n> ran.', 'A fox ran.'],
  ['an alert', '> [!WARNING]\n> Hot', 'Warning. Hot'],
  ['an alert with a title', '> [!tip]- Look here\n> Hot', 'Look here. Hot'],
  ['a ruler', 'a\n\n---\n\nb', 'a\n\nb'],
  [
    'a table',
    '| Name | Age |\n|:--|--:|\n| *Ann* | 30 |\n| Bob? | |\n| | 7 |\n\nend',
    'Name: Ann, Age: 30.\nName: Bob?\nAge: 7.\n\nend',
  ],
  ['footnotes', 'Fox[^1] runs.\n\n[^1]: A *dog*.\n\n    Red\n\nEnd', 'Fox runs.\n\nEnd\n\nA dog.\nRed.'],
  ['a footnote inside a line', 'Fox^[a dog] runs.', 'Fox runs.\n\na dog.'],
  ['entities', 'A &amp; B&nbsp;&mdash; &lt;i&gt; &#x1F98A;', 'A & B — <i> 🦊'],
  ['escapes', '\\*not soft\\* 2 < 3', '*not soft* 2 < 3'],
  ['a comment', 'a <!-- b\nc --> d\n\n<!-- e -->', 'a d'],
  ['HTML', '<p align="center"><b>Fox</b> &amp;<br>hen</p>\n\n<script>x()</script>', 'Fox &\nhen'],
  ['YAML front matter', '---\ntitle: Fox\ntags: [a]\n---\n# Hi', 'Hi.'],
  ['YAML front matter that ends in dots', '\ufeff---\r\ntitle: Fox\r\n...\r\nHi', 'Hi'],
  ['TOML front matter', '+++\ntitle = "Fox"\n+++\nHi', 'Hi'],
  ['front matter with a key in another script', '---\n标题: 狐狸\n---\nHi', 'Hi'],
  ['empty front matter', '---\n---\nHi', 'Hi'],
  ['rulers that are not front matter', '---\n\nThe fox\n\n---\n\nHi', 'The fox\n\nHi'],
  ['front matter that never ends', '---\ntitle: Fox', 'title: Fox'],
  ['attributes', '# Fox {#fox .red}\n\n[Hen](h){.x} ![Cow](c){width=1} `{.a}`', 'Fox.\n\nHen Cow {.a}'],
  ['fenced divs', '::: {.note}\nA\n:::\n\n:::tip Title\nB\n:::', 'Note.\n\nA\n\nTitle.\n\nB'],
  ['soft hyphens', 'Fuchs\u00adbau', 'Fuchsbau'],
  ['nothing to say', '```\ncode\n```\n<!-- x -->', ''],
  ['emoji', '- 🦊 Fox ✅', '🦊 Fox ✅.'],
];

const html: readonly Case[] = [
  ['a page', '<!doctype html><title>T</title><style>p{}</style><h1>Fox</h1><p>Ran<p>off', 'Fox.\n\nRan\n\noff'],
  ['a fragment', 'fox</b> and <i>hen', 'fox and hen'],
  ['lists', '<ul><li>a<li>b<ol><li>c</ol></ul><dl><dt>T<dd>D</dl>', 'a.\nb.\nc.\n\nT.\nD.'],
  [
    'a table',
    '<table><caption>Cap</caption><tr><th>A<th>B<tr><td>1<td><p>x</p><p>y</p></table>',
    'Cap.\nA, B.\n1, x, y.',
  ],
  ['a player and its transcript', '<audio controls src=a.mp3></audio>\n<a href="a.vtt">Transcript</a><p>b', 'b'],
  ['hidden elements', 'a<template>b</template><pre>c</pre><p hidden>d</p><i aria-hidden="true">e</i>f', 'a\n\nf'],
  [
    'a picture',
    '<figure><img src=x alt="A &quot;fox&quot;"><figcaption>It ran</figcaption></figure>',
    'Image: A "fox".\n\nIt ran.',
  ],
  ['a drawing', 'a <svg><title>no</title><text>no</text></svg> b', 'a b'],
  ['ruby', '<ruby>狐<rp>(</rp><rt>きつね</rt><rp>)</rp></ruby>です', '狐です'],
  ['controls', '<button>OK</button><button>No</button><input value=x><select><option>a</select>', 'OK No'],
  ['entities', 'caf&eacute; &unknown; &amp;amp;', 'café &unknown; &amp;'],
  ['inline code', 'Call <code>run()</code> <kbd>Enter</kbd>.', 'Call run() Enter.'],
  ['a comment and a link', '<!-- a --><a href="https://a.b">b</a> https://c.d', 'b'],
];

const asciidoc: readonly Case[] = [
  ['a header', '= The Fox\nAnn Author <a@b.org>\nv1.0\n:toc:\n\nIt ran.', 'The Fox.\n\nIt ran.'],
  ['inline markup', 'A *bold*, _soft_ and `code` word, 2 * 3 * 4.', 'A bold, soft and code word, 2 * 3 * 4.'],
  [
    'links',
    'See link:a.html[the manual], https://b.c[it], <<x,there>> and xref:y[here].',
    'See the manual, it, there and here.',
  ],
  ['code', 'One\n\n[source,js]\n----\nnever()\n----\n\n....\nnever\n....\n\n never\n\nTwo', 'One\n\nTwo'],
  ['comments', 'One\n// never\ntwo\n\n////\nnever\n////', 'One two'],
  ['lists', '* one\n** two\n. three\n\nTerm:: Meaning', 'one.\ntwo.\nthree.\nTerm.\nMeaning.'],
  ['a paragraph after a list', '* one\n\nTwo', 'one.\n\nTwo'],
  ['a table', '|===\n|A |B\n\n|1 |2\n|===', 'A, B.\n1, 2.'],
  ['a block and its title', '.Take care\n====\nIt bites.\n====', 'Take care.\n\nIt bites.'],
  ['index terms', 'A ((fox)) ran (((animals, fox))) off.', 'A fox ran off.'],
  ['a picture and a player', 'image::fox.png[A fox,300]\n\naudio::fox.mp3[]\nlink:fox.vtt[Transcript]', 'A fox'],
];

const restructuredText: readonly Case[] = [
  ['headings', '===\nFox\n===\n\nHen\n---\n\nIt ran.', 'Fox.\n\nHen.\n\nIt ran.'],
  ['inline markup', 'A **bold**, *soft* and ``code`` word.', 'A bold, soft and code word.'],
  ['stars and bars inside words', '2*3*4, \\*a and \\**b, x|y or z|w, |release|', '2*3*4, *a and **b, x|y or z|w,'],
  ['markup inside a word', 're\\ *structured*\\ Text', 'restructuredText'],
  ['links', 'See `the manual <a.html>`_, :ref:`there <x>`, `here`_ and it_.', 'See the manual, there, here and it.'],
  ['code', 'Run::\n\n    never\n\n.. code-block:: js\n   :linenos:\n\n   never\n\n   never\n\nTwo', 'Run:\n\nTwo'],
  ['comments, targets and footnotes', 'One [1]_.\n\n.. never\n   never\n\n.. _x: https://a.b\n\n.. [1] never', 'One.'],
  ['lists', '- one\n- two\n  goes on\n\nThree', 'one.\ntwo goes on.\n\nThree'],
  ['a grid', '+---+---+\n| A | B |\n+===+===+\n| 1 | 2 |\n+---+---+', 'A, B.\n1, 2.'],
  ['a table', '====  ===\nName  Age\n====  ===\nAnn   30\n====  ===', 'Name, Age.\nAnn, 30.'],
  ['a note', '.. note:: Take care.\n\n   It *bites*.\n\nEnd', 'Take care.\n\nIt bites.\n\nEnd'],
  ['a picture', '.. image:: fox.png\n   :alt: A fox\n\nEnd', 'A fox\n\nEnd'],
  ['a player', '`fox <fox.mp3>`_\n`Transcript <fox.vtt>`_\n\nEnd', 'End'],
  ['document metadata', ':author: Ann\n:date: today\n\nOne', 'One'],
];

const others: readonly (readonly [languageId: string, ...Case])[] = [
  ['mdx', 'imports', 'import A from "a"\nimport B from "b"\n\n# Hi\n\nimportant', 'Hi.\n\nimportant'],
  [
    'mdx',
    'imports in a code block',
    'One\n\n```tsx\nimport a from "b";\n\nexport default a;\n```\n\n~~~\n\nimport c\n~~~\nexport { d }\n\nTwo',
    'One\n\nTwo',
  ],
  ['mdx', 'an import on several lines', 'import {\n  A,\n} from "a";\n\nOne', 'One'],
  ['mdx', 'exports', 'export const a = {\n\n  b: 1\n}\n\nHi {props.name}, `{a}`!', 'Hi, {a}!'],
  ['mdx', 'components', '<Tabs on={() => a > b}>\n\nOne {/* two */}\n\n</Tabs>', 'One'],
  ['mdx', 'imports below front matter', '---\ntitle: T\n---\nimport A from "a"\n\nHi', 'Hi'],
  ['mdx', 'a brace in front matter', '---\ntitle: a { b\n---\nHi {name}, you.\n\nBye }.', 'Hi, you.\n\nBye }.'],
  ['mdx', 'escaped braces', 'Use \\{count\\} and {name} here', 'Use {count} and here'],
  ['mdx', 'a brace that never closes', 'One { two', 'One { two'],
  ['vue', 'a component', '<script setup>a > b</script><template><h1>Hi {{ a }}</h1></template>', 'Hi.'],
  ['vue', 'attributes', '<template><p v-if="a > b" :c="`d`">Fox</p><Card/>Hen</template>', 'Fox\n\nHen'],
  ['svelte', 'a component', '<script>let x = "{"</script>{#if a}<p on:x={() => a > b}>Fox {y}!</p>{/if}', 'Fox!'],
  ['quarto', 'a document', '---\ntitle: T\n---\n\n## Fox {.unnumbered}\n\n```{r}\n#| a\n```', 'Fox.'],
  [
    'plaintext',
    'any text',
    '  # Not *Markdown*  \n\n    https://a.b <b> \n',
    '# Not *Markdown*  \n\n    https://a.b <b>',
  ],
  ['typescript', 'code', '/* a */ const b = 1;\n', '/* a */ const b = 1;'],
];

describe('speakableText', () => {
  for (const [what, source, spoken] of markdown) {
    it(`reads Markdown: ${what}`, () => assert.equal(speakableText(source, 'markdown'), spoken));
  }
  for (const [what, source, spoken] of html) {
    it(`reads HTML: ${what}`, () => assert.equal(speakableText(source, 'html'), spoken));
  }
  for (const [what, source, spoken] of asciidoc) {
    it(`reads AsciiDoc: ${what}`, () => assert.equal(speakableText(source, 'asciidoc'), spoken));
  }
  for (const [what, source, spoken] of restructuredText) {
    it(`reads reStructuredText: ${what}`, () => assert.equal(speakableText(source, 'restructuredtext'), spoken));
  }
  for (const [languageId, what, source, spoken] of others) {
    it(`reads ${languageId}: ${what}`, () => assert.equal(speakableText(source, languageId), spoken));
    if (languageId !== 'mdx') continue;
    it(`reads ${languageId} with CRLF: ${what}`, () =>
      assert.equal(speakableText(source.replaceAll('\n', '\r\n'), languageId), spoken));
  }

  const silent = [
    ...[
      'audio',
      'canvas',
      'datalist',
      'iframe',
      'math',
      'noembed',
      'noframes',
      'noscript',
      'object',
      'pre',
      'rp',
      'rt',
    ],
    ...['script', 'select', 'style', 'svg', 'template', 'textarea', 'title', 'video'],
  ];
  for (const name of silent) {
    it(`skips the content of ${name} elements`, () => {
      const source = `<b>The fox</b> <${name}>hidden</${name}> <i>ran.</i>`;
      assert.equal(speakableText(source, 'html').replace(/\s+/g, ' '), 'The fox ran.');
    });
  }

  it('supports the speakable languages', () => {
    for (const language of ['markdown', 'mdx', 'quarto', 'html', 'vue', 'svelte']) {
      assert(speakableLanguages.includes(language));
      assert.equal(speakableText('<b>Fox</b>', language), 'Fox');
    }
    assert(!speakableLanguages.includes('plaintext'));
  });

  it('chooses the language by file extension when VS Code reports plain text or Markdown', () => {
    assert.equal(speakableText('It *ran*.', 'plaintext', '/a/fox.adoc'), 'It ran.');
    assert.equal(speakableText('Fox {a}', 'markdown', '/a/fox.mdx'), 'Fox');
    assert.equal(speakableText('It *ran*.', 'plaintext', '/a/fox.txt'), 'It *ran*.');
  });

  it('reads a page by its name where no editor has told its language', () => {
    for (const name of ['page.html', 'PAGE.HTM']) {
      assert.deepEqual(spokenBlocks('<h1>Fox</h1><p>The <b>fox</b>', '', name), [{ text: 'Fox.\n\nThe fox' }]);
    }
  });

  it('reads each word of a document of 10,000 characters once', () => {
    const chapter = (number: number) => `
## Chapter ${number} {#c${number}}

The **fox${number}** runs ([see](https://example.org/${number})), _again_ and again[^n${number}].

* [ ] item one${number}
* item [two${number}](two.md)

| left | right |
| ---- | ----- |
| cell${number} | ![picture${number}](p.png) |

\`\`\`ts
const never = spoken(${number});
\`\`\`

[^n${number}]: Note${number} at the end.
`;
    const source = `---\ntitle: Never\n---\n${Array.from({ length: 40 }, (_, index) => chapter(index)).join('')}`;
    assert(source.length > 10_000);
    const spoken = speakableText(source, 'markdown');
    assert.doesNotMatch(spoken, /[*_#|[\]`{}<>\\^]|never|https?:|example|\n{3}| {2}|^\s|\s$/i);
    for (let number = 0; number < 40; number++) {
      for (const word of [
        `Chapter ${number}.`,
        'fox#',
        'item one#.',
        'two#',
        'left: cell#, right: picture#.',
        'Note# at the end.',
      ]) {
        const expected = word.replaceAll('#', String(number));
        const escaped = expected.replaceAll('.', '\\.');
        assert.equal(spoken.match(new RegExp(`${escaped}(?!\\d)`, 'g'))?.length, 1, expected);
      }
    }
  });

  it('refuses elements that are nested more than 1000 deep', () => {
    assert.throws(
      () => speakableText('<div>'.repeat(3000), 'html'),
      /^Error: its elements are nested more than 1000 deep$/,
    );
  });

  it('reads pathological input without throwing', () => {
    for (const odd of [
      '['.repeat(5000),
      '*a '.repeat(3000),
      '<div>'.repeat(900),
      '> '.repeat(2000),
      '{'.repeat(5000),
    ]) {
      for (const language of speakableLanguages) speakableText(odd, language);
    }
    assert.equal(speakableText(`${'('.repeat(9000)}fox`, 'markdown').slice(-3), 'fox');
    assert.equal(speakableText(`a${' '.repeat(100_000)}b`, 'html'), 'a b');
    const address = `https://${'(a'.repeat(5000)}`;
    assert.equal(speakableText(`fox ${address}`, 'markdown').slice(0, 3), 'fox');
  });
});
