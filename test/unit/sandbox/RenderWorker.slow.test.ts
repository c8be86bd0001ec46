import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { UnreadablePicture } from '../../../src/images/codecs/pictureFile.ts';
import { RenderWorker } from '../../../src/sandbox/RenderWorker.ts';
import { emptyPng, pngChunk } from '../../support/emptyPng.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { jpegFile } from '../../support/pictureFiles.ts';

const never = new AbortController().signal;
const plan = { prompt: 'A fox', index: 0, width: 64, height: 64 };

describe('RenderWorker', () => {
  it('runs tasks, also after its idle thread ended and after it was closed', async () => {
    const renderWorker = new RenderWorker({ idleMs: 0 });
    const started = once(process, 'worker');
    const first = await renderWorker.run('paintPicture', plan, never);
    const [worker] = (await started) as [Worker];
    await once(worker, 'exit');
    assert.deepEqual(await renderWorker.run('paintPicture', plan, never), first);
    await renderWorker.close();
    assert.deepEqual(await renderWorker.run('paintPicture', plan, never), first);
    await renderWorker.close();
  });

  it('rejects a picture that cannot be decoded', async () => {
    const renderWorker = new RenderWorker();
    const file = Buffer.from('GIF89a');
    await assert.rejects(renderWorker.run('readPicture', { file, maxSide: 64 }, never), UnreadablePicture);
    const { width, height } = await renderWorker.run('readPicture', { file: pngBytes, maxSide: 64 }, never);
    assert.deepEqual([width, height], [1, 1]);
    await renderWorker.close();
  });

  it('gives up decoding that takes too long and still completes all other tasks', async () => {
    const renderWorker = new RenderWorker({ readingMs: 0 });
    const [reading, painting] = await Promise.allSettled([
      renderWorker.run('readPicture', { file: jpegFile, maxSide: 64 }, never),
      renderWorker.run('paintPicture', plan, never),
    ]);
    assert(reading.status === 'rejected' && reading.reason instanceof UnreadablePicture, reading.status);
    assert.equal(reading.reason.message, 'takes too long to read');
    assert.equal(painting.status, 'fulfilled');
    await renderWorker.close();
  });

  it('gives up a picture that takes too much memory and still completes all other tasks (finding 13)', async () => {
    // On a busy machine, filling the memory may take longer than the usual time for reading.
    const renderWorker = new RenderWorker({ readingMs: 120_000 });
    const extras = [Buffer.alloc(24_000_000, pngChunk('tEXt', Buffer.alloc(0)))];
    const file = await emptyPng({ width: 8, height: 8, extras });
    const [reading, painting] = await Promise.allSettled([
      renderWorker.run('readPicture', { file, maxSide: 64 }, never),
      renderWorker.run('paintPicture', plan, never),
    ]);
    assert(reading.status === 'rejected' && reading.reason instanceof UnreadablePicture, JSON.stringify(reading));
    assert.equal(reading.reason.message, 'takes too much memory to read');
    assert.equal(painting.status, 'fulfilled');
    await renderWorker.close();
  });

  it('rejects a task whose signal aborts before or during the work', async () => {
    const renderWorker = new RenderWorker();
    const leaving = new AbortController();
    const work = renderWorker.run('paintPicture', { ...plan, width: 4096, height: 4096 }, leaving.signal);
    leaving.abort();
    await assert.rejects(work, { name: 'AbortError' });
    await assert.rejects(renderWorker.run('paintPicture', plan, leaving.signal), { name: 'AbortError' });
    await renderWorker.close();
  });

  it('rejects a task that fails and completes the next one', async () => {
    const renderWorker = new RenderWorker();
    await assert.rejects(renderWorker.run('paintPicture', { ...plan, width: -1, height: -1 }, never), /out of range/);
    assert((await renderWorker.run('paintPicture', plan, never)).length > 100);
    await renderWorker.close();
  });

  it('rejects running tasks when it is closed', async () => {
    const renderWorker = new RenderWorker();
    const work = assert.rejects(
      renderWorker.run('paintPicture', { ...plan, width: 2048, height: 2048 }, never),
      /closed/,
    );
    await renderWorker.close();
    await work;
  });
});
