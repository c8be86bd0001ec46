import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { applyAssets, type EntryReport } from '../../../src/manifest/applyAssets.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { Store } from '../../../src/work/Store.ts';
import { jobRunnerAt } from '../../support/jobRunner.ts';
import { wavBytes } from '../../support/mediaBytes.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';

const picture = (prompt: string) => ({ operation: 'generateImage', prompt, model: 'm' });
const pictures = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.png`, picture(`number ${index}`)]));
const speaker = { operation: 'speak', model: 'm', voice: 'nova' };
const speechMaxCharacters = 12;

describe('applyAssets with several requests at a time', () => {
  let service: MediaService;
  let root: string;
  let storage: string;
  /** How many requests were out when each of them arrived. */
  let outAtArrival: number[];

  beforeEach(async () => {
    service = await startMediaService();
    root = await mkdtemp(join(tmpdir(), 'at-once-'));
    storage = await mkdtemp(join(tmpdir(), 'at-once-store-'));
    outAtArrival = [];
  });

  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });

  /** Answers each request a little later, or with 429 at once. @param refuses gets how many would be out with it */
  function answerLater(refuses: (out: number) => boolean = () => false, sound = false): void {
    let out = 0;
    service.answerWith((response, answer) => {
      if (refuses(out + 1)) return response.writeHead(429, { 'retry-after': '1' }).end('{}');
      outAtArrival.push(++out);
      return setTimeout(() => {
        out--;
        if (sound) response.writeHead(200, { 'content-type': 'audio/wav' }).end(wavBytes);
        else answer();
      }, 40);
    });
  }

  async function apply(assets: object, atOnce: number, maxRequests?: number) {
    await writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets }));
    const store = new Store(storage);
    const project = await ManifestProject.open(join(root, 'media.jsonc'), { root, library: libraryIn(root), store });
    await using jobs = jobRunnerAt(service.origin, { root, journal: storage }, atOnce);
    const told: EntryReport[] = [];
    const reports = await applyAssets(project, {
      sandbox: false,
      again: false,
      speechMaxCharacters,
      maxRequests,
      runner: jobs.runner,
      limits: { speechMaxCharacters, soundOnly: true, maxBytes: 0 },
      signal: new AbortController().signal,
      checkReady: async () => undefined,
      confirm: async () => true,
      onProgress: () => undefined,
      onNotice: () => undefined,
      onReport: (report) => told.push(report),
    });
    assert.deepEqual(told, reports);
    return told;
  }

  const made = (reports: readonly EntryReport[]) => reports.map(({ path, outcome }) => `${outcome} ${path}`);

  it('never has more out than allowed, in all entries, parts and paragraphs together', async () => {
    const groups = [3, 3, 1];
    const open: ServerResponse[] = [];
    service.answerWith((response) => {
      outAtArrival.push(open.push(response));
      if (open.length !== groups[0]) return;
      groups.shift();
      // A moment later, so that one too many would be among them.
      setTimeout(() => {
        for (const one of open.splice(0)) one.writeHead(200, { 'content-type': 'audio/wav' }).end(wavBytes);
      }, 50);
    });
    await writeFile(join(root, 'a.md'), 'One two.\n\nThree four.\n\nFive six.\n');
    const assets = {
      'a.wav': { ...speaker, document: 'a.md' },
      'b.wav': { ...speaker, input: 'Seven eight. Nine ten. Eleven.' },
      'c.wav': { ...speaker, input: 'Twelve.' },
    };
    assert.deepEqual(made(await apply(assets, 3)), ['made a.wav', 'made b.wav', 'made c.wav']);
    assert.equal(service.paid.length, 7);
    assert.equal(Math.max(...outAtArrival), 3);
  });

  it('makes an entry after its inputs, and reports in the order of the manifest', async () => {
    answerLater();
    const assets = {
      'night.png': { operation: 'editImage', prompt: 'at night', model: 'm', images: ['hero.png'] },
      'small.png': { from: 'night.png', size: [16, 16] },
      'hero.png': picture('a harbour'),
      ...pictures(3),
    };
    const names = Object.keys(assets);
    assert.deepEqual(made(await apply(assets, 3)), names.map((name) => `made ${name}`).sort(inOrderOf(names)));
    const prompts = service.prompts();
    assert(prompts.indexOf('a harbour') < service.paid.findIndex(({ path }) => path.endsWith('/edits')));
  });

  const inOrderOf = (names: readonly string[]) => (one: string, other: string) =>
    names.indexOf(one.slice('made '.length)) - names.indexOf(other.slice('made '.length));

  it('makes all with a service that takes one request at a time and refuses the others', async () => {
    answerLater((out) => out > 1);
    const reports = await apply(pictures(12), 6);
    assert.deepEqual(
      reports.filter(({ outcome }) => outcome !== 'made'),
      [],
    );
    assert.equal(outAtArrival.length, 12);
  });

  it('asks a service less that is busy, and more again when it no longer is', async () => {
    // The second of three is refused, and then the fourth would be out, if others began meanwhile.
    const groups = [1, 2, 3];
    const first: (() => unknown)[] = [];
    let refused: ServerResponse | undefined;
    const open: (() => unknown)[] = [];
    service.answerWith((response, answer) => {
      if (first.length < 2 || !refused) {
        if (first.length === 1 && !refused) refused = response;
        else first.push(answer);
        if (first.length < 2) return;
        for (const one of first) one();
        refused?.writeHead(429, { 'retry-after': '1' }).end('{}');
        return;
      }
      outAtArrival.push(open.push(answer));
      if (open.length !== groups[0]) return;
      groups.shift();
      // A moment later, so that one too many would be among them.
      setTimeout(() => {
        for (const go of open.splice(0)) go();
      }, 50);
    });
    const reports = await apply(pictures(2 + 1 + 2 + 3), 3);
    assert(reports.every(({ outcome }) => outcome === 'made'));
    assert.deepEqual(outAtArrival, [1, 1, 2, 1, 2, 3]);
  });

  it('gives a limited number of requests to the first entries', async () => {
    answerLater(undefined, true);
    const assets: Record<string, object> = {};
    for (const name of ['a', 'b', 'c']) {
      await writeFile(join(root, `${name}.md`), `One ${name}.\n\nTwo ${name}.\n\nThree ${name}.\n`);
      assets[`${name}.wav`] = { ...speaker, document: `${name}.md` };
    }
    assert.deepEqual(made(await apply(assets, 4, 7)), ['made a.wav', 'made b.wav', 'left c.wav']);
    assert.equal(service.paid.length, 6);
  });

  it('makes documents that share paragraphs', async () => {
    answerLater(undefined, true);
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await writeFile(join(root, `${name}.md`), `Shared.\n\nOnly ${name}.\n`);
    const assets = Object.fromEntries(names.map((name) => [`${name}.wav`, { ...speaker, document: `${name}.md` }]));
    assert.deepEqual(
      made(await apply(assets, 4)),
      names.map((name) => `made ${name}.wav`),
    );
    const shared = service.prompts().filter((text) => text === 'Shared.');
    assert(shared.length >= 1 && shared.length <= 4, String(shared.length));
  });

  it('waits for a paragraph that another document is having spoken', async () => {
    let held: (() => unknown) | undefined;
    let isHeld = true;
    service.answerWith((response, answer, { body }) => {
      const speak = () => response.writeHead(200, { 'content-type': 'audio/wav' }).end(wavBytes);
      if (body.input === undefined) return answer();
      if (body.input === 'Shared.' && isHeld) {
        held = speak;
        return undefined;
      }
      speak();
      // The shared paragraph is answered after that of the second document, which then needs it.
      isHeld = false;
      return setImmediate(() => {
        held?.();
        held = undefined;
      });
    });
    await writeFile(join(root, 'a.md'), 'Shared.\n');
    await writeFile(join(root, 'b.md'), 'Only b.\n\nShared.\n');
    const assets = {
      'a.wav': { ...speaker, document: 'a.md' },
      'p.png': picture('p'),
      'b.wav': { ...speaker, document: 'b.md' },
    };
    assert.deepEqual(made(await apply(assets, 2)), ['made a.wav', 'made p.png', 'made b.wav']);
  });

  it('sends no more than are out when the service refuses the key', async () => {
    service.answerWith((response) => response.writeHead(401).end('{}'));
    const reports = await apply(pictures(9), 3);
    assert.equal(service.paid.length, 3);
    assert.deepEqual(
      reports.map(({ outcome }) => outcome),
      [...Array(3).fill('failed'), ...Array(6).fill('left')],
    );
  });
});
