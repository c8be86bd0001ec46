import assert from 'node:assert/strict';
import { lazy } from '../../../src/editor/lazy.ts';

describe('lazy', () => {
  it('loads again after a failed import, and not again after that', async () => {
    // The first module does not exist.
    const modules = ['../../../src/editor/missing.ts', '../../../src/editor/LibraryReaders.ts'];
    const load = lazy(async () => import(modules.shift() ?? 'none left') as Promise<{ readonly Refresh: unknown }>);
    await assert.rejects(load(), { code: 'ERR_MODULE_NOT_FOUND' });
    assert.equal(load.current(), undefined);
    const loaded = await load();
    assert.equal(typeof loaded.Refresh, 'function');
    assert.equal(await load(), loaded);
    assert.deepEqual(modules, []);
  });

  it('shares one load, and its failure, between concurrent calls', async () => {
    let loads = 0;
    const load = lazy(async () => {
      loads++;
      await undefined;
      if (loads === 1) throw new Error('first');
      return { loads };
    });
    assert.deepEqual(
      (await Promise.allSettled([load(), load()])).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(loads, 1);
    const [one, other] = await Promise.all([load(), load()]);
    assert.equal(one, other);
    assert.equal(loads, 2);
  });

  it('disposes what was loaded or is loading, and loads nothing for it', async () => {
    let [loads, disposals] = [0, 0];
    const load = lazy(async () => {
      loads++;
      return { dispose: () => disposals++ };
    });
    load.dispose();
    assert.equal(loads, 0);
    const loading = load();
    load.dispose();
    await loading;
    load.dispose();
    assert.equal(disposals, 1);
    assert.equal(load.current(), undefined);
  });
});
