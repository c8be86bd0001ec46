import assert from 'node:assert/strict';
import { findOffset, movePosition } from '../../../src/documents/movePosition.ts';

const at = (line: number, character: number) => ({ line, character });
const change = (startLine: number, start: number, endLine: number, end: number, text: string) => ({
  range: { start: at(startLine, start), end: at(endLine, end) },
  text,
});

describe('movePosition', () => {
  const rows: readonly (readonly [string, ReturnType<typeof change>, readonly [number, number]])[] = [
    ['stays for a change behind it', change(5, 5, 6, 0, 'x'), [5, 4]],
    ['moves down with lines above it', change(0, 0, 0, 0, 'a\nb\r\nc\n'), [8, 4]],
    ['moves up with lines that are deleted above it', change(1, 0, 3, 2, ''), [3, 4]],
    ['moves along its line', change(5, 1, 5, 2, 'abc'), [5, 6]],
    ['moves to a new line', change(5, 2, 5, 2, 'a\nbc'), [6, 4]],
    ['moves up to the end of the line before', change(4, 7, 5, 0, ''), [4, 11]],
    ['stays in front of what is typed exactly there', change(5, 4, 5, 4, 'typed'), [5, 4]],
    ['stays where a text around it is written anew', change(0, 0, 9, 0, '\n\n\n\n\n\n\n'), [5, 4]],
    ['goes to the end of a shorter text that takes the place of what is around it', change(5, 0, 5, 9, 'ab'), [5, 2]],
  ];
  for (const [name, edit, [line, character]] of rows) {
    it(name, () => assert.deepEqual(movePosition(at(5, 4), edit, false), at(line, character)));
  }

  it('is pushed by what is typed exactly there where that is wanted, but not by what is replaced behind it', () => {
    assert.deepEqual(movePosition(at(5, 4), change(5, 4, 5, 4, 'ab'), true), at(5, 6));
    assert.deepEqual(movePosition(at(5, 4), change(5, 4, 5, 6, 'ab'), true), at(5, 4));
  });
});

describe('findOffset', () => {
  const rows: readonly (readonly [string, string, string, string])[] = [
    ['in the same text', 'one |two', 'one two', 'one |two'],
    ['behind new text', 'one |two', 'zero one two', 'zero one |two'],
    ['in front of new text', 'one |two', 'one two three', 'one |two three'],
    ['where the text around it has changed', 'a b|b c', 'a xyz c', 'a |xyz c'],
    ['at the end', 'one|', 'zero one', 'zero one|'],
  ];
  for (const [name, before, after, expected] of rows) {
    it(name, () => {
      const offset = findOffset(before.replace('|', ''), after, before.indexOf('|'));
      assert.equal(`${after.slice(0, offset)}|${after.slice(offset)}`, expected);
    });
  }
});
