import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { run } from '../../sites/build.ts';
import { skipUnless } from '../../support/skipUnless.ts';

/** Whether a process runs. One that was killed may stay in the list until its new parent has noticed. */
function isRunning(id: string | undefined): boolean {
  assert.match(id ?? '', /^\d+$/);
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', id ?? ''], { encoding: 'utf8' });
  return /^\s*[^Z\s]/.test(stdout);
}

describe('run of npm run sites', () => {
  it('waits for the program, not for what it leaves behind, and ends that', async function () {
    skipUnless(this, process.platform !== 'win32', 'a shell');
    const { log, isBuilt } = await run(['sh', '-c', 'sleep 60 & echo $!'], tmpdir());
    assert.equal(isBuilt, true);
    assert.equal(isRunning(log.trim()), false);
  });

  it('ends a program that takes too long, with all that it has started', async function () {
    skipUnless(this, process.platform !== 'win32', 'a shell');
    const running = run(['sh', '-c', 'sleep 60 & echo $!; wait'], tmpdir(), 500);
    const message = await running.catch((error: Error) => error.message);
    assert(typeof message === 'string');
    assert.match(message, /^sh did not end within 0\.5 s/);
    assert.equal(isRunning(/\n(\d+)\n/.exec(message)?.[1]), false);
  });

  it('says that a program cannot be started', async () => {
    await assert.rejects(run(['no-such-generator'], tmpdir()), { code: 'ENOENT' });
  });
});
