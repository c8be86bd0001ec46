import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ResultStore } from '../../../src/sandbox/ResultStore.ts';

describe('ResultStore', () => {
  let folder: string;
  let now: number;
  let store: ResultStore;

  const open = (maxBytes?: number) => {
    const limit = maxBytes === undefined ? {} : { maxBytes };
    return new ResultStore({ folder, lifetimeMs: 1000, now: () => now, ...limit });
  };
  const count = async () => (await readdir(folder)).length;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'result-store-'));
    now = 5000;
    store = open();
  });

  afterEach(async () => {
    store.close();
    await rm(folder, { recursive: true });
  });

  it('finds a result until it expires', async () => {
    const path = await store.add(Buffer.from('picture'), 'png');
    assert.match(path, /^\/results\/[0-9a-f]{48}\.png$/);
    now = 5999;
    const result = store.find(path);
    assert.equal(await readFile(result?.path ?? '', 'utf8'), 'picture');
    assert.deepEqual({ ...result, path: '' }, { path: '', type: 'png', length: 7, expires: 6000 });
    now = 6000;
    assert.equal(store.find(path), undefined);
  });

  it('finds nothing at any other path', async () => {
    const path = await store.add(Buffer.from('video'), 'mp4');
    for (const other of ['', '/results/', `${path}x`, `/x${path}`, path.replace('.mp4', '.png'), '/results/../a']) {
      assert.equal(store.find(other), undefined, other);
    }
  });

  it('deletes expired results on sweep and on add', async () => {
    await store.add(Buffer.from('old'), 'png');
    now = 5500;
    const path = await store.add(Buffer.from('new'), 'png');
    now = 6000;
    await store.sweep();
    assert.deepEqual(await readdir(folder), [path.slice('/results/'.length)]);
    now = 6500;
    await store.add(Buffer.from('newer'), 'png');
    assert.equal(await count(), 1, 'adding a result also sweeps');
  });

  it('deletes expired results on its own timer', async () => {
    await store.add(Buffer.from('old'), 'png');
    now = 6000;
    // The timer does not follow the injected clock, so it fires after its minimum of 200 ms.
    while ((await count()) > 0) await setTimeout(20);
  });

  it('deletes the oldest results when the total exceeds maxBytes', async () => {
    store.close();
    store = open(10);
    const paths = [];
    for (const text of ['12345', '12345', '123456', '12345678901']) {
      paths.push(await store.add(Buffer.from(text), 'png'));
      now += 1;
      assert.deepEqual(
        paths.map((path) => store.find(path) !== undefined),
        { 1: [true], 2: [true, true], 3: [false, false, true], 4: [false, false, false, false] }[paths.length],
      );
    }
    assert.equal(await count(), 0);
  });
});
