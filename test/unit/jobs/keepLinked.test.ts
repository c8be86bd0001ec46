import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt } from '../../support/jobRunner.ts';
import { wavBytes } from '../../support/mediaBytes.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };

describe('what an answer that is not understood links to', () => {
  let root: string;
  let journal: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'linked-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'linked-journal-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  /** What is kept of an answer whose paths stand for addresses on the service; `/gone` is not there any more. */
  async function keptOf(answerWith: (origin: string) => string) {
    await using server = await startHttpServer((request, response) => {
      if (request.method === 'POST') return response.end(answerWith(server.origin));
      return response.writeHead(request.url === '/gone' ? 410 : 200).end(wavBytes);
    });
    await using window = jobRunnerAt(server.origin, { root, journal });
    const { kind, jobId = '' } = await failureOf(window.runner.run(imageJob(root), quiet));
    assert.equal(kind, 'noMedia');
    const kept = await window.runner.withRawFiles(jobId, (files) =>
      Promise.all(files.map(async ({ what, path }) => [what, await readFile(path)] as const)),
    );
    return { kept, asked: server.requests.flatMap(({ method, url }) => (method === 'GET' ? [url] : [])) };
  }

  it('is found where the address is escaped', async () => {
    const { kept, asked } = await keptOf((origin) => {
      const address = `${origin}/a?b=1&c=2`.replaceAll('/', '\\/').replaceAll('&', '\\u0026');
      return `{"artefact":{"href":"${address}"}}`;
    });
    assert.deepEqual(asked, ['/a?b=1&c=2']);
    assert.deepEqual(kept[1], ['linked', wavBytes]);
  });

  it('is left out where it cannot be fetched: the answer and the other links are kept', async () => {
    const { kept } = await keptOf((origin) => JSON.stringify({ artefacts: [`${origin}/gone`, `${origin}/there`] }));
    assert.deepEqual(
      kept.map(([what]) => what),
      ['answer', 'linked'],
    );
    assert.deepEqual(kept[1]?.[1], wavBytes);
  });

  it('is not fetched where there are too many links for results', async () => {
    const { kept, asked } = await keptOf((origin) =>
      JSON.stringify({ pages: Array.from({ length: 5 }, (_, index) => `${origin}/${index}`) }),
    );
    assert.deepEqual(asked, []);
    assert.equal(kept.length, 1);
  });
});
