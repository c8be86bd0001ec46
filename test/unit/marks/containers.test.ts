import assert from 'node:assert/strict';
import { boxHead, chunkHead, frameLength, framesOf, toTheEnd } from '../../../src/marks/containers.ts';

/** Returns a header with a number in hexadecimal before its name and one after it. */
const headOf = (before: string, name: string, after = '') =>
  Buffer.concat([Buffer.from(before, 'hex'), Buffer.from(name, 'latin1'), Buffer.from(after, 'hex')]);

describe('boxHead', () => {
  const rows: readonly (readonly [title: string, bytes: Buffer, header: number, length: number])[] = [
    ['a box', headOf('00000010', 'moov'), 8, 16],
    ['a box to the end of the file', headOf('00000000', 'moov'), 8, toTheEnd],
    ['a box shorter than its header', headOf('00000007', 'moov'), 8, 0],
    ['a box of more than 4 GB', headOf('00000001', 'moov', '0000000200000000'), 16, 2 ** 33],
    ['a large box shorter than its header', headOf('00000001', 'moov', '000000000000000f'), 16, 0],
    ['a large box longer than any file', headOf('00000001', 'moov', 'ffffffffffffffff'), 16, 0],
  ];
  for (const [title, bytes, header, length] of rows) {
    it(`reads ${title}`, () => assert.deepEqual(boxHead(bytes), { type: 'moov', header, length }));
  }

  it('throws for fewer bytes than the header has', () => {
    assert.throws(() => boxHead(headOf('000000', '')), RangeError);
    assert.throws(() => boxHead(headOf('00000001', 'moov', '00000002')), RangeError);
  });
});

describe('chunkHead', () => {
  it('pads an odd length', () => {
    assert.deepEqual(chunkHead(headOf('', 'data', '03000000')), { id: 'data', length: 3, padded: 4 });
    assert.deepEqual(chunkHead(headOf('ff', 'fmt ', '10000000'), 1), { id: 'fmt ', length: 16, padded: 16 });
  });
});

describe('frameLength', () => {
  it('reads the length as each version writes it', () => {
    assert.equal(frameLength(headOf('', 'TT2', '000101'), 2), 257);
    assert.equal(frameLength(headOf('', 'TIT2', '00000101'), 3), 257);
    assert.equal(frameLength(headOf('', 'TIT2', '00000101'), 4), 129);
  });
});

describe('framesOf', () => {
  const frame = (id: string, length: string, content: string) => headOf('', id, `${length}0000${content}`);
  const idsOf = (...parts: readonly Buffer[]) => Array.from(framesOf(Buffer.concat(parts), 4), ({ id }) => id);

  it('ends at the padding, and at a frame that goes beyond the tag', () => {
    const first = frame('TIT2', '00000001', 'aa');
    assert.deepEqual(idsOf(first, frame('TSSE', '00000001', 'bb')), ['TIT2', 'TSSE']);
    assert.deepEqual(idsOf(first, Buffer.alloc(20), first), ['TIT2']);
    assert.deepEqual(idsOf(first, frame('TSSE', '00000002', 'bb')), ['TIT2']);
    assert.deepEqual(idsOf(first, Buffer.from('TSS')), ['TIT2']);
  });
});
