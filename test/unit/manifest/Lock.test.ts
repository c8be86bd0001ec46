import assert from 'node:assert/strict';
import { lockText, readLock } from '../../../src/manifest/Lock.ts';

const output = 'a'.repeat(64);

describe('lockText and readLock', () => {
  it('write lines sorted by UTF-16 code units, inputs sorted by name, without undefined fields', () => {
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

  it('read lines in any order, with blank lines and Windows line breaks', () => {
    const text = ['b', 'a'].map((path) => JSON.stringify({ path, output })).join('\r\n\r\n');
    assert.deepEqual([...readLock(text).keys()], ['b', 'a']);
  });

  it('report both lines of one path, even if only the case differs', () => {
    const text = ['a.png', 'b.png', 'A.png'].map((path) => JSON.stringify({ path, output })).join('\n');
    assert.throws(() => readLock(text), /Lines 1 and 3/);
  });

  for (const [what, line] of Object.entries({
    'invalid JSON': '{',
    'an invalid hash': JSON.stringify({ path: 'a', output: 'x' }),
    'a path that leaves the project': JSON.stringify({ path: '../a', output }),
    'invalid blocks': JSON.stringify({ path: 'a', output, blocks: [{ key: 1 }] }),
    'a variant below 1': JSON.stringify({ path: 'a', output, variant: 0 }),
  })) {
    it(`report the line with ${what}`, () => {
      assert.throws(() => readLock(`${JSON.stringify({ path: 'z', output })}\n${line}\n`), /media\.lock\.jsonl:2: /);
    });
  }
});
