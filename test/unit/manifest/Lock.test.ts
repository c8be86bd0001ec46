import assert from 'node:assert/strict';
import { lockText, readLock } from '../../../src/manifest/Lock.ts';

const output = 'a'.repeat(64);

describe('the lock', () => {
  it('is written sorted by UTF-16 code units, the names of inputs too, without what is undefined', () => {
    const lines = ['b.png', 'B.png2', '\u{1f600}.png', '\uff5e.png'].map((path) => {
      return [path, { path, inputs: { prompt: '1', model: '2' }, output, variant: undefined }] as const;
    });
    const text = lockText(new Map(lines));
    const paths = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { path: string }).path);
    assert.deepEqual(paths, ['B.png2', 'b.png', '\u{1f600}.png', '\uff5e.png']);
    assert(text.startsWith('{"path":"B.png2","inputs":{"model":"2","prompt":"1"},"output":'), text);
    assert(text.endsWith('\n'));
    assert.equal(lockText(readLock(text)), text);
  });

  it('is read in any order, with blank lines and line breaks of Windows', () => {
    const text = ['b', 'a'].map((path) => JSON.stringify({ path, output })).join('\r\n\r\n');
    assert.deepEqual([...readLock(text).keys()], ['b', 'a']);
  });

  it('names both lines of one path, also where only the case differs', () => {
    const text = ['a.png', 'b.png', 'A.png'].map((path) => JSON.stringify({ path, output })).join('\n');
    assert.throws(() => readLock(text), /lines 1 and 3/);
  });

  for (const [what, line] of Object.entries({
    'no JSON': '{',
    'no hash': JSON.stringify({ path: 'a', output: 'x' }),
    'a path that leads out': JSON.stringify({ path: '../a', output }),
    'blocks that are none': JSON.stringify({ path: 'a', output, blocks: [{ key: 1 }] }),
    'a variant below 1': JSON.stringify({ path: 'a', output, variant: 0 }),
  })) {
    it(`names the line of ${what}`, () => {
      assert.throws(() => readLock(`${JSON.stringify({ path: 'z', output })}\n${line}\n`), /media\.lock\.jsonl:2: /);
    });
  }
});
