import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureOf } from '../../support/failureOf.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt } from '../../support/jobRunner.ts';
import { wavBytes } from '../../support/mediaBytes.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };

describe('links in an answer that cannot be read', () => {
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

  /**
   * Runs a job whose answer links to paths on the service, where `/gone` responds with 410. @returns the kept files
   * and the requested paths
   */
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

  it('are found when the address is escaped', async () => {
    const { kept, asked } = await keptOf((origin) => {
      const address = `${origin}/a?b=1&c=2`.replaceAll('/', '\\/').replaceAll('&', '\\u0026');
      return `{"preview":{"href":"${address}"}}`;
    });
    assert.deepEqual(asked, ['/a?b=1&c=2']);
    assert.deepEqual(kept[1], ['linked', wavBytes]);
  });

  it('are skipped when they cannot be fetched, and the answer and the other links are kept', async () => {
    const { kept } = await keptOf((origin) => JSON.stringify({ previews: [`${origin}/gone`, `${origin}/there`] }));
    assert.deepEqual(
      kept.map(([what]) => what),
      ['answer', 'linked'],
    );
    assert.deepEqual(kept[1]?.[1], wavBytes);
  });

  it('end before the marks of the text that they stand in', async () => {
    const { asked } = await keptOf((origin) =>
      JSON.stringify({ note: `See [it](${origin}/a.wav), or ${origin}/b_(2).` }),
    );
    assert.deepEqual(asked, ['/a.wav', '/b_(2)']);
  });

  it('are not fetched when there are too many to be results', async () => {
    const { kept, asked } = await keptOf((origin) =>
      JSON.stringify({ pages: Array.from({ length: 5 }, (_, index) => `${origin}/${index}`) }),
    );
    assert.deepEqual(asked, []);
    assert.equal(kept.length, 1);
  });
});
