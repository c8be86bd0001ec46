import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { builtCommandLine } from '../../support/builtCommandLine.ts';
import { findProgram } from '../../support/findProgram.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { Repository } from '../../support/repository.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const picture = (prompt: string) => ({ operation: 'generateImage', model: 'm', prompt });

describe('branches that both change the lock', () => {
  let service: MediaService;
  let repository: Repository;

  before(function () {
    skipUnless(this, findProgram('git') !== undefined, 'git');
  });

  beforeEach(async () => {
    service = await startMediaService();
    repository = await Repository.make(service.origin, { '.gitignore': '.unified-media/\n' });
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await repository[Symbol.asyncDispose]();
  });

  async function commit(prompts: Readonly<Record<string, string>>, message: string): Promise<void> {
    const assets = Object.entries(prompts).map(([path, prompt]) => [path, picture(prompt)]);
    // Each entry has lines around it, so that only the lock can conflict.
    const text = JSON.stringify({ assets: Object.fromEntries(assets) }, undefined, 2).replaceAll(/^ {4}"/gm, '\n\n$&');
    await repository.write({ 'media.jsonc': text });
    const { code, stdout, stderr } = await repository.run(['apply']);
    assert.equal(code, 0, stdout + stderr);
    await repository.git('add', '.');
    await repository.git('commit', '-qm', message);
  }

  /** Two branches with a common start. Merges the first into the second. */
  async function merge(
    first: Readonly<Record<string, string>>,
    second: Readonly<Record<string, string>>,
  ): Promise<string | undefined> {
    await commit({ 'a.png': 'a', 'b.png': 'b' }, 'start');
    await repository.git('checkout', '-qb', 'first');
    await commit(first, 'first');
    await repository.git('checkout', '-qb', 'second', 'main');
    await commit(second, 'second');
    return repository.git('merge', '-q', '-m', 'both', 'first').then(
      () => undefined,
      (error: unknown) => String(error),
    );
  }

  async function useDriver(): Promise<void> {
    const driver = `"${process.execPath}" "${await builtCommandLine()}" merge-lock %O %A %B`;
    await repository.git('config', 'merge.unified-media.driver', driver);
    await repository.write({ '.gitattributes': '*.lock.jsonl merge=unified-media\n' });
  }

  it('are merged by path with the driver', async () => {
    await useDriver();
    assert.equal(await merge({ 'a.png': 'A', 'b.png': 'b' }, { 'a.png': 'a', 'b.png': 'B' }), undefined);
    const { code, stdout, stderr } = await repository.run(['check']);
    assert.equal(code, 0, stdout + stderr);
    assert.equal((await repository.read('media.lock.jsonl')).trim().split('\n').length, 2);
  });

  it('conflict with the driver only in the paths that both changed, so that both sides can be seen', async () => {
    await useDriver();
    assert.match(
      (await merge({ 'a.png': 'A', 'b.png': 'b' }, { 'a.png': 'Z', 'b.png': 'B' })) ?? '',
      /CONFLICT.*media\.lock\.jsonl/,
    );
    const lock = await repository.read('media.lock.jsonl');
    assert.match(lock, /^<<<<<<< ours\n.*a\.png.*\n=======\n.*a\.png.*\n>>>>>>> theirs\n.*b\.png.*\n$/);
    // The line that describes the picture counts, and the entry has to say the same.
    await repository.git('checkout', '--ours', 'media.jsonc');
    assert.equal((await repository.run(['check'])).code, 0);
    await repository.git('checkout', '--theirs', 'a.png');
    assert.match((await repository.run(['check'])).stdout, /^stale {4}a\.png {2}prompt changed/m);
  });

  it('are settled by the files with merge=union, which keeps the lines of both', async () => {
    await repository.write({ '.gitattributes': '*.lock.jsonl merge=union\n' });
    assert.equal(await merge({ 'a.png': 'A', 'b.png': 'b' }, { 'a.png': 'a', 'b.png': 'B' }), undefined);
    const merged = (await repository.read('media.lock.jsonl')).trim().split('\n');
    assert(merged.length > 2, 'git kept the lines of both sides');
    const { code, stdout, stderr } = await repository.run(['check']);
    assert.equal(code, 0, stdout + stderr);
    // The next change writes the lock as it counts.
    await rm(join(repository.root, 'a.png'));
    const refused = await repository.run(['check']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Lines 1 and \d .*a\.png, and the file does not show which of them counts/);
    await repository.git('checkout', 'a.png');
    assert.equal((await repository.run(['accept', 'b.png'])).code, 0);
    assert.equal((await repository.read('media.lock.jsonl')).trim().split('\n').length, 2);
    assert.equal((await repository.run(['check'])).code, 0);
  });

  it('are told how to merge without conflicts, until .gitattributes says it', async () => {
    await repository.write({ 'media.jsonc': JSON.stringify({ assets: { 'a.png': picture('a') } }) });
    const { stderr } = await repository.run(['apply']);
    assert.match(stderr, /^ {2}\*\.lock\.jsonl merge=unified-media$/m);
    assert.match(stderr, /^ {2}git config merge\.unified-media\.driver "unified-media merge-lock %O %A %B"$/m);
    await repository.write({ '.gitattributes': '*.lock.jsonl merge=unified-media\n' });
    assert.equal((await repository.run(['apply'])).stderr, '');
    await rm(join(repository.root, '.gitattributes'));
    await rm(join(repository.root, '.git'), { recursive: true });
    assert.equal((await repository.run(['apply'])).stderr, '', 'there is no repository');
  });
});
