import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inOnePiece } from '../../../src/library/saveMedia.ts';
import type { JobError, JobFacts, PlaceReference } from '../../../src/work/Job.ts';
import { notesOf } from '../../../src/work/Notes.ts';
import { Store } from '../../../src/work/Store.ts';
import { openWhole, removePartsFor, wholeSaved } from '../../../src/work/savedWhole.ts';
import { sweep } from '../../../src/work/sweep.ts';
import { journalFileName, type Work } from '../../../src/work/Work.ts';
import { imageJob, jobsIn } from '../../support/jobRunner.ts';
import { mountDisk } from '../../support/mountDisk.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const longAgo = new Date(Date.now() - 60 * 60 * 1000);
const none = () => false;

describe('Store (promise 37)', () => {
  let folder: string;
  let store: Store;
  /** Number of jobs so far. Each was started a second after the previous one. */
  let count: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'journal-'));
    store = new Store(folder);
    count = 0;
  });

  afterEach(() => rm(folder, { recursive: true }));

  function jobIn(root: string, place: Partial<PlaceReference> = {}, facts: Partial<JobFacts> = {}): JobFacts {
    const createdAt = new Date(Date.UTC(2026, 0, 1, 0, 0, count++)).toISOString();
    const job = imageJob('/');
    const id = crypto.randomUUID();
    return { ...job, place: { ...job.place, root, ...place }, id, key: id, createdAt, ...facts };
  }

  async function opened({ key }: JobFacts): Promise<Work> {
    const work = await store.open(key);
    assert(work);
    return work;
  }

  /** A job whose process has ended; `work` writes its store. */
  async function abandon(job: JobFacts, work: (log: Work) => Promise<void> = async () => undefined): Promise<string> {
    const log = await opened(job);
    await log.sending(job);
    await work(log);
    await log.release();
    return job.id;
  }

  function answered(log: Work): Promise<void> {
    const facts = { status: 200, contentType: '', requestId: undefined, retryAfter: undefined };
    return log.answered({ ...facts, source: { base: 'https://a.example' }, body: Buffer.from('{}') });
  }

  async function makeOld(time = longAgo): Promise<void> {
    for (const job of await jobsIn(folder)) {
      for (const name of ['', ...(await readdir(job))]) await utimes(join(job, name), time, time);
    }
  }

  async function abandoned(...roots: readonly string[]): Promise<readonly string[]> {
    return (await store.abandoned(roots, none)).map(({ id }) => id);
  }

  it("returns the abandoned jobs of the window's folders and those without a folder, oldest first", async () => {
    const mine = [];
    for (let number = 0; number < 5; number++) mine.push(await abandon(jobIn('file:///mine')));
    const chosen = await abandon(jobIn('file:///chosen', { isChosen: true }));
    const other = await abandon(jobIn('file:///other'));
    assert.deepEqual(await abandoned('file:///mine'), [...mine, chosen]);
    assert.deepEqual(await abandoned('file:///other'), [chosen, other]);
    assert.deepEqual(await abandoned('file:///mine', 'file:///other'), [...mine, chosen, other]);
  });

  it('lets other work run while it reads many works', async () => {
    const job = jobIn('file:///mine');
    const request = { ...job.request, prompt: 'a fox '.repeat(20_000) };
    await abandon({ ...job, request } as JobFacts, (log) => log.ended('unknown', undefined, false));
    const journal = readFileSync(join(store.folderOf(job.key), journalFileName));
    const keys = Array.from({ length: 100 }, () => crypto.randomUUID());
    for (const key of keys) {
      mkdirSync(store.folderOf(key));
      writeFileSync(join(store.folderOf(key), journalFileName), journal);
    }
    const listing = store.list();
    await listing.worksOf(job.key);
    let [turns, isOver] = [0, false];
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const states = await store.statesOf(keys, { root: 'file:///mine' }, { listing });
    isOver = true;
    assert.equal(states.size, keys.length);
    assert(turns > 1, `${turns} turns`);
  });

  it('does not return a job that another process runs', async () => {
    const job = jobIn('file:///mine');
    const log = await opened(job);
    await log.sending(job);
    assert.deepEqual(await abandoned('file:///mine'), []);
    await log.release();
    assert.deepEqual(await abandoned('file:///mine'), [job.id]);
  });

  it('returns, from other folders, only long-waiting answers that can be saved from here', async () => {
    const root = await mkdtemp(join(tmpdir(), 'journal-root-'));
    const waits = await abandon(jobIn(pathToFileURL(root).href), answered);
    // It may be on a drive that will be mounted again.
    await abandon(jobIn('file:///not/there'), answered);
    await abandon(jobIn('vscode-remote://host/other'), answered);
    await abandon(jobIn('file:///other'));
    await abandon(jobIn(pathToFileURL(root).href));
    await abandon(jobIn(pathToFileURL(root).href), async (log) => {
      await answered(log);
      await log.ended('failed', undefined, true);
    });
    assert.deepEqual(await abandoned('file:///mine'), []);
    await makeOld();
    assert.deepEqual(await abandoned('file:///mine'), [waits]);
    await rm(root, { recursive: true });
  });

  it('does not return a part that waits for its whole', async () => {
    const whole = { key: 'whole', request: imageJob('/').request, place: imageJob('/').place };
    await abandon(jobIn('file:///mine', {}, { whole }), (log) => log.finishPart());
    assert.deepEqual(await abandoned('file:///mine'), []);
  });

  it('returns the other jobs when one cannot be read, and names its journal until it can be', async () => {
    const damaged = await abandon(jobIn('file:///mine'));
    const whole = await abandon(jobIn('file:///mine'));
    const journal = join(store.folderOf(damaged), 'journal.jsonl');
    await rename(journal, `${journal}.old`);
    await mkdir(journal);
    assert.deepEqual(await abandoned('file:///mine'), [whole]);
    assert.equal(await store.stateOf(damaged, { root: 'file:///mine' }), 'unknown');
    assert.deepEqual([...store.unreadable.keys()], [journal]);
    assert.match(store.unreadable.get(journal) ?? '', /EISDIR/);
    await rm(journal, { recursive: true });
    await rename(`${journal}.old`, journal);
    assert.deepEqual(await abandoned('file:///mine'), [damaged, whole]);
    assert.deepEqual([...store.unreadable], []);
  });

  describe('of a journal of another shape', () => {
    const error = { kind: 'network', message: 'a' };
    const lines: Readonly<Record<string, (job: JobFacts) => object>> = {
      'without a place': ({ place: _, ...job }) => ({ event: 'sending', job }),
      'with another place': (job) => ({ event: 'sending', job: { ...job, place: { at: 'file:///mine' } } }),
      'of an operation that we do not know': (job) => ({ event: 'sending', job: { ...job, operation: 'compose' } }),
      'with another whole': (job) => ({ event: 'sending', job: { ...job, whole: { key: 'a' } } }),
      'with an answer without a file': () => ({ event: 'answered', answer: { source: { base: '' } } }),
      'with an answer of nobody': () => ({ event: 'answered', answer: {}, file: 'answer-1', bytes: 2 }),
      'with another state': () => ({ event: 'ended', state: 'lost', hasAnswer: false, error }),
      'with another error': () => ({ event: 'ended', state: 'failed', hasAnswer: false, error: 'No' }),
      'with a result that was not saved': () => ({ event: 'saved', index: 0 }),
    };
    for (const [what, lineOf] of Object.entries(lines)) {
      it(`knows that nobody knows what came of it (${what})`, async () => {
        const job = jobIn('file:///mine', {}, { whole: { key: 'whole', ...imageJob('/mine') } });
        await abandon(job);
        const line = lineOf(job);
        const text = `${JSON.stringify(line)}\n`;
        const journal = join(store.folderOf(job.key), 'journal.jsonl');
        await writeFile(journal, text, { flag: 'event' in line && line.event === 'sending' ? 'w' : 'a' });
        const other = await abandon(jobIn('file:///mine', {}, { whole: { key: 'whole', ...imageJob('/mine') } }));
        assert.deepEqual(
          (await store.parts()).map(({ id }) => id),
          [other],
        );
        assert.equal(await store.stateOf(job.key, { root: 'file:///mine' }), 'unknown');
        assert.deepEqual([...store.unreadable.keys()], [journal]);
      });
    }

    it('reads on past an event that it does not know', async () => {
      const job = jobIn('file:///mine');
      await abandon(job, answered);
      await writeFile(join(store.folderOf(job.key), 'journal.jsonl'), '{"event":"reviewed"}\n', { flag: 'a' });
      assert.equal(await store.stateOf(job.key, { root: 'file:///mine' }), 'answered');
    });

    it('opens a whole whose note of what was saved cannot be understood', async () => {
      const whole = { key: 'a'.repeat(64), ...imageJob('/mine') };
      await abandon(jobIn('file:///mine', {}, { whole }), (log) => log.finishPart());
      await mkdir(store.folderOf(whole.key));
      await writeFile(join(store.folderOf(whole.key), 'saved.json'), '{}');
      await using held = await openWhole(store, whole.key, whole.place);
      assert(held);
      assert.equal((await store.parts()).length, 1);
    });
  });

  it('keeps an answer whose journal was emptied, since nobody knows what it is of', async () => {
    const job = jobIn('file:///mine');
    await abandon(job, answered);
    await writeFile(join(store.folderOf(job.key), 'journal.jsonl'), '');
    await makeOld();
    await sweep(store, []);
    assert.equal(await store.stateOf(job.key, { root: 'file:///mine' }), 'unknown');
  });

  it('returns the parts of longer texts and recordings, by the folder of the whole, and no other work', async () => {
    const place = imageJob('/mine').place;
    const whole = { key: 'whole', request: imageJob('/mine').request, place };
    const part = jobIn(place.root, {}, { whole });
    await abandon(part);
    await abandon(jobIn(place.root));
    assert.deepEqual(
      (await store.parts()).map(({ id }) => id),
      [part.id],
    );
    assert((await abandoned(place.root)).includes(part.id));
    assert.deepEqual(await abandoned('file:///other'), []);
  });

  describe('with folders on disk', () => {
    let home: string;
    let root: string;

    beforeEach(async () => {
      home = await mkdtemp(join(tmpdir(), 'store-home-'));
      root = join(home, 'site (old)');
      await mkdir(root);
    });

    afterEach(() => rm(home, { recursive: true }));

    /** A work that was sent, with its note beside the project. */
    async function sent(facts: Partial<JobFacts> = {}): Promise<JobFacts> {
      const job = jobIn(pathToFileURL(root).href, {}, facts);
      await abandon(job);
      await notesOf(job.place.root)?.put(job);
      return job;
    }

    it('finds works of a folder that is reached through a link, and the other way round', async () => {
      const link = join(home, 'link');
      // A junction needs no permission on Windows.
      await symlink(root, link, 'junction');
      const one = await sent();
      const other = jobIn(pathToFileURL(link).href);
      await abandon(other);
      for (const path of [root, link]) {
        const uri = pathToFileURL(path).href;
        assert.deepEqual((await abandoned(uri)).toSorted(), [one.id, other.id].sort());
      }
    });

    for (const exists of [true, false]) {
      it(`finds works of a folder, however its URI is encoded (the folder ${exists ? 'exists' : 'is gone'})`, async () => {
        const { id } = await sent();
        if (!exists) await rm(root, { recursive: true });
        const uri = pathToFileURL(root).href;
        const encoded = uri.replace(/[^/]+$/, 'site%20%28old%29');
        const plain = uri.replace(/[^/]+$/, 'site%20(old)');
        assert.notEqual(encoded, plain);
        for (const spelling of [encoded, plain]) assert.deepEqual(await abandoned(spelling), [id]);
      });
    }

    it('finds works of a folder that is not on this disk, however its URI is encoded', async () => {
      const id = await abandon(jobIn('vscode-remote://ssh-remote%2Bhost/a/site%20%28old%29'));
      assert.deepEqual(await abandoned('vscode-remote://ssh-remote%2Bhost/a/site%20(old)'), [id]);
    });

    it('finds works of a renamed folder by its notes, for the new name', async () => {
      const whole = { key: 'whole', request: imageJob(root).request, place: imageJob(root).place };
      const { id, key } = await sent({ whole });
      const renamed = join(home, 'renamed');
      await rename(root, renamed);
      const uri = pathToFileURL(renamed).href;
      const [found, ...others] = await store.abandoned([uri], none);
      assert.deepEqual(others, []);
      assert.deepEqual([found?.id, found?.place.root, found?.whole?.place.root], [id, uri, uri]);
      assert.equal(await store.stateOf(key, { root: uri }), 'unknown');
    });

    it('leaves the works of a folder to it when a copy of the folder has their notes', async () => {
      const { id } = await sent();
      const copy = join(home, 'copy');
      await cp(root, copy, { recursive: true });
      assert.deepEqual(await abandoned(pathToFileURL(copy).href), []);
      const [found] = await store.abandoned([pathToFileURL(root).href, pathToFileURL(copy).href], none);
      assert.deepEqual([found?.id, found?.place.root], [id, pathToFileURL(root).href]);
    });

    it('takes no note for more than its work here says', async () => {
      const job = await sent();
      const log = await opened(job);
      await answered(log);
      await log.release();
      assert.equal(await store.stateOf(job.key, job.place), 'answered');
    });

    it('does not take a request for unknown that another process finishes at the same moment', async () => {
      const { key, place } = await sent();
      function* meanwhile() {
        rmSync(join(root, '.unified-media'), { recursive: true });
        rmSync(join(folder, key), { recursive: true });
        yield key;
      }
      assert.deepEqual([...(await store.statesOf(meanwhile(), place))], []);
    });

    it('keeps notes out of git while there is one (notesOf)', async () => {
      const one = await sent();
      const other = await sent();
      const notes = join(root, '.unified-media/jobs');
      await notesOf(one.place.root)?.remove(one.key);
      assert.deepEqual((await readdir(notes)).sort(), ['.gitignore', other.key]);
      await notesOf(one.place.root)?.remove(other.key);
      assert.deepEqual(await readdir(root), []);
    });

    it('takes a note without a work for a request that another computer has sent', async () => {
      const { key } = await sent();
      const other = new Store(join(home, 'other'));
      const uri = pathToFileURL(root).href;
      assert.equal(await other.stateOf(key, { root: uri }), 'unknown');
      assert.equal(await other.stateOf(crypto.randomUUID(), { root: uri }), 'none');
      assert.equal(await other.stateOf(key, { root: pathToFileURL(home).href }), 'none');
      assert.deepEqual(await other.abandoned([uri], none), []);
    });
  });

  describe('notes that parts of a whole were sent (promise 34)', () => {
    const note = 'c'.repeat(32);
    let home: string;
    let place: PlaceReference;

    beforeEach(async () => {
      home = await mkdtemp(join(tmpdir(), 'store-home-'));
      ({ place } = imageJob(home));
    });

    afterEach(() => rm(home, { recursive: true }));

    const part = () => {
      const key = crypto.randomUUID().replaceAll('-', '').repeat(2);
      return jobIn(place.root, place, { key, whole: { key: 'w', request: imageJob(home).request, place, note } });
    };
    const refused = { kind: 'badRequest', message: 'No', mayBeBilled: false } as const;
    const stateIn = (state: string) => new Store(state).stateOf(note, place);
    const notes = async () => (await notesOf(place.root)?.list())?.toSorted();

    it('so that another computer asks, whatever its parts are, and this one knows better', async () => {
      const job = part();
      await abandon(job);
      assert.equal(await store.note(job), true);
      assert.deepEqual(await notes(), [note, job.key].toSorted());
      assert.deepEqual([await stateIn(folder), await stateIn(join(home, 'elsewhere'))], ['none', 'unknown']);
    });

    it('until the whole is saved', async () => {
      const job = part();
      await abandon(job, (log) => log.finishPart());
      await store.note(job);
      const held = await openWhole(store, 'w', place);
      assert(held && job.whole);
      await wholeSaved(store, held, job.whole, [job.key]);
      assert.deepEqual(await notes(), []);
    });

    it('until the last part was refused for certain', async () => {
      const [first, second] = [part(), part()];
      for (const job of [first, second]) {
        await abandon(job, (log) => log.ended('failed', refused, false));
        await store.note(job);
        await store.withdraw(job.key, place, job.id);
      }
      const sent = part();
      await abandon(sent, (log) => log.finishPart());
      await store.forgetWhole(first);
      assert.deepEqual(await notes(), [note]);
      await store.removePart(sent.key, place);
      await store.forgetWhole(second);
      assert.deepEqual(await notes(), []);
    });

    it('and keeps the note of another computer when a part is refused here', async () => {
      await notesOf(place.root)?.put({ key: note, id: crypto.randomUUID() });
      const job = part();
      await abandon(job, (log) => log.ended('failed', refused, false));
      await store.note(job);
      await store.withdraw(job.key, place, job.id);
      await store.forgetWhole(job);
      assert.deepEqual([await notes(), await stateIn(folder)], [[note], 'unknown']);
    });
  });

  describe('removes', () => {
    let home: string;
    let place: PlaceReference;

    beforeEach(async () => {
      home = await mkdtemp(join(tmpdir(), 'store-home-'));
      place = { ...imageJob(home).place, path: 'site/media' };
    });

    afterEach(() => rm(home, { recursive: true }));

    const wholeIn = (key: string) => ({ key, request: imageJob(home).request, place });

    it('what is left of a job that was saved, and its note', async () => {
      const job = jobIn(place.root, place);
      await abandon(job, (log) => log.ended('done', undefined, false));
      await notesOf(place.root)?.put(job);
      await sweep(store, []);
      assert.deepEqual([await jobsIn(folder), await readdir(home)], [[], []]);
    });

    for (const what of ['a work', 'a part of a whole'] as const) {
      it(`${what} that was saved before its folder was renamed only where its note is known`, async () => {
        const root = join(home, 'site');
        const before = { ...place, root: pathToFileURL(root).href, path: '' };
        const whole = { ...wholeIn('a'.repeat(64)), place: before };
        const createdAt = new Date().toISOString();
        const job = jobIn(before.root, before, { createdAt, ...(what === 'a work' ? {} : { whole }) });
        await mkdir(root);
        await abandon(job, (log) => log.ended('done', undefined, false));
        await notesOf(before.root)?.put(job);
        const held = await openWhole(store, whole.key, before);
        await held?.noteSaved(whole);
        await held?.release();
        const renamed = join(home, 'renamed');
        await rename(root, renamed);
        await makeOld();
        await sweep(store, []);
        assert.deepEqual(await notesOf(pathToFileURL(renamed).href)?.list(), [job.key]);
        assert.equal((await store.read(job.key))?.id, job.id);
        await makeOld();
        await sweep(store, [pathToFileURL(renamed).href]);
        assert.deepEqual([await jobsIn(folder), await readdir(renamed)], [[], []]);
      });
    }

    it('a work whose removal was cut short, though its folder was renamed since', async () => {
      const root = pathToFileURL(join(home, 'gone')).href;
      const job = jobIn(root, { root }, { createdAt: new Date().toISOString() });
      const log = await opened(job);
      await log.sending(job);
      await log.ended('done', undefined, false);
      const withdraw = store.withdraw.bind(store);
      // Killed while the notes are removed.
      store.withdraw = () => Promise.reject(new Error('killed'));
      await assert.rejects(store.remove(log, job));
      store.withdraw = withdraw;
      await log.release();
      await sweep(store, []);
      assert.deepEqual(await jobsIn(folder), []);
    });

    it('the note of a root below, which it was before “git init” in a folder above', async () => {
      const name = 'my site #1';
      const below = pathToFileURL(join(home, name)).href;
      await mkdir(join(home, name));
      place = { ...place, path: `${name}/media` };
      const job = jobIn(place.root, place);
      await notesOf(below)?.put(job);
      await store.withdraw(job.key, place, 'another');
      assert.deepEqual(await notesOf(below)?.list(), [job.key], 'it is the note of another work');
      await store.withdraw(job.key, place, job.id);
      assert.deepEqual(await readdir(join(home, name)), []);
    });

    for (const next of ['sweep', 'openWhole'] as const) {
      it(`the parts of a saved whole, and no others, after a crash in between (${next})`, async () => {
        const [own, other] = [wholeIn('a'.repeat(64)), wholeIn('b'.repeat(64))];
        const finish = async (log: Work) => {
          await log.keepPart('mp3', inOnePiece(Buffer.from('sound')));
          await log.finishPart();
        };
        await abandon(jobIn(place.root, place, { whole: own }), finish);
        const unknown = await abandon(jobIn(place.root, place, { whole: own }));
        const kept = await abandon(jobIn(place.root, place, { whole: other }), finish);
        const held = await openWhole(store, own.key, place);
        await held?.noteSaved(own);
        await held?.release();
        await makeOld();
        await (next === 'sweep' ? sweep(store, []) : openWhole(store, own.key, place));
        assert.deepEqual((await store.parts()).map(({ id }) => id).toSorted(), [unknown, kept].sort());
        assert.deepEqual(
          await readdir(store.folderOf(own.key)).catch(() => 'gone'),
          next === 'sweep' ? 'gone' : ['lease-2'],
        );
      });
    }

    it('after a crash only the parts that the saved whole was made of, not those of a later attempt (promise 41)', async () => {
      const whole = wholeIn('a'.repeat(64));
      const finish = (log: Work) => log.finishPart();
      const [used = '', key] = [await abandon(jobIn(place.root, place, { whole }), finish), 'b'.repeat(64)];
      await abandon(jobIn(place.root, place, { whole, key }), finish);
      const held = await openWhole(store, whole.key, place);
      assert(held);
      await held.noteSaved({
        ...whole,
        parts: [
          { key: used, id: used },
          { key, id: 'an earlier job of this key' },
        ],
      });
      await held.release();
      const kept = await abandon(jobIn(place.root, place, { whole }), finish);
      const next = await openWhole(store, whole.key, place);
      assert.deepEqual((await store.parts()).map((part) => part.key).toSorted(), [key, kept].toSorted());
      assert.equal(await next?.savedWhole(), undefined);
    });

    it('the other parts, and waits for that, when one cannot be removed', async () => {
      const whole = { ...wholeIn('a'.repeat(64)), entry: 'guide.mp3' };
      const make = () => abandon(jobIn(place.root, place, { whole }), (log) => log.finishPart());
      const keys = [await make(), await make(), await make()];
      class Refusing extends Store {
        refused: string | undefined;

        override async removePart(key: string, at: PlaceReference): Promise<void> {
          this.refused ??= key;
          if (key === this.refused) throw new Error('cannot be removed');
          await immediate();
          await super.removePart(key, at);
        }
      }
      const refusing = new Refusing(folder);
      const held = await openWhole(refusing, whole.key, place);
      assert(held);
      await assert.rejects(wholeSaved(refusing, held, whole, keys), /cannot be removed/);
      assert.deepEqual(
        (await store.parts()).map(({ key }) => key),
        [refusing.refused],
      );
      // The next process goes on with the removal.
      await held.release();
      await openWhole(store, whole.key, place);
      assert.deepEqual(await store.parts(), []);
    });

    it('nothing of what was paid for when the sandbox makes the same whole (promise 41)', async () => {
      const whole = { ...wholeIn('a'.repeat(64)), entry: 'guide.mp3' };
      const finish = (log: Work) => log.finishPart();
      const paid = await abandon(jobIn(place.root, place, { whole }), finish);
      const sample = await abandon(jobIn(place.root, place, { whole, sandbox: true }), finish);
      const held = await openWhole(store, whole.key, place);
      assert(held);
      await wholeSaved(store, held, { ...whole, sandbox: true }, [sample]);
      assert.deepEqual(
        (await store.parts()).map(({ id }) => id),
        [paid],
      );
    });

    for (const [what, facts] of Object.entries({
      'long text': {},
      'document with the same name': { entry: 'guide.mp3' },
    })) {
      it(`no parts that another project keeps for the same ${what}, also where it used them (promise 41)`, async () => {
        const other = { ...place, root: pathToFileURL(await mkdtemp(join(home, 'clone-'))).href };
        const finish = (log: Work) => log.finishPart();
        const key = 'a'.repeat(64);
        const kept = await abandon(
          jobIn(other.root, other, { whole: { ...wholeIn(key), place: other, ...facts } }),
          finish,
        );
        const whole = { ...wholeIn(what === 'long text' ? key : 'b'.repeat(64)), ...facts };
        const own = await abandon(jobIn(place.root, place, { whole }), finish);
        const held = await openWhole(store, whole.key, place);
        assert(held);
        await wholeSaved(store, held, whole, [kept, own]);
        assert.deepEqual(
          (await store.parts()).map(({ id }) => id),
          [kept],
        );
      });
    }

    it('the parts for a folder that holds the whole, though the project was renamed, and no others', async () => {
      const inFolder = async (root: string, path: string) => {
        const whole = { ...wholeIn('a'.repeat(64)), place: { ...place, root: pathToFileURL(root).href, path } };
        return abandon(jobIn(whole.place.root, whole.place, { whole }), (log) => log.finishPart());
      };
      const copy = join(home, 'copy');
      await mkdir(copy);
      const renamed = await inFolder(join(home, 'gone'), 'variants/1');
      await notesOf(place.root)?.put({ key: renamed, id: renamed });
      await inFolder(home, 'variants/1');
      const other = await inFolder(join(home, 'gone'), 'variants/2');
      await notesOf(place.root)?.put({ key: other, id: other });
      const kept = [
        other,
        await inFolder(home, 'variants/2'),
        await inFolder(copy, 'variants/1'),
        await inFolder(join(home, 'on another drive'), 'variants/1'),
      ];
      await removePartsFor(store, { ...place, path: 'variants/1' });
      assert.deepEqual((await store.parts()).map(({ id }) => id).toSorted(), kept.sort());
    });

    it('the parts of an entry in another voice, unless they were paid for and are in no saved file', async () => {
      const wholeAs = (voice: string) => ({
        ...wholeIn('a'.repeat(64)),
        request: { model: 'm', input: 'guide.md', voice, response_format: 'mp3' } as const,
        entry: 'guide.mp3',
      });
      const facts = { whole: wholeAs('ada') };
      const finish = (log: Work) => log.finishPart();
      const refusal = { kind: 'badRequest', message: 'no such voice', mayBeBilled: false } as const;
      await abandon(jobIn(place.root, place, { ...facts, sandbox: true }), finish);
      await abandon(jobIn(place.root, place, facts), (log) => log.ended('failed', refusal, false));
      const used = await abandon(jobIn(place.root, place, facts), finish);
      const kept = await abandon(jobIn(place.root, place, facts), finish);
      const whole = wholeAs('bob');
      const held = await openWhole(store, whole.key, place);
      assert(held);
      await wholeSaved(store, held, whole, [used]);
      assert.deepEqual(
        (await store.parts()).map(({ id }) => id),
        [kept],
      );
    });

    it('the parts that a whole was made of, though its folder was renamed inside the repository', async () => {
      const moved = { ...place, path: 'old/media', manifest: 'old/media.jsonc' };
      const facts = { whole: { ...wholeIn('a'.repeat(64)), place: moved, entry: 'guide.mp3' } };
      const finish = (log: Work) => log.finishPart();
      const used = await abandon(jobIn(place.root, moved, facts), finish);
      const kept = await abandon(jobIn(place.root, moved, facts), finish);
      const whole = { ...wholeIn('b'.repeat(64)), place: { ...place, path: 'new/media' }, entry: 'guide.mp3' };
      const held = await openWhole(store, whole.key, whole.place);
      assert(held);
      await wholeSaved(store, held, whole, [used]);
      assert.deepEqual(
        (await store.parts()).map(({ id }) => id),
        [kept],
      );
    });

    it('no parts of the folder that a copy was made of, which has its notes', async () => {
      const copy = { ...place, root: pathToFileURL(join(home, 'copy')).href, path: 'media' };
      const facts = { entry: 'guide.mp3' };
      const kept = await abandon(jobIn(place.root, place, { whole: { ...wholeIn('a'.repeat(64)), ...facts } }), (log) =>
        log.finishPart(),
      );
      await mkdir(join(home, 'copy'));
      await notesOf(copy.root)?.put({ key: kept, id: kept });
      const whole = { ...wholeIn('b'.repeat(64)), place: copy, ...facts };
      const held = await openWhole(store, whole.key, copy);
      assert(held);
      await wholeSaved(store, held, whole);
      assert.deepEqual(
        (await store.parts()).map(({ id }) => id),
        [kept],
      );
    });

    it('no parts of a document of the same name in a folder that is gone, perhaps with its drive', async () => {
      const document = pathToFileURL(join(home, 'README.md')).href;
      const gone = { ...place, root: pathToFileURL(join(home, 'gone')).href };
      const whole = { ...wholeIn('a'.repeat(64)), place: gone, document };
      const kept = await abandon(jobIn(gone.root, gone, { whole }), (log) => log.finishPart());
      const held = await openWhole(store, 'b'.repeat(64), place);
      assert(held);
      await wholeSaved(store, held, { ...wholeIn('b'.repeat(64)), document });
      assert.deepEqual(
        (await store.parts()).map(({ id }) => id),
        [kept],
      );
    });

    it('the parts of a whole whose folder was renamed behind a link, below a “git init” in the folder above', async () => {
      const link = join(home, 'link');
      await mkdir(join(home, 'site'));
      await symlink(join(home, 'site'), link, 'junction');
      const entry = 'guide.mp3';
      const before = {
        ...wholeIn('a'.repeat(64)),
        entry,
        place: { ...place, root: pathToFileURL(link).href, path: 'media' },
      };
      const another = { ...before, place: { ...before.place, path: 'docs' } };
      const fromAbove = { ...before, place: { ...place, path: 'link/media' } };
      const finish = (log: Work) => log.finishPart();
      for (const whole of [before, fromAbove]) await abandon(jobIn(whole.place.root, whole.place, { whole }), finish);
      const kept = await abandon(jobIn(before.place.root, before.place, { whole: another }), finish);
      const held = await openWhole(store, 'b'.repeat(64), place);
      assert(held);
      await wholeSaved(store, held, { ...wholeIn('b'.repeat(64)), entry });
      assert.deepEqual(
        (await store.parts()).map(({ id }) => id),
        [kept],
      );
    });
  });

  it('removes the parts of a saved whole on a full disk, too', async function () {
    using disk = mountDisk('size=2m');
    skipUnless(this, disk.isReal, 'a small disk');
    store = new Store(join(disk.path, 'work'));
    const { request, place } = imageJob(disk.path);
    const whole = { key: 'a'.repeat(64), request, place };
    await abandon(jobIn(place.root, {}, { whole }), async (log) => {
      await log.keepPart('mp3', inOnePiece(Buffer.from('sound')));
      await log.finishPart();
    });
    const held = await openWhole(store, whole.key, place);
    assert(held);
    assert.throws(() => writeFileSync(join(disk.path, 'filler'), Buffer.alloc(4 * 2 ** 20)), { code: 'ENOSPC' });
    await wholeSaved(store, held, whole);
    assert.deepEqual(await store.parts(), []);
  });

  it('says that nothing was sent when its folder cannot be written (open)', async () => {
    await writeFile(join(folder, 'file'), '');
    const message = /^Nothing was sent, because the extension's storage cannot be written/;
    await assert.rejects(new Store(join(folder, 'file')).open(crypto.randomUUID()), { kind: 'save', message });
  });

  describe('finds the work of a request in a place (keyAt)', () => {
    const request = 'd'.repeat(32);
    let home: string;

    beforeEach(async () => {
      home = await mkdtemp(join(tmpdir(), 'store-clones-'));
    });

    afterEach(() => rm(home, { recursive: true }));

    async function placeIn(clone: string): Promise<PlaceReference> {
      await mkdir(join(home, clone, 'media'), { recursive: true });
      await writeFile(join(home, clone, 'media.jsonc'), '{}');
      const root = pathToFileURL(join(home, clone)).href;
      return { ...imageJob(home).place, root, path: 'media', manifest: 'media.jsonc' };
    }

    it('that another computer has noted beside a clone, though this one knows it from another clone', async () => {
      const [first, second] = [await placeIn('first'), await placeIn('second')];
      await abandon(jobIn(first.root, first, { key: request }));
      const noted = request + 'e'.repeat(32);
      await notesOf(second.root)?.put({ key: noted, id: 'of another computer' });
      assert.equal(await store.keyAt(request, second), noted);
      assert.equal(await store.stateOf(noted, second), 'unknown');
      assert.equal(await store.keyAt(request, first), request);
    });

    it('and leaves answers that were given up aside', async () => {
      const place = await placeIn('first');
      await abandon(jobIn(place.root, place, { key: `${request}.${crypto.randomUUID()}` }));
      assert.equal(await store.keyAt(request, place), request);
    });
  });

  it('says what is known of a request (stateOf)', async () => {
    const job = jobIn('file:///mine', {}, { whole: { key: 'whole', ...imageJob('/mine') } });
    const { key } = job;
    const state = () => store.stateOf(key, { root: 'file:///mine' });
    assert.equal(await state(), 'none');
    const log = await opened(job);
    assert.equal(await state(), 'none', 'nothing was sent');
    await log.sending(job);
    assert.equal(await state(), 'running');
    await log.release();
    assert.equal(await state(), 'unknown');
    await answered(log);
    await log.release();
    assert.equal(await state(), 'answered');
    await using later = await opened(job);
    const error = { kind: 'download', message: '', mayBeBilled: true } as const;
    await later.ended('failed', error, true);
    assert.equal(await state(), 'unusable');
    await later.ended('failed', error, false);
    assert.equal(await state(), 'unknown', 'it may be billed');
    await later.ended('unknown', undefined, false);
    assert.equal(await state(), 'unknown', 'nobody knows');
    await later.ended('failed', { ...error, mayBeBilled: false }, false);
    assert.equal(await state(), 'none');
    await later.keepPart('mp3', inOnePiece(Buffer.from('sound')));
    await later.finishPart();
    assert.equal(await state(), 'finished');
    await rm(join(later.folder, 'part.mp3'));
    assert.equal(await state(), 'none', 'a part that could not be used was removed');
    await writeFile(join(later.folder, 'journal.jsonl'), '{"event":"sen');
    assert.equal(await state(), 'unknown', 'the journal is torn');
  });

  it('takes a work whose journal is damaged for that of its request, wherever that is sent for (keyAt)', async () => {
    const request = 'a'.repeat(32);
    const job = jobIn('file:///mine', {}, { key: request });
    await abandon(job);
    await writeFile(join(store.folderOf(request), 'journal.jsonl'), '{"event":"sen');
    for (const path of [job.place.path, 'elsewhere']) {
      const place = { ...job.place, path };
      const key = await store.keyAt(request, place);
      assert.equal(key, request);
      assert.equal(await store.stateOf(key, place), 'unknown');
    }
  });

  it('takes a request of the sandbox, which is free, for one that was never sent', async () => {
    const job = jobIn('file:///mine', {}, { sandbox: true });
    await abandon(job);
    assert.equal(await store.stateOf(job.key, { root: 'file:///mine' }), 'none');
  });

  it('sweeps what certainly was not billed after 30 days, and nothing that may be billed or is paid for', async () => {
    const day = 24 * 60 * 60 * 1000;
    const refused = { kind: 'badRequest', message: '', mayBeBilled: false } as const;
    const end =
      (error: JobError, hasAnswer = false) =>
      (log: Work) =>
        log.ended('failed', error, hasAnswer);
    const old = (days: number, facts: Partial<JobFacts> = {}) =>
      jobIn('file:///not/there', {}, { createdAt: new Date(Date.now() - days * day).toISOString(), ...facts });
    const whole = { key: 'whole', ...imageJob('/mine') };
    await abandon(old(31), end(refused));
    await abandon(old(31, { whole }), end(refused));
    await abandon(old(31, { sandbox: true }));
    const kept = [
      await abandon(old(29), end(refused)),
      await abandon(old(400)),
      await abandon(old(400), end({ ...refused, mayBeBilled: true })),
      await abandon(old(400), answered),
      await abandon(old(400, { whole }), async (log) => {
        await log.keepPart('mp3', inOnePiece(Buffer.from('sound')));
        await log.finishPart();
      }),
    ];
    const held = await opened(old(400, { sandbox: true }));
    await held.sending(old(400, { sandbox: true, key: basename(held.folder) }));
    await sweep(store, []);
    assert.deepEqual((await readdir(folder)).sort(), [...kept, basename(held.folder)].sort());
    await held.release();
  });

  it('does not sweep the folder of a living process, even if it looks old after a sleep', async () => {
    const work = await opened(jobIn('file:///mine'));
    await makeOld();
    await sweep(store, []);
    assert.deepEqual(await jobsIn(folder), [work.folder]);
    await work.release();
    await makeOld();
    await sweep(store, []);
    assert.deepEqual(await jobsIn(folder), []);
  });

  it('leaves a work to a process on another machine whose heartbeat is late', async () => {
    const silence = 100;
    const { key } = jobIn('file:///mine');
    await mkdir(store.folderOf(key));
    const lease = join(store.folderOf(key), 'lease-1');
    await writeFile(lease, JSON.stringify({ machine: 'another', process: 1, run: '', nonce: '' }));
    let beats = 0;
    const beat = () => utimes(lease, longAgo, longAgo.getTime() / 1000 + ++beats);
    await beat();
    const beating = setInterval(beat, silence / 20);
    const taken = await new Store(folder, silence, true).open(key);
    clearInterval(beating);
    assert.equal(taken, undefined);
  });

  it('sweeps only old folders that hold no job', async () => {
    const createdAt = new Date().toISOString();
    const job = await abandon(jobIn('file:///mine', {}, { createdAt }), (log) => log.ended('failed', undefined, false));
    const [jobFolder = ''] = await jobsIn(folder);
    const root = join(jobFolder, '..');
    const dead = crypto.randomUUID();
    for (const name of [dead, 'notes']) await mkdir(join(root, name));
    await makeOld();
    const young = crypto.randomUUID();
    await mkdir(join(root, young));
    await sweep(store, []);
    assert.deepEqual((await readdir(root)).sort(), [job, young, 'notes'].sort());
  });
});
