import assert from 'node:assert/strict';
import { convert } from '@asciidoctor/core';
import { Liquid } from 'liquidjs';
import MarkdownIt from 'markdown-it';
import { createSSRApp } from 'vue';
import { renderToString } from 'vue/server-renderer';
import type { Language } from '../../../src/documents/Language.ts';
import {
  escapeAttribute,
  escapeHover,
  escapeRestructuredText,
  printableJson,
  printableText,
} from '../../../src/foreign/escape.ts';
import { notificationText, type PlainText, plainLine, plainText } from '../../../src/foreign/plainText.ts';
import { planMarkdown } from '../../../src/manifest/printPlan.ts';
import { formatReference } from '../../../src/projects/formatReference.ts';
import { formatTranscript, transcriptFormats } from '../../../src/transcripts/formatTranscript.ts';
import { readTranscriptFile, textLanguages, transcriptIn } from '../../../src/transcripts/transcriptIn.ts';
import { renderedByDocutils } from '../../support/docutils.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const all = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const controls = all.filter((character) => /\p{Cc}/u.test(character));
const formats = all.filter((character) => /\p{Cf}/u.test(character));
const separators = [...controls, ...formats, '\u2028', '\u2029'];
/** Format characters that belong to a script and stay. */
const kept = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;
/** Those to try where a renderer takes long. Of the format characters that are removed, which a test shows for all, two. */
const ends = [...controls, ...formats.filter((one) => kept.test(one)), '\u00ad', '\u{e0041}', '\u2028', '\u2029'];

const origin = { source: 'call.m4a', link: '../call.m4a', model: 'm', operation: 'transcribe', date: new Date(0) };
const snippets = {
  audio: '<audio controls src="${src}" title="${title}"></audio>',
  video: '<video controls src="${src}" title="${title}"></video>',
};

/** The ways on which words of a service or a repository reach a document. */
const ways: Readonly<Record<string, (language: Language, words: string) => string>> = {
  'the text of a transcript': (language, words) => inserted(language, 'text', { text: words }),
  'a segment of a transcript': (language, words) =>
    inserted(language, 'markdown', { text: words, segments: [{ start: 0, end: 1, text: words, speaker: 'Ada' }] }),
  'a speaker of a transcript': (language, words) =>
    inserted(language, 'markdown', { text: 'Yes.', segments: [{ start: 0, end: 1, text: 'Yes.', speaker: words }] }),
  'subtitles beside a recording': (language, words) =>
    transcriptIn(language, readTranscriptFile('vtt', `WEBVTT\n\n00:00.000 --> 00:01.000\n${words}\n`)),
  'Markdown beside a recording': (language, words) => transcriptIn(language, readTranscriptFile('md', words)),
  'the title of an image': (language, words) => referenceTo(language, 'images', words),
  'the title of a transcript': (language, words) => referenceTo(language, 'transcripts', words),
};

interface Said {
  readonly text: string;
  readonly segments?: readonly { start: number; end: number; text: string; speaker: string }[];
}

function savedAs(format: 'markdown' | 'text' | 'srt' | 'vtt' | 'json', { text, segments = [] }: Said) {
  return formatTranscript({ text, segments, subtitles: undefined, language: undefined, duration: 1 }, format, origin);
}

function inserted(language: Language, format: 'markdown' | 'text', said: Said): string {
  const { extension, text } = savedAs(format, said);
  return transcriptIn(language, readTranscriptFile(extension, text));
}

function referenceTo(language: Language, kind: 'images' | 'transcripts', title: string): string {
  return formatReference(language, { path: 'a.png', kind, title: plainLine(title) }, snippets);
}

describe('foreign text (promises 13, 14, 15)', () => {
  it('knows all 65 control characters', () => assert.equal(controls.length, 65));

  it('runs nothing in reStructuredText, whatever character is taken for the end of a line', function () {
    this.timeout(120_000);
    const payload = (end: string) =>
      `Hi.${end}${end}.. raw:: html${end}${end}   <script>alert(1)</script>${end}${end}.. include:: /etc/hostname`;
    const unescaped = escapeRestructuredText(payload('\x85') as PlainText);
    const documents = ends.flatMap((end) =>
      Object.entries(ways).map(([way, write]) => ({ way, end, text: write('restructuredtext', payload(end)) })),
    );
    const rendered = renderedByDocutils([unescaped, ...documents.map(({ text }) => text)]);
    skipUnless(this, rendered !== undefined, 'docutils of Python');
    const [proof = '', ...pages] = rendered ?? [];
    assert.match(proof, /<script>/, 'the payload runs in text that is not plain');
    const names = documents.map(({ way, end }) => `${way}, U+${end.codePointAt(0)?.toString(16)}`);
    const running = names.filter((_, index) => /<script|system-message|problematic/.test(pages[index] ?? '<script'));
    assert.deepEqual(running, []);
    const shown = names.filter((_, index) => pages[index]?.includes('include::'));
    assert(shown.filter((name) => name.startsWith('a segment')).length === ends.length, 'and shows the words');
  });

  const templates = [
    '{{ 7 * 7 }}',
    '{{ 7 | times: 7 }}',
    '{{{ 7 * 7 }}}',
    '{{{{ 7 * 7 }}}}',
    '{{ Array.constructor("return process.env.HOME + process.pid")() }}',
    '{% assign a = "RUN" %}{{ a | append: "S" }}',
    '{%- assign a = "RUN" -%}{{- a | append: "S" -}}',
    '{# hidden #}',
    '{\u200b{ 7 * 7 }\u200b}',
    '\\{{ 7 * 7 }}',
    '{\\{ 7 * 7 }}',
    '{<!-- -->{ 7 * 7 }}',
    'a `{{ 7 * 7 }}` b',
    '*{{ 7 * 7 }}*',
    'see [{{ 7 * 7 }}](b)',
  ];
  const delimiters = /\{\{|\{%|\{#|<%|<\?/;

  for (const [way, write] of Object.entries(ways)) {
    it(`is no template of Liquid in Markdown: ${way}`, async () => {
      const liquid = new Liquid();
      for (const template of templates) {
        const text = write('markdown', template);
        assert.equal(await liquid.parseAndRender(text), text, template);
        assert.doesNotMatch(text, delimiters);
      }
      for (const other of ['{{< readfile "x" >}}', '<% 7 * 7 %>', '<?php echo 7; ?>', '<!--@include: ./a.md-->']) {
        assert.doesNotMatch(write('markdown', other), /\{\{|<%|<\?|<!--@/, other);
      }
    });

    for (const language of ['markdown', 'vue', 'html'] as const) {
      it(`is no expression of Vue in ${language}: ${way}`, async () => {
        const markdown = new MarkdownIt({ html: true });
        for (const template of templates) {
          const text = write(language, template);
          const page = language === 'markdown' ? markdown.render(text) : text;
          // A browser decodes what stands in a page before Vue reads it.
          const read = language === 'html' ? page.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(code)) : page;
          const html = await renderToString(createSSRApp({ template: `<div>${read}</div>` }));
          assert.doesNotMatch(html, /49|(?<!process\.env\.HOME.*)\/root|\d{5}/, `${template} in ${text}`);
          if (!template.includes('<')) assert(html.includes('{'), `${template} is shown: ${html}`);
        }
      });
    }
  }

  it('shows the braces of a transcript as they are in Markdown', () => {
    const markdown = new MarkdownIt({ html: true });
    for (const template of [
      '{{ 7 * 7 }}',
      '{% if a %}',
      '{# a #}',
      '<% a %>',
      '<?php a ?>',
      '::: warning',
      '{a} {.b}',
    ]) {
      const page = markdown.render(transcriptIn('markdown', [{ text: plainText(template) }]));
      assert.equal(htmlText(page), template);
      const { extension, text } = savedAs('markdown', { text: template });
      assert.deepEqual(readTranscriptFile(extension, text), [{ text: template }], 'and reads them back');
    }
  });

  it('is no tag, macro or file to include in Markdown and AsciiDoc', async () => {
    const payloads = [
      'Hi.#<script>alert(1)</script>',
      'Hi.#++++#<script>alert(1)</script>#++++',
      'Hi.#include::/etc/hostname[]',
      'Hi.##[source]#----#a#----',
      'pass:[<script>alert(1)</script>]',
    ];
    const markdown = new MarkdownIt({ html: true });
    for (const end of ends) {
      for (const payload of payloads.map((text) => text.replaceAll('#', end))) {
        for (const [way, write] of Object.entries(ways)) {
          const place = `${way}, U+${end.codePointAt(0)?.toString(16)}`;
          assert.doesNotMatch(markdown.render(write('markdown', payload)), /<script/, place);
        }
      }
      const asciidoc = payloads.map((payload) =>
        ways['a segment of a transcript']?.('asciidoc', payload.replaceAll('#', end)),
      );
      const page = String(await convert(asciidoc.join('\n\n'), { safe: 'unsafe' }));
      assert.doesNotMatch(page, /<script|<pre/, `U+${end.codePointAt(0)?.toString(16)}`);
    }
  }).timeout(120_000);

  it('is written without control and format characters in every language and format', () => {
    const words = separators.map((character) => `a${character}b`).join(' ');
    const hidden = new RegExp(`[^\\P{Cc}\\n]|(?!${kept.source})\\p{Cf}|[\\u2028\\u2029]`, 'u');
    for (const language of textLanguages) {
      for (const [way, write] of Object.entries(ways)) {
        assert.doesNotMatch(write(language, words), hidden, `${way} in ${language}`);
      }
    }
    for (const format of [...transcriptFormats, 'json'] as const) {
      for (const said of [
        { text: words },
        { text: words, segments: [{ start: 0, end: 1, text: words, speaker: words }] },
      ]) {
        assert.doesNotMatch(savedAs(format, said).text, hidden, format);
      }
    }
    assert.doesNotMatch(printableText(words), hidden);
    assert.doesNotMatch(printableJson(words), hidden);
    assert.equal(JSON.parse(printableJson(words)), words, 'JSON keeps its value');
    assert.doesNotMatch(notificationText(words), hidden);
  });

  it('is no link in a hover, and no command in a notification', () => {
    const markdown = new MarkdownIt({ html: true, linkify: true });
    for (const text of [
      '<command:unifiedMedia.openLibrary>',
      '[a](command:unifiedMedia.openLibrary)',
      '[a]\n(command:b)',
      '<a href="command:b">a</a>',
      'https://a.test www.a.test a@b.test',
      '![a](https://a.test/b.png)',
      '[a]: command:b\n[a]',
      '    <b>',
    ]) {
      const page = markdown.render(escapeHover(plainText(text)));
      assert.doesNotMatch(page, /<(?!\/?p>)/, text);
    }
    assert.doesNotMatch(notificationText('Saved [a](command:b) and [a]\u200b(command:b).'), /\]\(/);
  });

  it('commands no terminal and no build server', () => {
    const rows = printableText(
      'x.png\n::error file=a::INJECTED\n  ::stop-commands::tok\r::add-mask::a\u2028::a\n##[error]a ##vso[task.a]b\n\u001b[31mred',
    );
    for (const row of rows.split('\n')) assert.doesNotMatch(row, /^\s*::|##\w*\[|\p{Cc}/u, row);
    const json = printableJson({ a: '##[error]b ##vso[a]', b: '\u202e\u{e0041}\x9b' });
    assert.doesNotMatch(json, /##\w*\[|[\p{Cc}\p{Cf}]/u);
    assert.deepEqual(JSON.parse(json), { a: '##[error]b ##vso[a]', b: '\u202e\u{e0041}\x9b' });
  });

  it('leaves neither its cell nor its code in the table of a pull request, and mentions nobody', () => {
    const plan = (path: string, reason: string) =>
      planMarkdown({
        entries: [{ path, state: 'stale', reasons: [reason], requests: 1 }],
        requests: { generateImage: 1 },
        images: 1,
        videos: 0,
        characters: 0,
        minutes: 0,
      });
    const markdown = new MarkdownIt({ html: true, linkify: true });
    const row = (path: string, reason = 'a') =>
      /<tbody>[\s\S]*<\/tbody>/.exec(markdown.render(plan(path, reason)))?.[0];
    for (const path of ['a`b.png', '`` a ```.png', 'a|b.png', '` @org/team `.png', 'a\n| b', '`<b>`']) {
      const cells = row(path)?.match(/<td[\s\S]*?<\/td>/g) ?? [];
      assert.equal(cells.length, 4, path);
      assert.match(cells[1] ?? '', /^<td><code>[^<]*<\/code><\/td>$/, path);
    }
    const reason = row('a.png', '@org/team #12 https://a.test www.a.test <b>x</b> [a](b) ![a](b) | c\nd');
    assert.equal(reason?.match(/<td/g)?.length, 4);
    assert.doesNotMatch(reason ?? '', /<a |<img|<b>/);
    assert.doesNotMatch(plan('a.png', '@org/team #12'), /@org|#12/);
    const commit = '16c999e8c71134401a78d4d46435517b2271d6ac';
    for (const hash of [commit, commit.slice(0, 7), commit.toUpperCase(), commit + commit]) {
      const text = plan('a.png', `see GH-26, ${hash} and a/b@${hash}`);
      assert.doesNotMatch(text, /GH-26|[\da-f]{7}/i);
      assert(htmlText(markdown.render(text)).includes(`see GH-26, ${hash} and a/b@${hash}`));
    }
  });

  it('leaves no attribute', () => {
    assert.doesNotMatch(escapeAttribute(plainLine('"><script>{{ a }}')), /["<>{}]/);
  });
});

/** The text that a browser shows. */
function htmlText(html: string): string {
  const names: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return html
    .replace(/<!--.*?-->|<\/?\w[^>]*>/g, '')
    .replace(/&(?:#(\d+)|(\w+));/g, (whole, code: string | undefined, name = '') =>
      code === undefined ? (names[name] ?? whole) : String.fromCodePoint(Number(code)),
    )
    .trim();
}
