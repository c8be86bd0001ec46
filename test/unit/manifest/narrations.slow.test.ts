import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { hashOf } from '../../../src/files/sha256.ts';
import { Library } from '../../../src/library/Library.ts';
import { lockNarration } from '../../../src/manifest/acceptAssets.ts';
import { applyAssets } from '../../../src/manifest/applyAssets.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { exitCodeOf, planAssets } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';
import { jobRunnerAt } from '../../support/jobRunner.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { narrateDocument } from '../../support/narrateDocument.ts';
import { soundOf } from '../../support/narrations.ts';

const nothing = () => undefined;
const ten = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'].map((word) => `${word}.`);
const entry = { operation: 'speak', document: 'docs/guide.md', model: 'm', voice: 'nova' };

describe('narrations of the editor and of media.jsonc', () => {
  let service: MediaService;
  let root: string;
  let storage: string;

  beforeEach(async () => {
    service = await startMediaService();
    service.answerWith((response, _, { body }) => response.end(soundOf('mp3', String(body.input))));
    root = await mkdtemp(join(tmpdir(), 'both-'));
    storage = await mkdtemp(join(tmpdir(), 'both-store-'));
    await mkdir(join(root, 'docs'));
    await declare({ 'media/guide.mp3': entry });
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });

  const declare = (assets: object) => writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets }));
  const write = (texts: readonly string[]) => writeFile(join(root, 'docs/guide.md'), texts.join('\n\n'));
  const file = (name: string) => readFile(join(root, 'media', name), 'utf8');
  const names = async () => (await readdir(join(root, 'media'))).sort();
  const library = () => new Library(new LocalFolder(join(root, '.unified-media'), root));
  const open = () =>
    ManifestProject.open(join(root, 'media.jsonc'), {
      root,
      library: library(),
      store: new Store(join(storage, 'work')),
    });
  const planning = { sandbox: false, speechMaxCharacters: 4096 };

  /** Returns the texts that a piece of work has paid for. */
  async function paidFor(work: () => Promise<unknown>): Promise<readonly unknown[]> {
    const before = service.paid.length;
    await work();
    return service.paid.slice(before).map(({ body }) => body.input);
  }

  const narrate = (texts: readonly string[]) =>
    paidFor(() => narrateDocument({ host: service.origin, root, storage, texts }));

  const apply = () =>
    paidFor(async () => {
      await using jobs = jobRunnerAt(service.origin, { root, journal: join(storage, 'work') }, 1);
      const reports = await applyAssets(await open(), {
        ...planning,
        again: false,
        runner: jobs.runner,
        limits: { speechMaxCharacters: 4096, soundOnly: true, maxBytes: 0 },
        signal: new AbortController().signal,
        checkReady: async () => undefined,
        confirm: async () => true,
        onProgress: nothing,
        onNotice: nothing,
        onReport: nothing,
      });
      assert.deepEqual(
        reports?.filter(({ outcome }) => outcome !== 'made'),
        [],
      );
    });

  /** Fails unless check, which sees no library, finds everything fresh. */
  async function checkFresh(): Promise<void> {
    const planned = await planAssets(await open(), planning);
    assert.equal(exitCodeOf('check', planned, 'media.jsonc'), 0, JSON.stringify(planned.plan.entries));
  }

  /** Fails unless the library knows the file by one record, with its paragraphs and subtitles. */
  async function checkRecord(texts: readonly string[], subtitles = 'guide.vtt'): Promise<void> {
    const [record, ...others] = await library().entries();
    assert.deepEqual(others, []);
    assert.equal(record?.file, 'media/guide.mp3');
    assert.equal(record.sha256, hashOf(await readFile(join(root, 'media/guide.mp3'))));
    assert.equal(record.blocks?.length, texts.length);
    const { document, transcript } = record.narration ?? {};
    assert.deepEqual([document, transcript?.name], ['docs/guide.md', subtitles]);
    const cues = await file(subtitles);
    assert.equal(transcript?.sha256, hashOf(cues));
    assert.deepEqual(cues.match(/^.*\.$/gm), texts);
  }

  it('are up to date by the other way, and pay for changed paragraphs only', async () => {
    await write(ten);
    assert.deepEqual(await narrate(ten), ten);
    assert.deepEqual(await apply(), []);
    await checkFresh();
    const second = ten.with(2, 'Third.').with(5, 'Sixth.');
    await write(second);
    assert.deepEqual(await apply(), ['Third.', 'Sixth.']);
    await checkFresh();
    await checkRecord(second);
    assert.deepEqual(await narrate(second), []);
    const third = second.with(0, 'First.').with(9, 'Tenth.');
    await write(third);
    assert.deepEqual(await narrate(third), ['First.', 'Tenth.']);
    assert.equal(await lockNarration(await open(), 'media/guide.mp3', planning), true);
    await checkFresh();
    assert.deepEqual(await apply(), []);
    await checkRecord(third);
    assert.deepEqual(await names(), ['guide.mp3', 'guide.vtt']);
  });

  it('are continued where the other way began, also without a line in the lock, and a copy is kept', async () => {
    await write(ten);
    await narrate(ten);
    const transcript = { operation: 'transcribe', file: 'media/guide.mp3', model: 'm' };
    await declare({ 'media/guide.mp3': entry, 'docs/said.md': transcript });
    const { evaluated } = await planAssets(await open(), { ...planning, seesWork: true });
    assert.deepEqual(evaluated[1]?.pending, [], 'it need not be made first');
    await declare({ 'media/guide.mp3': entry });
    // As earlier versions recorded what they made for media.jsonc.
    const facts = { kind: 'speech', operation: 'speak', model: 'm', jobId: 'earlier' } as const;
    await library().append({ ...facts, file: 'media/guide.mp3', createdAt: '2026-01-01T00:00:00.000Z' });
    const before = await readFile(join(root, 'media/guide.mp3'));
    const second = ten.with(2, 'Third.');
    await write(second);
    assert.deepEqual(await apply(), ['Third.']);
    await checkRecord(second);
    const kept = join(root, '.unified-media/variants/kept');
    const [name = ''] = (await readdir(kept)).filter((one) => one.endsWith('.mp3'));
    assert.deepEqual(await readFile(join(kept, name)), before);
    await write(ten);
    assert.deepEqual(await apply(), []);
    await checkFresh();
  });

  it('begin with media.jsonc, whose subtitles a person may change (promise 39)', async () => {
    await write(ten);
    assert.deepEqual(await apply(), ten);
    await checkRecord(ten);
    assert.deepEqual(await narrate(ten), []);
    const own = 'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nMy words.\n';
    await writeFile(join(root, 'media/guide.vtt'), own);
    const second = ten.with(2, 'Third.');
    await write(second);
    assert.deepEqual(await apply(), ['Third.']);
    assert.equal(await file('guide.vtt'), own);
    await checkRecord(second, 'guide-2.vtt');
    await checkFresh();
  });

  it('leave the path of their subtitles to an entry that makes it', async () => {
    await write(ten);
    const transcript = { operation: 'transcribe', file: 'media/guide.mp3', model: 'm' };
    await declare({ 'media/guide.mp3': entry, 'media/guide.vtt': transcript });
    service.answerWith((response, _, { body }) =>
      body.input === undefined
        ? response.end(JSON.stringify({ text: 'a', segments: [{ start: 0, end: 1, text: 'a' }] }))
        : response.end(soundOf('mp3', String(body.input))),
    );
    await apply();
    await checkFresh();
    assert.deepEqual(await names(), ['guide-narration.vtt', 'guide.mp3', 'guide.vtt']);
  });
});
