import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileWriter } from '../../../src/files/LocalFolder.ts';
import { type AnswerSink, receiveBody } from '../../../src/service/AnswerBody.ts';

const mebibyte = 2 ** 20;
/** Ten chunks of one mebibyte with different content. */
const chunks = Array.from({ length: 10 }, (_, index) => Buffer.alloc(mebibyte, index + 1));
const whole = Buffer.concat(chunks);

describe('receiveBody', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'receive-body-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function* send(count = chunks.length, end?: Error) {
    yield* chunks.slice(0, count);
    if (end) throw end;
  }

  const openFile = () => FileWriter.open(join(folder, 'answer'), 'w+');
  const receive = (open: (() => Promise<AnswerSink>) | undefined, count?: number) =>
    receiveBody(send(count), open).then(({ body, failure }) => {
      assert.equal(failure, undefined);
      return body;
    });

  it('keeps up to 4 MiB in memory and opens no file', async () => {
    const opened = () => assert.fail('no file is needed');
    assert.deepEqual(await receive(opened, 4), whole.subarray(0, 4 * mebibyte));
  });

  it('writes a larger body to a file completely', async () => {
    const path = join(folder, 'answer');
    assert.deepEqual(await receive(openFile), { path, length: whole.length });
    assert(whole.equals(await readFile(path)));
  });

  it('keeps everything in memory when there is no file', async () => {
    assert.deepEqual(await receive(undefined), whole);
  });

  it('returns what arrived before a failure, in memory or in the file', async () => {
    const broken = new Error('cut');
    const inMemory = await receiveBody(send(3, broken), openFile);
    assert.deepEqual(inMemory, { body: whole.subarray(0, 3 * mebibyte), failure: broken });
    const path = join(folder, 'answer');
    const inFile = await receiveBody(send(8, broken), openFile);
    assert.deepEqual(inFile, { body: { path, length: 8 * mebibyte }, failure: broken });
    assert(whole.subarray(0, 8 * mebibyte).equals(await readFile(path)));
  });

  it('keeps the body in memory when no file can be opened', async () => {
    const body = await receive(() => Promise.reject(new Error('read-only')));
    assert(body instanceof Uint8Array && whole.equals(body));
  });

  for (const failing of ['1st write', '6th write', '10th write', 'finish'] as const) {
    it(`keeps the body in memory when the disk is full at the ${failing}`, async () => {
      const body = await receive(async () => filledDisk(await openFile(), failing));
      assert(body instanceof Uint8Array && whole.equals(body));
    });
  }
});

/** A file that fails with ENOSPC at the given point. */
function filledDisk(file: FileWriter, failing: string): AnswerSink {
  let writes = 0;
  const full = new Error('ENOSPC: no space left on device');
  return {
    path: file.path,
    write: async (chunk) => {
      await file.write(chunk);
      writes++;
      if (failing.endsWith('write') && writes >= Number.parseInt(failing, 10)) throw full;
    },
    finish: async () => {
      await file.finish();
      throw full;
    },
    takeBack: () => file.takeBack(),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}
