import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { pngBytes } from '../../support/mediaBytes.ts';
import { outcomeOf, Repository } from '../../support/repository.ts';
import { startStandingService } from '../../support/standingService.ts';

/** What keeps a thread from returning to its event loop. */
const blocks = {
  'a loop': 'for (;;);',
  // Node cannot even end a thread in it.
  'a call of the system': 'readFileSync(pipe);',
} as const;
type Block = keyof typeof blocks;

/** Time that a process may take beyond five seconds on a busy machine, in milliseconds. */
const slack = 2500;
const signals = ['SIGTERM', 'SIGINT'] as const;

// Windows ends a process without telling it.
(process.platform === 'win32' ? describe.skip : describe)('the command line, at a signal (promise 36)', () => {
  let folder: string;
  let repository: Repository;
  let service: Awaited<ReturnType<typeof startStandingService>>;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signals-'));
    service = await startStandingService();
    repository = await Repository.make(service.origin, {});
    await repository.declare({ 'a.png': { operation: 'generateImage', prompt: 'a', model: 'm' } });
  });

  afterEach(async () => {
    child?.kill('SIGKILL');
    await service[Symbol.asyncDispose]();
    await repository[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Starts a verb whose thread stands still when `hang` is called. */
  async function startHanging(verb: string, block: Block) {
    const [hook, go, hangs, pipe] = ['hook.mjs', 'go', 'hangs', 'pipe'].map((name) => join(folder, name));
    assert(hook && go && hangs && pipe);
    execFileSync('mkfifo', [pipe]);
    const lines = [
      "import { existsSync, readFileSync, writeFileSync } from 'node:fs';",
      "import { isMainThread, workerData } from 'node:worker_threads';",
      `const pipe = ${JSON.stringify(pipe)};`,
      `const look = () => { if (existsSync(${JSON.stringify(go)})) { writeFileSync(${JSON.stringify(hangs)}, ''); ${blocks[block]} } };`,
      // While the verb reads its manifest, and while it waits.
      'const { decode } = TextDecoder.prototype;',
      'const slowDecode = function (...values) {',
      '  const text = decode.apply(this, values);',
      "  if (text.includes('a.png')) look();",
      '  return text;',
      '};',
      "const isHere = isMainThread ? ['plan', 'check'].includes(process.argv[2]) : workerData?.verb !== undefined;",
      'if (isHere) { TextDecoder.prototype.decode = slowDecode; setInterval(look, 10).unref(); }',
    ];
    await writeFile(hook, lines.join('\n'));
    const hang = async () => {
      await writeFile(go, '');
      while (!existsSync(hangs)) await sleep(10);
    };
    return {
      hang,
      start: () => {
        child = repository.start([verb], { NODE_OPTIONS: `--import=${pathToFileURL(hook)}` });
        return child;
      },
    };
  }

  /** Starts apply, whose thread then stands still while its request is out. */
  async function startHangingApply(block: Block): Promise<ChildProcess> {
    const reached = service.standAt('waiting');
    const { hang, start } = await startHanging('apply', block);
    const running = start();
    await reached;
    await hang();
    return running;
  }

  /** Sends a signal. @returns how the process ended, and after how many milliseconds */
  async function end(running: ChildProcess, signal: NodeJS.Signals) {
    const started = performance.now();
    const exit = once(running, 'exit', { signal: AbortSignal.timeout(5000 + slack) });
    running.kill(signal);
    const [code, by] = (await exit) as [number | null, string | null];
    return { code, by, took: performance.now() - started };
  }

  it('finding 2: apply ends within 5 s of SIGTERM even in a call of the system, and what is out stays unknown', async () => {
    const running = await startHangingApply('a call of the system');
    const { by, took } = await end(running, 'SIGTERM');
    assert.equal(by, 'SIGTERM');
    assert(took > 4000, `it had no time to end by itself: ${took} ms`);
    service.release();
    // The lease of an ended process holds nobody up.
    assert.match((await repository.run(['plan'])).stdout, /may be billed/);
    const { code, stdout, stderr } = await repository.run(['apply']);
    assert.match(stdout, /left +a\.png +Outcome unknown/, stderr);
    assert.equal(code, 1);
    assert.equal(service.paid(), 1);
  });

  for (const verb of ['plan', 'check']) {
    it(`finding 2: ${verb} ends within 5 s of SIGTERM even in a loop`, async () => {
      const { hang, start } = await startHanging(verb, 'a loop');
      await writeFile(join(folder, 'go'), '');
      const running = start();
      await hang();
      assert.equal((await end(running, 'SIGTERM')).by, 'SIGTERM');
    });
  }

  it('lets apply end by itself at the first signal, with its report and exit code 1', async () => {
    const reached = service.standAt('waiting');
    child = repository.start(['apply']);
    const outcome = outcomeOf(child);
    await reached;
    const { code, took } = await end(child, 'SIGINT');
    assert.equal(code, 1);
    assert(took < 4500, `${took} ms`);
    assert.match((await outcome).stdout, /a\.png/);
  });

  it('ends at once at the second signal', async () => {
    const running = await startHangingApply('a loop');
    running.kill('SIGINT');
    await sleep(500);
    const { by, took } = await end(running, 'SIGINT');
    assert.equal(by, 'SIGINT');
    assert(took < 3000, `${took} ms`);
  });

  for (const signal of signals) {
    it(`lets the sandbox stop at ${signal}, with exit code 0`, async () => {
      child = repository.start(['sandbox', '--key', 'secret']);
      assert(child.stdout);
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const { imageBaseUrl, key } = JSON.parse(line.toString()) as { readonly imageBaseUrl: string; key: string };
      assert.equal(key, 'secret');
      assert((await fetch(imageBaseUrl)).status >= 400);
      assert.equal((await end(child, signal)).code, 0);
    });
  }

  it('lets the sandbox of a working tree stop at SIGHUP, and removes its folder', async () => {
    child = spawn(process.execPath, ['src/sandbox/main.ts'], { env: { ...process.env, TMPDIR: folder } });
    assert(child.stdout);
    await once(child.stdout, 'data');
    assert.notDeepEqual(readdirSync(folder), []);
    assert.equal((await end(child, 'SIGHUP')).code, 0);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('prints everything to a slow reader of a pipe, and more than the pipe holds', async () => {
    const long = 'a-long-name-of-a-folder/'.repeat(40);
    const paths = Array.from({ length: 80 }, (_, index) => `${long}${index}.png`);
    await repository.write(Object.fromEntries(paths.map((path) => [path, pngBytes])));
    const entry = { operation: 'generateImage', prompt: 'a', model: 'm' };
    await repository.declare(Object.fromEntries(paths.map((path) => [path, entry])));
    child = repository.start(['accept', ...paths]);
    assert(child.stdout);
    let printed = '';
    for await (const chunk of child.stdout) {
      printed += chunk;
      await sleep(20);
    }
    assert(printed.length > 65_536, `${printed.length} characters`);
    assert.deepEqual(printed.match(/\S+\.png/g), paths);
  });
});
