import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import { escapeMarkdown } from '../../../src/foreign/escape.ts';
import { plainText } from '../../../src/foreign/plainText.ts';
import { fc, runs } from '../../support/fastCheck.ts';

describe('escapeMarkdown', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['Well, I - you know - paid $5 & left.', 'Well, I - you know - paid $5 & left.'],
    ['[Music] snake_case 2 < 3 "quoted" #1 5.', '[Music] snake_case 2 < 3 "quoted" #1 5.'],
    ['# one\n- two\n3. three\n> four\n---', '\\# one\n\\- two\n3\\. three\n\\> four\n\\---'],
    ['*a* `b` _c_ \\ <b> &amp; ~~d~~', '\\*a\\* \\`b\\` \\_c\\_ \\\\ \\<b> \\&amp; \\~\\~d\\~\\~'],
    ['[a](b) ![c](d)', '[a\\](b) ![c\\](d)'],
    ['[a]: b', '\\[a]: b'],
  ];
  for (const [text, escaped] of cases) {
    it(`returns ${JSON.stringify(escaped)}`, () => assert.equal(escapeMarkdown(plainText(text)), escaped));
  }

  it('makes every text render as it is', () => {
    const markdown = new MarkdownIt({ html: true });
    const signs = fc.constantFrom(...'#*_`~<>[]()!&;:|=-+.)\\/ \n\n1a9é狐', 'www.a', 'https://', '&amp;', '**', '---');
    const text = fc.array(signs, { minLength: 1, maxLength: 30 }).map((list) => list.join(''));
    fc.assert(
      fc.property(text, (random) => {
        const lines = random.split('\n').map((line) => line.trim());
        const paragraph = lines.filter((line) => line !== '').join('\n');
        fc.pre(paragraph !== '');
        const [open, inline, close, ...rest] = markdown.parse(escapeMarkdown(plainText(paragraph)), {});
        assert.deepEqual([open?.type, close?.type, rest], ['paragraph_open', 'paragraph_close', []]);
        const shown = inline?.children?.map(({ type, content }) => {
          assert(['text', 'softbreak', 'text_special'].includes(type), `${type} in ${paragraph}`);
          return type === 'softbreak' ? '\n' : content;
        });
        assert.equal(shown?.join(''), paragraph);
      }),
      { numRuns: runs(1000) },
    );
  });
});
