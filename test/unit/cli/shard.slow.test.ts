import assert from 'node:assert/strict';
import { startMediaService } from '../../support/mediaService.ts';
import { Repository } from '../../support/repository.ts';

const picture = (prompt: string) => ({ operation: 'generateImage', model: 'm', prompt });
const edit = (image: string) => ({ operation: 'editImage', model: 'm', prompt: `${image} at night`, images: [image] });

describe('--shard', () => {
  it('plans, applies and checks a part of the assets, and the parts are everything once', async () => {
    await using service = await startMediaService();
    await using repository = await Repository.make(service.origin, {});
    await repository.declare({ 'a.png': picture('a'), 'b.png': picture('b'), 'c.png': picture('c') });
    const succeed = async (...words: readonly string[]) => {
      const { code, stdout, stderr } = await repository.run(words);
      assert.equal(code, 0, stdout + stderr);
    };
    const plan = await repository.run(['plan', '--shard', '1/2', '--json']);
    assert.equal((JSON.parse(plan.stdout) as { images: number }).images, 2);
    await succeed('apply', '--shard', '1/2');
    assert.deepEqual(service.prompts().toSorted(), ['a', 'c']);
    await succeed('check', '--shard', '1/2');
    assert.equal((await repository.run(['check', '--shard', '2/2'])).code, 1);
    await succeed('apply', '--shard', '2/2');
    assert.deepEqual(service.prompts().slice(2), ['b']);
    await succeed('check');
  });

  it('makes an entry and its inputs on one machine', async () => {
    await using repository = await Repository.make('', {});
    await repository.declare({
      'a.png': picture('a'),
      'b.png': edit('a.png'),
      'c.png': edit('d.png'),
      'd.png': picture('d'),
    });
    for (const shard of ['1/2', '2/2']) {
      const { code, stdout, stderr } = await repository.run(['apply', '--sandbox', '--shard', shard]);
      assert.equal(code, 0, stdout + stderr);
      assert.equal(stdout.match(/^made/gm)?.length, 2, stdout);
    }
  });

  it('is refused with other values and for other verbs', async () => {
    await using repository = await Repository.make('', {});
    await repository.declare({});
    for (const shard of ['0/3', '4/3', '1', '1/0', 'a/b', '1/2/3', '-1/3', '1.5/2']) {
      const { code, stderr } = await repository.run(['plan', `--shard=${shard}`]);
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`--shard must be I/N.*"${shard}"`));
    }
    const { code, stderr } = await repository.run(['prune', '--shard', '1/2']);
    assert.deepEqual([code, stderr], [1, 'prune does not take --shard.\n']);
  });
});
