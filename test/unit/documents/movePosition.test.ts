import assert from 'node:assert/strict';
import { findOffset, movePosition } from '../../../src/documents/movePosition.ts';

const at = (line: number, character: number) => ({ line, character });
const change = (startLine: number, start: number, endLine: number, end: number, text: string) => ({
  range: { start: at(startLine, start), end: at(endLine, end) },
  text,
});

describe('movePosition', () => {
  const rows: readonly (readonly [string, ReturnType<typeof change>, readonly [number, number]])[] = [
    ['stays when text after it changes', change(5, 5, 6, 0, 'x'), [5, 4]],
    ['moves down when lines are inserted above', change(0, 0, 0, 0, 'a\nb\r\nc\n'), [8, 4]],
    ['moves up when lines are deleted above', change(1, 0, 3, 2, ''), [3, 4]],
    ['moves along its line when text before it changes', change(5, 1, 5, 2, 'abc'), [5, 6]],
    ['moves to a new line when a line break is inserted before it', change(5, 2, 5, 2, 'a\nbc'), [6, 4]],
    ['moves to the end of the previous line when the line break is deleted', change(4, 7, 5, 0, ''), [4, 11]],
    ['stays in front of text that is typed exactly there', change(5, 4, 5, 4, 'typed'), [5, 4]],
    ['stays when the surrounding text is replaced by enough lines', change(0, 0, 9, 0, '\n\n\n\n\n\n\n'), [5, 4]],
    ['moves to the end of a shorter replacement of the surrounding text', change(5, 0, 5, 9, 'ab'), [5, 2]],
  ];
  for (const [name, edit, [line, character]] of rows) {
    it(name, () => assert.deepEqual(movePosition(at(5, 4), edit, false), at(line, character)));
  }

  it('moves after text typed exactly there when asked to, but not when the text after it is replaced', () => {
    assert.deepEqual(movePosition(at(5, 4), change(5, 4, 5, 4, 'ab'), true), at(5, 6));
    assert.deepEqual(movePosition(at(5, 4), change(5, 4, 5, 6, 'ab'), true), at(5, 4));
  });
});

describe('findOffset', () => {
  const rows: readonly (readonly [string, string, string, string])[] = [
    ['finds the offset in unchanged text', 'one |two', 'one two', 'one |two'],
    ['finds the offset after inserted text', 'one |two', 'zero one two', 'zero one |two'],
    ['finds the offset before appended text', 'one |two', 'one two three', 'one |two three'],
    ['finds the offset when the text around it changed', 'a b|b c', 'a xyz c', 'a |xyz c'],
    ['finds the offset at the end', 'one|', 'zero one', 'zero one|'],
  ];
  for (const [name, before, after, expected] of rows) {
    it(name, () => {
      const offset = findOffset(before.replace('|', ''), after, before.indexOf('|'));
      assert.equal(`${after.slice(0, offset)}|${after.slice(offset)}`, expected);
    });
  }
});
