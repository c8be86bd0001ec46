import assert from 'node:assert/strict';
import { lockNameOf, lockText, mergeLocks, readLock, readMergedLock } from '../../../src/manifest/Lock.ts';

const output = 'a'.repeat(64);

describe('lockText and readLock (promise 33)', () => {
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

  it('keep what a newer version has written into a line', () => {
    const text = `${JSON.stringify({ path: 'a.png', output, accepted: true, more: { b: 1, a: [2] } })}\n`;
    assert.equal(lockText(readLock(text)), text);
    assert.equal(mergeLocks('', text, '').text, text);
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
    'a mark other than true': JSON.stringify({ path: 'a', output, accepted: 'yes' }),
    'a variant below 1': JSON.stringify({ path: 'a', output, variant: 0 }),
  })) {
    it(`report the line with ${what}`, () => {
      assert.throws(() => readLock(`${JSON.stringify({ path: 'z', output })}\n${line}\n`), /media\.lock\.jsonl:2: /);
    });
  }
});

const hash = (digit: string) => digit.repeat(64);
const text = (...lines: readonly (readonly [path: string, digit: string])[]) =>
  lines.map(([path, digit]) => `${JSON.stringify({ path, output: hash(digit) })}\n`).join('');

describe('lockNameOf (promise 33)', () => {
  it('gives each manifest of a folder a lock of its own', () => {
    assert.deepEqual(['/p/media.jsonc', '/p/videos.jsonc', '/p/media.json', '/p/media'].map(lockNameOf), [
      'media.lock.jsonl',
      'videos.lock.jsonl',
      'media.json.lock.jsonl',
      'media.lock.jsonl',
    ]);
  });
});

describe('readMergedLock (promise 33)', () => {
  const read = (written: string, found: string | undefined) =>
    readMergedLock(written, 'videos.lock.jsonl', async () => found && hash(found));

  it('takes the line that describes the file', async () => {
    const lock = await read(text(['a', '1'], ['b', '3'], ['A', '2']), '2');
    assert.deepEqual(
      [...lock.values()].map(({ path, output }) => [path, output[0]]),
      [
        ['A', '2'],
        ['b', '3'],
      ],
    );
  });

  it('takes it also between the marks of a conflict, of git or of the merge driver, and never what both started from', async () => {
    const [one, two, base] = [text(['a', '1']), text(['a', '2']), text(['a', '3'])];
    const start = `||||||| 1a2b3c4\n${base}`;
    for (const between of ['', start]) {
      const conflict = `<<<<<<< HEAD\n${one}${between}=======\n${two}>>>>>>> theirs\n`;
      const lock = await read(conflict + text(['b', '1']), '2');
      assert.deepEqual([...lock.values()], [...readLock(two + text(['b', '1'])).values()]);
      await assert.rejects(read(conflict, '3'), { message: /Lines 2 and \d have the same path a, / });
    }
  });

  it('reports both lines when none or both describe the file', async () => {
    const sentence = /^videos\.lock\.jsonl: Lines 1 and 2 have the same path a, /;
    for (const found of [undefined, '3']) {
      await assert.rejects(read(text(['a', '1'], ['a', '2']), found), { kind: 'invalidInput', message: sentence });
    }
    await assert.rejects(read(text(['a', '1'], ['a', '1']), '1'), { message: sentence });
  });
});

describe('mergeLocks (promise 33)', () => {
  const base = text(['a', '1'], ['b', '1'], ['c', '1']);

  it('takes what either side added, changed or removed', () => {
    const ours = text(['a', '2'], ['c', '1'], ['d', '4']);
    const theirs = text(['0', '0'], ['a', '1'], ['b', '1'], ['c', '3']);
    assert.deepEqual(mergeLocks(base, ours, theirs), {
      conflicts: [],
      text: text(['0', '0'], ['a', '2'], ['c', '3'], ['d', '4']),
    });
  });

  it('takes equal changes of both sides once, also without a common start', () => {
    assert.deepEqual(mergeLocks('', base, base), { conflicts: [], text: base });
    assert.deepEqual(mergeLocks(base, '', ''), { conflicts: [], text: '' });
  });

  it('marks only the paths that both sides changed differently', () => {
    const merged = mergeLocks(base, text(['a', '2'], ['b', '1'], ['c', '2']), text(['a', '3'], ['b', '1']));
    const [a2, a3, c2] = [text(['a', '2']), text(['a', '3']), text(['c', '2'])];
    assert.deepEqual(merged.conflicts, ['a', 'c']);
    assert.equal(
      merged.text,
      `<<<<<<< ours\n${a2}=======\n${a3}>>>>>>> theirs\n${text(['b', '1'])}<<<<<<< ours\n${c2}=======\n>>>>>>> theirs\n`,
    );
    assert.throws(() => readLock(merged.text), /merge conflict/);
  });

  it('marks all of a damaged lock, so that nothing is lost', () => {
    const merged = mergeLocks(base, 'damaged', base);
    assert.deepEqual(merged, { conflicts: undefined, text: `<<<<<<< ours\ndamaged\n=======\n${base}>>>>>>> theirs\n` });
  });
});
