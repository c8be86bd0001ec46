import assert from 'node:assert/strict';
import { fileNameOf, numberedName, slug } from '../../../src/library/fileName.ts';

const parts = {
  prompt: 'A fox in the snow!',
  operation: 'generateImage',
  model: 'acme/Painter 3',
  source: 'Stand-up Monday',
  time: new Date(2026, 10, 5, 9, 7, 3),
};

describe('fileNameOf', () => {
  const patterns: readonly (readonly [string, string])[] = [
    ['${prompt}', 'a-fox-in-the-snow'],
    ['${date} ${time} ${prompt}', '2026-11-05-09-07-03-a-fox-in-the-snow'],
    ['${operation}_${model}', 'generateImage_acme-painter-3'],
    ['${source}.notes', 'stand-up-monday.notes'],
    ['${unknown}', '{unknown}'],
    ['${constructor}', '{constructor}'],
    ['../../${prompt}', 'a-fox-in-the-snow'],
    ['a/b\\c:d*e?f"g<h>i|j', 'a-b-c-d-e-f-g-h-i-j'],
    ['', 'generateImage'],
    ['...', 'generateImage'],
  ];
  for (const [pattern, name] of patterns) {
    it(`makes ${JSON.stringify(name)} of ${JSON.stringify(pattern)}`, () => {
      assert.equal(fileNameOf(pattern, parts), name);
    });
  }

  it('avoids the names that Windows keeps for itself', () => {
    for (const name of ['con', 'NUL', 'com1', 'Lpt9', 'aux.txt', 'prn']) {
      assert.match(fileNameOf(name, parts), /^\w+-file$/);
    }
    assert.equal(fileNameOf('console', parts), 'console');
  });

  it('falls back when a prompt holds no letter or digit', () => {
    assert.equal(fileNameOf('${prompt}', { ...parts, prompt: '🦊 !!!' }), 'generateImage');
  });
});

describe('slug', () => {
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
    it(`makes ${expected} of ${JSON.stringify(prompt)}`, () => assert.equal(slug(prompt), expected.normalize('NFC')));
  }

  it('is at most 60 characters, cut between characters, within what file systems take', () => {
    for (const character of ['a', 'ü', '狐', '𝔞', '𠮷']) {
      const name = slug(character.repeat(500));
      assert.equal([...name].length, 60);
      assert(Buffer.byteLength(numberedName(name, 'jpeg', 1000)) <= 255);
    }
  });
});
