import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFile, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileCalls } from '../../../src/files/FileCalls.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { startProcess } from '../../support/startProcess.ts';

describe('LocalFolder.append', () => {
  let root: string;
  let path: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'append-'));
    path = join(root, 'lines');
  });

  afterEach(() => rm(root, { recursive: true }));

  const content = () => readFile(path, 'utf8');
  const append = (text: string, calls: Partial<FileCalls> = {}) =>
    new LocalFolder(root, root, calls).append('lines', text);

  it('appends lines and creates the file', async () => {
    await append('');
    assert.equal(await content(), '');
    await append('one\n');
    await append('');
    await append('zwei ✓\ndrei\n');
    assert.equal(await content(), 'one\nzwei ✓\ndrei\n');
  });

  it('starts a new line after a truncated one', async () => {
    await writeFile(path, 'one\ntw');
    await append('three\n');
    assert.equal(await content(), 'one\ntw\nthree\n');
    await append('three\n');
    assert.equal(await content(), 'one\ntw\nthree\nthree\n', 'the same line too');
  });

  it('leaves a truncated line when there is nothing to append', async () => {
    await writeFile(path, 'one\ntw');
    await append('');
    assert.equal(await content(), 'one\ntw');
  });

  /** Opens files whose first writes are replaced by the given functions. */
  const writing = (...writes: ((bytes: Buffer, write: (part: Buffer) => Promise<unknown>) => Promise<unknown>)[]) => {
    let calls = 0;
    const opening: FileCalls['open'] = async (file, flags) => {
      const handle = await open(file, flags);
      const write = handle.write.bind(handle) as (part: Buffer) => Promise<unknown>;
      handle.write = (async (bytes: Buffer) => {
        calls++;
        return (writes.shift() ?? ((all) => write(all)))(bytes, write);
      }) as unknown as typeof handle.write;
      return handle;
    };
    return { calls: { open: opening }, count: () => calls };
  };

  it('writes once, whatever the length', async () => {
    const { calls, count } = writing();
    const text = `${'✓'.repeat(3_000_000)}\n`;
    await append(text, calls);
    assert.equal(count(), 1);
    assert.equal(await content(), text);
  });

  it('repeats a line that was truncated, also when another line follows it', async () => {
    for (const other of ['', 'other\n']) {
      await writeFile(path, 'first\n');
      const cut = writing(async (bytes, write) => {
        await write(bytes.subarray(0, 4));
        await appendFile(path, other);
      });
      await append('mine mine\n', cut.calls);
      assert.equal(await content(), other === '' ? 'first\nmine\nmine mine\n' : 'first\nmineother\nmine mine\n');
    }
  });

  it("repeats a line that landed after another's truncated line", async () => {
    await writeFile(path, 'first\n');
    const late = writing(async (bytes, write) => {
      await appendFile(path, 'cut');
      await write(bytes);
      await appendFile(path, 'other\n');
    });
    await append('mine\n', late.calls);
    assert.equal(await content(), 'first\ncutmine\nother\nmine\n');
  });

  it('accepts its line when others appended before and after it', async () => {
    for (const first of ['', 'first\n']) {
      await rm(path, { force: true });
      if (first !== '') await writeFile(path, first);
      const busy = writing(async (bytes, write) => {
        await appendFile(path, 'before\n');
        await write(bytes);
        await appendFile(path, 'after\n');
      });
      await append('mine\n', busy.calls);
      assert.equal(await content(), `${first}before\nmine\nafter\n`);
      assert.equal(busy.count(), 1);
    }
  });

  it('rejects after five attempts when nothing is written', async () => {
    const lost = Array.from({ length: 9 }, () => async () => undefined);
    const { calls, count } = writing(...lost);
    await assert.rejects(append('mine\n', calls), /other programs write to the file/);
    assert.equal(count(), 5);
  });

  it('rejects when the disk is full, and starts a new line for the next append', async () => {
    await writeFile(path, 'first\n');
    const full = writing(
      (bytes, write) => write(bytes.subarray(0, 3)),
      () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' })),
    );
    await assert.rejects(append('mine mine\n', full.calls), { code: 'ENOSPC' });
    await append('next\n');
    assert.equal(await content(), 'first\nmin\nnext\n');
  });

  it('keeps all lines of two processes complete, including lines of 1 MB', async () => {
    const large = await startWriter('a', 24, 1_000_000);
    const small = await startWriter('b', 600, 100);
    await Promise.all([large(), small()]);
    const counts = { a: 0, b: 0 };
    // A writer that could not yet see the end of a long line starts with a line break.
    for (const line of (await content()).split(/\n+/).slice(0, -1)) {
      const { writer, number, text } = JSON.parse(line) as { writer: 'a' | 'b'; number: number; text: string };
      assert.equal(number, counts[writer]++, `the lines of ${writer} are in order`);
      assert.equal(text, writer.repeat(writer === 'a' ? 1_000_000 : 100));
    }
    assert.deepEqual(counts, { a: 24, b: 600 });
  });

  /** @returns a function that lets the process write and waits for its exit */
  async function startWriter(writer: string, lines: number, bytes: number): Promise<() => Promise<void>> {
    const child = startProcess('append', { root, writer, lines, bytes });
    await once(child, 'message');
    return async () => {
      child.send('go');
      const [code] = (await once(child, 'exit')) as readonly unknown[];
      assert.equal(code, 0);
    };
  }
});
