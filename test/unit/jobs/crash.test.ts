import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, watch } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpServer } from '../../support/httpServer.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { jobRunnerAt } from '../../support/jobRunner.ts';
import { mp4Bytes, pngBytes } from '../../support/mediaBytes.ts';

type Stage = 'sending' | 'waiting' | 'answering' | 'downloading' | 'saving';

/** As base64 too large for an answer to be kept in memory. */
const largeImage = Buffer.concat([pngBytes, Buffer.alloc(6 * 2 ** 20, 7)]);
const largeItem = { b64_json: largeImage.toString('base64') };

/** The process that runs a job is killed; the next one finds out what became of it. */
describe('after a crash', () => {
  let root: string;
  let journal: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'crash-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'crash-journal-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  for (const [kind, bytes, file] of [
    ['image', pngBytes, 'media/images/a-fox.png'],
    ['video', mp4Bytes, 'media/videos/a-fox.mp4'],
  ] as const) {
    for (const stage of ['sending', 'waiting', 'downloading', 'saving'] as const) {
      const isPaid = stage === 'downloading' || stage === 'saving';
      it(`while ${stage}: the ${kind} is ${isPaid ? 'saved' : 'unknown'}, and paid once`, async () => {
        await using service = await startService(bytes, stage);
        const child = spawnJob(service.server, kind);
        await service.reached;
        child.kill('SIGKILL');
        await once(child, 'exit');
        service.release();

        await using next = jobRunnerAt(service.server.origin, { root, journal });
        const [job, ...others] = await next.runner.recover(new AbortController().signal);
        assert.deepEqual(others, []);
        assert.equal(job?.state, isPaid ? 'done' : 'unknown', job?.error?.message);
        assert.equal(service.paid(), 1);
        if (isPaid) {
          assert.deepEqual(await readdir(join(root, file, '..')), [file.split('/').at(-1)]);
          assert.deepEqual(await readFile(join(root, file)), bytes);
          const library = await readFile(join(root, '.unified-media/library.jsonl'), 'utf8');
          assert.equal(library.trimEnd().split('\n').length, 1);
        } else {
          assert.equal(job?.error?.mayBeBilled, true);
        }

        await using later = jobRunnerAt(service.server.origin, { root, journal });
        assert.deepEqual(await later.runner.recover(new AbortController().signal), []);
        assert.equal(service.paid(), 1);
      });
    }
  }

  it('while a large answer comes in: it is unknown, paid once, and nothing of it stays', async () => {
    await using service = await startService(pngBytes, 'answering', [largeItem]);
    const written = answerFile();
    const child = spawnJob(service.server, 'image');
    await written;
    child.kill('SIGKILL');
    await once(child, 'exit');
    service.release();

    await using next = jobRunnerAt(service.server.origin, { root, journal });
    const [job] = await next.runner.recover(new AbortController().signal);
    assert.equal(job?.state, 'unknown');
    assert.equal(service.paid(), 1);
    assert.deepEqual(
      (await readdir(journal)).filter((file) => file.endsWith('.answer')),
      [],
    );
  });

  it('while the second image of a large answer is saved: the first is not saved again, and both are whole', async () => {
    await using service = await startService(pngBytes, 'saving', [largeItem]);
    const child = spawnJob(service.server, 'image');
    await service.reached;
    child.kill('SIGKILL');
    await once(child, 'exit');
    service.release();

    await using next = jobRunnerAt(service.server.origin, { root, journal });
    const [job] = await next.runner.recover(new AbortController().signal);
    assert.equal(job?.state, 'done', job?.error?.message);
    assert.equal(service.paid(), 1);
    const folder = join(root, 'media/images');
    assert.deepEqual((await readdir(folder)).sort(), ['a-fox-2.png', 'a-fox.png']);
    assert.deepEqual(await readFile(join(folder, 'a-fox.png')), largeImage);
    assert.deepEqual(await readFile(join(folder, 'a-fox-2.png')), pngBytes);
    assert.deepEqual(await readdir(journal), []);
  });

  /** Resolves when the journal begins to keep a large answer. */
  async function answerFile(): Promise<void> {
    for await (const { filename } of watch(journal)) if (filename?.endsWith('.answer')) return;
  }

  function spawnJob(server: HttpServer, kind: string): ChildProcess {
    const script = join(import.meta.dirname, '../../support/runJobInProcess.ts');
    return spawn(process.execPath, [script, server.origin, root, journal, kind], { stdio: 'inherit' });
  }
});

/** A service that stands still at one stage until it is released; `inside` comes in the answer before the URL. */
async function startService(bytes: Buffer, stage: Stage, inside: readonly object[] = []) {
  const reached = Promise.withResolvers<void>();
  let isReleased = false;
  const standStill = (at: Stage): boolean => {
    if (isReleased || stage !== at) return false;
    reached.resolve();
    return true;
  };
  const server = await startHttpServer((request, response) => {
    if (request.method === 'POST') answer(request, response);
    else download(response);
  });
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (standStill('sending')) return;
    request.resume().on('end', () => {
      if (standStill('waiting')) return;
      const json = JSON.stringify({ id: 'v1', data: [...inside, { url: `${server.origin}/result` }] });
      if (standStill('answering')) response.write(json.slice(0, -100));
      else response.end(json);
    });
  };
  const download = (response: ServerResponse): void => {
    if (standStill('downloading')) return;
    response.writeHead(200, { 'content-length': bytes.length });
    if (stage === 'saving' && !isReleased) response.write(bytes.subarray(0, 20), () => setImmediate(reached.resolve));
    else response.end(bytes);
  };
  return {
    server,
    reached: reached.promise,
    release: () => {
      isReleased = true;
    },
    paid: () => server.requests.filter(({ method }) => method === 'POST').length,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
