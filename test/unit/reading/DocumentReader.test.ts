import assert from 'node:assert/strict';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { findReferences } from '../../../src/documents/findReferences.ts';
import { omittedPlaces, speakableText, spokenBlocks } from '../../../src/documents/speakableText.ts';
import { DocumentReader } from '../../../src/reading/DocumentReader.ts';

const guide = '# Guide\n\nSee ![A harbour](img/harbour.png) and **read** on.\n\n- one\n- two\n';
/** Takes seconds to read, whatever machine it is. */
const large = `${'A *b* [c](d) '.repeat(20)}\n\n`.repeat(40_000);

describe('DocumentReader (promise 36)', () => {
  const workers: Worker[] = [];
  const count = (worker: Worker) => workers.push(worker);
  before(() => process.on('worker', count));
  after(() => process.off('worker', count));
  beforeEach(() => workers.splice(0));

  it('returns what reading on this thread returns, on one worker thread for all documents', async () => {
    const reader = new DocumentReader();
    const [blocks, text, references, omitted] = await Promise.all([
      reader.spokenBlocks(guide, '', 'guide.md'),
      reader.speakableText(guide, 'plaintext', 'guide.md'),
      reader.findReferences(guide, 'markdown'),
      reader.omittedPlaces('```\ncode\n```\n\n$$ a $$', 'markdown', ''),
    ]);
    assert.deepEqual(blocks, spokenBlocks(guide, '', 'guide.md'));
    assert.equal(text, speakableText(guide, 'plaintext', 'guide.md'));
    assert.deepEqual(references, findReferences(guide, 'markdown'));
    assert.equal(omitted, omittedPlaces('```\ncode\n```\n\n$$ a $$', 'markdown'));
    assert.equal(omitted, 2);
    assert.deepEqual([blocks.length, references.length], [2, 1]);
    assert.equal(workers.length, 1);
  });

  it('finding 2: stops at the deadline, keeps this thread free, and does not try the same document again', async () => {
    const reader = new DocumentReader({ deadlineMs: 400 });
    await warm(reader);
    const ended = once(workers.at(-1) ?? assert.fail(), 'exit');
    workers.splice(0);
    const tooSlow = { kind: 'invalidInput', field: 'document', message: /took too long/ };
    const delays = monitorEventLoopDelay({ resolution: 10 });
    const reading = reader.spokenBlocks(large, 'markdown');
    await sleep(100);
    delays.enable();
    await assert.rejects(reading, tooSlow);
    delays.disable();
    await ended;
    assert(delays.max / 1e6 < 250, `this thread stood still for ${delays.max / 1e6} ms`);
    await assert.rejects(reader.spokenBlocks(large, 'markdown'), tooSlow);
    assert.equal(workers.length, 0);
    await warm(reader);
    assert.deepEqual(await reader.spokenBlocks('And on.', 'markdown'), [{ text: 'And on.' }]);
  });

  /** Reads until the thread has loaded its parsers in less time than the deadline allows. */
  async function warm(reader: DocumentReader): Promise<void> {
    for (let number = 0; ; number++) {
      if (await reader.spokenBlocks(`${number}`, 'markdown').catch(() => undefined)) return;
    }
  }

  it('ends its thread after an idle time, and starts another when it is needed', async () => {
    const reader = new DocumentReader({ idleMs: 50 });
    await reader.spokenBlocks(guide, 'markdown');
    const [worker] = workers;
    assert(worker);
    await once(worker, 'exit');
    await reader.spokenBlocks(guide, 'markdown');
    assert.equal(workers.length, 2);
  });

  it('reports an end of its thread while it reads, and goes on with another', async () => {
    const reader = new DocumentReader();
    await reader.spokenBlocks(guide, 'markdown');
    const reading = reader.spokenBlocks(large, 'markdown');
    await sleep(50);
    await workers[0]?.terminate();
    await assert.rejects(reading, { kind: 'invalidInput', message: /could not be read/ });
    assert.equal((await reader.spokenBlocks(guide, 'markdown')).length, 2);
    assert.equal(workers.length, 2);
    await workers[1]?.terminate();
    assert.equal((await reader.spokenBlocks(guide, 'markdown')).length, 2);
    assert.equal(workers.length, 3);
  });
});
