import assert from 'node:assert/strict';
import fs, { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { hashOf } from '../../../src/files/sha256.ts';
import { Library } from '../../../src/library/Library.ts';
import { acceptAssets } from '../../../src/manifest/acceptAssets.ts';
import { Evaluation } from '../../../src/manifest/Evaluation.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { samplesIn } from '../../../src/manifest/printPlan.ts';
import { sandboxModel } from '../../../src/operations/operations.ts';
import { speechKey, wholeKey } from '../../../src/wholes/wholeKey.ts';
import type { JobInput } from '../../../src/work/JobRunner.ts';
import { notesOf } from '../../../src/work/Notes.ts';
import { Store } from '../../../src/work/Store.ts';
import { imageJob } from '../../support/jobRunner.ts';
import { pngBytes, wavBytes } from '../../support/mediaBytes.ts';
import { skipUnless } from '../../support/skipUnless.ts';

describe('planAssets', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'plan-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const options = { sandbox: false, speechMaxCharacters: 4096 };

  function opened(declared?: unknown) {
    const store = new Store(join(root, 'work'));
    return ManifestProject.open(join(root, 'media.jsonc'), { root, library: libraryIn(root), store, declared });
  }

  async function planned(manifest: object, declared?: unknown) {
    await writeFile(join(root, 'media.jsonc'), JSON.stringify(manifest));
    return planAssets(await opened(declared), options);
  }

  for (const operation of ['generateImage', 'editImage'] as const) {
    it(`counts as many pictures as a redeclared default asks for, as they are sent: ${operation} (promise 35)`, async () => {
      await writeFile(join(root, 'in.png'), pngBytes);
      const entry = { operation, model: 'm', prompt: 'p', ...(operation === 'editImage' && { images: ['in.png'] }) };
      const declared = { [operation]: { n: { type: 'integer', maximum: 10, default: 10 } } };
      const { plan } = await planned({ assets: { 'a.png': entry, 'b.png': { ...entry, variants: 2 } } }, declared);
      assert.equal(plan.images, 12);
      const never = { [operation]: { n: false } };
      assert.equal((await planned({ accepts: never, assets: { 'a.png': entry } })).plan.images, 1);
    });
  }

  it('sends nothing for a file that only has other letters in upper case than its entry', async function () {
    await writeFile(join(root, 'hero.png'), pngBytes);
    skipUnless(this, !existsSync(join(root, 'Hero.png')), 'names of files that differ by case');
    const line = { path: 'hero.png', request: '0'.repeat(64), output: hashOf(pngBytes) };
    await writeFile(join(root, 'media.lock.jsonl'), `${JSON.stringify(line)}\n`);
    const assets = { 'Hero.png': { operation: 'generateImage', model: 'm', prompt: 'p' } };
    const { plan, evaluated } = await planned({ assets });
    assert.equal(plan.images, 0);
    assert.equal(evaluated[0]?.problem?.sentence, 'Its file is named hero.png. Rename the file to Hero.png.');
    await rename(join(root, 'hero.png'), join(root, 'Hero.png'));
    assert.equal((await planned({ assets })).evaluated[0]?.problem, undefined);
  });

  it('marks what the sandbox made, and never takes it for the work of a service', async () => {
    const inSandbox = { ...options, sandbox: true };
    const manifest = { assets: { 'a.png': { operation: 'generateImage', model: sandboxModel, prompt: 'p' } } };
    await planned(manifest);
    await writeFile(join(root, 'a.png'), pngBytes);
    const record = { file: 'a.png', kind: 'images', operation: 'generateImage', model: sandboxModel } as const;
    const made = {
      createdAt: '2026-01-01T00:00:00.000Z',
      jobId: 'job-1',
      sha256: hashOf(pngBytes),
      sandbox: true,
    } as const;
    await libraryIn(root).append({ ...record, ...made });
    const refusal = { message: /^a\.png is a sample of the sandbox\./ };
    await assert.rejects(async () => acceptAssets(await opened(), ['a.png'], options), refusal);
    await acceptAssets(await opened(), ['a.png'], inSandbox);
    const stateIn = async (mode: typeof options) => {
      const found = await planAssets(await opened(), mode);
      const [{ state, reasons } = assert.fail()] = found.evaluated;
      return [state, reasons, samplesIn(found.evaluated).length];
    };
    assert.deepEqual(await stateIn(inSandbox), ['fresh', ['a sample of the sandbox'], 1]);
    const reasons = ['the sandbox made it', 'sandbox-1 is the model of the sandbox'];
    assert.deepEqual(await stateIn(options), ['stale', reasons, 0]);
    await assert.rejects(async () => acceptAssets(await opened(), ['a.png'], options), refusal);
    // What a person puts in its place is their own.
    await writeFile(join(root, 'a.png'), wavBytes);
    await acceptAssets(await opened(), ['a.png'], options);
    assert.deepEqual(await stateIn(options), ['fresh', [], 0]);
  });

  it('reads the library once for all videos to remix (promise 17)', async () => {
    const videos = ['a', 'b', 'c'];
    const library = libraryIn(root);
    for (const name of videos) {
      const facts = {
        kind: 'videos',
        operation: 'generateVideo',
        model: 'm',
        createdAt: '2026-01-01',
        jobId: 'j',
      } as const;
      await library.append({ ...facts, file: `${name}.mp4`, videoId: name });
      await writeFile(join(root, `${name}.mp4`), name);
    }
    const remix = (name: string) => [`${name}-2.mp4`, { operation: 'remixVideo', video: `${name}.mp4`, prompt: 'p' }];
    const assets = Object.fromEntries([...videos, 'a'].map(remix));
    await writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets }));
    let readings = 0;
    class CountingFolder extends LocalFolder {
      override read(...parts: Parameters<LocalFolder['read']>) {
        readings++;
        return super.read(...parts);
      }
    }
    const counted = new Library(new CountingFolder(join(root, '.unified-media'), root));
    const store = new Store(join(root, 'work'));
    const project = await ManifestProject.open(join(root, 'media.jsonc'), { root, library: counted, store });
    const { evaluated } = await planAssets(project, options);
    assert.deepEqual([evaluated.map(({ parentId }) => parentId), readings], [videos, 1]);
  });

  for (const how of ['accepted', 'changed by hand']) {
    it(`remixes a video that was ${how} with the model that made it, whatever its entry says now`, async () => {
      const assets = {
        'a.mp4': { operation: 'generateVideo', model: 'new', prompt: 'p' },
        'b.mp4': { operation: 'remixVideo', video: 'a.mp4', prompt: 'q' },
      };
      await writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets }));
      await writeFile(join(root, 'a.mp4'), 'as it is');
      const line = { path: 'a.mp4', request: '0'.repeat(64), output: hashOf('as it was'), videoId: 'video-1' };
      await writeFile(join(root, 'media.lock.jsonl'), `${JSON.stringify(line)}\n`);
      if (how === 'accepted') await acceptAssets(await opened(), ['a.mp4'], options);
      const modelOfRemix = async () =>
        (await planned({ assets })).evaluated.find(({ entry }) => entry.path === 'b.mp4')?.model;
      const record = { file: 'a.mp4', kind: 'videos', operation: 'generateVideo', model: 'old' } as const;
      const createdAt = '2026-01-01T00:00:00.000Z';
      await libraryIn(root).append({ ...record, createdAt, jobId: 'job-1', videoId: 'video-1' });
      assert.equal(await modelOfRemix(), 'old');
      await libraryIn(root).append({ ...record, createdAt, jobId: 'job-2', videoId: 'video-2' });
      assert.equal(await modelOfRemix(), 'new');
    });
  }

  it('reports an unknown field, a cycle, a missing input, one of another type and a missing model', async () => {
    await writeFile(join(root, 'a.txt'), 'words');
    const picture = { operation: 'generateImage', prompt: 'p', model: 'm' };
    const edit = (image: string) => ({ ...picture, operation: 'editImage', images: [image] });
    for (const [assets, sentence] of [
      [{ 'a.png': { ...picture, colour: 'red' } }, /There is no field "colour"/],
      [{ 'a.png': edit('b.png'), 'b.png': edit('a.png') }, /cycle: a\.png ← b\.png ← a\.png/],
      [{ 'a.png': edit('gone.png') }, /input gone\.png is missing/],
      [{ 'a.md': { operation: 'transcribe', model: 'm', file: 'a.txt' } }, /a\.txt contains text, not audio/],
      [{ 'a.png': { ...picture, model: undefined } }, /has no model/],
    ] as const) {
      const told = await planned({ assets }).then(({ evaluated: [entry] }) => entry?.problem?.sentence, String);
      assert.match(told ?? '', sentence);
    }
  });

  it('reports captions whose transcript has no times beside it, and waits for those of one that is made', async () => {
    await writeFile(join(root, 'call.md'), 'Hello.');
    const problems = async (assets: object) =>
      (await planned({ assets })).evaluated.map(({ problem, action }) => [problem?.field, problem?.sentence, action]);
    const captions = { 'call.srt': { captions: 'call.md' } };
    assert.deepEqual(await problems(captions), [['captions', 'input call.vtt is missing', 'none']]);
    const transcribe = { operation: 'transcribe', model: 'm', file: 'call.wav' };
    await writeFile(join(root, 'call.wav'), wavBytes);
    const isMade = [undefined, undefined, 'request'];
    const isWaiting = [undefined, undefined, 'local'];
    assert.deepEqual(await problems({ ...captions, 'call.vtt': transcribe }), [isWaiting, isMade]);
    await rm(join(root, 'call.md'));
    assert.deepEqual(await problems({ ...captions, 'call.md': transcribe }), [isWaiting, isMade]);
    await writeFile(join(root, 'call.md'), 'Hello.');
    await writeFile(join(root, 'call.vtt'), 'WEBVTT');
    assert.deepEqual(await problems(captions), [isWaiting]);
  });

  it('says of an input only that it changed if its content did', async () => {
    const edit = (image: string, prompt: string) => ({
      assets: { 'a.png': { operation: 'editImage', model: 'm', prompt, images: [image] } },
    });
    for (const name of ['in.png', 'a.png']) await writeFile(join(root, name), pngBytes);
    await writeFile(join(root, 'media.jsonc'), JSON.stringify(edit('in.png', 'p')));
    await acceptAssets(await opened(), ['a.png'], options);
    await rename(join(root, 'in.png'), join(root, 'before.png'));
    const reasons = async (manifest: object) => (await planned(manifest)).evaluated.flatMap((one) => one.reasons);
    assert.deepEqual(await reasons(edit('before.png', 'p')), []);
    assert.deepEqual(await reasons(edit('before.png', 'q')), ['prompt changed']);
    await writeFile(join(root, 'before.png'), 'other');
    assert.match((await reasons(edit('before.png', 'p'))).join(), /before\.png/);
  });

  describe('beside works of other projects', () => {
    const picture = (prompt: string) => ({ operation: 'generateImage', model: 'm', prompt });
    const speech = (input: string) => ({ operation: 'speak', model: 'm', voice: 'alloy', input });

    /** A work whose process was killed while it sent the request. */
    async function sent(key: string, facts: Partial<JobInput> = {}): Promise<void> {
      const id = crypto.randomUUID();
      await using work = await new Store(join(root, 'work')).open(key);
      // A part names its whole before its own request.
      const { request, ...job } = { ...imageJob('/other'), ...facts };
      await work?.sending({ ...job, request, id, key, createdAt: new Date().toISOString() });
    }

    /** Calls `work`, and returns the paths of all folders that were listed and files that were read in the meantime. */
    async function lookedAt(work: () => Promise<unknown>): Promise<readonly string[]> {
      const paths: string[] = [];
      const note = (object: object, name: string) => {
        const real: (...args: unknown[]) => unknown = Reflect.get(object, name);
        mock.method(object, name as never, (...args: unknown[]) => {
          paths.push(String(args[0]));
          return real(...args);
        });
      };
      note(fs, 'readFileSync');
      note(fs, 'openSync');
      note(fs.promises, 'readFile');
      note(fs.promises, 'readdir');
      syncBuiltinESMExports();
      try {
        await work();
      } finally {
        mock.restoreAll();
        syncBuiltinESMExports();
      }
      return paths;
    }

    it('lists the store and the notes once for all entries, and reads journals of possible parts once', async () => {
      const texts = ['One sentence of many. ', 'Another sentence. '].map((sentence) => sentence.repeat(300));
      const [text = ''] = texts;
      const pictures = ['a', 'b', 'c'].map((name) => [`${name}.png`, picture(name)]);
      const spoken = texts.map((input, index) => [`${index}.mp3`, speech(input)]);
      await writeFile(
        join(root, 'media.jsonc'),
        JSON.stringify({ assets: Object.fromEntries([...pictures, ...spoken]) }),
      );
      const shorter = await planAssets(await opened(), { ...options, speechMaxCharacters: 1000 });
      const [begun] = shorter.evaluated.find(({ entry }) => entry.path === '0.mp3')?.parts?.blocks ?? [];
      assert(begun);
      const { place } = imageJob('/other');
      const request = { ...begun.request, input: text };
      const whole = { key: wholeKey(speechKey({ sandbox: false, request })), request, place, maxCharacters: 1000 };
      await sent(begun.key, { operation: 'speak', request: begun.request, whole });
      const [other, clone, part] = [hashOf('other').slice(0, 32), hashOf('clone'), hashOf('part')];
      await sent(other);
      await sent(clone);
      await sent(part, { whole: { ...whole, key: hashOf('another') } });
      for (const key of [hashOf('one'), hashOf('two')]) await notesOf(pathToFileURL(root).href)?.put({ key, id: key });
      const project = await opened();
      let planned: Awaited<ReturnType<typeof planAssets>> | undefined;
      const paths = await lookedAt(async () => {
        planned = await planAssets(project, { ...options, seesWork: true });
      });
      assert.deepEqual(
        planned?.evaluated.map(({ parts, waiting }) => [parts?.maxCharacters, waiting]),
        [...pictures.map(() => [undefined, undefined]), [1000, 'unknown'], [4096, undefined]],
      );
      const times = (...names: readonly string[]) => paths.filter((path) => path === join(root, ...names)).length;
      const journals = [other, clone, part].map((key) => times('work', key, 'journal.jsonl'));
      assert.deepEqual([times('work'), times('.unified-media', 'jobs'), ...journals], [1, 1, 0, 1, 1]);
    });

    it('sees a request that another program has sent once an entry is forgotten, and not before (promise 34)', async () => {
      await writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets: { 'a.png': picture('a') } }));
      const project = await opened();
      const evaluation = new Evaluation(project, { ...options, seesWork: true });
      const [entry] = project.manifest.entries;
      assert(entry);
      const { waiting, origin } = await evaluation.of(entry);
      assert.equal(waiting, undefined);
      const key = project.variants.keyFor(entry.path, origin.request ?? '', false);
      const place = { ...imageJob(root).place, path: project.variants.pathOf(key) };
      await mkdir(join(root, place.path), { recursive: true });
      await sent(key, { place });
      assert.equal((await evaluation.of(entry)).waiting, undefined);
      evaluation.forget(entry);
      assert.equal((await evaluation.of(entry)).waiting, 'unknown');
    });
  });
});
