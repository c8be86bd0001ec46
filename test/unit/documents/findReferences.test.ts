import assert from 'node:assert/strict';
import { findReferences, foldersAt, isInElement, titleOf } from '../../../src/documents/findReferences.ts';
import type { Language } from '../../../src/documents/Language.ts';

/** A marked text: « » enclose each expected href. */
interface Marked {
  readonly text: string;
  readonly hrefs: readonly string[];
  readonly starts: readonly number[];
}

function withoutMarks(marked: string): Marked {
  let text = '';
  const starts: number[] = [];
  const hrefs: string[] = [];
  for (const [index, part] of marked.split(/[«»]/).entries()) {
    if (index % 2 === 1) {
      starts.push(text.length);
      hrefs.push(part);
    }
    text += part;
  }
  return { text, hrefs, starts };
}

const rows: readonly (readonly [Language, string, string])[] = [
  ['markdown', 'brackets around a blank line', '![a\n\nb](a.png) ![](«b.png»)'],
  ['markdown', 'indented code after a list', '- item\n\ntext\n\n    ![](a.png)\n\n![](«b.png»)'],
  ['markdown', 'templates around an image', '{% raw ![](a.png) %} {{ "![](b.png)" }} ![](«c.png»)'],
  ['mdx', 'an import below front matter', '---\nt: 1\n---\nimport a from "«./a.png»"\n\n![](«b.png»)'],
  ['mdx', 'a line of prose after a code span', 'Run `npm`\nimport ![](«a.png»)'],
  ['jsx', 'an element that a function returns', 'function f() { return <img src="«a.png»" />; }'],
  [
    'jsx',
    'comments after type parameters',
    'const f = <T,>(x: T) => x; // <img src="a.png" />\nconst g = <T extends U>(x: T) => x; // <img src="b.png" />\nconst h: <T>(x: T) => T = k; // <img src="c.png" />',
  ],
  ['markdown', 'an image', '![A fox](«fox.png»)'],
  ['markdown', 'a title after the address', '![A fox](«fox.png» "At night")'],
  [
    'markdown',
    'the size after the address',
    '![x](«a.png» =100x200) ![](«b.png» =50%x) ![](«c.png» =x20 ) ![](<«d e.png»> =9x9) [](«f.png» "t" =9x9) ![](g.png =)',
  ],
  ['markdown', 'a link to a sound', 'Listen to [the call](«../call.m4a»).'],
  ['markdown', 'several on a line', '![](«a.png») and ![](«b.jpg»)\r\n![](«c.webp»)'],
  ['markdown', 'parentheses and escapes', '![](«fox_(1).png») ![](«fox\\(2.png»)'],
  ['markdown', 'angle brackets around spaces', '![](<«a fox.png»>)'],
  ['markdown', 'an image in a link', '[![A fox](«fox.png»)](«fox.mp4»)'],
  ['markdown', 'brackets in the text', '![a [red] fox](«fox.png»)'],
  ['markdown', 'a query and a fragment', '![](«fox.png?v=2#x»)'],
  ['markdown', 'definitions', '![A fox][fox]\n\n[fox]: «fox.png» "title"\n[hen]: <«a hen.png»>'],
  [
    'markdown',
    'definitions in lists and quotes',
    '- [a]: «a.png»\n- - [b]: «b.png»\n\n> 1. [c]: «c.png»\n\n10)\t[d]: «d.png»\n\n- see [e]: e.png\n- [ ] [f]: f.png\n-[g]: g.png',
  ],
  [
    'markdown',
    'definitions with more behind the address',
    '[a]: «a.png» \'A\'\n[b]: «b.png» (B)\r\n[c]: «c.png»\r\n[d]: <«d.png»> \n[e]: «e.png»\n  "E"\n[f]: «f.png» {width=50%}\n[g]: «g.png»',
  ],
  [
    'markdown',
    'text that is not a definition',
    'see [fox]: fox.png\n\n[^1]: fox.png\n\n- [Fix]: logo.png was replaced\n- [Fix]: <a b.png> was replaced',
  ],
  [
    'markdown',
    'a table, a quote and lists',
    '| ![](«a.png») |\n\n> ![](«b.png»)\n\n- x\n  - ![](«c.png»)\n\n    ![](«d.png»)',
  ],
  [
    'markdown',
    'raw HTML',
    '<audio controls src="«call.mp3»"></audio>\n<img alt="" src=«a.png»>\n<video poster=\'«b.jpg»\'><source src="«b.mp4»"></video>',
  ],
  ['markdown', 'fenced code', '```md\n![](a.png)\n```\n~~~~\n![](b.png)\n~~~\n![](c.png)\n~~~~\n![](«d.png»)'],
  ['markdown', 'fences in a list and a quote', '- x\n  ```\n  ![](a.png)\n  ```\n> ```\n> ![](b.png)\n\n![](«c.png»)'],
  ['markdown', 'a fence that is never closed', '```\n![](a.png)'],
  ['markdown', 'indented code', 'x\n\n    ![](a.png)\n\ty\n\n- item\n\n      ![](b.png)\n\n  ![](«c.png»)'],
  ['markdown', 'a continued line is not code', 'x\n    ![](«a.png»)'],
  ['markdown', 'inline code', 'Write `![](a.png)` or ``![](b.png) ` `` but \\`![](«c.png»)\\`'],
  ['markdown', 'inline code over two lines', 'x `![](a.png)\n![](b.png)` ![](«c.png»)\n\n` ![](«d.png») '],
  ['markdown', 'comments', '<!-- ![](a.png) -->\n<!--\n\n![](b.png)\n```\n-->\n![](«c.png») `<!--` ![](«d.png»)'],
  ['markdown', 'a comment that is never closed', '![](«a.png»)\n\n<!-- \n![](b.png)'],
  [
    'markdown',
    'templates',
    '![]({{ base }}/a.png) {% image b.png %} {{< figure src="«c.png»" >}} <img src="<%= x %>/d.png"> ![](«e.png»)',
  ],
  [
    'markdown',
    'templates with a literal address',
    `![A]({{ '«/a.png»' | relative_url }}) {% asset_img «b.png» 20 "A fox" %} {{% figure alt="A" src='«c.png»' %}} <audio src="{{ "«/d.mp3»" | absolute_url }}"></audio> {% link «assets/e.mp4» %} [x]({{ '«/f.mp3»'|url }}) <img src="{% asset_path «g.png» %}">`,
  ],
  [
    'markdown',
    'tags of Hexo with any name',
    `{% asset_img «my%20pic.png» %} {% asset_path «50%.mp3» %} <img src="{% asset_path "«my pic.png»" %}"> {% asset_img '«"a" 1%.png»' %}{%asset_img «b%.png»%}`,
  ],
  [
    'markdown',
    'templates in code',
    "`{{ '/a.png' | relative_url }}`\n\n```\n{% asset_img b.png %}\n```\n{{ '/c' | relative_url }}",
  ],
  [
    'markdown',
    'admonitions and tabs, whose content is indented',
    '!!! note "A"\n    ![](«a.png»)\n\n    ![](«b.png»)\n\n=== "One"\n\n    ![](«c.png»)\n\n    ??? tip\n\n        ![](«d.png»)\n\n        Text\n\n            ![](e.png)\n\nText\n\n    ![](f.png)',
  ],
  [
    'html',
    'templates with a literal address',
    `<img src="{{ "«/a.png»" | relURL }}" srcset="{{ '«/b.png»' | url }} 2x"><!-- {{ '/c.png' | url }} -->`,
  ],
  [
    'html',
    'comments of templates',
    `{# <img src="a.png"> #}{% comment %}<img src="b.png"> {{ '/c.png' | url }}{%- endcomment -%}{% raw %}<img src="«d.png»">{% endraw %}{{#if x}}<img src="«e.png»">{{/if}} {{ '«/f.png»' | url }}{% comment %}<img src="«g.png»"> {{ '«/h.png»' | url }}`,
  ],
  ['html', 'a style sheet, which begins no comment', '<style>p{#nav{}}</style><img src="«a.png»"> #}'],
  ['svelte', 'blocks, which are no comments', '{#if x}<img src="«a.png»">{#if y}{/if}{/if} #}'],
  ['markdown', 'a comment of Liquid', '{% comment %}\n![x](a.png)\n{% endcomment %}\n![](«b.png»)'],
  ['scss', 'helpers of Rails', 'a { b: image-url("a.png"); c: url("«b.png»"); d: asset-url("c.png") url(«d.png») }'],
  ['css', 'templates with a literal address', "a { b: url({{ '«/a.png»' | relative_url }}) }"],
  [
    'vue',
    'bound calls',
    '<template><img :src="withBase(\'«/a.png»\')"><img v-bind:src="require(\'«@/b.png»\')"><img :src="f(\'/c.png\')"></template>',
  ],
  [
    'vue',
    'quotes and dollar signs in bound calls, which end with the attribute',
    `<template><img :src='require("«./$5.png»")'><img :src="require(\`«./it's.png»\`)"><img :src="require('./a" alt=b.png'><img :src="require(\`./${'${'}x}.png\`)"></template>`,
  ],
  [
    'svelte',
    'calls that add the path of the site',
    '<img src={asset(\'«/a.png»\')} alt="A"><enhanced:img src="«./b.png»" alt="B" />',
  ],
  [
    'jsx',
    'calls that add the path of the site',
    "const x = useBaseUrl('«/a.png»'); const y = <img src={withPrefix('«/b.png»')} alt=\"B\" />;",
  ],
  [
    'markdown',
    'web addresses',
    '![](https://x.org/a.png) ![](//x.org/b.png) ![](data:image/png;base64,AA) [x](mailto:a@b.png)',
  ],
  ['markdown', 'files that are not media', '[x](a.md) ![](a) ![](a.txt) [x](#a.png)'],
  [
    'markdown',
    'front matter',
    '---\ntitle: "Fox"\nimage: «img/fox.png»\ncover: "«c.jpg»" # x\nheroImage: \'«h.webp»\'\nother: no.png\n---\n![](«a.png»)',
  ],
  ['markdown', 'front matter below a key', '---\ncover:\n  image: «fox.png»\n  alt: A fox\nx:\n  image: no.png\n---\n'],
  ['markdown', 'front matter in TOML', '+++\nimage = "«fox.png»"\n[cover]\nimage = "«c.png»"\n+++\n'],
  ['markdown', 'no front matter further down', '\n---\nimage: fox.png\n---\n'],
  ['markdown', 'a figure of MyST', '```{figure} «fox.png»\n:alt: ![](a.png)\n```'],
  ['markdown', 'escaped brackets', '\\![](«a.png») !\\[](b.png)'],
  [
    'mdx',
    'imports, expressions and attributes',
    "import hero from '«./hero.png»'\n\nexport const x = '![](a.png)'\n\n{/* ![](b.png) */}\n\n<audio src={require('«./call.mp3»').default} /> <img src={'«d.png»'} /> <img src={x} />\n\n    ![](«e.png»)",
  ],
  [
    'html',
    'pictures, sound and video',
    '<img src="«a.png»" srcset="«b.png» 2x, «c.png» 3x"><audio src="«d.ogg»"></audio><a href="«e.mp3»">x</a><link rel="icon" href="«f.ico»">',
  ],
  [
    'html',
    'comments and templates',
    '<!-- <img src="a.png"> --><? echo "<img src=b.png>" ?><img src="{{ x }}.png"><img src="«c.png»">',
  ],
  [
    'html',
    'styles and scripts',
    '<style>a { background: url(«a.png») }</style><div style="background: url(\'«b.png»\')"><script type="module">import x from "«./c.png»"; const y = \'<img src="d.png">\'</script><img src=«e.png»>',
  ],
  ['asciidoc', 'an indented list', 'Text.\n\n  * image:«a.png»[]\n  * image:«b.png»[]\n\n  image:c.png[]'],
  [
    'asciidoc',
    'block macros, which begin a line or a cell',
    'Use image::a.png[] or `image::b.png[]`.\n\n+image:c.png[]+ and image:«d.png»[]\n\na|image::«e.png»[] | image::«f.png»[]\n\nifdef::x[image::«g.png»[]]\n\nimage::«h.png»[] \n\nimage::i.png[] text\n\na|image::«j.png»[] 2+a|image::«k.png»[]',
  ],
  [
    'asciidoc',
    'macros right behind a word, of which only pictures have one for lines',
    'See the foximage:«a.png»[Fox] and \\image:b.png[]; myimage::c.png[] or the audio:d.mp3[] is none.',
  ],
  [
    'asciidoc',
    'block macros with brackets in their attributes, and in a cell of comma-separated values',
    'image::«a.png»["Figure [1]"]\n\nimage::«b.png»[Values [0] to [9]]\n\nimage::«c.png»[Alt,link=https://x.org/a[b].html]\n\nimage::«d.png»[],Text\n\nimage::e.png["Figure [1]"] text',
  ],
  ['html', 'capitals', '<IMG SRC="«a.png»" SrcSet="«b.png» 2x" ALT="A fox">'],
  ['html', 'entities', '<img src="«a&amp;b.png»">'],
  [
    'html',
    'placeholders of build tools',
    '<link href="%PUBLIC_URL%«/a.png»"><link href="%sveltekit.assets%«/b.png»"><link href="«%BASE_URL%c.png»"><img src="%VITE_CDN%/d.png" srcset="%BASE_URL%e.png 2x"><img src="%PUBLIC_URL%/%NAME%.png"><img src="%CDN_URL%/f.png"><img src="«%C3%A9t%C3%A9.png»">',
  ],
  [
    'vue',
    'static attributes only',
    '<template><img src="«./a.png»" :src="\'b.png\'" v-bind:src="c"><p>{{ "<img src=d.png>" }}</p></template>\n<script setup lang="ts">import x from \'«@/e.png»\'</script>\n<style lang="scss">// url(f.png)\na { b: url(«g.png») }</style>',
  ],
  [
    'svelte',
    'values in braces',
    '<script>import a from \'«./a.png»\'</script><img src={a} alt="x"><img src="{base}/b.png"><img src={\'«c.png»\'}>{#if x}<img src="«d.png»">{/if}',
  ],
  [
    'astro',
    'script, comments and expressions',
    '---\nimport a from "«../a.png»";\n---\n{/* <img src="b.png"> */}<Image src={a} />{x && <img src="«/c.png»" alt="" />}',
  ],
  [
    'jsx',
    'elements',
    "import a from '«./a.png»';\nconst b = require('«./b.mp3»');\nconst c = new URL('«./c.mp4»', import.meta.url);\nexport default () => <><img src=\"«/d.png»\" alt=\"x\" /><Image src={'«/e.png»'} /><img src={a} /></>;",
  ],
  [
    'jsx',
    'comments, strings and templates',
    '// <img src="a.png" />\n/* <img src="b.png" /> */\nconst x = `<img src="c.png" />${<img src="«d.png»" />}`; const y = "<img src=\'e.png\'/>";\nconst z = <p>{/* <img src="f.png" /> */}don\'t <img src="«g.png»" /></p>;',
  ],
  [
    'jsx',
    'comparisons, types and patterns',
    'const a = useState<string>("x"); if (a < b && c > d) {} const f = <T,>(x: T) => x; const g = <T extends U>(x: T) => x;\nconst r = /"<img src=`/.test(s); const q = a / b; const e = <img src="«e.png»" />;',
  ],
  [
    'jsx',
    'nested elements and attributes',
    '<A x={<B y={1}><img src="«a.png»" /></B>} style={{ a: `url(b.png)` }}>{xs.map((x) => (<li key={x}><video poster="«c.jpg»" src=\'«d.mp4»\' /></li>))}</A>',
  ],
  ['jsx', 'strings that are not module names', 'const a = "a.png"; fetch("b.png"); from("c.png");'],
  [
    'script',
    'modules',
    'import a from "«./a.png»"; export { b } from \'«./b.svg»\'; await import("«./c.mp3»"); const x = <any>y; const d = "<img src=\'d.png\'>";',
  ],
  [
    'css',
    'addresses',
    'a { background: url(«a.png»), url( "«b c.png»" ); mask: url(\'«d.svg#x»\') } /* url(e.png) */ b::after { content: "url(f.png)" } c { background: image-set("«g.png»" 1x, url(«h.png») 2x); cursor: url(data:image/png,x.png) } // url(«i.png»)',
  ],
  [
    'scss',
    'comments and variables',
    '// url(a.png)\na { b: url($x + "b.png"); c: url("#{$base}/c.png"); d: url(@{x}/d.png); e: url(«e.png») }',
  ],
  [
    'latex',
    'commands',
    '\\includegraphics{«fox»}\\includegraphics[width=\\textwidth]{«img/fox.png»} \\includegraphics*{«"a fox".png»} \\includegraphics{"«b fox»"} % \\includegraphics{a}\n50\\% \\includegraphics{«b.jpg»}',
  ],
  [
    'latex',
    'overlays of Beamer',
    '\\includegraphics<1>{«a.png»} \\includegraphics<2-|handout:0>[width=2cm]{«b.png»} \\includegraphics<+->{«c»}',
  ],
  [
    'latex',
    'verbatim text, PDF files and macros',
    '\\begin{verbatim}\n\\includegraphics{a}\n\\end{verbatim}\\verb|\\includegraphics{b}|\\includegraphics{plot.pdf}\\includegraphics{\\name.png}\\includegraphics{«c»}',
  ],
  [
    'latex',
    'names with special characters, which are not those of templates and of the home folder',
    '\\includegraphics{«a&b~c$d.png»}\\includegraphics{$logo$}\\includegraphics{$HOME/a.png}\\includegraphics{~/a.png}\\includegraphics{a^^5cb}\\includegraphics{\\_.png}',
  ],
  [
    'asciidoc',
    'macros',
    'image::«fox.png»[A fox]\n\nA image:«b.png»[] and\n\nvideo::«c.mp4»[]\n\naudio::«d.mp3»[]\nimage::https://x.org/e.png[]\nimage::{dir}/f.png[]\nvideo::abc[youtube]',
  ],
  [
    'asciidoc',
    'code and comments',
    '----\nimage::a.png[]\n----\n// image::b.png[]\n////\nimage::c.png[]\n////\n[source]\nimage::d.png[]\n\n....\nimage::e.png[]\n....\n\n literal image:f.png[]\n\n```adoc\nimage::g.png[]\n```\nimage::«h.png»[]',
  ],
  [
    'restructuredtext',
    'directives',
    '.. image:: «a.png»\n   :alt: A fox\n\n.. figure:: «b.jpg»\n\n   Caption\n\n.. |x| image:: «c.png»\n\n- .. image:: «d.png»',
  ],
  [
    'restructuredtext',
    'directives at the beginning of list items and cells',
    '1. .. image:: «a.png»\n#) .. image:: «b.png»\n(iv) .. image:: «c.png»\n\n* - .. image:: «d.png»\n  - .. |x| image:: «e.png»',
  ],
  [
    'restructuredtext',
    'code and comments in list items, which end with the indentation of the item',
    '- .. code-block:: rst\n\n     .. image:: a.png\n\n  .. image:: «b.png»\n\n1. .. comment\n      .. image:: c.png\n\n   .. image:: «d.png»',
  ],
  [
    'restructuredtext',
    'lines of a paragraph that look like list items, and list items',
    'A list of\n2. Then do::\n\n  .. image:: a.png\n\n- A list of\n  2. Then do::\n\n    .. image:: b.png\n- .. image:: «c.png»\n\nTitle\n=====\n- .. image:: «d.png»\n\nTerm\n  - .. image:: «e.png»',
  ],
  [
    'restructuredtext',
    'tabs, which end at each eighth column',
    '1. Example::\n\n\t.. image:: a.png\n\n-\t.. comment\n\n\t    .. image:: b.png\n\n        .. image:: «c.png»',
  ],
  [
    'restructuredtext',
    'code, comments and HTML',
    'Like this::\n\n   .. image:: a.png\n\n.. code-block:: rst\n\n   .. image:: b.png\n\n.. a comment\n   .. image:: c.png\n\n.. raw:: html\n\n   <video src="«d.mp4»"></video>\n\n<img src="e.png">\n\n.. image:: «f.png»',
  ],
  [
    'restructuredtext',
    'addresses on the next line, and split ones',
    '.. image::\n   «a.png»\n   :alt: A\n\n.. image:: «b/\n   c.png»\n   :alt: A\n\n.. image::\n\n   d.png\n\n.. figure::\n   «e.png»\n\n   f.png',
  ],
  [
    'restructuredtext',
    'substitutions whose directive stands on the next line',
    '.. |x|\n   image:: «a.png»\n   :alt: A\n\n.. |y|\n\n   image:: b.png\n\n.. |z|\nimage:: c.png\n\n.. |w|\n   replace:: image:: d.png',
  ],
  [
    'restructuredtext',
    'tables whose cells have borders',
    '+------------------+-----+\n| .. image:: «a.png» | x   |\n|    :alt: A | fox | y   |\n+------------------+     |\n| .. image:: «b.png» | z   |\n+------------------+-----+\n| x .. image:: c.png     |\n+------------------------+\n\n- +-------------------+\n  | .. image:: «d.png»  |\n  +-------------------+',
  ],
  [
    'asciidoc',
    'pictures that attributes name',
    'video::«a.mp4»[poster=«b c.png», options=loop]\n\nimage::«d.svg»[A,opts=interactive,fallback="«e.png»"]\n\nvideo::{x}.mp4[poster="«f,g.png»"]\n\nvideo::«h.mp4»[poster=]',
  ],
  [
    'html',
    'objects',
    '<object data="«a.svg»" type="image/svg+xml"></object><x data="b.png"></x><OBJECT DATA="«c.png»"></OBJECT>',
  ],
  [
    'mdx',
    'elements in code',
    'A {show && <img src="«a.png»" alt="{x}" />} b\n\nexport const Fox = () => <img src="«b.png»" />\n\n<Card icon={<img src="«c.png»" />} title={{ a: 1 }}>\n  {/* <img src="d.png" /> */}\n  {list.map((x) => { return <li><img src="«e.png»" />{x}</li>; })}\n</Card>\n\n<img src={require(\'«./f.png»\')} alt="F" /> \\{<img src="«g.png»" />\\} `{<img src="h.png" />}`',
  ],
  [
    'astro',
    'a script and what is below it',
    '---\nimport a from "«./a.png»";\n---\n<script>import b from "«./b.png»"</script><img src="«c.png»">',
  ],
  [
    'markdown',
    'directives of MyST with a space in the name',
    '```{image} «two words.png»\n:alt: A\n```\n\n```{figure} «a.png» \nA\n```',
  ],
  ['html', 'images of Angular', '<img ngSrc="«a.png»" ngSrcset="1x" width="1"><img [ngSrc]="b.png">'],
  ['gdscript', 'nothing', 'preload("res://a.png")'],
  ['other', 'nothing', '![](a.png)'],
];

describe('findReferences', () => {
  for (const [language, name, marked] of rows) {
    it(`finds references in ${language}: ${name}`, () => {
      const { text, hrefs, starts } = withoutMarks(marked);
      const found = findReferences(text, language);
      assert.deepEqual(
        found.map(({ range }) => text.slice(range.start, range.end)),
        hrefs,
      );
      assert.deepEqual(
        found.map(({ range }) => range.start),
        starts,
      );
    });
  }

  it('returns kind, form and line', () => {
    const text = '# x\r\n\r\n![](a.png) <video src="b.mp4"></video>\n[c]: c.mp3\n';
    const found = findReferences(text, 'markdown').map(({ kind, form, line }) => [kind, form, line]);
    assert.deepEqual(found, [
      ['image', 'inline', 2],
      ['video', 'tag', 2],
      ['audio', 'definition', 3],
    ]);
  });

  it('returns the form of an address in an expression, and the element around the others', () => {
    const formsIn = (language: Language, text: string) =>
      findReferences(text, language).map(({ form, element }) => [form, element]);
    const text = `![]({{ '/a.png' | url }}) {% asset_img b.png %} {{< figure src="c.png" >}} <audio src="d.mp3">`;
    assert.deepEqual(formsIn('markdown', text), [
      ['site', undefined],
      ['macro', undefined],
      ['tag', 'img'],
      ['tag', 'audio'],
    ]);
    assert.deepEqual(formsIn('mdx', '<img src={useBaseUrl(\'/a.png\')} /><Card src="b.png" />'), [
      ['site', undefined],
      ['tag', 'Card'],
    ]);
    assert.deepEqual(formsIn('jsx', '<img srcSet="/a.png 2x" />'), [['tag', 'img']]);
    assert.deepEqual(formsIn('html', '<link href="%PUBLIC_URL%/a.png">'), [['site', undefined]]);
  });

  const titles: readonly (readonly [Language, string, string])[] = [
    ['markdown', '---\ntitle: Getting *Started*\n---\n\n# Guide\n', 'Getting Started'],
    ['markdown', 'Words.\n\n## The `first` heading\n\n# Guide\n', 'The first heading'],
    ['mdx', "import a from './a.png'\n\n# Guide\n", 'Guide'],
    ['html', '<title>Harbour</title><h1>Guide</h1>', 'Harbour'],
    ['asciidoc', '= Harbour\n\n== Guide\n', 'Harbour'],
    ['restructuredtext', 'Harbour\n=======\n\nWords.\n', 'Harbour'],
    ['markdown', 'Words only.\n', ''],
  ];
  for (const [language, text, title] of titles) {
    it(`returns the title in ${language}: ${JSON.stringify(text)}`, () => {
      assert.equal(titleOf(text, language), title);
    });
  }

  it('knows whether JavaScript ends in the content of an element', () => {
    const isIn = (text: string) => isInElement(`${text}x`, text.length);
    assert.equal(isIn('export default () => <Layout>\n  <p>a</p>\n  '), true);
    assert.equal(isIn('export default () => <Layout>{'), false);
    assert.equal(isIn('export default () => <Layout></Layout>;\n'), false);
    assert.equal(isIn('const x = a < b; '), false);
  });

  it('unescapes addresses by the rules of the language', () => {
    const addressIn = (language: Language, text: string) => findReferences(text, language)[0]?.address;
    assert.equal(addressIn('markdown', '![](a\\(b&amp;c.png)'), 'a(b&c.png');
    assert.equal(addressIn('html', '<img src="a&#38;b&#x26;c.png">'), 'a&b&c.png');
    assert.equal(addressIn('html', '<link href="%BASE_URL%a.png">'), '/a.png');
    const named = 'caf&eacute;.png';
    assert.equal(addressIn('markdown', `![](${named})`), 'café.png');
    assert.equal(addressIn('markdown', `[f]: ${named}`), 'café.png');
    assert.equal(addressIn('html', `<img srcset="${named} 2x">`), 'café.png');
    assert.equal(addressIn('jsx', `<img src="${named}" />`), 'café.png');
    assert.equal(addressIn('jsx', `<img src={'${named}'} />`), named);
    assert.equal(addressIn('mdx', `<img src={'${named}'} />`), named);
    assert.equal(addressIn('asciidoc', `image::${named}[]`), 'café.png');
    assert.equal(addressIn('restructuredtext', `.. image:: ${named}`), named);
    assert.equal(addressIn('latex', `\\includegraphics{${named}}`), named);
    assert.equal(addressIn('css', 'a { b: url(a\\(b.png) }'), 'a(b.png');
    assert.equal(addressIn('restructuredtext', '.. image:: a/\n   b.png\n'), 'a/b.png');
    assert.equal(addressIn('latex', '\\includegraphics{"a fox".png}'), 'a fox.png');
  });

  const same = (text: string) => [text, text] as const;
  const described: readonly (readonly [Language, string, string | undefined, string])[] = [
    ['markdown', '![A *red* fox](a.png)', 'A *red* fox', 'A red fox'],
    ['markdown', '![](a.png)', '', ''],
    ['markdown', 'A\n\n![A `fox`][f]\n\n[F]: a.png', 'A `fox`', 'A fox'],
    ['markdown', '[f]: a.png', undefined, ''],
    ['markdown', '<img alt="A fox" src="a.png">', 'A fox', 'A fox'],
    ['markdown', '<audio title="A call" src="a.mp3"></audio>', 'A call', 'A call'],
    ['markdown', '---\nimage: a.png\nimageAlt: A fox\n---\n', 'A fox', 'A fox'],
    ['html', '<img src="a.png">', undefined, ''],
    ['html', '<a alt="Not it" <img src="a.png">', undefined, ''],
    ['jsx', '<Image src="/a.png" alt="A fox" />', 'A fox', 'A fox'],
    ['jsx', '<img src={useBaseUrl(\'/a.png\')} alt="A fox" />', 'A fox', 'A fox'],
    ['jsx', '<img alt="A fox" src={require(\'./a.png\').default} />', 'A fox', 'A fox'],
    ['markdown', "![A fox]({{ '/a.png' | relative_url }})", 'A fox', 'A fox'],
    ['markdown', '<img src="{{ \'/a.png\' | url }}" alt="A fox">', 'A fox', 'A fox'],
    ['markdown', '{{< figure src="a.png" caption="A fox" >}}', 'A fox', 'A fox'],
    ['markdown', '{% asset_img wide a.png 20 "A fox" %}', 'A fox', 'A fox'],
    ['html', '<img src="a.png" alt="Caf&eacute; &amp; bakery">', 'Caf&eacute; &amp; bakery', 'Café & bakery'],
    ['html', '<img src="a.png" alt="A 5*3*2 grid of [tiles](blue)">', ...same('A 5*3*2 grid of [tiles](blue)')],
    ['vue', '<img src="a.png" alt="A &lt;b&gt; tag">', 'A &lt;b&gt; tag', 'A <b> tag'],
    ['jsx', '<img src="a.png" alt="caf&eacute;" />', 'caf&eacute;', 'café'],
    ['markdown', '<audio src="a.mp3" title="Q&amp;A"></audio>', 'Q&amp;A', 'Q&A'],
    ['markdown', '![Caf&eacute; \\{open\\}](a.png)', 'Caf&eacute; \\{open\\}', 'Café {open}'],
    ['markdown', '![A {{ name }}](a.png)', 'A {{ name }}', ''],
    ['asciidoc', 'image::a.png[Q&amp;A]', 'Q&amp;A', 'Q&A'],
    ['restructuredtext', '.. image:: a.png\n   :alt: Q&amp;A', ...same('Q&amp;A')],
    ['latex', '\\begin{figure}\\includegraphics{a}\\caption{A {red} fox}\\end{figure}', 'A {red} fox', 'A {red} fox'],
    ['latex', '\\includegraphics[alt={A fox},width=1cm]{a}\\caption{x}', 'A fox', 'A fox'],
    ['latex', '\\includegraphics{a}\\section{B}\\includegraphics{b}\\caption{x}', undefined, ''],
    ['asciidoc', 'image::a.png["A fox, red",200]', 'A fox, red', 'A fox, red'],
    ['asciidoc', 'image::a.png[A fox,200]', 'A fox', 'A fox'],
    ['asciidoc', 'image::a.png[]', '', ''],
    ['asciidoc', 'image::a.png["Figure [1], red",200]', 'Figure [1], red', 'Figure [1], red'],
    ['asciidoc', 'image::a.png[Values [0] to [9]]', 'Values [0] to [9]', 'Values [0] to [9]'],
    ['asciidoc', 'image::a.png[{page-title}]', undefined, ''],
    ['latex', '\\includegraphics{a}\\caption{{Fox}}', '{Fox}', '{Fox}'],
    ['latex', '\\includegraphics{a}\\caption{{\\em A} fox}', '{\\em A} fox', '{\\em A} fox'],
    ['asciidoc', 'image::a.png[width=20,alt=A fox]', 'A fox', 'A fox'],
    ['restructuredtext', '.. image:: a.png\n   :width: 20\n   :alt: A fox', 'A fox', 'A fox'],
    ['restructuredtext', '1. .. image:: a.png\n      :alt: A fox', 'A fox', 'A fox'],
    ['restructuredtext', '- .. image:: a.png\n\t:alt: A fox', 'A fox', 'A fox'],
    [
      'restructuredtext',
      '+-------------------+\n| .. image:: a.png  |\n|    :alt: A | fox  |\n+-------------------+',
      ...same('A | fox'),
    ],
    ['mdx', '{x && <img src="a.png" alt="A fox" />}', ...same('A fox')],
    ['restructuredtext', '.. note::\n\n   .. image:: a.png\n   :alt: A fox', undefined, ''],
    ['restructuredtext', '.. image:: a.png\n   :alt: A\n      fox\n   :width: 9', 'A\n      fox', 'A fox'],
  ];
  for (const [language, text, alt, altText] of described) {
    it(`returns the alt text in ${language}: ${text.slice(0, 30)}`, () => {
      const [found] = findReferences(text, language);
      assert(found);
      assert.equal(found.alt && text.slice(found.alt.start, found.alt.end), alt);
      assert.equal(found.altText, altText);
    });
  }

  const headed: readonly (readonly [Language, string, readonly string[]])[] = [
    [
      'markdown',
      '---\ntitle: Foxes\n---\n![](a.png)\n\n## At *night* ##\n![](b.png)\nBy day\n===\n```\n# no\n```\n![](c.png)',
      ['Foxes', 'At night', 'By day'],
    ],
    ['html', '<title>Foxes</title><img src="a.png"><h2>At <b>night</b></h2><img src="b.png">', ['Foxes', 'At night']],
    ['jsx', '<><img src="/a.png" /><h1>At night</h1><img src="/b.png" /></>', ['', 'At night']],
    ['latex', '\\title{Foxes}\\includegraphics{a}\\section{At night}\\includegraphics{b}', ['Foxes', 'At night']],
    ['asciidoc', '= Foxes\n\nimage::a.png[]\n\n== At night\n\nimage::b.png[]', ['Foxes', 'At night']],
    [
      'restructuredtext',
      'Foxes\n=====\n\n.. image:: a.png\n\nAt night\n--------\n\n.. image:: b.png',
      ['Foxes', 'At night'],
    ],
  ];
  for (const [language, text, headings] of headed) {
    it(`returns the heading above a reference in ${language}`, () => {
      assert.deepEqual(
        findReferences(text, language).map(({ heading }) => heading),
        headings,
      );
    });
  }

  it('returns the folders that LaTeX and AsciiDoc documents declare', () => {
    const foldersIn = (language: Language, text: string) =>
      findReferences(text, language).map(({ folders }) => folders);
    const latex = '\\includegraphics{a}\\graphicspath{{img/}{../b/}}\\includegraphics{c}';
    assert.deepEqual(foldersIn('latex', latex), [[], ['img/', '../b/']]);
    const asciidoc = 'image::a.png[]\n\n:imagesdir: img\n\nimage::b.png[]\n\n:!imagesdir:\n\nimage::c.png[]';
    assert.deepEqual(foldersIn('asciidoc', asciidoc), [[], ['img'], []]);
  });

  it('reads the images folder of AsciiDoc that depends on a condition, and finds nothing below an unknown one', () => {
    const foldersIn = (text: string) => findReferences(text, 'asciidoc').map(({ folders }) => folders);
    const chapter = 'ifndef::imagesdir[:imagesdir: ../images]\n\n';
    assert.deepEqual(foldersIn(`${chapter}image::a.png[]`), [['../images']]);
    assert.deepEqual(foldersIn(`:imagesdir: img\n${chapter}image::a.png[]`), [['img']]);
    assert.deepEqual(foldersIn('ifdef::env-github[:imagesdir: img]\n\nimage::a.png[]'), [['.', 'img']]);
    for (const other of [':imagesdir: https://example.com/img', ':!imagesdir:', ':imagesdir: {root}/img']) {
      const text = `:imagesdir: img\nifdef::env-github[${other}]\n\nimage::a.png[]`;
      assert.deepEqual(foldersIn(text), [['img']], other);
    }
    const either = 'ifndef::env-github[:imagesdir: img]\nifdef::env-github[:imagesdir: docs/img]\n\nimage::a.png[]';
    assert.deepEqual(foldersIn(either), [['img', 'docs/img']]);
    assert.deepEqual(foldersIn(':imagesdir: {docdir}/images\n\nimage::a.png[]'), [['images']]);
    assert.deepEqual(foldersIn(':imagesdir: {docdir}\n\nimage::a.png[]'), [[]]);
    assert.deepEqual(foldersIn(':imagesdir: {root}/img\n\nimage::a.png[]\n\n:imagesdir: b\n\nimage::c.png[]'), [['b']]);
    assert.deepEqual(foldersAt(chapter, 'asciidoc', chapter.length), ['../images']);
  });
});
