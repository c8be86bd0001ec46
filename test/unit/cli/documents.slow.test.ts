import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plan } from '../../../src/manifest/plan.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { outcomeOf, Repository } from '../../support/repository.ts';

describe('an entry that narrates a document (promise 36)', () => {
  let service: MediaService;

  before(async () => {
    service = await startMediaService();
  });
  after(() => service[Symbol.asyncDispose]());

  const manifest = { 'guide.wav': { operation: 'speak', document: 'guide.md', model: 't' } };
  const guide = ['# Guide', 'The first paragraph.', 'The second paragraph.', 'The third one.'].join('\n\n');
  const planOf = async (repository: Repository) =>
    JSON.parse((await repository.run(['plan', '--json'])).stdout) as Plan;
  const spokenBy = async (work: () => Promise<unknown>) => {
    const before = service.paid.length;
    await work();
    return service.paid.slice(before).map(({ body }) => body.input);
  };

  it('is spoken in blocks, and only changed blocks are paid for, even in a fresh clone', async () => {
    await using repository = await Repository.make(service.origin, { 'guide.md': guide });
    await repository.declare(manifest);
    assert.deepEqual((await planOf(repository)).requests, { speak: 3 });
    const spoken = await spokenBy(async () => {
      const { code, stdout, stderr } = await repository.run(['apply']);
      assert.equal(code, 0, stdout + stderr);
    });
    assert.equal(spoken.length, 3);
    assert.equal((await repository.run(['check'])).code, 0);
    const { blocks } = JSON.parse(await repository.read('media.lock.jsonl')) as { blocks: readonly object[] };
    assert.equal(blocks.length, 3);
    await repository.write({ 'guide.md': guide.replace('second', 'new') });
    const plan = await planOf(repository);
    assert.deepEqual(plan.requests, { speak: 1 });
    assert.deepEqual(plan.entries[0]?.reasons, ['input guide.md changed']);
    const state = { XDG_STATE_HOME: `${repository.root}-empty` };
    const again = await spokenBy(async () => assert.equal((await repository.run(['apply'], state)).code, 0));
    assert.deepEqual(again, ['The new paragraph.']);
  });

  it('is fresh after a markup change, and costs nothing when its blocks only moved', async () => {
    await using repository = await Repository.make(service.origin, { 'guide.md': guide });
    await repository.declare(manifest);
    await repository.run(['apply']);
    await repository.write({ 'guide.md': guide.replace('third', '**third**') });
    assert.deepEqual((await planOf(repository)).entries[0]?.state, 'fresh');
    const [head = '', first = '', second = '', third = ''] = guide.split('\n\n');
    await repository.write({ 'guide.md': [head, first, third, second].join('\n\n') });
    const plan = await planOf(repository);
    assert.equal(plan.entries[0]?.state, 'stale');
    assert.deepEqual(plan.requests, {});
    const spoken = await spokenBy(async () => assert.equal((await repository.run(['apply'])).code, 0));
    assert.deepEqual(spoken, []);
    assert.equal((await repository.run(['check'])).code, 0);
  });

  it('finding 2: check ends with a sentence when reading the document takes too long', async () => {
    await using repository = await Repository.make(service.origin, { 'guide.md': guide, 'other.md': guide });
    await repository.declare({ ...manifest, 'other.wav': { ...manifest['guide.wav'], document: 'other.md' } });
    const hook = join(repository.root, '..', 'hook.mjs');
    // Stands for a document that is slow to read, of which we know none. The limit is 2 s here in place of 10 s.
    const lines = [
      "import { isMainThread, parentPort, workerData } from 'node:worker_threads';",
      'const { setTimeout } = globalThis;',
      'const sooner = (work, ms) => setTimeout(work, ms === 10_000 ? 2000 : ms);',
      'if (isMainThread) globalThis.setTimeout = sooner;',
      "if (!workerData) parentPort?.on('message', ({ path }) => { while (path === 'guide.md'); });",
    ];
    await writeFile(hook, lines.join('\n'));
    const { code, stdout } = await outcomeOf(
      repository.start(['check'], { NODE_OPTIONS: `--import=${pathToFileURL(hook)}` }),
    );
    assert.equal(code, 1);
    assert.match(stdout, /guide\.wav.*took too long/);
    assert.doesNotMatch(stdout, /other\.wav.*took too long/);
  });
});
