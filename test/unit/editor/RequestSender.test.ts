import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RunParts } from '../../../src/editor/requests/requests.ts';
import { UnknownOutcome } from '../../../src/work/jobErrors.ts';
import { failureOf } from '../../support/failureOf.ts';
import { bodyOf, type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { jobRunnerAt } from '../../support/jobRunner.ts';
import { wavBytes } from '../../support/mediaBytes.ts';
import { person, RequestSender } from '../../support/personInDialogs.ts';
import { settingsWith } from '../../support/settingsWith.ts';

describe('the jobs of a window', () => {
  let root: string;
  let storage: string;
  let server: HttpServer;
  /** The texts that were sent since the last look, and the statuses of those that fail. */
  let sent: string[];
  let statuses: Readonly<Record<string, number>>;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'engine-workspace-'));
    storage = await mkdtemp(join(tmpdir(), 'engine-store-'));
    sent = [];
    person.asked.length = 0;
    person.answer = undefined;
    server = await startHttpServer(async (request, response) => {
      const { input } = JSON.parse(String(await bodyOf(request)));
      sent.push(input);
      const { [input]: status = 200 } = statuses;
      return response.writeHead(status, { 'content-type': 'audio/wav' }).end(status === 200 ? wavBytes : '{}');
    });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });

  function engineOf({ jobs, openClient, placeAt }: ReturnType<typeof jobRunnerAt>, maxCharacters: number) {
    const settings = settingsWith({ 'speech.maxCharacters': maxCharacters, openAfterSave: false });
    return new RequestSender({
      jobs,
      storeFolder: storage,
      service: { open: openClient },
      places: { placeAt },
      settings: { ...settings, maxConcurrentJobs: 3, timeoutSeconds: {}, hosts: { audio: '' } },
      retired: async () => ({ worked: async () => undefined, refused: async () => undefined }),
      lastUsed: { worked: async () => undefined },
    } as unknown as RunParts);
  }

  function speak(engine: ReturnType<typeof engineOf>, input: string) {
    const place = { root: pathToFileURL(root).href, path: '', fileName: 'a', transcriptFormat: 'markdown' } as const;
    const request = { model: 'm', input, voice: 'nova', response_format: 'wav' } as const;
    const options = { signal: new AbortController().signal, onProgress: () => undefined, onNotice: () => undefined };
    return engine.makeAssets({ operation: 'speak', request, place, sandbox: false }, options);
  }

  it('gives shorter parts to a person who has lowered their length', async () => {
    await using window = jobRunnerAt(server.origin, { root, journal: storage });
    statuses = { 'Three.': 403 };
    await failureOf(speak(engineOf(window, 10), 'One. Two. Three.'));
    statuses = {};
    assert.deepEqual(sent.splice(0), ['One. Two.', 'Three.']);
    await speak(engineOf(window, 6), 'One. Two. Three.');
    // Those behind the first are sent at the same time.
    assert.deepEqual(sent.sort(), ['One.', 'Three.', 'Two.']);
  });

  interface Case {
    /** The part that is run again. */
    readonly part: string;
    readonly caller: 'view' | 'program';
    readonly answer?: string;
    readonly asked: number;
    readonly sends: readonly string[];
  }

  const both = ['Three.', 'One.'];
  const cases: Readonly<Record<string, Case>> = {
    'asks before another part that may be billed': { part: 'Three.', caller: 'view', asked: 1, sends: [] },
    'sends both after a yes': { part: 'Three.', caller: 'view', answer: 'Send Again', asked: 1, sends: both },
    'asks nothing about the part whose button says it': {
      part: 'One.',
      caller: 'view',
      asked: 0,
      sends: ['One.', 'Two.'],
    },
    'asks nothing when a program calls it': { part: 'Three.', caller: 'program', asked: 0, sends: both },
  };
  for (const [what, { part, caller, answer, asked, sends }] of Object.entries(cases)) {
    it(`run again: ${what}`, async () => {
      await using window = jobRunnerAt(server.origin, { root, journal: storage });
      const engine = engineOf(window, 6);
      statuses = { 'Three.': 400, 'One.': 500 };
      // The texts share a part.
      for (const input of ['Three. One.', 'One. Two.']) await failureOf(speak(engine, input));
      assert.deepEqual(sent.splice(0), both);
      statuses = {};
      const job = window.jobs.all.find(({ request }) => 'input' in request && request.input === part);
      person.answer = answer;
      const again = engine.jobs.resume('runAgain', job?.id ?? '', caller);
      if (sends.length === 0) await assert.rejects(again, UnknownOutcome);
      else await again;
      assert.deepEqual(sent, sends);
      assert.equal(person.asked.length, asked);
    });
  }
});
