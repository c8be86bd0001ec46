import assert from 'node:assert/strict';
import { findRepeat } from '../../../src/transcripts/formatTranscript.ts';

describe('findRepeat', () => {
  it('returns what repeats at least five times in a row', () => {
    assert.deepEqual(findRepeat(['Hi.', ...Array(6).fill('Thank you.'), 'Bye.']), { text: 'Thank you.', times: 6 });
    assert.deepEqual(findRepeat([`So. ${'Thank you. '.repeat(7)}`]), { text: 'Thank you.', times: 7 });
    assert.deepEqual(findRepeat(['you', 'You.', ' you ', 'YOU!', 'you']), { text: 'you', times: 5 });
    assert.deepEqual(findRepeat(['謝謝。謝謝。謝謝。謝謝。謝謝。']), { text: '謝謝。', times: 5 });
    assert.deepEqual(findRepeat(Array(5).fill('♪')), { text: '♪', times: 5 });
  });

  it('returns the longest repetition', () => {
    assert.equal(findRepeat([...Array(5).fill('a'), ...Array(9).fill('b'), ...Array(6).fill('c')])?.text, 'b');
  });

  it('ignores what people say', () => {
    assert.equal(findRepeat(['No. No. No. No!']), undefined);
    assert.equal(findRepeat(['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b', 'a', 'b']), undefined);
    assert.equal(findRepeat([]), undefined);
  });
});
