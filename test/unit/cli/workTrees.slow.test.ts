import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { outcomeOf, Repository } from '../../support/repository.ts';

const picture = { operation: 'generateImage', model: 'm', prompt: 'A harbour', variants: 3 };

describe('variants that were paid for in a linked work tree', () => {
  let service: MediaService;
  let repository: Repository;
  let tree: string;

  beforeEach(async () => {
    service = await startMediaService();
    repository = await Repository.make(service.origin, {});
    tree = join(repository.root, '../tree');
    await repository.declare({ 'b.png': { ...picture, prompt: 'A lighthouse' } });
    await repository.git('add', '.');
    await repository.git('commit', '-qm', 'Start');
    await repository.git('worktree', 'add', '-q', '-b', 'tree', tree);
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await repository[Symbol.asyncDispose]();
  });

  const declareInTree = (assets: object) => writeFile(join(tree, 'media.jsonc'), JSON.stringify({ assets }));
  async function succeed(words: readonly string[], cwd?: string): Promise<string> {
    const { code, stdout, stderr } = await repository.run(words, {}, cwd);
    assert.equal(code, 0, stdout + stderr);
    return stdout + stderr;
  }
  /** Returns all variants of a.png, and leaves the first in place. */
  async function variants(): Promise<readonly Buffer[]> {
    const found: Buffer[] = [];
    for (const number of ['3', '2', '1']) {
      await succeed(['choose', 'a.png', number]);
      found.unshift(await readFile(join(repository.root, 'a.png')));
    }
    return found;
  }

  it('are there after git has removed it, has cleaned and collected garbage, and are told not to be in a clone', async () => {
    await declareInTree({ 'a.png': picture, 'c.png': { ...picture, prompt: 'A pier' } });
    const said = await succeed(['apply', '--yes'], tree);
    assert.equal(said.match(/a clone does not have them/g)?.length, 1, said);
    await repository.git('-C', tree, 'add', '.');
    await repository.git('-C', tree, 'commit', '-qm', 'Make');
    await repository.git('worktree', 'remove', tree);
    await repository.git('merge', '-q', 'tree');
    const first = await readFile(join(repository.root, 'a.png'));
    await repository.git('gc', '-q', '--prune=now');
    const all = await variants();
    assert.deepEqual(all[0], first);
    assert.equal(new Set(all.map(String)).size, 3);
    await repository.git('clean', '-fdxq');
    await assert.rejects(readdir(join(repository.root, '.unified-media/variants')));
    assert.deepEqual(await variants(), all);
    await succeed(['check']);
    assert.equal(service.paid.length, 2);
    assert.equal(await repository.git('status', '--porcelain', '--', '*.png', 'media.*'), '');
  });

  it('come back for the plan and for apply where the file of the lock is missing', async () => {
    await declareInTree({ 'a.png': { ...picture, variants: 1, size: [2, 2] } });
    await succeed(['apply'], tree);
    for (const name of ['media.jsonc', 'media.lock.jsonl'])
      await repository.write({ [name]: await readFile(join(tree, name)) });
    await rm(tree, { recursive: true });
    const { stdout } = await repository.run(['plan', '--json']);
    const { requests } = JSON.parse(stdout) as { readonly requests: object };
    assert.deepEqual(requests, {});
    await succeed(['apply']);
    await succeed(['check']);
    assert.equal(service.paid.length, 1);
  });

  it('come back for another size, another prompt and the way back, and for an earlier text', async () => {
    const changeTo = async (assets: object) => {
      await rm(join(repository.root, '.unified-media/variants'), { recursive: true, force: true });
      await repository.declare(assets);
      return succeed(['apply', '--yes']);
    };
    const resized = { 'a.png': { ...picture, size: [3, 3] } };
    await changeTo({ 'a.png': { ...picture, size: [2, 2] } });
    assert.match(await changeTo(resized), /Made from its original/);
    await changeTo({ 'a.png': { ...picture, prompt: 'A pier' } });
    assert.equal(service.paid.length, 2);
    await repository.declare(resized);
    await succeed(['apply']);
    await succeed(['choose', 'a.png', '3']);
    assert.equal(service.paid.length, 2);

    const spoken = { 'd.mp3': { operation: 'speak', model: 't', voice: 'nova', document: 'd.md' } };
    for (const text of ['One.\n\nTwo.', 'One.', 'One.\n\nTwo.']) {
      await repository.write({ 'd.md': text });
      await changeTo(spoken);
    }
    assert.deepEqual(service.prompts().slice(2), ['One.', 'Two.']);
  });

  it('stay those of each, when two work trees pay for the same at once', async () => {
    await declareInTree({ 'a.png': picture, 'c.png': picture });
    await repository.declare({ 'a.png': picture, 'd.png': picture });
    const trees = [tree, repository.root];
    const ends = await Promise.all(trees.map((cwd) => outcomeOf(repository.start(['apply', '--yes'], {}, cwd))));
    // One may have to wait for the other, as with two clones.
    for (const { code, stdout } of ends)
      assert(code === 0 || stdout.includes('Try again when it has finished'), stdout);
    for (const cwd of trees) await succeed(['apply', '--yes'], cwd);
    assert.equal(service.paid.length, 4);
    const all = await variants();
    for (const cwd of trees) await rm(join(cwd, '.unified-media/variants'), { recursive: true });
    assert.deepEqual(await variants(), all);
    await succeed(['choose', 'a.png', '2'], tree);
    const other = await readFile(join(tree, 'a.png'));
    assert(!all.some((one) => one.equals(other)), 'it has the other ones');
  });
});
