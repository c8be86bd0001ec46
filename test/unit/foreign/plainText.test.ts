import assert from 'node:assert/strict';
import { isPlainLine, plainLine, plainText, shortLine } from '../../../src/foreign/plainText.ts';

describe('plainText (promise 14)', () => {
  const lineEnds = ['\r\n', '\n', '\r', '\v', '\f', '\x1c', '\x1d', '\x1e', '\x85', '\u2028', '\u2029'];
  for (const end of lineEnds) {
    it(`takes ${JSON.stringify(end)} for the end of a line`, () => {
      assert.equal(plainText(`a${end}b`), 'a\nb');
      assert.equal(plainLine(`a${end}${end} b${end}`), 'a b');
    });
  }

  it('removes all other control characters, and makes a tab a space', () => {
    const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCodePoint(code)).filter((one) =>
      /\p{Cc}/u.test(one),
    );
    assert.equal(controls.length, 65);
    assert.match(plainText(controls.join('')), /^[\n ]+$/);
    assert.equal(plainText('a\tb'), 'a b');
    assert.equal(plainLine(`a${controls.join('')}b`), 'a b');
  });

  it('removes characters that nobody sees, or that change the direction', () => {
    const hidden = ['\xad', '\u061c', '\u200b', '\u200e', '\u202e', '\u2060', '\u2066', '\ufeff', '\u{e0041}'];
    assert.equal(plainText(`a${hidden.join('')}b`), 'ab');
    assert.equal(plainText('a\u200d\u200cb'), 'ab', 'joiners between Latin letters');
    assert.equal(plainText('\u200d'), '');
    assert.equal(plainText('a\ud800b'), 'ab', 'half a character');
  });

  const blank = ['\u034f', '\u115f', '\u1160', '\u17b4', '\u180b', '\u2065', '\u2800', '\u3164', '\uffa0', '\ufff0'];
  const selectors = ['\ufe00', '\ufe0e', '\ufe0f', '\u{e0100}', '\u{e01ef}'];

  it('removes characters that show nothing, and selectors of a form that do not stand after one that has it', () => {
    for (const hidden of [...blank, ...selectors]) {
      for (const text of [`a${hidden}b`, `1${hidden}b`, `${hidden}ab`, `가${hidden}`]) {
        assert.equal(plainText(text), text.replace(hidden, ''), JSON.stringify(text));
        assert.equal(isPlainLine(text), false);
      }
    }
    for (const [text, kept] of [
      ['❤\ufe0f\ufe0f', '❤\ufe0f'],
      ['葛\u{e0100}\u{e0101}', '葛\u{e0100}'],
      ['ᠠ\u180b\u180b', 'ᠠ\u180b'],
      ['a\ufe0f\u200d👩', 'a👩'],
      ['क\u200d\u034fष', 'क\u200dष'],
      ['a\u180b\u200dᠠ', 'aᠠ'],
    ] as const) {
      assert.equal(plainText(text), kept);
      assert.equal(isPlainLine(kept), true);
    }
  });

  for (const text of [
    '❤️',
    '❤︎',
    '1️⃣',
    '葛󠄀城',
    '神︀',
    'ᠠ᠋',
    'می\u200cخواهم',
    'क्\u200dष',
    '👩\u200d💻',
    '👩🏽\u200d💻',
    '❤️\u200d🔥',
    'سورة ۝',
  ]) {
    it(`keeps ${text}`, () => {
      assert.equal(plainText(text), text);
      assert.equal(isPlainLine(text), true);
    });
  }

  it('cuts a line', () => {
    assert.equal(shortLine('a\nb c', 3), 'a b…');
    assert.equal(shortLine('👩👩', 1), '👩…');
    assert.equal(shortLine('abc', 3), 'abc');
    assert.equal(shortLine(`abc${' '.repeat(1000)}d`, 3), 'abc…');
  });

  it('knows a line that needs no change', () => {
    assert.equal(isPlainLine('a  b'), true);
    for (const text of ['a\nb', 'a\u202eb', 'a\x85b', 'a\tb']) assert.equal(isPlainLine(text), false);
  });
});
