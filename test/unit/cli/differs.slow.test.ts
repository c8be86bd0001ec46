import assert from 'node:assert/strict';
import type { Plan } from '../../../src/manifest/plan.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/startSandbox.ts';
import { Repository } from '../../support/repository.ts';

describe('check: an asset that is not what was asked for', () => {
  let sandbox: Sandbox;

  before(async () => {
    sandbox = await startSandbox({ imageSize: 64, disobeys: { background: 'checkerboard' }, key: 'key-1' });
  });
  after(() => sandbox.stop());

  it('warns, and the exit code stays 0', async () => {
    await using repository = await Repository.make(sandbox.imageBaseUrl, {});
    const picture = { operation: 'generateImage', prompt: 'a fox', model: 'm', output_format: 'png' };
    await repository.declare(
      {
        'clear.png': { ...picture, fields: { background: 'transparent' } },
        'cut.png': { ...picture, prompt: 'a bear', size: [32, 32], fields: { background: 'transparent' } },
        'plain.png': picture,
      },
      { accepts: { preset: 'openai' } },
    );
    const applied = await repository.run(['apply', '--yes']);
    assert.equal(applied.code, 0, applied.stdout + applied.stderr);
    const sentence = 'The result is not what was asked for: background is opaque instead of transparent.';
    assert.match(applied.stderr, new RegExp(`clear\\.png: ${sentence}`));
    const { code, stdout } = await repository.run(['check']);
    assert.equal(code, 0);
    assert.equal(
      stdout,
      [
        `warning  clear.png  ${sentence}`,
        `warning  cut.png  ${sentence}`,
        '3 of 3 assets are fresh.',
        'Nothing to send.',
        '',
      ].join('\n'),
    );
    const json = await repository.run(['check', '--json']);
    const { entries } = JSON.parse(json.stdout) as Plan;
    const differs = [{ field: 'background', asked: 'transparent', got: 'opaque' }];
    assert.deepEqual(
      entries.map((entry) => entry.differs),
      [differs, differs, undefined],
    );
    const github = await repository.run(['check', '--format', 'github']);
    assert.match(github.stdout, /^::warning file=\S*media\.jsonc,line=\d+::clear\.png: The result is not/m);
    // What a person has accepted is as it shall be.
    await repository.run(['accept', 'clear.png']);
    assert.doesNotMatch((await repository.run(['check'])).stdout, /clear\.png/);
  });
});
