import assert from 'node:assert/strict';
import { plainLine, plainRow, plainText } from '../../../src/foreign/plainText.ts';
import { formatTranscript } from '../../../src/transcripts/formatTranscript.ts';
import { commentIn, readTranscriptFile, textLanguages, transcriptIn } from '../../../src/transcripts/transcriptIn.ts';
import { fc } from '../../support/fastCheck.ts';

const origin = { source: 'call.m4a', link: '../call.m4a', model: 'm', operation: 'transcribe', date: new Date(0) };

function saved(format: 'markdown' | 'text' | 'srt' | 'vtt', text: string, speakers: readonly string[] = []) {
  const segments = speakers.map((speaker, index) => ({
    speaker,
    text: `${text} ${index}`,
    start: index,
    end: index + 1,
  }));
  const whole = segments.length > 0 ? segments.map((segment) => segment.text).join(' ') : text;
  const transcript = { text: whole, subtitles: undefined, language: undefined, duration: undefined, segments };
  return formatTranscript(transcript, format, origin);
}

describe('readTranscriptFile and transcriptIn', () => {
  it('read what was said from every format', () => {
    for (const format of ['markdown', 'vtt', 'srt'] as const) {
      const { extension, text } = saved(format, 'So', ['Ada', 'Bob']);
      const paragraphs = readTranscriptFile(extension, text);
      assert.match(transcriptIn('other', paragraphs), /^Ada: So 0\n\nBob: So 1$/, format);
    }
    assert.deepEqual(readTranscriptFile('txt', 'One.\n\nTwo.\n'), [{ text: 'One.' }, { text: 'Two.' }]);
  });

  it('read no line with a time above what is said, and its name as that of the speaker', () => {
    const turns = [
      { speaker: 'Ana Diaz', text: 'Good morning.' },
      { speaker: 'Tom', text: 'At 10:30.' },
    ];
    const otter = 'Ana Diaz  0:01\nGood morning.\n\nTom  1:00:07\n\nAt 10:30.\n';
    assert.deepEqual(readTranscriptFile('txt', otter), turns);
    const bold = '**Ana Diaz** [00:00:01]\nGood morning.\n\n### Tom (1:00:07)\n\nAt 10:30.\n';
    for (const text of [otter, bold]) assert.deepEqual(readTranscriptFile('md', text), turns);
    const times = '**[00:00:01]**\nGood morning.\n\n**[00:00:09]**\nAt 10:30.\n';
    assert.deepEqual(readTranscriptFile('md', times), [{ text: 'Good morning.' }, { text: 'At 10:30.' }]);
    assert.deepEqual(readTranscriptFile('txt', '[0:01]\nHi.\n'), [{ text: 'Hi.' }]);
    for (const text of ['Meeting 10:30', 'We meet at 10:30\n\nWe end at 11:30', 'Lunch 12:30\n\nTea 10:00']) {
      const said = readTranscriptFile('txt', text).map((paragraph) => paragraph.text);
      assert.equal(said.join('\n\n'), text);
    }
  });

  it('read turns on lines of their own, as other programs write them', () => {
    const cues = [{ speaker: plainLine('Ann') }, { speaker: plainLine('Dr. Bob') }];
    const turns = [
      { speaker: 'Ann', text: 'Hi.' },
      { speaker: 'Dr. Bob', text: 'Ho.\nNote: this stays.' },
    ];
    const times = '[00:00] Ann: Hi.\n[1:00:02] Dr. Bob: Ho.\nNote: this stays.\n';
    for (const text of [times, times.replace(/\[[\d:]+\] /g, ''), 'Ann: Hi.\n \t\nDr. Bob: Ho.\nNote: this stays.']) {
      assert.deepEqual(readTranscriptFile('txt', text, cues), turns);
    }
    assert.deepEqual(readTranscriptFile('txt', '[00:00] Hi.\n[00:02] Ho.'), [{ text: 'Hi.' }, { text: 'Ho.' }]);
    const markdown = '[a.m4a](a.m4a)\n**Ann:** Hi.\n[00:02](a.m4a#t=2) **Dr. Bob:** Ho.\nNote: this stays.\n';
    assert.deepEqual(readTranscriptFile('md', markdown), turns);
  });

  it('join the lines of a subtitle without a space in a script that has none', () => {
    const file = '1\n00:00:01,000 --> 00:00:02,000\n我们在公\n园里走\n';
    assert.deepEqual(readTranscriptFile('srt', file), [{ text: '我们在公园里走', start: 1 }]);
  });

  it('drop the front matter and the link to the recording', () => {
    const { text } = saved('markdown', 'A fox.');
    assert.match(text, /^---\n[\s\S]*\[call\.m4a\]/);
    assert.deepEqual(readTranscriptFile('md', text), [{ text: 'A fox.' }]);
    assert.deepEqual(readTranscriptFile('md', text.replaceAll('\n', '\r\n')), [{ text: 'A fox.' }]);
  });

  it('keep every character on the way through Markdown', () => {
    const words = fc.string({ unit: fc.constantFrom(...'aé *_`#[]()<>{}\\|~-+.&;:!"$%\'=1'), minLength: 1 });
    fc.assert(
      fc.property(words, (text) => {
        const line = text.trim();
        fc.pre(line !== '');
        const { text: file } = saved('markdown', line);
        assert.deepEqual(readTranscriptFile('md', file), [{ text: line }]);
      }),
    );
  });

  it('drop what a person wrote as Markdown, but no word of it', () => {
    const edited: readonly (readonly [string, string])[] = [
      ['# The **first** part', 'The first part'],
      ['**Ann:** Hello **dear *old* friend**, __so__ ~~it~~ `is`.', 'Hello dear old friend, so it is.'],
      ['See [the *site*](https://example.org/a_(b)), ![a fox](fox.png)<b>now</b>.', 'See the site, now.'],
      ['- one\n  - two\n* three', 'one\ntwo\nthree'],
      ['> said', 'said'],
      ['> > - deep', 'deep'],
      ['Hello<br>World, <br />\\<br>', 'Hello\nWorld, \n<br>'],
      ['Setext\n======', 'Setext'],
      ['```text\ncode\n```', 'code'],
      ['```so``` she said.', 'so she said.'],
      ['5 * 3 * 2 is snake_case_word, \\*so\\* [it] is (1)', '5 * 3 * 2 is snake_case_word, *so* [it] is (1)'],
      ['1. first', '1. first'],
    ];
    for (const [markdown, text] of edited) {
      assert.deepEqual(
        readTranscriptFile('md', markdown).map((paragraph) => paragraph.text),
        [text],
      );
    }
    assert.deepEqual(readTranscriptFile('md', 'One.\n\n<!-- later -->\n\n---\n\n![a fox](fox.png)\n\nTwo.'), [
      { text: 'One.' },
      { text: 'Two.' },
    ]);
  });

  it('escape text for each language', () => {
    const paragraphs = [{ speaker: plainRow('A & B'), text: plainText('Is *x* < {y}_z 5% a_b?') }];
    const expected = {
      markdown: '**A & B:** Is \\*x\\* < \\{y}\\_z 5% a_b?',
      mdx: '**A & B:** Is \\*x\\* \\< \\{y}\\_z 5% a_b?',
      html: '<p><strong>A &#38; B:</strong> Is *x* &#60; &#123;y&#125;_z 5% a_b?</p>',
      jsx: '<p><strong>A &#38; B:</strong> Is *x* &#60; &#123;y&#125;_z 5% a_b?</p>',
      latex: '\\textbf{A \\& B:} Is *x* < \\{y\\}\\_z 5\\% a\\_b?',
      asciidoc: '*A & B:* Is &#42;x&#42; &#60; &#123;y&#125;&#95;z 5% a_b?',
      restructuredtext: '**A & B:** Is \\*x\\* < {y}_z 5% a_b?',
      other: 'A & B: Is *x* < {y}_z 5% a_b?',
    } as const;
    for (const [language, text] of Object.entries(expected)) {
      assert.equal(transcriptIn(language as keyof typeof expected, paragraphs), text);
    }
  });

  it('escape beginnings of lines that reStructuredText and MDX would read as markup', () => {
    const written = (language: 'restructuredtext' | 'mdx', text: string) =>
      transcriptIn(language, [{ text: plainText(text) }]);
    for (const text of [
      '- Yes.',
      '• One',
      '.. gone',
      '>>> 1',
      '| bar',
      ':a: b',
      '1. x',
      '(a) x',
      'iv. x',
      'A. Bee',
      '----',
    ]) {
      assert.equal(written('restructuredtext', text), `\\${text}`);
    }
    assert.equal(written('restructuredtext', 'So:\n  - one\n2) two::'), 'So:\n\\- one\n\\2) two:\\:');
    assert.equal(written('restructuredtext', 'And 1. so... -'), 'And 1. so... -');
    assert.equal(written('mdx', 'import duties rose'), '&#105;mport duties rose');
    assert.equal(written('mdx', 'export it,\nimport it'), '&#101;xport it,\n&#105;mport it');
    assert.equal(written('mdx', 'important imports'), 'important imports');
  });

  it('write a placeholder comment that no file name can end (commentIn)', () => {
    for (const language of textLanguages) {
      const comment = commentIn(language, 'transcribing a --> b */ {c}\n<d>.mp3 · 12345678');
      assert.match(comment, /12345678/);
      assert(!comment.includes('\n'));
      const inner = comment.replace(/^(<!--|\{\/\*|%|\/\/|\.\.|\[) /, '').replace(/ (-->|\*\/\}|\])$/, '');
      assert.doesNotMatch(inner, /-->|--|\*\/|[<>{}]/, comment);
    }
    assert.equal(commentIn('other', 'transcribing a.mp3'), '[transcribing a.mp3]');
  });

  it('write a comment as each language does (commentIn)', () => {
    const languages = ['markdown', 'mdx', 'vue', 'jsx', 'latex', 'asciidoc', 'restructuredtext', 'css'] as const;
    assert.deepEqual(
      languages.map((language) => commentIn(language, 'a')),
      ['<!-- a -->', '{/* a */}', '<!-- a -->', '{/* a */}', '% a', '// a', '.. a', '[a]'],
    );
  });
});
