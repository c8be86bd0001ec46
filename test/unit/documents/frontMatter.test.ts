import assert from 'node:assert/strict';
import { frontMatterIn } from '../../../src/documents/frontMatter.ts';

describe('front matter', () => {
  const parts = (text: string) => {
    const found = frontMatterIn(text);
    return found && [found.format, text.slice(found.start, found.end), text.slice(found.after)];
  };

  const rows: readonly (readonly [string, string, readonly [string, string, string] | undefined])[] = [
    ['YAML', '---\na: 1\n---\n# Text\n', ['yaml', 'a: 1\n', '# Text\n']],
    ['YAML that ends with three dots', '---\na: 1\n...\n# Text\n', ['yaml', 'a: 1\n', '# Text\n']],
    ['TOML', '+++\na = 1\n+++\nText', ['toml', 'a = 1\n', 'Text']],
    [
      'the line breaks and the byte order mark of Windows',
      '\ufeff---\r\na: 1\r\n---\r\nText',
      ['yaml', 'a: 1\r\n', 'Text'],
    ],
    ['no data', '---\n---\nText', ['yaml', '', 'Text']],
    ['no text', '---\na: 1\n---', ['yaml', 'a: 1\n', '']],
    ['spaces after the fences', '--- \na: 1\n---\t\nText', ['yaml', 'a: 1\n', 'Text']],
    ['a longer line as its data', '---\n----\n--- x\n---\nText', ['yaml', '----\n--- x\n', 'Text']],
    ['another fence at its end', '---\na: 1\n+++\n', undefined],
    ['no end', '---\na: 1\n', undefined],
    ['a line above it', '\n---\na: 1\n---\n', undefined],
  ];
  for (const [name, text, expected] of rows) {
    it(`${expected ? 'is found' : 'is not found'} with ${name}`, () => assert.deepEqual(parts(text), expected));
  }
});
