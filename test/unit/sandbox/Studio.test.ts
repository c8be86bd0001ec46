import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { UnreadablePicture } from '../../../src/images/codecs/UnreadablePicture.ts';
import { Studio } from '../../../src/sandbox/Studio.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { jpegFile } from '../../support/pictureFiles.ts';

const never = new AbortController().signal;
const plan = { prompt: 'A fox', index: 0, size: 64 };

describe('Studio', () => {
  it('works, again after it rested and after it was closed', async () => {
    const studio = new Studio({ idleMs: 0 });
    const started = once(process, 'worker');
    const first = await studio.run('paintPicture', plan, never);
    const [worker] = (await started) as [Worker];
    await once(worker, 'exit');
    assert.deepEqual(await studio.run('paintPicture', plan, never), first);
    await studio.close();
    assert.deepEqual(await studio.run('paintPicture', plan, never), first);
    await studio.close();
  });

  it('says what cannot be read', async () => {
    const studio = new Studio();
    const file = Buffer.from('GIF89a');
    await assert.rejects(studio.run('readPicture', { file, maxSide: 64 }, never), UnreadablePicture);
    const { width, height } = await studio.run('readPicture', { file: pngBytes, maxSide: 64 }, never);
    assert.deepEqual([width, height], [1, 1]);
    await studio.close();
  });

  it('gives up what takes too long to read, and still does everything else', async () => {
    const studio = new Studio({ readingMs: 0 });
    const [reading, painting] = await Promise.allSettled([
      studio.run('readPicture', { file: jpegFile, maxSide: 64 }, never),
      studio.run('paintPicture', plan, never),
    ]);
    assert(reading.status === 'rejected' && reading.reason instanceof UnreadablePicture, reading.status);
    assert.equal(reading.reason.message, 'takes too long to read');
    assert.equal(painting.status, 'fulfilled');
    await studio.close();
  });

  it('stops when it is no longer wanted, before and during the work', async () => {
    const studio = new Studio();
    const leaving = new AbortController();
    const work = studio.run('paintPicture', { ...plan, size: 4096 }, leaving.signal);
    leaving.abort();
    await assert.rejects(work, { name: 'AbortError' });
    await assert.rejects(studio.run('paintPicture', plan, leaving.signal), { name: 'AbortError' });
    await studio.close();
  });

  it('tells when the work fails, and goes on', async () => {
    const studio = new Studio();
    await assert.rejects(studio.run('paintPicture', { ...plan, size: -1 }, never), /out of range/);
    assert((await studio.run('paintPicture', plan, never)).length > 100);
    await studio.close();
  });

  it('fails what is under way when it is closed', async () => {
    const studio = new Studio();
    const work = assert.rejects(studio.run('paintPicture', { ...plan, size: 2048 }, never), /ended/);
    await studio.close();
    await work;
  });
});
