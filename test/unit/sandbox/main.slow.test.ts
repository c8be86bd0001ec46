import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { get, send } from '../../support/sandboxClient.ts';

const main = 'src/sandbox/main.ts';

interface Printed {
  readonly imageBaseUrl: string;
  readonly audioBaseUrl: string;
  readonly videoBaseUrl: string;
  readonly key: string;
}

describe('npm run sandbox', () => {
  const children: ChildProcess[] = [];
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  const run = (...args: readonly string[]) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    return child;
  };

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`prints its addresses, serves, and exits with 0 on ${signal}`, async () => {
      const storage = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
      const child = run('--storage', storage, '--key', 'secret');
      const lines: string[] = [];
      const reader = createInterface({ input: child.stdout });
      reader.on('line', (line) => lines.push(line));
      const [line] = (await once(reader, 'line')) as [string];
      const { key, ...urls } = JSON.parse(line) as Printed;
      assert.equal(key, 'secret');
      assert.deepEqual(Object.keys(urls), ['imageBaseUrl', 'audioBaseUrl', 'videoBaseUrl']);
      assert.equal(new Set(Object.values(urls)).size, 3);
      const answer = await send(`${urls.imageBaseUrl}/v1/images/generations`, {
        headers: { authorization: key, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', prompt: 'p' }),
      });
      const { data } = JSON.parse(answer.body.toString()) as { readonly data: readonly [{ readonly url: string }] };
      assert.equal((await get(data[0].url)).status, 200);
      const exited = once(child, 'exit');
      child.kill(signal);
      assert.deepEqual(await exited, process.platform === 'win32' ? [null, signal] : [0, null]);
      assert.equal(await text(child.stderr), '');
      assert.deepEqual(lines, [line]);
      if (process.platform !== 'win32') assert.deepEqual(await readdir(storage), []);
      await rm(storage, { recursive: true });
    });
  }

  it('serves all areas on the given port', async () => {
    const child = run('--port', '0');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { imageBaseUrl, audioBaseUrl, videoBaseUrl, key } = JSON.parse(line) as Printed;
    assert.deepEqual([audioBaseUrl, videoBaseUrl], [imageBaseUrl, imageBaseUrl]);
    assert.match(key, /^[\w-]{32}$/);
    const taken = run('--port', new URL(imageBaseUrl).port);
    assert.match(await text(taken.stderr), /EADDRINUSE/);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['--port', 'x'], /^--port takes a number from 0 to 65535, not "x"\.\n$/],
    [['--port=65536'], /^--port takes/],
    [['--key', 'a b'], /^--key takes/],
    [['--storage='], /^--storage takes/],
    [['--hosts', '3'], /^Unknown option '--hosts'/],
    [['there'], /^Unexpected argument 'there'/],
  ];
  for (const [args, message] of wrong) {
    it(`rejects ${args.join(' ')} with a message and exit code 2`, async () => {
      const child = run(...args);
      const [error, output, [code]] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')]);
      assert.match(error, message);
      assert.deepEqual([output, code], ['', 2]);
    });
  }
});
