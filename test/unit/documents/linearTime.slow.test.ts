import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { findReferences, playerOffset } from '../../../src/documents/findReferences.ts';
import { frontMatterIn } from '../../../src/documents/frontMatter.ts';
import type { Language } from '../../../src/documents/Language.ts';
import { importOf } from '../../../src/documents/mediaImport.ts';
import { movePosition } from '../../../src/documents/movePosition.ts';
import { speakableText, spokenBlocks } from '../../../src/documents/speakableText.ts';
import { videoElementsIn } from '../../../src/documents/videoElement.ts';
import {
  escapeAsciidoc,
  escapeHover,
  escapeLatex,
  escapeMarkdown,
  escapeMdx,
  escapePage,
  escapeRestructuredText,
  unescapeMarkdown,
} from '../../../src/foreign/escape.ts';
import { plainText } from '../../../src/foreign/plainText.ts';
import { describeData } from '../../../src/library/saveMedia.ts';
import { formatTranscript } from '../../../src/transcripts/formatTranscript.ts';
import { joinTexts, readSubtitles } from '../../../src/transcripts/subtitles.ts';
import { growsLinearly, isQuickWhenShort, millisecondsFor } from '../../support/growsLinearly.ts';
import { patternsIn } from '../../support/patternsIn.ts';
import { repeatedFragments } from '../../support/repeatedFragments.ts';

type Read = (text: string) => unknown;

/** Characters of the longest text. Quadratic time shows at a third of the length that people have. */
const longest = 300_000;

const speech = (language: string) => (text: string) => speakableText(text, language);
const player = (language: Language) => (text: string) => playerOffset(text, language);
const references = (language: Language) => (text: string) => findReferences(text, language);

/** Elements that are nested too deep are an error, which must come soon as well. */
const orError = (read: Read) => (text: string) => {
  try {
    return read(text);
  } catch (error) {
    assert.match(String(error), /nested more than 1000 deep/);
    return undefined;
  }
};

/** The text is among the children of a video, and among the attributes of its track. */
const video = (text: string) =>
  videoElementsIn(`<video src="a.mp4">${text}<track ${text}></video>`, [{ range: { start: 7, end: 18 } }]);

const captionsOfSegment = (text: string) => {
  const transcript = { text, subtitles: undefined, language: undefined, duration: 1 };
  const origin = { source: '', model: '', operation: 'transcribe', date: new Date(0) };
  return formatTranscript({ ...transcript, segments: [{ start: 0, end: 1, text }] }, 'srt', origin);
};

const subtitles = (format: 'srt' | 'vtt') => (text: string) =>
  readSubtitles(format, `1\n00:01.000 --> 00:02.000\n${text}`);

/** Texts that once took quadratic or exponential time: before the repeated part, that part and after it. */
const cases: readonly (readonly [string, Read, before: string, part: string, after: string])[] = [
  ['empty list items in Markdown', speech('markdown'), '', '-  ', 'x'],
  ['numbered list items in quotes in Markdown', speech('markdown'), '> ', '1.  ', 'x'],
  ['backticks in Markdown', speech('markdown'), '', '`a ``b ```c ', ''],
  ['backticks in MDX', speech('mdx'), '', '`', ' a'],
  ['runs of backticks in MDX', speech('mdx'), '', '`a ``b ```c ', ''],
  ['spaces in Markdown', speech('markdown'), 'a', ' ', 'b'],
  ['unclosed attributes in Markdown', speech('markdown'), '', '{#a', ''],
  ['spaces before unclosed attributes in Markdown', speech('markdown'), 'a', '    {', 'b'],
  ['containers in Markdown', speech('markdown'), '', ':::', ' a'],
  ['nested boxes in Markdown', speech('markdown'), '', '!!! note\n    ', ''],
  ['unclosed directives in Markdown', speech('markdown'), '', '```{note}\n', ''],
  ['unclosed code between colons in Markdown', speech('markdown'), '', ':::{code}\n', ''],
  ['definitions in Markdown', speech('markdown'), '', 'a\n: b\n', ''],
  ['terms without a definition in Markdown', speech('markdown'), '', 'a\n\n', ': b'],
  ['amounts in Markdown', speech('markdown'), '', '$5 ', ''],
  ['formulas that share an end in Markdown', speech('markdown'), '', '\\[a=', '\\]'],
  ['changes that share an end in Markdown', speech('markdown'), '', '{~~a', '~~}'],
  ['marks that share an end in Markdown', speech('markdown'), '', '==a\n\n', 'a=='],
  ['unclosed comments of Obsidian in Markdown', references('markdown'), '', '%%a\n', ''],
  ['unclosed tags in Markdown', speech('markdown'), '', '{{< "a {% a {: ', ''],
  ['unclosed links of Obsidian in Markdown', speech('markdown'), '', '[[a ![[b [@c ', ''],
  ['names of emoji in Markdown', speech('markdown'), '', ' :a', ''],
  ['open fences with text', references('markdown'), '', '```{note}\n:a: b\n', ''],
  ['cells in Markdown', speech('markdown'), '|a|b|\n|-|-|\n', '|a|b|\n', ''],
  ['cells of one row in HTML', speech('html'), '<table><tr>', '<td>a', ''],
  ['addresses of subtitles in HTML', speech('html'), '<a href="', '.vtt?', '\n">a</a>'],
  ['footnotes in Markdown', speech('markdown'), '', 'a[^1]^[note] ', '\n\n[^1]: b'],
  ['lists of footnotes in Markdown', speech('markdown'), '', '^[note]', ''],
  ['unclosed elements in HTML', orError(speech('html')), '', '<b>', ''],
  ['unclosed elements in Markdown', orError(speech('markdown')), '', '<b>a', ''],
  ['end tags of closed elements in HTML', speech('html'), '<b>'.repeat(999), '</i>', ''],
  ['unclosed index terms in AsciiDoc', speech('asciidoc'), '', '((', ''],
  ['unclosed references in AsciiDoc', speech('asciidoc'), '', '<<', ''],
  ['unclosed anchors in AsciiDoc', speech('asciidoc'), '', '[[', ''],
  ['unclosed links in AsciiDoc', speech('asciidoc'), '', 'link:', ''],
  ['marks without an end in AsciiDoc', speech('asciidoc'), '', ' *a', ''],
  ['spaces after a backtick in reStructuredText', speech('restructuredtext'), '`', ' ', 'a'],
  ['marks without an end in reStructuredText', speech('restructuredtext'), '', ' *', ''],
  ['unclosed references in reStructuredText', speech('restructuredtext'), '', '`a', ''],
  ['unclosed roles in reStructuredText', speech('restructuredtext'), '', ':a', ''],
  ['nested directives in reStructuredText', speech('restructuredtext'), '', '.. note::\n ', ''],
  ['unclosed interpolations in Vue', speech('vue'), '', '{{', ''],
  ['unclosed scripts in Svelte', speech('svelte'), '', '<script', ''],
  ['fields above a missing title', player('restructuredtext'), '', ':a: b\n', ''],
  ['comments above a missing title', player('restructuredtext'), '', '.. a\n', ''],
  ['spaces before a missing title', player('restructuredtext'), '', ' ', ''],
  ['unclosed bodies', player('html'), '', '<body', ''],
  ['unclosed comments', player('asciidoc'), '', '////\n', 'a'],
  ['blank lines above a missing title', player('markdown'), '---\n', '\n', ''],
  ['template expressions', references('markdown'), '', "{{ '/a.png' | url }} {{< figure src=a.png >}} ", ''],
  ['words in a tag of Hexo', references('markdown'), '', '{% asset_img a b c d e f g %}', ''],
  ['admonitions', references('markdown'), '', '!!! note\n    ', ''],
  ['pictures in front matter', references('markdown'), '---\n', 'image: a.png\n', '---\n'],
  ['pictures with texts in front matter', references('markdown'), '---\n', 'image: a.png\nimageAlt: b\n', '---\n'],
  [
    'spaces in the address of a picture in LaTeX',
    references('latex'),
    '',
    `\\includegraphics{${' '.repeat(900)}a"b}\n`,
    '',
  ],
  [
    'pictures in list items in reStructuredText',
    references('restructuredtext'),
    '',
    '- .. image:: a.png\n  :alt:\n',
    '',
  ],
  ['markers of lists in reStructuredText', references('restructuredtext'), '', 'i. ', '.. image:: a.png'],
  ['empty lines in a cue of SubRip', subtitles('srt'), '', 'a\n\n', ''],
  ['unclosed tags in subtitles', subtitles('vtt'), '', '<b ', ''],
  ['spaces in an unclosed voice of subtitles', subtitles('vtt'), '<v', ' ', ''],
  ['words of one long segment', captionsOfSegment, '', '说话', ''],
  ['unclosed tracks of a video', video, '', '<track a', ''],
  ['unclosed comments in a video', video, '', '<!-- {/* ', ''],
  ['spaces in a track of a video', video, '<track src', ' ', '>'],
  ['sources of a video', video, '', '<source src="a.mp4"></source>\n', ''],
  ['comments before a root', (text) => describeData(Buffer.from(text)), '', '<!---->', 'not here'],
  ['unclosed comments before a root', (text) => describeData(Buffer.from(text)), '', '<!--', ''],
  ['spaces before a root', (text) => describeData(Buffer.from(text)), '', ' \n', ''],
];

describe('time for text from outside (promise 17)', () => {
  for (const [name, read, before, part, after] of cases) {
    it(`grows at most linearly with ${name}`, () => {
      const textOf = (length: number) => before + part.repeat(Math.ceil(length / part.length)) + after;
      assert(growsLinearly(read, textOf, longest));
    });
  }
});

const spoken = ['speakableText', 'SpokenLines'];
const referenced = ['Findings', 'characterReferences', 'MediaReference', 'findReferences', 'templates'];
const dialects = ['markdown', 'dialects', 'findPassages'];

const start = { line: 0, character: 0 };
const below = { line: 1, character: 0 };

/** Functions that read text from outside, and the files whose patterns they use. */
const readers: readonly (readonly [string, Read, files: readonly string[]])[] = [
  ...['html', 'vue', 'svelte'].map((language) => [`speech ${language}`, speech(language), spoken] as const),
  ...['markdown', 'mdx'].map(
    (language) =>
      [
        `speech ${language}`,
        speech(language),
        [...spoken, ...dialects, 'renderMarkdown', 'DefinitionLists', 'formula'],
      ] as const,
  ),
  ...['asciidoc', 'restructuredText'].map((file) => {
    return [`speech ${file}`, speech(file.toLowerCase()), ['SpokenLines', file]] as const;
  }),
  ...(['html', 'vue', 'svelte', 'astro', 'jsx', 'script', 'css', 'scss'] as const).map((language) => {
    return [`references ${language}`, references(language), [...referenced, 'web']] as const;
  }),
  ...(['markdown', 'mdx'] as const).map((language) => {
    return [`references ${language}`, references(language), [...referenced, ...dialects, 'web']] as const;
  }),
  ['references asciidoc', references('asciidoc'), [...referenced, 'asciidoc']],
  ['references restructuredText', references('restructuredtext'), [...referenced, 'restructuredText']],
  ['references latex', references('latex'), [...referenced, 'latex']],
  ...(['markdown', 'html', 'asciidoc', 'restructuredtext'] as const).map((language) => {
    return [`playerOffset ${language}`, player(language), ['belowTitle']] as const;
  }),
  ['movePosition', (text) => movePosition(below, { range: { start, end: start }, text }, false), ['movePosition']],
  ['videoElementsIn', video, ['videoElement']],
  ['frontMatterIn', (text) => frontMatterIn(`---\n${text}`), ['frontMatter']],
  ['importOf', (text) => importOf(text, './a.png'), ['mediaImport']],
  ['spokenBlocks', (text) => spokenBlocks(text, 'plaintext'), ['speakableText']],
  ...[escapeMarkdown, escapeMdx, escapeHover, escapeRestructuredText, escapeAsciidoc, escapeLatex, escapePage].map(
    (write) => {
      return [
        write.name,
        (text: string) => write(plainText(text)),
        ['../foreign/escape', '../foreign/plainText'],
      ] as const;
    },
  ),
  ['unescapeMarkdown', unescapeMarkdown, ['../foreign/escape']],
  ['describeData', (text) => describeData(Buffer.from(text)), ['../library/saveMedia']],
  ['describeData type', (text) => describeData(Buffer.of(0xff), text), ['../library/saveMedia']],
  ['readSubtitles srt', subtitles('srt'), ['../transcripts/subtitles']],
  ['readSubtitles vtt', subtitles('vtt'), ['../transcripts/subtitles']],
  ['joinTexts', (text) => joinTexts([text, text]), ['../transcripts/subtitles']],
];
const known = new Map<string, ReturnType<typeof repeatedFragments>>();

/** Returns the repeated fragments of a file's patterns, which several readers use. */
function fragmentsIn(file: string): ReturnType<typeof repeatedFragments> {
  const patterns = () => patternsIn(`src/documents/${file}.ts`);
  const found = known.get(file) ?? patterns().flatMap(({ source, flags }) => repeatedFragments(source, flags));
  known.set(file, found);
  return found;
}

/** Their patterns read names, not texts. */
const ofNames = ['Language'];

describe('time for repeated fragments of the patterns that read text from outside (promise 17)', () => {
  for (const [name, read, files] of readers) {
    it(`grows at most linearly in ${name}`, () => {
      // Many patterns have the same fragments.
      const fragments = new Map(files.flatMap(fragmentsIn).map((fragment) => [JSON.stringify(fragment), fragment]));
      const texts = [...fragments].map(([label, { before, part }]) => {
        const textOf = (length: number) => `${before}${part.repeat(Math.ceil(length / part.length))}\n"x`;
        assert(isQuickWhenShort(read, textOf), label);
        return { label, textOf, time: millisecondsFor(read, textOf(3000)) };
      });
      assert(texts.length > 0);
      // Quadratic time makes a text one of the slowest long before it has its full length.
      for (const { label, textOf } of texts.toSorted((a, b) => b.time - a.time).slice(0, 2)) {
        assert(growsLinearly(read, textOf, longest / 4), label);
      }
    });
  }

  it('covers every file that reads documents', () => {
    const names = globSync('src/documents/*.ts').map((file) => basename(file, '.ts'));
    const covered = new Set([...readers.flatMap(([, , files]) => files), ...ofNames]);
    const missing = names.filter((name) => !covered.has(name) && patternsIn(`src/documents/${name}.ts`).length > 0);
    assert.deepEqual(missing, []);
  });
});
