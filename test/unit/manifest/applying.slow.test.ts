import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import {
  type ApplyOptions,
  type AskedEntry,
  AssetMaker,
  applyAssets,
  holdManifest,
  type Total,
} from '../../../src/manifest/applyAssets.ts';
import type { Evaluated } from '../../../src/manifest/Evaluation.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { notesOf } from '../../../src/work/Notes.ts';
import { Store } from '../../../src/work/Store.ts';
import { imageJob, jobRunnerAt, type RunnerOptions } from '../../support/jobRunner.ts';
import { pngBytes, wavBytes } from '../../support/mediaBytes.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const nothing = () => undefined;
const nobody = 65534;
const sandbox = false;
/** Each sentence of the texts below is a part. */
const speechMaxCharacters = 12;
const planning = { sandbox, speechMaxCharacters, seesWork: true };
const picture = { operation: 'generateImage', prompt: 'a', model: 'm' };
const speaker = { operation: 'speak', model: 'm', voice: 'nova' };

describe('applyAssets', () => {
  let service: MediaService;
  let root: string;
  let storage: string;
  let confirmed: number;

  beforeEach(async () => {
    service = await startMediaService();
    root = await mkdtemp(join(tmpdir(), 'applying-'));
    storage = await mkdtemp(join(tmpdir(), 'applying-store-'));
    confirmed = 0;
    await declare({ 'a.png': picture });
  });

  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });

  async function declare(assets: object): Promise<void> {
    await writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets }));
  }

  const store = () => new Store(storage);
  const open = () =>
    ManifestProject.open(join(root, 'media.jsonc'), { root, library: libraryIn(root), store: store() });

  const optionsFor = (jobs: ReturnType<typeof jobRunnerAt>, again: boolean): ApplyOptions => ({
    sandbox,
    again,
    speechMaxCharacters,
    runner: jobs.runner,
    limits: { speechMaxCharacters, soundOnly: true, maxBytes: 0 },
    signal: new AbortController().signal,
    checkReady: async () => undefined,
    confirm: async () => ++confirmed > 0,
    onProgress: nothing,
    onNotice: nothing,
    onReport: nothing,
  });

  async function apply(again = false, options: Partial<RunnerOptions> = {}, maxRequests?: number) {
    await using jobs = jobRunnerAt(service.origin, { root, journal: storage, ...options }, 1);
    return (await applyAssets(await open(), { ...optionsFor(jobs, again), maxRequests })) ?? [];
  }

  /** Changes something while the first request is out. @returns the report on the second asset */
  async function changeMeanwhile(change: () => Promise<unknown>) {
    const goOn = service.hold();
    const sent = service.next();
    const reports = apply();
    await sent;
    await change();
    goOn();
    return (await reports)[1];
  }

  function fail(): void {
    service.answerWith((response) => response.writeHead(500).end('{}'));
  }

  /** Returns the only entry, and the key of its request. */
  async function planned(): Promise<{ readonly found: Evaluated; readonly key: string }> {
    const project = await open();
    const [found] = (await planAssets(project, planning)).evaluated;
    assert(found?.origin.request !== undefined);
    return { found, key: project.variants.keyFor(found.entry.path, found.origin.request, sandbox) };
  }

  function said(text: string): void {
    service.answerWith((response) => response.end(JSON.stringify({ text, segments: [{ start: 0, end: 1, text }] })));
  }

  /** The service answers with the address of a picture that is not there. */
  function answerWithLink(): void {
    service.answerWith((response) => response.end(`{"data":[{"url":"${service.origin}/a.png"}]}`));
    service.downloadWith((response) => response.writeHead(410).end());
  }

  it('does nothing while another program works on the manifest', async () => {
    await using _ = await holdManifest(await open());
    await assert.rejects(apply(), { kind: 'invalidInput', message: /Another program is working/ });
    assert.equal(service.paid.length, 0);
  });

  describe('where a text was sent in shorter parts before (promise 34),', () => {
    const entries: Readonly<Record<string, object>> = {
      'a long text': { ...speaker, input: 'One two. Three four.' },
      'a document': { ...speaker, document: 'a.md' },
    };
    for (const [what, entry] of Object.entries(entries)) {
      const failSecond = async (status: number) => {
        await declare({ 'a.wav': entry });
        await writeFile(join(root, 'a.md'), 'One two. Three four.\n');
        service.answerWith((response) => {
          if (service.paid.length > 1) response.writeHead(status).end('{}');
          else response.end(wavBytes);
        });
        await apply();
        service.answerWith((response) => response.end(wavBytes));
        assert.equal(service.paid.length, 2);
      };
      /** Applies on another computer, or under another name of the folder, where texts are not split so early. */
      const applyWith = async (journal: string, again = false, key?: string) => {
        await using jobs = jobRunnerAt(service.origin, { root, journal }, 3, key);
        const limits = { speechMaxCharacters: 100, soundOnly: true, maxBytes: 0 };
        const options = { ...optionsFor(jobs, again), ...limits, limits };
        const project = await ManifestProject.open(join(root, 'media.jsonc'), {
          root,
          library: libraryIn(root),
          store: new Store(journal),
        });
        return (await applyAssets(project, options))?.map(({ outcome, isUnknown }) => [outcome, isUnknown]);
      };

      it(`asks on another computer before it sends ${what}, also after an attempt that was refused`, async () => {
        await failSecond(500);
        const elsewhere = await mkdtemp(join(tmpdir(), 'applying-elsewhere-'));
        try {
          assert.deepEqual(await applyWith(elsewhere), [['left', true]]);
          service.answerWith((response) => response.writeHead(401).end('{}'));
          assert.deepEqual(await applyWith(elsewhere, true), [['failed', undefined]]);
          const sent = service.paid.length;
          assert.deepEqual(await applyWith(elsewhere), [['left', true]]);
          assert.equal(service.paid.length, sent);
          service.answerWith((response) => response.end(wavBytes));
          assert.deepEqual(await applyWith(elsewhere, true), [['made', undefined]]);
          assert.equal(service.paid.length, sent + 1);
        } finally {
          await rm(elsewhere, { recursive: true });
        }
      });

      it(`goes on with the parts of ${what} that were paid for, in a folder with another name`, async () => {
        await failSecond(400);
        const before = root;
        root = `${root}-renamed`;
        await rename(before, root);
        try {
          assert.deepEqual(await applyWith(storage), [['made', undefined]]);
          assert.equal(service.paid.length, 3);
          assert.deepEqual(await notesOf(pathToFileURL(root).href)?.list(), []);
        } finally {
          await rename(root, before);
          root = before;
        }
      });
    }
  });

  describe('beside a program that shares only the folder, and makes the same after it was planned (promise 34),', () => {
    const entries: Readonly<Record<string, { readonly entry: object; readonly requests: number }>> = {
      'a picture': { entry: { 'a.png': picture }, requests: 1 },
      'two variants': { entry: { 'a.png': { ...picture, variants: 2 } }, requests: 1 },
      'a long text': { entry: { 'a.wav': { ...speaker, input: 'One two. Three four.' } }, requests: 2 },
      'a document': { entry: { 'a.wav': { ...speaker, document: 'a.md' } }, requests: 2 },
    };
    for (const [what, { entry, requests }] of Object.entries(entries)) {
      it(`sends nothing for ${what}, and takes what is there`, async () => {
        await declare(entry);
        await writeFile(join(root, 'a.md'), 'One.\n\nTwo.\n');
        service.answerWith((response, answer) =>
          what.startsWith('a long') || what.startsWith('a doc') ? response.end(wavBytes) : answer(),
        );
        const elsewhere = await mkdtemp(join(tmpdir(), 'applying-elsewhere-'));
        let isMade = false;
        const makeElsewhere = async () => {
          if (isMade) return;
          isMade = true;
          await using jobs = jobRunnerAt(service.origin, { root, journal: elsewhere });
          const library = libraryIn(root);
          const project = await ManifestProject.open(join(root, 'media.jsonc'), {
            root,
            library,
            store: new Store(elsewhere),
          });
          const reports = await applyAssets(project, optionsFor(jobs, false));
          assert.deepEqual(
            reports?.map(({ outcome }) => outcome),
            ['made'],
          );
        };
        const folderAt = (path: string, parent: string) => {
          const folder = new LocalFolder(path, parent);
          const check = folder.check.bind(folder);
          folder.check = async () => {
            await makeElsewhere();
            await check();
          };
          return folder;
        };
        try {
          const reports = await apply(false, { folderAt });
          assert.deepEqual(
            reports.map(({ outcome, sentence }) => [outcome, sentence]),
            [['made', 'Another program has made it in the meantime.']],
          );
          assert.equal(service.paid.length, requests);
          assert.deepEqual(await apply(), []);
          assert.deepEqual(await notesOf(pathToFileURL(root).href)?.list(), []);
          const left = await readdir(storage, { recursive: true });
          assert.deepEqual(
            left.filter((name) => name.endsWith('journal.jsonl')),
            [],
          );
        } finally {
          await rm(elsewhere, { recursive: true });
        }
      });
    }
  });

  it('makes a chosen asset and its inputs, whatever is wrong with other entries', async () => {
    const edit = { operation: 'editImage', prompt: 'e', model: 'm' };
    await declare({
      'a.png': picture,
      'b.png': { ...edit, images: ['a.png'] },
      'c.png': { ...edit, images: ['gone.png'] },
      'd.mp3': { ...speaker, input: 'Hi.' },
    });
    const asked: string[] = [];
    const checkReady: ApplyOptions['checkReady'] = async (id) => void asked.push(id);
    await using jobs = jobRunnerAt(service.origin, { root, journal: storage }, 1);
    const options = { ...optionsFor(jobs, false), checkReady };
    const reports = await applyAssets(await open(), { ...options, only: ['b.png'] });
    assert.deepEqual(
      reports?.map(({ path, outcome }) => `${path} ${outcome}`),
      ['a.png made', 'b.png made'],
    );
    assert.deepEqual(asked, ['generateImage', 'editImage']);
    const refused = applyAssets(await open(), { ...options, only: ['c.png'] });
    await assert.rejects(refused, { kind: 'invalidInput', message: /gone\.png/ });
  });

  it('sends nothing more once another program has taken the manifest over', async () => {
    await declare({ 'a.png': picture, 'b.png': picture });
    const { key } = await open();
    const holder = { machine: 'another', process: 1, run: 'another', nonce: 'another' };
    const second = await changeMeanwhile(() => writeFile(join(storage, key, 'lease-99'), JSON.stringify(holder)));
    assert.deepEqual([second?.path, second?.outcome], ['b.png', 'left']);
    assert.match(second?.sentence ?? '', /Another program is working/);
    assert.equal(service.paid.length, 1);
  });

  describe('in a folder of the project', () => {
    const assets = {
      'a.png': picture,
      'text.mp3': { ...speaker, input: 'Sentence 1. Sentence 2.' },
      'guide.mp3': { ...speaker, document: 'guide.md' },
    };
    let folder: string;
    let renamed: string;

    beforeEach(async () => {
      folder = join(root, 'site');
      renamed = join(root, 'renamed');
      await mkdir(folder);
      await writeFile(join(folder, 'guide.md'), 'One.\n\nTwo.');
    });

    async function applyIn(where: string, onDone: (count: number) => void = nothing) {
      await using jobs = jobRunnerAt(service.origin, { root, journal: storage }, 1);
      jobs.jobs.onDidChange(() => onDone(jobs.jobs.all.filter(({ state }) => state === 'done').length));
      const project = { root, library: libraryIn(root), store: store() };
      const manifest = await ManifestProject.open(join(where, 'media.jsonc'), project);
      return (await applyAssets(manifest, optionsFor(jobs, false))) ?? [];
    }

    /** Everything is made where the folder is now, and nothing where it was. */
    async function isMadeOnce(name: string, sent: number): Promise<void> {
      assert.equal(existsSync(folder), false);
      assert.equal(service.paid.length, sent);
      await applyIn(renamed);
      const made = (await readdir(renamed)).filter((file) => /png|mp3/.test(file));
      assert.deepEqual(made.sort(), [name, 'later.png'].sort());
      assert.equal(service.paid.length, name === 'a.png' ? 2 : 3);
    }

    for (const [name, asset] of Object.entries(assets)) {
      const declareIt = () =>
        writeFile(join(folder, 'media.jsonc'), JSON.stringify({ assets: { [name]: asset, 'later.png': picture } }));

      it(`makes ${name} where the folder is, though it was renamed while the request was out`, async () => {
        await declareIt();
        const goOn = service.hold();
        const sent = service.next();
        const reports = applyIn(folder);
        await sent;
        await rename(folder, renamed);
        goOn();
        const told = (await reports).map(({ outcome, sentence }) => [
          outcome,
          /site.media\.jsonc is no longer there/.test(sentence),
        ]);
        assert.deepEqual(told, [
          ['failed', true],
          ['left', true],
        ]);
        await isMadeOnce(name, 1);
      });

      it(`makes ${name} where the folder is, though it was renamed just before the file was placed`, async () => {
        await declareIt();
        const requests = name === 'a.png' ? 1 : 2;
        const reports = await applyIn(folder, (count) => {
          if (count === requests && existsSync(folder)) renameSync(folder, renamed);
        });
        assert.deepEqual(
          reports.map(({ outcome }) => outcome),
          ['failed', 'left'],
        );
        await isMadeOnce(name, requests);
      });
    }
  });

  it('places nothing where another branch without the manifest is checked out', async () => {
    await writeFile(join(root, 'call.wav'), wavBytes);
    await declare({ 'call.md': { operation: 'transcribe', model: 'm', file: 'call.wav' } });
    service.answerWith(async (response) => {
      // Git leaves the ignored folder of the variants.
      await rename(join(root, 'media.jsonc'), join(storage, 'media.jsonc'));
      response.end(JSON.stringify({ text: 'Hello.', segments: [{ start: 0, end: 1, text: 'Hello.' }] }));
    });
    assert.equal((await apply())[0]?.outcome, 'failed');
    assert.deepEqual((await readdir(root)).sort(), ['.unified-media', 'call.wav']);
    await rename(join(storage, 'media.jsonc'), join(root, 'media.jsonc'));
    assert.equal((await apply())[0]?.outcome, 'made');
    assert.equal(service.paid.length, 1);
  });

  it('sends nothing more once the lock cannot be written', async () => {
    await declare({ 'a.png': picture, 'b.png': picture });
    const second = await changeMeanwhile(() => writeFile(join(root, 'media.lock.jsonl'), '{"path":\n'));
    assert.deepEqual([second?.path, second?.outcome, service.paid.length], ['b.png', 'left', 1]);
    assert.match(second?.sentence ?? '', /media\.lock\.jsonl/);
  });

  for (const [how, mode, paid] of [
    ['before the first', 0o555, 0],
    // Another user's lock in such a folder cannot be replaced, although files can be created.
    ['after the first', 0o1777, 1],
  ] as const) {
    it(`notices ${how} request that the lock cannot be written, and sends nothing more`, async function () {
      const isRoot = process.geteuid?.() === 0;
      skipUnless(this, process.platform !== 'win32' && (isRoot || paid === 0), 'two users');
      await declare({ 'img/a.png': picture, 'img/b.png': picture, 'img/c.png': picture });
      await writeFile(join(root, 'media.lock.jsonl'), '');
      for (const name of ['img', '.unified-media']) await mkdir(join(root, name));
      if (isRoot)
        for (const path of [storage, join(root, 'img'), join(root, '.unified-media')])
          await chown(path, nobody, nobody);
      await chmod(root, mode);
      if (isRoot) process.seteuid?.(nobody);
      try {
        const reports = await apply();
        assert.deepEqual(
          [reports.filter(({ outcome }) => outcome === 'left').length, service.paid.length],
          [3 - paid, paid],
        );
        assert.match(
          reports[2]?.sentence ?? '',
          paid === 0 ? /^Files cannot be saved in / : /media\.lock\.jsonl could not be written/,
        );
      } finally {
        if (isRoot) process.seteuid?.(0);
        await chmod(root, 0o755);
      }
    });
  }

  it('sends no more than was agreed to, and sees files that are saved meanwhile', async () => {
    const edit = { 'edit.png': { operation: 'editImage', prompt: 'e', model: 'm', images: ['in.png'] } };
    await writeFile(join(root, 'in.png'), pngBytes);
    await declare(edit);
    await apply();
    await declare({ 'a.png': picture, ...edit });
    const change = () => writeFile(join(root, 'in.png'), Buffer.concat([pngBytes, pngBytes]));
    const second = await changeMeanwhile(change);
    assert.deepEqual([second?.path, second?.outcome, service.paid.length], ['edit.png', 'left', 2]);
    assert.match(second?.sentence ?? '', /has changed since you agreed, and would now send more/);
  });

  it('sends nothing that was replaced or corrected while another request was out (promise 35)', async () => {
    const longer = (bytes: Uint8Array) => Buffer.concat([bytes, bytes]);
    await writeFile(join(root, 'in.png'), pngBytes);
    await writeFile(join(root, 'in.wav'), wavBytes);
    await writeFile(join(root, 'guide.md'), 'Old.');
    const edit = { operation: 'editImage', prompt: 'e', model: 'm' };
    const assets = {
      'a.png': picture,
      'b.png': { ...edit, images: ['in.png'] },
      'c.md': { operation: 'transcribe', model: 'm', file: 'in.wav' },
      'd.mp3': { ...speaker, document: 'guide.md' },
      'e.png': { ...picture, prompt: 'wrong' },
      'f.png': { ...edit, images: ['a.png'] },
    };
    await declare(assets);
    const goOn = service.hold();
    const sent = service.next();
    const reports = apply();
    await sent;
    await writeFile(join(root, 'in.png'), longer(pngBytes));
    await writeFile(join(root, 'in.wav'), longer(wavBytes));
    await writeFile(join(root, 'guide.md'), 'New.');
    await declare({ ...assets, 'e.png': { ...picture, prompt: 'right' } });
    goOn();
    const sentence = 'Not sent: it has changed since you agreed. Apply again to be asked about it.';
    assert.deepEqual(
      (await reports).map(({ path, outcome, sentence: said }) => [path, outcome, outcome === 'left' ? said : '']),
      [
        ['a.png', 'made', ''],
        ...['b.png', 'c.md', 'd.mp3', 'e.png'].map((path) => [path, 'left', sentence]),
        ['f.png', 'made', ''],
      ],
    );
    assert.equal(service.paid.length, 2);
  });

  it('names the buttons of the editor there, and the verbs of the command line elsewhere', async () => {
    await apply();
    await writeFile(join(root, 'a.png'), Buffer.concat([pngBytes, pngBytes]));
    await using jobs = jobRunnerAt(service.origin, { root, journal: storage }, 1);
    for (const [inEditor, words] of [
      [true, /^The file was changed after it was made\. Choose “Keep” above its entry/],
      [false, /^The file was changed after it was made\. Run “accept”/],
    ] as const) {
      const [report] = (await applyAssets(await open(), { ...optionsFor(jobs, false), inEditor })) ?? [];
      assert.equal(report?.outcome, 'left');
      assert.match(report.sentence, words);
    }
  });

  it('tells everything that each entry would send when it asks, and asks about nothing else', async () => {
    await writeFile(join(root, 'in.png'), pngBytes);
    await writeFile(join(root, 'call.wav'), wavBytes);
    await writeFile(join(root, 'guide.md'), 'One.\n\n**Two.**');
    const edit = { operation: 'editImage', model: 'm', prompt: 'e', images: ['in.png', 'a.png'] };
    await declare({
      'a.png': picture,
      'b.png': edit,
      'c.md': { operation: 'transcribe', model: 'm', file: 'call.wav' },
      'd.mp3': { ...speaker, document: 'guide.md' },
      'e.png': { from: 'in.png', size: [8, 8] },
    });
    await using jobs = jobRunnerAt(service.origin, { root, journal: storage }, 1);
    let asked: readonly AskedEntry[] = [];
    const confirm: ApplyOptions['confirm'] = async (_, sends) => {
      asked = await sends();
      return false;
    };
    assert.equal(await applyAssets(await open(), { ...optionsFor(jobs, false), confirm }), undefined);
    assert.deepEqual([service.paid.length, asked.map(({ path }) => path)], [0, ['a.png', 'b.png', 'c.md', 'd.mp3']]);
    const shown = asked.map(({ facts }) => facts.map(({ name, value }) => `${name}: ${value}`).join('\n'));
    const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    for (const [index, lines] of [
      [1, ['Prompt: e', `Sends: ${join(root, 'in.png')} (${pngBytes.length} bytes, SHA-256 ${sha256(pngBytes)})`]],
      [1, [`Sends: ${join(root, 'a.png')}`]],
      [2, [`Sends: ${join(root, 'call.wav')} (${wavBytes.length} bytes, SHA-256 ${sha256(wavBytes)})`]],
      [3, [`Document: ${join(root, 'guide.md')}`, 'Text: One. Two.', `Voice: ${speaker.voice}`, 'Audio format: mp3']],
    ] as const) {
      for (const line of lines) assert(shown[index]?.split('\n').includes(line), `${line} in\n${shown[index]}`);
    }
  });

  it('saves the times of a transcript beside it, replaces its own, and keeps those of others (promise 39)', async () => {
    const files = async () => (await readdir(root)).filter((name) => name.startsWith('call')).sort();
    const read = (name: string) => readFile(join(root, name), 'utf8');
    await writeFile(join(root, 'in.wav'), wavBytes);
    const transcribe = (model: string) => declare({ 'call.md': { operation: 'transcribe', model, file: 'in.wav' } });
    await transcribe('m');
    said('One.');
    assert.equal((await apply())[0]?.outcome, 'made');
    assert.deepEqual(await files(), ['call.md', 'call.vtt']);
    await transcribe('m-2');
    said('Two.');
    await apply();
    assert.deepEqual(await files(), ['call.md', 'call.vtt']);
    assert.match(await read('call.vtt'), /Two\./);
    await writeFile(join(root, 'call.vtt'), 'WEBVTT\n\n00:01.000 --> 00:02.000\nMine\n');
    await transcribe('m-3');
    said('Three.');
    await apply();
    assert.deepEqual(await files(), ['call-2.vtt', 'call.md', 'call.vtt']);
    assert.match(await read('call.vtt'), /Mine/);
    const [entry] = (await libraryIn(root).entriesAt(['call.md'])).slice(-1);
    assert.equal(entry?.times?.name, 'call-2.vtt');
    assert.deepEqual(await apply(), [], 'nothing is left to do');
  });

  it('makes the captions of a transcript without a request, and says when they are older than its text', async () => {
    await writeFile(join(root, 'call.md'), '**Ann:** We meet on Tuesday.\n');
    await writeFile(join(root, 'call.vtt'), 'WEBVTT\n\n00:00:00.000 --> 00:00:04.000\n<v Ann>We meet on Monday.\n');
    await declare({ 'out/call.srt': { captions: 'call.md' } });
    assert.equal((await apply())[0]?.outcome, 'made');
    const read = () => readFile(join(root, 'out/call.srt'), 'utf8');
    assert.equal(await read(), '1\n00:00:00,000 --> 00:00:04,000\nAnn: We meet on Tuesday.\n');
    assert.deepEqual(await apply(), []);
    await writeFile(join(root, 'call.md'), '**Ann:** We meet on Friday.\n');
    const { evaluated } = await planAssets(await open(), planning);
    assert.deepEqual(
      evaluated.map(({ state, reasons }) => [state, reasons]),
      [['stale', ['input call.md changed']]],
    );
    await apply();
    assert.match(await read(), /Friday/);
    assert.equal(service.paid.length, 0);
  });

  it('makes a transcript and its captions at once, with the times that came with it', async () => {
    await writeFile(join(root, 'call.wav'), wavBytes);
    said('One.');
    const transcript = { operation: 'transcribe', file: 'call.wav', model: 'm' };
    await declare({ 'call.md': transcript, 'call.srt': { captions: 'call.md' } });
    assert.deepEqual(
      (await apply()).map(({ outcome }) => outcome),
      ['made', 'made'],
    );
    assert.deepEqual(await apply(), [], 'nothing is left to do');
  });

  it('moves a transcript whose key was renamed with its times, and its captions with it', async () => {
    await writeFile(join(root, 'call.wav'), wavBytes);
    said('One.');
    const transcript = { operation: 'transcribe', file: 'call.wav', model: 'm' };
    await declare({ 'call.md': transcript, 'call.srt': { captions: 'call.md' } });
    await apply();
    await declare({ 'talks/one.md': transcript, 'talks/one.srt': { captions: 'talks/one.md' } });
    const { evaluated } = await planAssets(await open(), planning);
    assert.deepEqual(
      evaluated.map(({ state, reasons }) => [state, ...reasons]),
      [
        ['fresh', 'renamed from call.md'],
        ['fresh', 'renamed from call.srt'],
      ],
    );
    await apply();
    assert.deepEqual((await readdir(join(root, 'talks'))).toSorted(), ['one.md', 'one.srt', 'one.vtt']);
    assert.deepEqual(
      (await readdir(root)).filter((name) => /^call\.(md|srt|vtt)$/.test(name)),
      [],
    );
    assert.equal((await libraryIn(root).entriesAt(['talks/one.md'])).at(-1)?.times?.name, 'one.vtt');
    assert.deepEqual(await apply(), [], 'nothing is left to do');
    assert.equal(service.paid.length, 1);
  });

  it('reads a document aloud in the run after the one that makes it, and makes everything else at once', async () => {
    await writeFile(join(root, 'call.wav'), wavBytes);
    const call = { operation: 'transcribe', model: 'm', file: 'call.wav' };
    const entries = { 'call.md': call, 'again.mp3': { ...speaker, document: 'call.md' }, 'a.png': picture };
    await declare({ ...entries, 'long.mp3': { ...speaker, input: 'Some more words.' } });
    const { plan, evaluated } = await planAssets(await open(), planning);
    assert.deepEqual([plan.characters, plan.requests], [15, { transcribe: 1, generateImage: 1, speak: 2 }]);
    assert.deepEqual(evaluated[1]?.reasons, ['call.md is made first; apply again to have it read aloud']);
    const reports = await apply();
    assert.deepEqual(
      reports.map(({ path, outcome, sentence }) => [path, outcome, ...(outcome === 'left' ? [sentence] : [])]),
      [
        ['call.md', 'made'],
        ['again.mp3', 'left', 'call.md is made first; apply again to have it read aloud'],
        ['a.png', 'made'],
        ['long.mp3', 'made'],
      ],
    );
    assert.equal(service.paid.length, 4);
    assert.deepEqual(
      (await apply()).map(({ path, outcome }) => [path, outcome]),
      [['again.mp3', 'made']],
    );
    assert.deepEqual(await apply(), []);
  });

  it('speaks again only the paragraph that a comment gives another voice', async () => {
    await writeFile(join(root, 'guide.md'), 'One.\n\nTwo.');
    await declare({ 'guide.mp3': { ...speaker, document: 'guide.md' } });
    assert.equal((await apply())[0]?.outcome, 'made');
    assert.equal(service.paid.length, 2);
    await writeFile(join(root, 'guide.md'), 'One.\n\nTwo.\n<!-- voice: echo -->');
    const [again] = await apply();
    assert.equal(again?.outcome, 'made', again?.sentence);
    assert.equal(service.paid.length, 3);
    assert.deepEqual(await apply(), []);
  });

  it('does not depend on how long the parts of a document are', async () => {
    await writeFile(join(root, 'guide.md'), 'One of them. Two of them.\n\nThree.');
    await declare({ 'guide.mp3': { ...speaker, document: 'guide.md' } });
    assert.equal((await apply())[0]?.outcome, 'made');
    assert.equal(service.paid.length, 3);
    for (const maxCharacters of [0, 20, 4096]) {
      const { plan } = await planAssets(await open(), { ...planning, speechMaxCharacters: maxCharacters });
      assert.equal(plan.entries[0]?.state, 'fresh', `${maxCharacters}`);
    }
  });

  it('knows the parts that were begun of a text, whatever their length would be by now', async () => {
    await writeFile(join(root, 'guide.md'), 'Three of them. Four of them.');
    await declare({
      'a.mp3': { ...speaker, input: 'One of them. Two of them. Three.' },
      'guide.mp3': { ...speaker, document: 'guide.md' },
    });
    fail();
    await apply();
    for (const maxCharacters of [speechMaxCharacters, 20, 4096]) {
      const { evaluated } = await planAssets(await open(), { ...planning, speechMaxCharacters: maxCharacters });
      const waiting = evaluated.map((found) => found.waiting);
      assert.deepEqual(waiting, ['unknown', 'unknown'], `${maxCharacters}`);
    }
  });

  it('splits a begun text and a begun document anew only for a shorter length that a person has chosen', async () => {
    await writeFile(join(root, 'guide.md'), 'Six is tan. Ten is pink.');
    await declare({
      'a.mp3': { ...speaker, input: 'One is red. Two is blue.' },
      'guide.mp3': { ...speaker, document: 'guide.md' },
    });
    service.answerWith((response, answer, { body }) =>
      /Two|Ten/.test(String(body.input)) ? response.writeHead(400).end('{}') : answer(),
    );
    await apply();
    for (const [splitsAnew, requests] of [
      [false, [1, 1]],
      [true, [4, 4]],
    ] as const) {
      const { evaluated } = await planAssets(await open(), { ...planning, speechMaxCharacters: 7, splitsAnew });
      assert.deepEqual(
        evaluated.map(({ parts }) => parts?.requests),
        requests,
      );
    }
  });

  it('splits a document for another voice as the setting says', async () => {
    await writeFile(join(root, 'guide.md'), 'Six is tan. Ten is pink.');
    await declare({ 'guide.mp3': { ...speaker, document: 'guide.md' } });
    service.answerWith((response, answer, { body }) =>
      /Ten/.test(String(body.input)) ? response.writeHead(400).end('{}') : answer(),
    );
    await apply();
    const longer = { ...planning, speechMaxCharacters: 4096 };
    const requests = async () => (await planAssets(await open(), longer)).evaluated[0]?.parts?.blocks.length;
    assert.equal(await requests(), 2);
    await declare({ 'guide.mp3': { ...speaker, voice: 'echo', document: 'guide.md' } });
    assert.equal(await requests(), 1);
  });

  it('sends no larger document than was agreed to', async () => {
    await writeFile(join(root, 'guide.md'), 'One.');
    await declare({ 'a.png': picture, 'guide.mp3': { ...speaker, document: 'guide.md' } });
    const second = await changeMeanwhile(() => writeFile(join(root, 'guide.md'), 'One.\n\nTwo.'));
    assert.deepEqual([second?.path, second?.outcome, service.paid.length], ['guide.mp3', 'left', 1]);
  });

  it('sends no more requests than it may', async () => {
    await declare({ 'a.png': picture, 'b.png': picture });
    const [first, second] = await apply(false, {}, 1);
    assert.deepEqual([first?.outcome, second?.outcome, service.paid.length], ['made', 'left', 1]);
  });

  it('stops before the request that was not counted, as when a part that was kept is lost (promise 35)', async () => {
    await declare({ 'a.mp3': { ...speaker, input: 'One of them. Two of them.' } });
    service.answerWith((response, answer, { body }) =>
      /Two/.test(String(body.input)) ? response.writeHead(400).end('{}') : answer(),
    );
    assert.equal((await apply())[0]?.outcome, 'failed');
    service.answerWith();
    const [kept] = await store().parts();
    let isLost = false;
    // Called once the plan has counted the part.
    const folderAt = (path: string, folder: string) => {
      if (kept && !isLost) {
        rmSync(join(storage, kept.key), { recursive: true });
        rmSync(join(root, '.unified-media/jobs'), { recursive: true });
      }
      isLost = true;
      return new LocalFolder(path, folder);
    };
    const [report] = await apply(false, { folderAt }, 1);
    assert.deepEqual(
      [report?.outcome, service.prompts()],
      ['left', ['One of them.', 'Two of them.', 'One of them.']],
      report?.sentence,
    );
    assert.match(report?.sentence ?? '', /Not sent: it has changed since you agreed, and would now send more/);
    const { evaluated } = await planAssets(await open(), planning);
    assert.equal(evaluated[0]?.quantities.requests, 1, 'what was paid for now is kept');
  });

  it('speaks no further paragraph once the voice was corrected, and keeps those that are spoken', async () => {
    await writeFile(join(root, 'guide.md'), 'One.\n\nTwo.');
    const entry = { ...speaker, document: 'guide.md' };
    await declare({ 'guide.mp3': entry });
    const goOn = service.hold();
    const sent = service.next();
    const reports = apply();
    await sent;
    await declare({ 'guide.mp3': { ...entry, voice: 'echo' } });
    goOn();
    const [report] = await reports;
    assert.deepEqual([report?.outcome, service.prompts()], ['left', ['One.']]);
    assert.match(report?.sentence ?? '', /Not sent: it has changed since you agreed\. .* already spoken are kept/);
    await declare({ 'guide.mp3': entry });
    assert.equal((await apply())[0]?.outcome, 'made');
    assert.deepEqual(service.prompts(), ['One.', 'Two.']);
  });

  const unknown = {
    picture: { assets: { 'a.png': picture }, requests: 1 },
    'long text': { assets: { 'a.mp3': { ...speaker, input: 'One of them. Two of them.' } }, requests: 2 },
    document: { assets: { 'a.mp3': { ...speaker, document: 'guide.md' } }, requests: 2 },
  };

  for (const [what, { assets, requests }] of Object.entries(unknown)) {
    it(`asks for nothing and sends nothing when the outcome of a ${what} is unknown, until a person says yes`, async () => {
      await writeFile(join(root, 'guide.md'), 'One.\n\nTwo.');
      await declare(assets);
      fail();
      assert.equal((await apply())[0]?.outcome, 'failed');
      service.answerWith();
      const [left] = await apply();
      assert.deepEqual([left?.outcome, left?.isUnknown, service.paid.length, confirmed], ['left', true, 1, 1]);
      if (requests > 1) {
        const [limited] = await apply(true, {}, requests - 1);
        assert.deepEqual([limited?.outcome, service.paid.length], ['left', 1]);
      }
      assert.equal((await apply(true))[0]?.outcome, 'made');
      assert.equal(service.paid.length, 1 + requests);
      assert.deepEqual(await store().parts(), []);
      assert.deepEqual(await notesOf(pathToFileURL(root).href)?.list(), []);
    });
  }

  it('does not ask to send a request with an unknown outcome again after a cancellation', async () => {
    fail();
    await apply();
    await using jobs = jobRunnerAt(service.origin, { root, journal: storage }, 1);
    const stopped = { ...optionsFor(jobs, false), signal: AbortSignal.abort() };
    for (const [options, isUnknown] of [
      [optionsFor(jobs, false), true],
      [stopped, false],
    ] as const) {
      const [report] = (await applyAssets(await open(), options)) ?? [];
      assert.deepEqual([report?.outcome, report?.isUnknown ?? false], ['left', isUnknown]);
    }
  });

  /** Sends a paragraph with an unknown outcome, and then writes another one before it. */
  async function addBeforeUnknown(): Promise<void> {
    await writeFile(join(root, 'guide.md'), 'One.');
    await declare({ 'a.mp3': { ...speaker, document: 'guide.md' } });
    fail();
    await apply();
    service.answerWith();
    await writeFile(join(root, 'guide.md'), 'Zero.\n\nOne.');
  }

  it('sends no paragraph while the outcome of a later one is unknown', async () => {
    await addBeforeUnknown();
    const [report] = await apply();
    assert.deepEqual([report?.outcome, report?.isUnknown, service.paid.length], ['left', true, 1], report?.sentence);
  });

  it('asks about all that it would send, and what that costs, when it sends a paragraph again', async () => {
    await addBeforeUnknown();
    await using jobs = jobRunnerAt(service.origin, { root, journal: storage }, 1);
    const totals: Total[] = [];
    const confirm: ApplyOptions['confirm'] = async (total, sends) => {
      totals.push(total);
      assert.deepEqual(
        (await sends()).map(({ path }) => path),
        ['a.mp3'],
      );
      return false;
    };
    const prices = { currency: 'EUR', models: { m: { request: 2 } } };
    assert.equal(await applyAssets(await open(), { ...optionsFor(jobs, true), prices, confirm }), undefined);
    const [total] = totals;
    assert.deepEqual([total?.requests, total?.characters, total?.cost?.amount, service.paid.length], [2, 9, 4, 1]);
  });

  it('sends no request whose unknown outcome another program gives up meanwhile, since nobody agreed to it', async () => {
    fail();
    await apply();
    service.answerWith();
    const { key } = await planned();
    const folderAt = (path: string, folder: string) => {
      rmSync(join(storage, key), { recursive: true, force: true });
      rmSync(join(root, '.unified-media/jobs', key), { force: true });
      return new LocalFolder(path, folder);
    };
    const [report] = await apply(false, { folderAt });
    assert.deepEqual([report?.outcome, report?.isUnknown, service.paid.length], ['left', true, 1]);
  });

  it('leaves a request that another program has out, and asks for nothing', async () => {
    const { key } = await planned();
    await using work = await store().open(key);
    const id = crypto.randomUUID();
    await work?.sending({ ...imageJob(root), id, key, createdAt: new Date().toISOString() });
    const [report] = await apply(true);
    assert.equal(report?.outcome, 'left');
    assert.match(report.sentence, /Another program is working/);
    assert.deepEqual([service.paid.length, confirmed], [0, 0]);
  });

  it('leaves a request that another computer notes just before it is sent', async () => {
    const { key } = await planned();
    const folderAt = (path: string, folder: string) => {
      mkdirSync(join(root, '.unified-media/jobs'), { recursive: true });
      writeFileSync(join(root, '.unified-media/jobs', key), '{}\n');
      return new LocalFolder(path, folder);
    };
    const [report] = await apply(false, { folderAt });
    assert.deepEqual([report?.outcome, report?.isUnknown], ['left', true]);
    assert.equal(service.paid.length, 0);
  });

  it('tries again to save an answer, without a question', async () => {
    answerWithLink();
    assert.equal((await apply())[0]?.outcome, 'failed');
    service.downloadWith();
    const [report] = await apply();
    assert.deepEqual([report?.outcome, service.paid.length, confirmed], ['made', 1, 1]);
  });

  it('saves an answer that waits, without a question', async () => {
    service.answerWith((response) => response.end(`{"data":[{"url":"${service.origin}/a.png"}]}`));
    const aborting = new AbortController();
    service.downloadWith(() => aborting.abort());
    {
      await using jobs = jobRunnerAt(service.origin, { root, journal: storage }, 1);
      await applyAssets(await open(), { ...optionsFor(jobs, false), signal: aborting.signal });
    }
    service.downloadWith();
    const [report] = await apply();
    assert.deepEqual([report?.outcome, service.paid.length, confirmed], ['made', 1, 1]);
  });

  it('gives up an answer that cannot be used only with a yes, and pays again only in the next run', async () => {
    answerWithLink();
    await apply();
    const { key } = await planned();
    const [kept] = await apply();
    assert.match(kept?.sentence ?? '', /The answer is kept.*apply --again/);
    assert((await readdir(storage)).includes(key));
    const [given] = await apply(true);
    assert.equal(given?.outcome, 'failed');
    assert.match(given.sentence, /cannot be used\. Apply again to send the request once more/);
    assert.equal(service.paid.length, 1);
    service.answerWith();
    assert.equal((await apply())[0]?.outcome, 'made');
    assert.equal(service.paid.length, 2);
  });

  it('gives up no answer because its folder cannot be written, however often it is tried with a yes', async () => {
    answerWithLink();
    await apply();
    await writeFile(join(root, 'file'), '');
    const folderAt = () => new LocalFolder(join(root, 'file', 'folder'), root);
    for (const _ of [1, 2]) assert.equal((await apply(true, { folderAt }))[0]?.error?.kind, 'save');
    service.downloadWith();
    assert.equal((await apply())[0]?.outcome, 'made');
    assert.equal(service.paid.length, 1);
  });

  describe('after a request that says something about its host', () => {
    const others = { 'b.png': { ...picture, prompt: 'b' }, 'kept.png': { ...picture, prompt: 'kept' } };

    /** Pays for an answer whose result is not saved yet. */
    async function leaveAnswer(): Promise<void> {
      await declare({ 'kept.png': others['kept.png'] });
      answerWithLink();
      await apply();
      await apply();
      service.downloadWith();
      service.answerWith();
      await declare({ 'a.png': picture, ...others });
    }

    it('sends no other one to a host that cannot be reached, but saves a kept answer', async () => {
      await leaveAnswer();
      let attempts = 0;
      const onSleep = () => void attempts++;
      await using jobs = jobRunnerAt('http://127.0.0.1:1', { root, journal: storage, onSleep }, 1);
      const reports = (await applyAssets(await open(), optionsFor(jobs, false))) ?? [];
      assert.deepEqual(
        reports.map(({ outcome }) => outcome),
        ['failed', 'left', 'made'],
      );
      assert.match(reports[1]?.sentence ?? '', /^Cannot reach 127\.0\.0\.1:1: .*Nothing was sent\.$/);
      assert.equal(attempts, 4);
    });

    it('sends no other one with a wrong key, but saves a kept answer', async () => {
      await leaveAnswer();
      service.answerWith((response) => response.writeHead(401).end('{}'));
      const reports = await apply();
      assert.deepEqual(
        reports.map(({ outcome }) => outcome),
        ['failed', 'left', 'made'],
      );
      assert.equal(service.paid.length, 2);
    });

    it('sends no other one to a service that stays busy, whichever way it says so', async () => {
      await declare({ 'a.png': picture, 'b.png': others['b.png'] });
      for (const [status, body] of [
        [429, '{}'],
        [200, '{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}'],
      ] as const) {
        service.answerWith((response) => response.writeHead(status).end(body));
        const before = service.paid.length;
        const reports = await apply();
        assert.deepEqual(
          reports.map(({ outcome }) => outcome),
          ['failed', 'left'],
        );
        assert.match(reports[1]?.sentence ?? '', /^The service is busy/);
        // The first and its four repetitions.
        assert.equal(service.paid.length - before, 5);
      }
      service.answerWith();
      assert.deepEqual(
        (await apply()).map(({ outcome }) => outcome),
        ['made', 'made'],
      );
    });

    it('tells the others nothing of the parts of a text', async () => {
      await declare({
        'a.mp3': { ...speaker, input: 'One two. Three four.' },
        'b.mp3': { ...speaker, input: 'Five.' },
      });
      service.answerWith((response, answer) =>
        service.paid.length === 1 ? answer() : response.writeHead(401).end('{}'),
      );
      const [failed, left] = await apply();
      assert.match(failed?.sentence ?? '', /^One part failed: The service did not accept .* already spoken are kept/);
      assert.equal(left?.outcome, 'left');
      assert.match(left.sentence, /^The service did not accept the API key\. [^.]*\.$/);
    });

    it('sends the others when only the connection of one was cut', async () => {
      await declare({ 'a.png': picture, 'b.png': others['b.png'] });
      service.answerWith((response, answer) => (service.paid.length === 1 ? response.destroy() : answer()));
      const reports = await apply();
      assert.deepEqual(
        reports.map(({ outcome }) => outcome),
        ['failed', 'made'],
      );
    });
  });

  it('sends nothing in place of an answer that another program has saved or given up meanwhile', async () => {
    answerWithLink();
    await apply();
    const { found, key } = await planned();
    await using jobs = jobRunnerAt(service.origin, { root, journal: storage }, 1);
    const project = await open();
    await jobs.runner.giveUp(key, { ...imageJob(root).place, root: project.rootUri });
    service.answerWith();
    for (const waiting of ['answered', 'unusable'] as const) {
      const making = new AssetMaker(project, optionsFor(jobs, true)).make({ ...found, waiting });
      await assert.rejects(making, { message: /Another program is working/ });
    }
    assert.equal(service.paid.length, 1);
  });
});
