import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packCommandLine } from '../../../packCommandLine.mjs';
import { optionNames, verbs } from '../../../src/cli/commandLine.ts';
import { builtCommandLine } from '../../support/builtCommandLine.ts';
import { startMediaService } from '../../support/mediaService.ts';
import { nodeOf } from '../../support/nodeFromNpm.ts';
import { outcomeOf, Repository } from '../../support/repository.ts';
import { skipUnless } from '../../support/skipUnless.ts';

describe('dist/cli.js', () => {
  let script: string;

  before(async () => {
    script = await builtCommandLine();
  });

  it('starts with a shebang line', async () => {
    assert.match(await readFile(script, 'utf8'), /^#!\/usr\/bin\/env node\n/);
  });

  it('prints the version of the package, and all verbs and options in its usage', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string };
    const run = (word: string) => outcomeOf(spawn(process.execPath, [script, word]));
    assert.deepEqual(await run('--version'), { code: 0, stdout: `${version}\n`, stderr: '' });
    const { stdout } = await run('--help');
    const sandboxOptions = ['--port', '--storage', '--key', '--openai'];
    for (const word of [...verbs, ...optionNames.map((name) => `--${name}`), ...sandboxOptions]) {
      assert.match(stdout, new RegExp(`^ +.*${word}\\b`, 'm'), word);
    }
  });

  // The tests themselves run in the Node of the dev dependencies; people have older ones.
  for (const version of ['20.20.2', process.versions.node]) {
    it(`generates and narrates in Node ${version}, as packed and without any packages installed`, async function () {
      const own = process.versions.node;
      const node = version === own ? process.execPath : nodeOf(version);
      skipUnless(this, node !== undefined, `Node ${version} from npm`);
      assert(node);
      await using service = await startMediaService();
      await using repository = await Repository.make(service.origin, {});
      const folder = join(dirname(repository.root), 'packed');
      packCommandLine(dirname(script), folder);
      const packed = join(folder, 'dist', 'cli.js');
      const { stdout: printed } = await outcomeOf(spawn(node, [packed, '--version']));
      assert.match(printed, /^\d+\.\d+\.\d+\n$/);
      await repository.write({ 'guide.md': 'One.' });
      await repository.declare({
        'a.png': { operation: 'generateImage', prompt: 'a', model: 'm' },
        'guide.wav': { operation: 'speak', document: 'guide.md', model: 't' },
      });
      const environment = {
        XDG_STATE_HOME: dirname(repository.root),
        PATH: process.env.PATH,
        UNIFIED_MEDIA_API_KEY: 'k',
        UNIFIED_MEDIA_IMAGE_BASE_URL: service.origin,
        UNIFIED_MEDIA_AUDIO_BASE_URL: service.origin,
      };
      for (const [verb, expected] of [
        ['plan', 2],
        ['apply', 0],
        ['check', 0],
      ] as const) {
        const child = spawn(node, [packed, verb], { cwd: repository.root, env: environment });
        const { code, stdout, stderr } = await outcomeOf(child);
        assert.equal(code, expected, `${verb}: ${stdout}${stderr}`);
      }
      assert.equal(service.requests.length, 2);
    });
  }

  it('finishes its requests when nobody reads what it prints', async () => {
    await using service = await startMediaService();
    await using repository = await Repository.make(service.origin, {});
    const names = ['a.png', 'b.png', 'c.png', 'd.png'];
    const entries = names.map((name) => [name, { operation: 'generateImage', prompt: name, model: 'm' }]);
    await repository.declare(Object.fromEntries(entries));
    const child = repository.start(['apply']);
    // As "| head" does.
    child.stdout?.destroy();
    child.stderr?.destroy();
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.deepEqual([code, service.requests.length], [0, 4]);
    for (const name of names) assert(existsSync(join(repository.root, name)), name);
  });

  it('fails when its output cannot be written, after the request is saved', async function () {
    skipUnless(this, existsSync('/dev/full'), '/dev/full');
    await using service = await startMediaService();
    await using repository = await Repository.make(service.origin, {});
    await repository.declare({ 'a.png': { operation: 'generateImage', prompt: 'a', model: 'm' } });
    await using full = await open('/dev/full', 'w');
    for (const verb of ['plan', 'apply']) {
      const child = repository.start([verb], {}, repository.root, full.fd);
      assert(child.stderr);
      const [printed, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      assert.equal(code, 1, verb);
      assert.match(printed, /^The output could not be written: ENOSPC: no space left on device, write$/m);
    }
    assert(existsSync(join(repository.root, 'a.png')));
  });

  it('reports to an agent that no window was found', async () => {
    await using repository = await Repository.make('', {});
    const { code, stdout, stderr } = await outcomeOf(repository.start(['mcp']));
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^No VS Code window has .+ Connect an Agent…”\.\n$/);
  });
});
