import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdir, mkdtemp, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { hasEnded, Lease, LeaseWatch, leaseSilence, type ProcessMark, thisProcess } from '../../../src/work/Lease.ts';
import { skipUnless } from '../../support/skipUnless.ts';
import { ask, kill, startProcess, wordsOf } from '../../support/startProcess.ts';

const isLinux = process.platform === 'linux';

describe('Lease (promise 8)', () => {
  let folder: string;
  let children: ChildProcess[];

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'lease-')), 'job');
    children = [];
    await mkdir(folder);
  });

  afterEach(async () => {
    await Promise.all(children.filter(({ exitCode, signalCode }) => exitCode === null && !signalCode).map(kill));
    await rm(join(folder, '..'), { recursive: true });
  });

  async function start(silence = leaseSilence): Promise<ChildProcess> {
    const child = startProcess('lease', { folder, silence });
    children.push(child);
    await once(child, 'message');
    return child;
  }

  /** Whether a process gets the lease. */
  const take = async (child: ChildProcess) => (await ask(child, 'take')) as boolean;
  const markOf = async (child: ChildProcess) => (await ask(child, 'mark')) as ProcessMark;

  /** Waits until the system shows a process in one of these states. */
  async function untilState(id: number | undefined, states: string): Promise<void> {
    const stateOf = async () => /\) (\S)/.exec(await readFile(`/proc/${id}/stat`, 'utf8'))?.[1] ?? '';
    while (!states.includes(await stateOf())) await new Promise(setImmediate);
  }

  async function stop(child: ChildProcess): Promise<void> {
    child.kill('SIGSTOP');
    if (isLinux) await untilState(child.pid, 'Tt');
  }

  /** Writes heartbeats that look this old until some work is done. */
  async function beatUntil<T>(work: Promise<T>, milliseconds: number): Promise<T> {
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    for (let beat = 0; !isOver; beat++) {
      await age(milliseconds - beat);
      await new Promise(setImmediate);
    }
    return ended;
  }

  /** The file that names the holder of the lease. */
  async function holderFile(): Promise<string> {
    const [name = ''] = (await readdir(folder)).filter((file) => file.startsWith('lease-'));
    return join(folder, name);
  }

  /** Makes the last heartbeat look this old. */
  async function age(milliseconds: number): Promise<void> {
    const then = new Date(Date.now() - milliseconds);
    await utimes(await holderFile(), then, then);
  }

  async function changeHolder(facts: object): Promise<void> {
    const holder = JSON.parse(await readFile(await holderFile(), 'utf8')) as object;
    await writeFile(await holderFile(), JSON.stringify({ ...holder, ...facts }));
  }

  it('leaves no lease when its process is killed while it writes the file', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', killedAtWriting, folder]);
    // A process of Windows that kills itself ends with a code.
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    assert(signal === 'SIGKILL' || (process.platform === 'win32' && code === 1), `${code} ${signal}`);
    assert(await Lease.take(folder));
  });

  it('is given to exactly one of several processes that ask at the same moment', async () => {
    const processes = await Promise.all([start(), start(), start()]);
    for (let round = 0; round < 20; round++) {
      const taken = await Promise.all(processes.map(take));
      assert.equal(taken.filter(Boolean).length, 1);
      await age(2 * leaseSilence);
      // A holder on another machine cannot be checked, so only the silence counts.
      await changeHolder({ machine: 'another' });
      await age(2 * leaseSilence);
    }
  });

  it('is held while its process lives, and free as soon as that is killed', async () => {
    const [holder, other] = await Promise.all([start(), start()]);
    assert.equal(await take(holder), true);
    assert.equal(await take(other), false);
    await kill(holder);
    assert.equal(await take(other), true);
  });

  it('is free once it is released', async () => {
    const lease = await Lease.take(folder);
    assert.equal(await Lease.isHeld(folder), true);
    await lease?.release();
    assert.equal(await Lease.isHeld(folder), false);
    assert.equal(await take(await start()), true);
  });

  describe('whose file another program holds open', () => {
    const { writeFile: write, rm: remove } = fs;
    let failures: number;

    function fail(): Promise<never> {
      failures--;
      return Promise.reject(Object.assign(new Error('busy'), { code: 'EBUSY' }));
    }

    beforeEach(() => {
      failures = 0;
      fs.writeFile = (...given) => (failures > 0 ? fail() : write(...given));
      fs.rm = (...given) => (failures > 0 ? fail() : remove(...given));
      syncBuiltinESMExports();
    });

    afterEach(() => {
      Object.assign(fs, { writeFile: write, rm: remove });
      syncBuiltinESMExports();
    });

    for (const [count, what] of [
      [1, 'for a moment'],
      [6, 'as long as the release is tried'],
    ] as const) {
      it(`is free for all once it is released: ${what}`, async () => {
        const lease = await Lease.take(folder);
        failures = count;
        await lease?.release();
        assert.equal(await take(await start()), true);
      });
    }

    it('is free for its own process once it is released, also if the file cannot even be removed', async () => {
      const lease = await Lease.take(folder);
      failures = Number.POSITIVE_INFINITY;
      await lease?.release();
      failures = 0;
      assert.equal((await readdir(folder)).length, 1);
      assert.equal(await Lease.isHeld(folder), false);
      assert.notEqual(await Lease.take(folder), undefined);
    });
  });

  it('on another machine is held while its heartbeat is fresh, whatever its process id means here', async () => {
    await Lease.take(folder);
    await changeHolder({ machine: 'another', process: 2 ** 22 + 1 });
    assert.equal(await Lease.isHeld(folder), true);
    assert.equal(await Lease.take(folder), undefined);
    await age(leaseSilence + 1000);
    assert.equal(await Lease.isHeld(folder), false);
    assert((await Lease.take(folder)) !== undefined);
  });

  it('is held by a running process however old its heartbeat looks, without waiting for the next one', async function () {
    skipUnless(this, isLinux, '/proc');
    // Half of it is more than the time of a test.
    const silence = 600_000;
    const holder = await start(silence);
    await take(holder);
    for (const milliseconds of [60 * silence, -60 * silence]) {
      await age(milliseconds);
      assert.equal(await Lease.isHeld(folder, { silence }), true);
      assert.equal(await Lease.take(folder, { silence, confirms: true }), undefined);
    }
  });

  it('is held by a running process although a watch has seen no heartbeat for a minute', async function () {
    skipUnless(this, isLinux, '/proc');
    let now = 0;
    const watch = new LeaseWatch(leaseSilence, () => now);
    await take(await start());
    for (; now < 10 * leaseSilence; now += 20_000) assert.equal(await Lease.isHeld(folder, { watch }), true);
    assert.equal(await Lease.take(folder, { watch }), undefined);
  });

  it('of a stopped process is held as long as its heartbeat is fresh', async function () {
    skipUnless(this, process.platform !== 'win32', 'SIGSTOP');
    const holder = await start();
    await take(holder);
    await stop(holder);
    assert.equal(await Lease.isHeld(folder), true);
    await age(leaseSilence + 1000);
    assert.equal(await Lease.isHeld(folder), false);
  });

  it('is free at once when the process id of its holder is in use by another process', async function () {
    skipUnless(this, isLinux, '/proc');
    // One after the other: Linux counts the start in hundredths of a second.
    const [holder, other] = [await start(), await start()];
    await take(holder);
    await kill(holder);
    await changeHolder({ process: other.pid });
    assert.equal(await Lease.isHeld(folder), false);
    assert((await Lease.take(folder, { silence: 600_000, confirms: true })) !== undefined);
  });

  it('is free at once when its holder was killed and no one has collected its exit code', async function () {
    skipUnless(this, isLinux, '/proc');
    // The shell starts the holder and becomes a program that never asks for exit codes.
    const program = ['-c', '"$0" "$@" & exec sleep 1000', process.execPath, ...wordsOf('lease', { folder })];
    const parent = spawn('sh', program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    children.push(parent);
    await once(parent, 'message');
    const { process: holder } = await markOf(parent);
    assert.notEqual(holder, parent.pid);
    assert.equal(await take(parent), true);
    process.kill(holder, 'SIGKILL');
    await untilState(holder, 'Z');
    assert.equal(await Lease.isHeld(folder), false);
  });

  it('of an earlier process with the same process id is free', async () => {
    await Lease.take(folder);
    await changeHolder({ run: 'an earlier one' });
    assert.equal(await Lease.isHeld(folder), false);
  });

  it('counts as held while it is being written', async () => {
    await writeFile(join(folder, 'lease-1'), '');
    assert.equal(await Lease.isHeld(folder), true);
    assert.equal(await Lease.take(folder), undefined);
  });

  it('renews its heartbeat while it is held', async () => {
    const holder = await start(30);
    await take(holder);
    await age(leaseSilence);
    const file = await holderFile();
    const { mtimeMs: old } = await stat(file);
    while ((await stat(file)).mtimeMs === old) await new Promise(setImmediate);
  });

  it('renews its heartbeat at least twice within the silence limit, so one may be late', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const lease = await Lease.take(folder);
      await age(leaseSilence);
      const file = await holderFile();
      const { mtimeMs: old } = await stat(file);
      mock.timers.tick(leaseSilence / 2);
      while ((await stat(file)).mtimeMs === old) await new Promise(setImmediate);
      await lease?.release();
    } finally {
      mock.timers.reset();
    }
  });

  it('writes no heartbeat at a check while the last one is young', async () => {
    const lease = await Lease.take(folder);
    await age(leaseSilence);
    const { mtimeMs: old } = await stat(await holderFile());
    assert.equal(await lease?.check(), true);
    assert.equal((await stat(await holderFile())).mtimeMs, old);
  });

  for (const [what, passed] of [
    ['after a sleep, during which only the clock on the wall went on', leaseSilence / 6],
    ['when the clock was set back', -1],
  ] as const) {
    it(`writes a heartbeat at a check ${what}`, async () => {
      mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() });
      try {
        const lease = await Lease.take(folder);
        await age(leaseSilence);
        const { mtimeMs: old } = await stat(await holderFile());
        mock.timers.setTime(Date.now() + passed);
        assert.equal(await lease?.check(), true);
        assert.notEqual((await stat(await holderFile())).mtimeMs, old);
      } finally {
        mock.timers.reset();
      }
    });
  }

  it('of a process that was stopped is found to be lost as soon as that goes on, before its next heartbeat', async function () {
    skipUnless(this, process.platform !== 'win32', 'SIGSTOP');
    const holder = await start();
    await take(holder);
    assert.equal(await ask(holder, 'check'), true);
    await stop(holder);
    await age(60 * 60 * 1000);
    assert((await Lease.take(folder, { silence: 200, confirms: true })) !== undefined);
    holder.kill('SIGCONT');
    assert.equal(await ask(holder, 'check'), false);
    assert.equal(await Lease.isHeld(folder), true);
  });

  it('tells a holder that seemed dead that another has taken the lease', async () => {
    const lease = await Lease.take(folder);
    assert.equal(await lease?.renew(), true);
    await changeHolder({ run: 'one that has ended', process: 2 ** 22 + 1 });
    assert.equal(await take(await start()), true);
    assert.equal(await lease?.check(), false);
    assert.equal(await lease?.renew(), false);
    await lease?.release();
    assert.equal(await Lease.isHeld(folder), true, "the late holder released the other's lease");
  });

  describe('with a watch', () => {
    let now: number;
    let watch: LeaseWatch;

    beforeEach(async () => {
      now = 0;
      watch = new LeaseWatch(leaseSilence, () => now);
      await Lease.take(folder);
      await changeHolder({ machine: 'another' });
    });

    /** Whether the lease seems held this many seconds after the last check. */
    async function looksHeldAfter(seconds: number): Promise<boolean> {
      now += seconds * 1000;
      return Lease.isHeld(folder, { watch });
    }

    it('is held although the clocks of two machines differ by an hour', async () => {
      await age(60 * leaseSilence);
      assert.equal(await looksHeldAfter(0), true);
      for (let beat = 0; beat < 5; beat++) {
        await age((60 - beat) * leaseSilence);
        assert.equal(await looksHeldAfter(25), true);
      }
    });

    it('is free when the heartbeat has not changed for a minute of checks', async () => {
      for (const seconds of [0, 20, 20]) assert.equal(await looksHeldAfter(seconds), true);
      assert.equal(await looksHeldAfter(20), false);
      assert((await Lease.take(folder, { watch })) !== undefined);
    });

    it('is free after a minute of checks, too, when its time lies in the future', async () => {
      await age(-60 * leaseSilence);
      for (const seconds of [0, 20, 20]) assert.equal(await looksHeldAfter(seconds), true);
      assert.equal(await looksHeldAfter(20), false);
      assert((await Lease.take(folder, { watch })) !== undefined);
    });

    it('is held just after this machine has slept for hours, because its holder may wake up too', async () => {
      assert.equal(await looksHeldAfter(0), true);
      assert.equal(await looksHeldAfter(10_000), true);
    });
  });

  describe('of another machine', () => {
    const silence = 300;

    beforeEach(async () => {
      await Lease.take(folder);
      await changeHolder({ machine: 'another' });
    });

    for (const [when, hours] of [
      ['is old', 1],
      ['lies in the future', -1],
    ] as const) {
      it(`is not taken when its time ${when}, but a heartbeat is seen`, async () => {
        await age(hours * 60 * 60 * 1000);
        const taking = Lease.take(folder, { silence, confirms: true });
        assert.equal(await beatUntil(taking, hours * 60 * 60 * 1000), undefined);
      });
    }

    it('is taken although its time lies hours in the future, after waiting for a heartbeat', async () => {
      await age(-2 * 60 * 60 * 1000);
      const taking = Lease.take(folder, { silence });
      assert.equal(await beatUntil(taking, -2 * 60 * 60 * 1000), undefined);
      assert.equal(await Lease.isHeld(folder, { silence }), false);
      assert((await Lease.take(folder, { silence })) !== undefined);
    });

    it('is held when its clock is only a little ahead', async () => {
      await age(-leaseSilence / 2);
      assert.equal(await Lease.isHeld(folder), true);
      assert.equal(await Lease.take(folder), undefined);
    });
  });

  it('of a computer that lost power while writing it, with its clock ahead, is taken after waiting', async () => {
    await writeFile(join(folder, 'lease-1'), '');
    await age(-2 * 60 * 60 * 1000);
    const silence = 300;
    const taking = Lease.take(folder, { silence });
    assert.equal(await beatUntil(taking, -2 * 60 * 60 * 1000), undefined);
    assert((await Lease.take(folder, { silence })) !== undefined);
  });

  it('is taken from a process that has stopped, after waiting for a heartbeat', async function () {
    skipUnless(this, process.platform !== 'win32', 'SIGSTOP');
    const silence = 200;
    const holder = await start(silence);
    await take(holder);
    await stop(holder);
    await age(60 * 60 * 1000);
    assert((await Lease.take(folder, { silence, confirms: true })) !== undefined);
  });

  it('is overwritten completely when it is released', async () => {
    const lease = await Lease.take(folder);
    await lease?.release();
    const text = await readFile(await holderFile(), 'utf8');
    assert.deepEqual(JSON.parse(text), { isReleased: true });
    assert(text.length > 100, 'a shorter text would leave the end of the longer one');
  });

  it('in a folder that was created again belongs to its new holder', async () => {
    const first = await Lease.take(folder);
    await rm(folder, { recursive: true });
    for (const isHeld of [await first?.check(), await first?.renew()]) assert.equal(isHeld, true);
    await mkdir(folder);
    const second = await Lease.take(folder);
    for (const isHeld of [await first?.check(), await first?.renew()]) assert.equal(isHeld, false);
    await first?.release();
    assert.equal(await second?.renew(), true);
    assert.equal(await Lease.isHeld(folder), true);
  });

  it('measures quiet time by heartbeats and new files only (quietFor)', async () => {
    const longAgo = new Date(Date.now() - 2 * leaseSilence);
    await utimes(folder, longAgo, longAgo);
    for (const look of ['first', 'second']) {
      assert((await Lease.quietFor(folder)) >= leaseSilence, `the ${look} check`);
    }
    const file = join(folder, 'answer');
    await writeFile(file, '');
    assert((await Lease.quietFor(folder)) < leaseSilence);
    // Writing to a file does not change the time stamp of its folder.
    await utimes(folder, longAgo, longAgo);
    assert((await Lease.quietFor(folder)) < leaseSilence);
    await utimes(file, longAgo, longAgo);
    await utimes(folder, longAgo, longAgo);
    assert((await Lease.quietFor(folder)) >= leaseSilence);
  });

  it('reports no quiet time for a folder that is gone (quietFor)', async () => {
    await rm(folder, { recursive: true });
    assert.equal(await Lease.quietFor(folder), 0);
  });

  it('is not taken by a process that read an old number while two others came and went', async function () {
    // A pipe in place of the file blocks its reader until something is written to it.
    skipUnless(this, process.platform !== 'win32', 'mkfifo');
    const old = join(folder, 'lease-1');
    execFileSync('mkfifo', [old]);
    const taking = Lease.take(folder);
    const pipe = await open(old, 'w');
    await rm(old);
    await writeFile(join(folder, 'lease-3'), '');
    await pipe.writeFile(JSON.stringify({ isReleased: true }));
    await pipe.close();
    assert.equal(await taking, undefined);
    assert.deepEqual(await readdir(folder), ['lease-3']);
  });

  it('stays released, whenever a heartbeat started', async () => {
    for (let round = 0; round < 20; round++) {
      const lease = await Lease.take(folder);
      let isReleased = false;
      const releasing = lease?.release().then(() => {
        isReleased = true;
      });
      const beats: (Promise<boolean> | undefined)[] = [];
      while (!isReleased) {
        // A slow disk must not have more to do with each.
        if (beats.length < 100) beats.push(lease?.renew());
        await new Promise(setImmediate);
      }
      await Promise.all([releasing, ...beats]);
      assert.equal(await Lease.isHeld(folder), false);
    }
  });

  it('cannot be taken in a folder that is gone', async () => {
    await rm(folder, { recursive: true });
    assert.equal(await Lease.take(folder), undefined);
    assert.equal(await Lease.isHeld(folder), false);
    assert.deepEqual(await readdir(join(folder, '..')), []);
  });
});

describe('A process (promise 8)', () => {
  const children: ChildProcess[] = [];

  afterEach(() => Promise.all(children.splice(0).map(kill)));

  async function start(): Promise<ChildProcess> {
    const child = startProcess('lease', { folder: '' });
    await once(child, 'message');
    return child;
  }

  const markOf = async (child: ChildProcess) => (await ask(child, 'mark')) as ProcessMark;

  it('has ended once it was killed, not while it runs or is stopped (hasEnded)', async () => {
    const child = await start();
    const mark = await markOf(child);
    assert.equal(await hasEnded(mark), false);
    if (process.platform !== 'win32') child.kill('SIGSTOP');
    assert.equal(await hasEnded(mark), false);
    await kill(child);
    assert.equal(await hasEnded(mark), true);
  });

  it('has ended when another process has its id (hasEnded)', async function () {
    skipUnless(this, isLinux, '/proc');
    const [ended, running] = [await start(), await start()];
    children.push(running);
    const mark = await markOf(ended);
    await kill(ended);
    assert.equal(await hasEnded({ ...mark, process: (await markOf(running)).process }), true);
  });

  it('has ended when this process has its id (hasEnded)', async () => {
    const mark = await thisProcess();
    assert.equal(await hasEnded(mark), false);
    assert.equal(await hasEnded({ ...mark, run: 'an earlier one' }), true);
  });

  it('on another machine may still run, whatever its id means here (hasEnded)', async () => {
    assert.equal(await hasEnded({ ...(await thisProcess()), machine: 'another', process: 2 ** 22 + 1 }), false);
  });
});

/** Takes a lease in the folder that is given, and is killed when its file is there, but without its text. */
const killedAtWriting = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
fs.promises.writeFile = async (file) => {
  fs.writeFileSync(file, '');
  process.kill(process.pid, 'SIGKILL');
};
syncBuiltinESMExports();
const { Lease } = await import(${JSON.stringify(new URL('../../../src/work/Lease.ts', import.meta.url).href)});
await Lease.take(process.argv[1]);
`;
