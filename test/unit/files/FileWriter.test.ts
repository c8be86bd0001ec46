import assert from 'node:assert/strict';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveAway } from '../../../src/files/freeMemory.ts';
import { FileWriter } from '../../../src/files/LocalFolder.ts';
import { fc, runs } from '../../support/fastCheck.ts';

describe('FileWriter', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'file-writer-'));
    path = join(folder, 'file');
  });

  afterEach(() => rm(folder, { recursive: true }));

  const chunkLists = fc.array(fc.nat({ max: 700_000 }), { maxLength: 12 }).map((lengths) => {
    return lengths.map((length, index) => Buffer.alloc(length, index + 1));
  });

  it('writes the chunks in order', async () => {
    const property = fc.asyncProperty(chunkLists, async (chunks) => {
      await using file = await FileWriter.open(path, 'w+');
      for (const chunk of chunks) await file.write(chunk);
      await file.finish();
      assert(Buffer.concat(chunks).equals(await readFile(path)));
    });
    await fc.assert(property, { numRuns: runs(30) });
  });

  it('returns all chunks, written or not (takeBack)', async () => {
    const property = fc.asyncProperty(chunkLists, async (chunks) => {
      await using file = await FileWriter.open(path, 'w+');
      for (const chunk of chunks) await file.write(chunk);
      assert(Buffer.concat(chunks).equals(Buffer.concat(await file.takeBack())));
    });
    await fc.assert(property, { numRuns: runs(30) });
  });

  it('frees given-away chunks once written, and no others', async () => {
    const chunks = [Buffer.alloc(2 ** 20, 1), giveAway(Buffer.alloc(2 ** 20, 2)), giveAway(Buffer.alloc(10_000, 3))];
    const expected = Buffer.concat(chunks);
    const freed = () => chunks.map((chunk) => chunk.length === 0);
    await using file = await FileWriter.open(path, 'w+');
    for (const chunk of chunks) await file.write(chunk);
    assert.equal(freed()[2], false, 'it is not written yet');
    assert(expected.equals(Buffer.concat(await file.takeBack())));
    await file.finish();
    assert.deepEqual(freed(), [false, true, true]);
    assert(expected.equals(await readFile(path)));
  });

  it('empties the file, including a write in progress', async () => {
    const handle = await open(path, 'w+');
    const writev = handle.writev.bind(handle) as (chunks: Uint8Array[]) => ReturnType<typeof handle.writev>;
    const { promise: start, resolve } = Promise.withResolvers<void>();
    handle.writev = (async (chunks: Uint8Array[]) => {
      await start;
      return writev(chunks);
    }) as typeof handle.writev;
    {
      await using file = new FileWriter(path, handle);
      await file.write(Buffer.alloc(2 ** 20, 1));
      const emptied = file.empty();
      resolve();
      await emptied;
    }
    assert.equal((await readFile(path)).length, 0);
  });

  it('replaces an existing file only with the flag "w+"', async () => {
    await writeFile(path, 'mine, and longer');
    await assert.rejects(FileWriter.open(path, 'wx+'), { code: 'EEXIST' });
    await using file = await FileWriter.open(path, 'w+');
    await file.write(Buffer.from('yours'));
    await file.finish();
    assert.equal(await readFile(path, 'utf8'), 'yours');
  });

  it('rejects when the disk is full, and still returns the unwritten data', async () => {
    const chunks = [Buffer.alloc(2 ** 20, 1), Buffer.alloc(2 ** 20, 2), Buffer.alloc(2 ** 20, 3), Buffer.from('4')];
    const writing = async (file: FileWriter) => {
      for (const chunk of chunks) await file.write(chunk);
      await file.finish();
    };
    const handle = await open(path, 'w+');
    handle.writev = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    await using file = new FileWriter(path, handle);
    await assert.rejects(writing(file), { code: 'ENOSPC' });
    const back = Buffer.concat(await file.takeBack());
    assert(back.equals(Buffer.concat(chunks).subarray(0, back.length)));
    assert(back.length >= 2 * 2 ** 20);
  });
});
