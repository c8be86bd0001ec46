import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { speakableText } from '../../../../src/documents/speakableText.ts';

interface Program {
  readonly name: string;
  readonly command: readonly string[];
  readonly documents: Readonly<Record<string, string>>;
}

const pythonMarkdown = `
import markdown, sys
names = ['admonition', 'pymdownx.details', 'pymdownx.tabbed', 'pymdownx.critic', 'def_list', 'abbr', 'attr_list', 'footnotes']
configs = {'pymdownx.tabbed': {'alternate_style': True}, 'pymdownx.critic': {'mode': 'accept'}}
sys.stdout.write(markdown.markdown(sys.stdin.read(), extensions=names, extension_configs=configs))`;

const myst = `
import sys
from myst_parser.parsers.docutils_ import Parser
from docutils.core import publish_parts
settings = {'myst_enable_extensions': ['colon_fence', 'deflist'], 'report_level': 5}
sys.stdout.write(publish_parts(sys.stdin.read(), parser=Parser(), writer_name='html5', settings_overrides=settings)['body'])`;

const kramdown = `require 'kramdown'; print Kramdown::Document.new(STDIN.read).to_html`;

/** The programs of Debian, which the tests of sites install. */
const programs: readonly Program[] = [
  {
    name: 'Python-Markdown with the extensions of MkDocs',
    command: ['/usr/bin/python3', '-c', pythonMarkdown],
    documents: {
      'a box with a title': '!!! danger "High voltage"\n\n    Keep *off*.\n\nEnd',
      'a box without a title': 'Text\n!!! warning\n    Hot\nnot in it',
      'a box with a hidden title': '!!! note ""\n    Bare',
      'a box beside the text': '!!! info inline end "Lorem"\n\n    Beside.',
      'boxes in boxes': '!!! note\n\n    ??? tip "Deep"\n\n        Words.\n\n    After.',
      'boxes in lists': '1. Step\n\n    !!! tip\n\n        In list.\n\n2. Next',
      'a title alone': '??? "Only"\n    Open.',
      'code in a box': '!!! note\n\n    One\n\n        never()\n\n    Two',
      'marked changes': 'One {>>never<<}two {++added++} {--gone--} {~~old~>new~~} {==kept==}{>>why<<}.',
      'comments over paragraphs': 'One\n\n{>>never\n\nnever<<}\n\nTwo',
      definitions: 'Apple\n:   A red fruit.\n:   A company.\n\nOrange\n\n:   A citrus.\n\n    Second.\n\nEnd',
      abbreviations: 'The HTML spec.\n\n*[HTML]: Hyper Text',
      attributes: '# Head { .x }\n\n[Go](a){ .md-button }\n{: .lead }',
    },
  },
  {
    name: 'kramdown',
    command: ['ruby', '-e', kramdown],
    documents: {
      'attributes of blocks': 'One\n{: .lead }\nTwo\n\n- a\n- b\n{: #list }\n\n*x*{: .y} z',
      comments: 'A {::comment}never{:/comment} b',
      definitions: 'A\nB\n: Def\n: Other\nlazy\n\nText\n\nTerm\n: one\n\nTwo',
      abbreviations: 'The HTML spec.\n\n*[HTML]: Hyper Text',
    },
  },
  {
    name: 'MyST',
    command: ['/usr/bin/python3', '-c', myst],
    documents: {
      'a box between backticks': '```{note}\nHeed *this*.\n```\n\nEnd',
      'a box between colons, with options': ':::{warning}\n:class: x\nHot\n:::\n\nEnd',
      'a box with a title': '```{admonition} My title\n:class: tip\nBody\n```',
      'boxes in boxes': '````{tip}\nOne\n\n```{danger}\nTwo\n```\n````\n\nEnd',
      definitions: 'Term\n: One\n: Two\n\nEnd',
    },
  },
];

/** The words alone: only we end a title with a full stop, and docutils writes “!DANGER!”. */
function wordsOf(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
}

describe('speech of what generators make of Markdown', () => {
  for (const { name, command, documents } of programs) {
    const [program = '', ...given] = command;
    const run = (source: string) => spawnSync(program, given, { input: source, encoding: 'utf8' });

    describe(name, () => {
      before(function () {
        if (run('x').status !== 0) this.skip();
      });
      for (const [what, source] of Object.entries(documents)) {
        it(`is that of the page: ${what}`, () => {
          const { stdout, stderr, status } = run(source);
          assert.equal(status, 0, stderr);
          assert.equal(wordsOf(speakableText(source, 'markdown')), wordsOf(speakableText(stdout, 'html')));
        });
      }
    });
  }
});
