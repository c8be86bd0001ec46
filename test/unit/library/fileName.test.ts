import assert from 'node:assert/strict';
import { basename, win32 } from 'node:path';
import { fileNameOf, isFileName, nameParts, numberedName, slug } from '../../../src/library/fileName.ts';
import { anyCharacter, fc, runs } from '../../support/fastCheck.ts';

const parts = {
  prompt: 'A fox in the snow!',
  operation: 'generateImage',
  model: 'acme/Painter 3',
  source: 'Stand-up Monday',
  time: new Date(2026, 10, 5, 9, 7, 3),
};

describe('nameParts and isFileName (promise 12)', () => {
  it('split a name at its last dot', () => {
    assert.deepEqual(nameParts('a.b.JPG'), { name: 'a.b', extension: 'JPG' });
    assert.deepEqual(nameParts('hero'), { name: 'hero' });
    assert.deepEqual(nameParts('.png'), { name: '.png' });
  });

  it('accept only names that are valid on every platform', () => {
    for (const name of ['hero.png', 'Füchse im Schnee.jpg', '狐.webp', '.hidden', 'a'.repeat(100)]) {
      assert(isFileName(name), name);
    }
    for (const name of [
      '',
      '.',
      '..',
      'a?.png',
      'a:b.png',
      'a\u0000.png',
      'con.png',
      'a.png.',
      'a ',
      'a\u3164',
      'a\ufe0f',
      'a'.repeat(300),
    ]) {
      assert(!isFileName(name), name);
    }
  });
});

describe('fileNameOf (promise 12)', () => {
  const patterns: readonly (readonly [string, string])[] = [
    ['${prompt}', 'a-fox-in-the-snow'],
    ['${date} ${time} ${prompt}', '2026-11-05-09-07-03-a-fox-in-the-snow'],
    ['${operation}_${model}', 'generateImage_acme-painter-3'],
    ['${source}.notes', 'stand-up-monday.notes'],
    ['${unknown}', '{unknown}'],
    ['${constructor}', '{constructor}'],
    ['a\u3164b \ufe0f\u2800 c', 'ab-c'],
    ['../../${prompt}', 'a-fox-in-the-snow'],
    ['a/b\\c:d*e?f"g<h>i|j', 'a-b-c-d-e-f-g-h-i-j'],
    ['', 'generateImage'],
    ['...', 'generateImage'],
  ];
  for (const [pattern, name] of patterns) {
    it(`makes ${JSON.stringify(name)} from ${JSON.stringify(pattern)}`, () => {
      assert.equal(fileNameOf(pattern, parts), name);
    });
  }

  it('has no letter of a prompt that shows nothing', () => {
    const prompt = 'AGENTS\u3164\u{e0100} 葛\u{e0100}城';
    assert.equal(fileNameOf('${prompt}', { ...parts, prompt }), 'agents-葛\u{e0100}城');
  });

  it('avoids reserved Windows names', () => {
    for (const name of ['con', 'NUL', 'com1', 'Lpt9', 'aux.txt', 'prn']) {
      assert.match(fileNameOf(name, parts), /^\w+-file$/);
    }
    assert.equal(fileNameOf('console', parts), 'console');
  });

  it('falls back to the operation when a prompt has no letter or digit', () => {
    assert.equal(fileNameOf('${prompt}', { ...parts, prompt: '🦊 !!!' }), 'generateImage');
  });
});

describe('fileNameOf with arbitrary input (promise 12)', () => {
  it('returns a valid name on Windows, macOS and Linux, and never a path', () => {
    const pieces = [
      '${prompt}',
      '${model}',
      '${source}',
      '${date}',
      '../',
      'C:\\',
      'nul',
      '.',
      ' ',
      '$',
      '{',
      '狐',
      '𝔞',
    ];
    const pattern = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: anyCharacter })), { maxLength: 6 });
    const text = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constantFrom(
        'con',
        'AUX.txt',
        '..',
        'a/b',
        '狐'.repeat(200),
        '𠮷'.repeat(200),
        'e\u0301'.repeat(200),
        '\ud800',
      ),
    );
    fc.assert(
      fc.property(pattern, text, text, text, (list, prompt, model, source) => {
        const name = fileNameOf(list.join(''), { ...parts, prompt, model, source });
        const file = numberedName(name, 'jpeg', 12_345);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what Windows refuses
        assert(!/[<>:"/\\|?*\x00-\x1f]/.test(file), file);
        assert(!/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(file), file);
        assert(!/^[. ]|[. ]$/.test(file), file);
        assert(Buffer.byteLength(file) <= 255 && Buffer.byteLength(file.normalize('NFD')) <= 765, file);
        assert.equal(file, file.normalize('NFC'));
        assert(file.isWellFormed());
        assert.equal(basename(file), file);
        assert.equal(win32.basename(file), file);
      }),
      { numRuns: runs(3000) },
    );
  });
});

describe('slug (promise 12)', () => {
  const prompts: readonly (readonly [string, string])[] = [
    ['Füchse im Schnee', 'füchse-im-schnee'],
    ['雪の中の狐', '雪の中の狐'],
    ['ثعلب في الثلج', 'ثعلب-في-الثلج'],
    ['बर्फ में लोमड़ी', 'बर्फ-में-लोमड़ी'],
    ['../../etc/passwd', 'etc-passwd'],
    ['a\u0000b\r\nc\u202Ed', 'a-b-c-d'],
    ['Cafe\u0301', 'café'],
  ];
  for (const [prompt, expected] of prompts) {
    it(`makes ${expected} from ${JSON.stringify(prompt)}`, () => assert.equal(slug(prompt), expected.normalize('NFC')));
  }

  it('returns at most 60 characters, cut between characters, within file system limits', () => {
    for (const character of ['a', 'ü', '狐', '𝔞', '𠮷']) {
      const name = slug(character.repeat(500));
      assert.equal([...name].length, 60);
      assert(Buffer.byteLength(numberedName(name, 'jpeg', 1000)) <= 255);
    }
  });
});
