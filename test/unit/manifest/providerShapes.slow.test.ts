import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { applyAssets } from '../../../src/manifest/applyAssets.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { operations } from '../../../src/operations/operations.ts';
import { Store } from '../../../src/work/Store.ts';
import { type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { jobRunnerAt } from '../../support/jobRunner.ts';
import { pngBytes, wavBytes } from '../../support/mediaBytes.ts';
import { type Expected, providers, shapeBody, storedFiles } from '../../support/providerShapes.ts';

const nothing = () => undefined;
const request = { model: 'm', prompt: 'a fox' };
const entries: Readonly<Record<string, readonly [string, object]>> = {
  generateImage: ['a.png', request],
  editImage: ['a.png', { ...request, images: ['in.png'] }],
  generateVideo: ['a.mp4', request],
  speak: ['a.mp3', { model: 'm', input: 'Hi.', voice: 'alloy' }],
  transcribe: ['a.md', { model: 'm', file: 'a.wav' }],
};

describe('apply, with what real services send', () => {
  let root: string;
  let storage: HttpServer;

  before(async () => {
    storage = await startHttpServer((asked, response) => response.end(storedFiles[asked.url ?? '']));
  });

  after(() => storage[Symbol.asyncDispose]());

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'provider-shapes-'));
    await writeFile(join(root, 'in.png'), pngBytes);
    await writeFile(join(root, 'a.wav'), wavBytes);
  });

  afterEach(() => rm(root, { recursive: true }));

  async function apply(origin: string) {
    const journal = join(root, '.store');
    await using jobs = jobRunnerAt(origin, { root, journal });
    const project = await ManifestProject.open(join(root, 'media.jsonc'), {
      root,
      library: libraryIn(root),
      store: new Store(journal),
    });
    const notices: string[] = [];
    const reports = await applyAssets(project, {
      sandbox: false,
      again: false,
      speechMaxCharacters: 4096,
      runner: jobs.runner,
      limits: { speechMaxCharacters: 4096, soundOnly: true, maxBytes: 0 },
      signal: new AbortController().signal,
      checkReady: async () => undefined,
      confirm: async () => true,
      onProgress: nothing,
      onNotice: (_, sentence) => void notices.push(sentence),
      onReport: nothing,
    });
    return { outcome: reports?.[0]?.outcome, words: [reports?.[0]?.sentence, ...notices].join(' ') };
  }

  for (const { name, answers } of providers) {
    for (const { title, operation, status = 200, contentType = 'application/json', answer, ...shape } of answers) {
      const expected = shape.expected as Expected & { readonly words?: string };
      // What a job becomes is a matter of its polls.
      if ('job' in expected) continue;
      it(`${name}: ${title}`, async () => {
        let sent = 0;
        await using server = await startHttpServer((asked, response) => {
          if (asked.method === 'POST') sent++;
          asked.resume().on('end', () => {
            response.writeHead(status, { 'content-type': contentType }).end(shapeBody(answer, storage.origin));
          });
        });
        const [path, fields] = entries[operation] ?? assert.fail(operation);
        const variants = operations[operation].result === 'images' ? { variants: shape.count ?? 1 } : {};
        const assets = { [path]: { operation, ...fields, ...variants } };
        await writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets }));
        const first = await apply(server.origin);
        const before = sent;
        const second = await apply(server.origin);
        const isRefused = 'kind' in expected;
        assert.equal(first.outcome, isRefused ? 'failed' : 'made', first.words);
        assert.match(first.words, new RegExp(expected.words ?? ''));
        // Only what was certainly not billed is sent again, unasked.
        assert.equal(sent > before, isRefused && !expected.billed, second.words);
      });
    }
  }
});
