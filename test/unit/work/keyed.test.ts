import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { SavedFile } from '../../../src/library/saveMedia.ts';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { checkOutcomes, runPart } from '../../../src/wholes/parts.ts';
import type { RunOptions } from '../../../src/work/Attempt.ts';
import { type JobFacts, jobKeptMs } from '../../../src/work/Job.ts';
import { inputAgain } from '../../../src/work/JobRunner.ts';
import { endStateOf, recordOf, UnknownOutcome } from '../../../src/work/jobErrors.ts';
import { notesOf } from '../../../src/work/Notes.ts';
import { Store } from '../../../src/work/Store.ts';
import { stateOfWork } from '../../../src/work/stateOfWork.ts';
import { failureOf } from '../../support/failureOf.ts';
import { imageJob, jobRunnerAt, jobsIn } from '../../support/jobRunner.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { type MediaService, type Script, startMediaService } from '../../support/mediaService.ts';

const quiet: RunOptions = {
  signal: new AbortController().signal,
  onProgress: () => undefined,
  onNotice: () => undefined,
};
const again: RunOptions = { ...quiet, again: true };
const key = 'a'.repeat(64);

function answerWith(status: number, body: object): Script {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

describe('a request with a key', () => {
  let service: MediaService;
  let root: string;
  let storage: string;

  beforeEach(async () => {
    service = await startMediaService();
    root = await mkdtemp(join(tmpdir(), 'keyed-workspace-'));
    storage = await mkdtemp(join(tmpdir(), 'keyed-store-'));
  });

  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });

  const open = (maxConcurrentJobs?: number) =>
    jobRunnerAt(service.origin, { root, journal: storage }, maxConcurrentJobs);
  const inputFor = (facts: Partial<Omit<JobFacts, 'id' | 'createdAt'>> = {}) => ({ ...imageJob(root), key, ...facts });
  const notes = () => notesOf(inputFor().place.root)?.list();
  const images = () => readdir(join(root, 'media/images')).catch(() => []);
  const store = () => new Store(storage);
  const stateOf = () => store().stateOf(key, inputFor().place);
  /** The answer names an image that has to be downloaded. */
  const answerWithLink: Script = (response) => response.end(`{"data":[{"url":"${service.origin}/a.png"}]}`);

  async function fail(script: Script): Promise<void> {
    await using window = open();
    service.answerWith(script);
    await failureOf(window.runner.run(inputFor(), quiet));
    service.answerWith();
  }

  /** Leaves the answer of a process that has ended before it could save it. */
  async function leaveAnswer(
    named?: SavedFile,
    answer: object = { data: [{ b64_json: pngBytes.toString('base64') }] },
    place = inputFor().place,
  ): Promise<void> {
    const work = await store().open(key);
    assert(work);
    const createdAt = new Date().toISOString();
    const job = { ...inputFor({ place }), id: crypto.randomUUID(), createdAt };
    await work.sending(job);
    const facts = { status: 200, contentType: 'application/json', requestId: undefined, retryAfter: undefined };
    const body = Buffer.from(JSON.stringify(answer));
    await work.answered({ ...facts, source: { base: service.origin }, body });
    if (named) await work.naming(0, named);
    await work.release();
    await notesOf(job.place.root)?.put(job);
  }

  for (const sandbox of [false, true]) {
    it(`is ${sandbox ? 'not noted in the sandbox' : 'noted beside the project while it is out'}`, async () => {
      await using window = open();
      let noted: readonly string[] | undefined;
      let folder: readonly string[] = [];
      service.answerWith(async (_, answer) => {
        noted = await notes();
        folder = await readdir(join(root, '.unified-media/jobs')).catch(() => []);
        answer();
      });
      await window.runner.run(inputFor({ sandbox }), quiet);
      assert.deepEqual(noted, sandbox ? [] : [key]);
      assert.deepEqual(folder.toSorted(), sandbox ? [] : ['.gitignore', key]);
      assert.deepEqual(await readdir(join(root, '.unified-media')), ['library.jsonl']);
      assert.deepEqual(await jobsIn(storage), []);
    });
  }

  const refusals: Readonly<Record<string, { readonly script: Script; readonly isBilled: boolean }>> = {
    'an answer 500': { script: answerWith(500, { error: { message: 'Later' } }), isBilled: true },
    'an answer 400': { script: answerWith(400, { error: { message: 'No' } }), isBilled: false },
    'an error that reports usage': {
      script: answerWith(200, { error: { message: 'No' }, usage: { total_tokens: 9 } }),
      isBilled: true,
    },
  };

  for (const [what, { script, isBilled }] of Object.entries(refusals)) {
    it(`${isBilled ? 'is sent again only with a yes' : 'starts over'} after ${what}`, async () => {
      await using window = open();
      service.answerWith(script);
      await failureOf(window.runner.run(inputFor(), quiet));
      assert.deepEqual(await notes(), isBilled ? [key] : []);
      assert.equal(await stateOf(), isBilled ? 'unknown' : 'none');
      if (isBilled) {
        await assert.rejects(window.runner.run(inputFor(), quiet), UnknownOutcome);
        assert.equal(service.paid.length, 1);
      } else {
        await failureOf(window.runner.run(inputFor(), quiet));
        const journal = await readFile(join(storage, key, 'journal.jsonl'), 'utf8');
        assert.equal(journal.match(/"event":"sending"/g)?.length, 1);
      }
      service.answerWith();
      const sent = service.paid.length;
      await window.runner.run(inputFor(), isBilled ? again : quiet);
      assert.equal(service.paid.length, sent + 1);
      assert.deepEqual(await images(), ['a-fox.png']);
      assert.deepEqual(await notes(), []);
      assert.equal(await stateOf(), 'none');
      assert.deepEqual(
        window.jobs.all.map(({ state }) => state),
        ['done'],
      );
    });
  }

  describe('whose outcome is unknown, and which a person has agreed to send again,', () => {
    const offline = () => jobRunnerAt('http://127.0.0.1:1', { root, journal: storage });
    const attempts: Readonly<Record<string, () => Promise<void>>> = {
      'is refused': async () => {
        await using window = open();
        service.answerWith(answerWith(401, { error: { message: 'No' } }));
        const error = await failureOf(window.runner.run(inputFor(), again));
        assert(error instanceof MediaError);
        assert.deepEqual([error.kind, error.mayBeBilled], ['unauthorized', true]);
        assert.match(error.message, /The earlier request may still be billed; its outcome is still unknown\.$/);
        service.answerWith();
      },
      'does not reach the service': async () => {
        await using window = offline();
        await failureOf(window.runner.run(inputFor(), again));
      },
      'has a file that is gone': async () => {
        await using window = open();
        const request = {
          model: 'm',
          prompt: 'p',
          image_urls: ['file:///gone.png'],
          n: 1,
          output_format: 'url',
        } as const;
        await failureOf(window.runner.run(inputFor({ operation: 'editImage', request }), again));
      },
      'is stopped before it is sent': async () => {
        await using window = open();
        const stop = () => Promise.reject(new MediaError('invalidInput', 'stopped'));
        await failureOf(window.runner.run(inputFor(), { ...again, beforeSending: stop }));
      },
    };

    for (const [how, attempt] of Object.entries(attempts)) {
      for (const isElsewhere of [false, true]) {
        const where = isElsewhere ? 'another computer has sent it' : 'this computer has sent it';
        it(`stays unknown if the new request ${how} (${where}) (promise 34)`, async () => {
          if (isElsewhere) await notesOf(inputFor().place.root)?.put({ key, id: crypto.randomUUID() });
          else await fail(answerWith(500, {}));
          await attempt();
          assert.deepEqual([await stateOf(), await notes()], ['unknown', [key]]);
          if (!isElsewhere) assert(await store().read(key), 'what was sent is still known without the note');
          await using window = open();
          const sent = service.paid.length;
          await assert.rejects(window.runner.run(inputFor(), quiet), UnknownOutcome);
          assert.equal(service.paid.length, sent);
          await window.runner.run(inputFor(), again);
          assert.deepEqual([await images(), await notes(), await jobsIn(storage)], [['a-fox.png'], [], []]);
        });
      }
    }

    it('stays unknown if the answer before it could not be used, which is kept', async () => {
      service.downloadWith((response) => response.writeHead(410).end());
      await fail(answerWithLink);
      assert.equal(await stateOf(), 'unusable');
      service.answerWith(answerWith(401, {}));
      await using window = open();
      await failureOf(window.runner.run(inputFor(), again));
      assert.equal(await stateOf(), 'unknown');
      await using other = open();
      await other.recover();
      assert.deepEqual(other.jobs.all.map(({ hasRawAnswer }) => hasRawAnswer).toSorted(), [false, true]);
    });

    it('is not sent if a note of others cannot be replaced, whose path is named', async () => {
      const folder = join(root, '.unified-media/jobs');
      await mkdir(join(folder, key), { recursive: true });
      await writeFile(join(folder, '.gitignore'), '*\n');
      await fail(answerWith(500, {}));
      const sent = service.paid.length;
      await using window = open();
      const error = await failureOf(window.runner.run(inputFor(), again));
      assert(error.message.includes(join(folder, key)), error.message);
      assert.equal(service.paid.length, sent);
    });

    it('shows one job for all attempts', async () => {
      await fail(answerWith(500, {}));
      await using window = open();
      await window.recover();
      service.answerWith(answerWith(401, {}));
      await failureOf(window.runner.run(inputFor(), again));
      assert.deepEqual(
        window.jobs.all.map(({ error }) => error?.kind),
        ['unauthorized'],
      );
    });
  });

  it('is still unknown in another project after a person has agreed in one (promise 34)', async () => {
    await fail(answerWith(500, {}));
    const clone = await mkdtemp(join(tmpdir(), 'keyed-clone-'));
    const place = { ...inputFor().place, root: pathToFileURL(clone).href };
    await using window = open();
    try {
      await window.runner.run(inputFor({ place }), again);
      assert.deepEqual([await notes(), await notesOf(place.root)?.list()], [[key], []]);
    } finally {
      await rm(clone, { recursive: true });
    }
    assert.equal(await stateOf(), 'unknown');
    await assert.rejects(window.runner.run(inputFor(), quiet), UnknownOutcome);
  });

  it('stays unknown in its own project when it is given up in another one (promise 34)', async () => {
    await fail(answerWith(500, {}));
    await using window = open();
    await window.runner.giveUp(key, { ...inputFor().place, root: pathToFileURL(storage).href });
    assert.deepEqual([await notes(), await stateOf()], [[key], 'unknown']);
  });

  it('is sent after a refusal inside an answer of 200 that says that nothing was made', async () => {
    await fail(answerWith(200, { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }));
    assert.deepEqual([await stateOf(), await notes()], ['none', []]);
    await using window = open();
    await window.runner.run(inputFor(), quiet);
    assert.deepEqual([service.paid.length, await images()], [2, ['a-fox.png']]);
  });

  it('is not sent after a refusal when another computer has noted it since', async () => {
    await fail(answerWith(400, {}));
    await notesOf(inputFor().place.root)?.put({ key, id: crypto.randomUUID() });
    assert.equal(await stateOf(), 'unknown');
    await using window = open();
    await assert.rejects(window.runner.run(inputFor(), quiet), UnknownOutcome);
    assert.deepEqual([service.paid.length, await notes()], [1, [key]]);
  });

  it('is sent after a refusal when another computer has noted it since, if a person says yes', async () => {
    await fail(answerWith(400, {}));
    await notesOf(inputFor().place.root)?.put({ key, id: crypto.randomUUID() });
    await using window = open();
    await window.runner.run(inputFor(), again);
    assert.deepEqual([service.paid.length, await notes()], [2, []]);
  });

  for (const [how, isForgotten] of [
    ['is dismissed', false],
    ['is forgotten after a month', true],
  ] as const) {
    it(`stays noted by another computer when its refusal here ${how}`, async () => {
      await fail(answerWith(400, {}));
      await notesOf(inputFor().place.root)?.put({ key, id: crypto.randomUUID() });
      await using window = open();
      if (isForgotten) mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * jobKeptMs });
      try {
        await window.recover();
        for (const { id } of window.jobs.all) await window.runner.dismiss(id);
      } finally {
        mock.timers.reset();
      }
      assert.deepEqual(await jobsIn(storage), []);
      assert.deepEqual([await notes(), await stateOf()], [[key], 'unknown']);
    });
  }

  it('is saved and not sent while its answer waits, even with a yes, and where it is wanted now', async () => {
    await leaveAnswer();
    await using window = open();
    const place = { ...inputFor().place, path: 'media/elsewhere' };
    const [asset] = await window.runner.run(inputFor({ place }), again);
    assert.match(asset?.uri ?? '', /media\/elsewhere\/a-fox\.png$/);
    assert.equal(service.paid.length, 0);
    assert.deepEqual(await notes(), []);
  });

  it('gets the name that a crash has left to an empty file', async () => {
    await leaveAnswer({ name: 'a-fox.png', bytes: 1, sha256: '', mediaType: 'image/png' });
    await mkdir(join(root, 'media/images'), { recursive: true });
    await writeFile(join(root, 'media/images/a-fox.png'), '');
    await using window = open();
    await window.runner.run(inputFor(), quiet);
    assert.deepEqual(await images(), ['a-fox.png']);
  });

  it('tries an answer again that could not be used, and gives it up only with a yes', async () => {
    service.downloadWith((response) => response.writeHead(410).end());
    await fail(answerWithLink);
    assert.equal(await stateOf(), 'unusable');
    await using window = open();
    await assert.rejects(window.runner.run(inputFor(), quiet), { kind: 'download' });
    assert.equal(service.paid.length, 1);
    await window.runner.run(inputFor(), again);
    assert.equal(service.paid.length, 2);
    assert.deepEqual(await images(), ['a-fox.png']);
    const [kept = '', ...others] = await jobsIn(storage);
    assert.deepEqual(others, []);
    assert((await readdir(kept)).some((name) => name.startsWith('answer-')));
    await using other = open();
    assert.deepEqual(await other.recover(), []);
    assert.equal(other.jobs.all[0]?.hasAnswer, false);
  });

  it('is listed with each raw answer that was given up, also when such an answer is given up once more', async () => {
    service.answerWith(answerWith(200, { unknown: 'shape' }));
    await using window = open();
    await failureOf(window.runner.run(inputFor(), quiet));
    await failureOf(window.runner.run(inputFor(), again));
    await window.recover();
    const older = window.jobs.all.find((job) => job.key !== key);
    assert(older);
    await failureOf(window.runner.runAgain(older.id, (job) => window.runner.run(inputAgain(job), again)));
    await using other = open();
    await other.recover();
    assert.deepEqual(
      other.jobs.all.map(({ hasRawAnswer }) => hasRawAnswer),
      [true, true, true],
    );
  });

  it('is not given up with a yes from before its answer turned out to be of no use', async () => {
    service.downloadWith((response) => response.writeHead(410).end());
    await leaveAnswer(undefined, { data: [{ url: `${service.origin}/a.png` }] });
    await using window = open();
    await assert.rejects(window.runner.run(inputFor(), again), { kind: 'download' });
    assert.equal(await stateOf(), 'unusable');
    assert.equal(service.paid.length, 0);
  });

  it('is not sent when its answer can be used after all, even with a yes', async () => {
    service.downloadWith((response) => response.writeHead(410).end());
    await fail(answerWithLink);
    assert.equal(await stateOf(), 'unusable');
    service.downloadWith();
    await using window = open();
    await window.runner.run(inputFor(), again);
    assert.equal(service.paid.length, 1);
    assert.deepEqual(await images(), ['a-fox.png']);
    assert.deepEqual(await jobsIn(storage), []);
  });

  it('is not sent when another computer has noted it, unless a person says yes', async () => {
    await notesOf(inputFor().place.root)?.put({ key, id: crypto.randomUUID() });
    await using window = open();
    await assert.rejects(window.runner.run(inputFor(), quiet), UnknownOutcome);
    assert.equal(service.paid.length, 0);
    await window.runner.run(inputFor(), again);
    assert.equal(service.paid.length, 1);
    assert.deepEqual(await notes(), []);
  });

  it('is not sent when another computer notes it at the same moment, and leaves its note', async () => {
    await using window = open();
    const beforeSending = async () => {
      await notesOf(inputFor().place.root)?.put({ key, id: crypto.randomUUID() });
    };
    await assert.rejects(window.runner.run(inputFor(), { ...quiet, beforeSending }), UnknownOutcome);
    assert.equal(service.paid.length, 0);
    assert.deepEqual(await notes(), [key]);
    assert.deepEqual(await jobsIn(storage), []);
    assert.deepEqual(window.jobs.all, []);
  });

  for (const [where, isAbove] of [
    ['above', true],
    ['below', false],
  ] as const) {
    describe(`that another computer sends, where the folder ${where} is the root,`, () => {
      const place = () => {
        const { place: known } = inputFor();
        return isAbove ? { ...known, root: `${known.root}/site`, path: 'media' } : { ...known, path: 'site/media' };
      };
      const elsewhere = () => notesOf(isAbove ? inputFor().place.root : `${inputFor().place.root}/site`);
      const here = () => notesOf(place().root);

      beforeEach(() => mkdir(join(root, 'site')));

      it('is not sent, unless a person says yes', async () => {
        await elsewhere()?.put({ key, id: crypto.randomUUID() });
        assert.equal(await store().stateOf(key, place()), 'unknown');
        assert.equal(await store().keyAt(key.slice(0, 32), place()), key);
        await using window = open();
        await assert.rejects(window.runner.run(inputFor({ place: place() }), quiet), UnknownOutcome);
        assert.equal(service.paid.length, 0);
        await window.runner.run(inputFor({ place: place() }), again);
        assert.deepEqual([service.paid.length, await elsewhere()?.list(), await here()?.list()], [1, [], []]);
      });

      it('is not sent when both note it at the same moment, and leaves no note of ours', async () => {
        await using window = open();
        const beforeSending = async () => {
          await elsewhere()?.put({ key, id: crypto.randomUUID() });
        };
        await assert.rejects(
          window.runner.run(inputFor({ place: place() }), { ...quiet, beforeSending }),
          UnknownOutcome,
        );
        assert.deepEqual([service.paid.length, await elsewhere()?.list(), await here()?.list()], [0, [key], []]);
        assert.deepEqual(await jobsIn(storage), []);
      });
    });
  }

  it('is not sent for a clone when another computer has, though this one knows it from another clone', async () => {
    const request = key.slice(0, 32);
    const placeIn = async (clone: string) => {
      await mkdir(join(root, clone));
      await writeFile(join(root, clone, 'media.jsonc'), '{}');
      const { place } = inputFor();
      return { ...place, root: `${place.root}/${clone}`, manifest: 'media.jsonc' };
    };
    const [first, second] = [await placeIn('first'), await placeIn('second')];
    await using window = open();
    service.answerWith(answerWith(400, {}));
    await failureOf(window.runner.run(inputFor({ key: request, place: first }), quiet));
    service.answerWith();
    const own = await store().read(request);
    assert(own);
    const input = inputFor({ key: await store().keyAt(request, second), place: second });
    assert.notEqual(input.key, request);
    await notesOf(second.root)?.put(own);
    assert.equal(await store().stateOf(input.key, second), 'none', 'a copy has the note of the first clone');
    await notesOf(second.root)?.remove(request);
    await notesOf(second.root)?.put({ key: request, id: crypto.randomUUID() });
    assert.equal(await store().stateOf(input.key, second), 'unknown');
    await assert.rejects(window.runner.run(input, quiet), UnknownOutcome);
    assert.equal(service.paid.length, 1);
    await window.runner.run(input, again);
    assert.deepEqual([service.paid.length, await notesOf(second.root)?.list()], [2, []]);
    assert.equal((await store().read(request))?.id, own.id);
  });

  it('is not sent when it cannot be noted, but one without a key is', async () => {
    await mkdir(join(root, '.unified-media'));
    await writeFile(join(root, '.unified-media/jobs'), '');
    await using window = open();
    await assert.rejects(window.runner.run(inputFor(), quiet), { kind: 'save', message: /^Nothing was sent/ });
    assert.equal(service.paid.length, 0);
    await window.runner.run(imageJob(root), quiet);
    assert.equal(service.paid.length, 1);
  });

  it('is neither sent, resumed nor given up while another window has it out', async () => {
    await using window = open();
    await using other = open();
    const goOn = service.hold();
    const sent = service.next();
    const running = window.runner.run(inputFor(), quiet);
    await sent;
    const { place } = inputFor();
    const inUse = { message: 'Another window or program is working on this job. Try again when it has finished.' };
    await assert.rejects(other.runner.run(inputFor(), again), inUse);
    await assert.rejects(other.runner.resume(key, place, quiet), inUse);
    await assert.rejects(other.runner.giveUp(key, place), inUse);
    goOn();
    await running;
    assert.equal(service.paid.length, 1);
  });

  describe('that is for a manifest', () => {
    const place = () => ({ ...inputFor().place, path: 'site/images', manifest: 'site/media.jsonc' });
    const isGone = { kind: 'save', message: /^Nothing was sent\. site\/media\.jsonc is no longer there/ };

    beforeEach(async () => {
      await mkdir(join(root, 'site'));
      await writeFile(join(root, 'site/media.jsonc'), '{}');
    });

    it('is not sent once the manifest is gone, also while the job waits for its turn', async () => {
      await using window = open(1);
      const goOn = service.hold();
      const sent = service.next();
      const first = window.runner.run(imageJob(root), quiet);
      await sent;
      const second = window.runner.run(inputFor({ place: place() }), quiet);
      const refused = assert.rejects(second, isGone);
      while (window.jobs.all.length < 2) await new Promise(setImmediate);
      await rm(join(root, 'site'), { recursive: true });
      goOn();
      await Promise.all([first, refused]);
      await assert.rejects(window.runner.run(inputFor({ place: place() }), quiet), isGone);
      assert.equal(service.paid.length, 1);
      assert.equal(existsSync(join(root, 'site')), false);
    });

    it('is saved after a crash only where the manifest is now', async () => {
      await leaveAnswer(undefined, undefined, place());
      await rename(join(root, 'site'), join(root, 'renamed'));
      await using window = open();
      await window.recover();
      assert.equal(await stateOf(), 'answered');
      assert.equal(existsSync(join(root, 'site')), false);
      const now = { ...place(), path: 'renamed/images', manifest: 'renamed/media.jsonc' };
      await window.runner.run(inputFor({ place: now }), quiet);
      assert.deepEqual([await readdir(join(root, 'renamed/images')), service.paid.length], [['a-fox.png'], 0]);
    });
  });

  it('is never sent by resuming it', async () => {
    await using window = open();
    const { place } = inputFor();
    assert.equal(await window.runner.resume(key, place, quiet), false);
    await fail(answerWith(500, {}));
    assert.equal(await window.runner.resume(key, place, again), false);
    await window.runner.giveUp(key, place);
    assert.deepEqual([service.paid.length, await notes(), await stateOf()], [1, [], 'none']);
    await leaveAnswer();
    assert.equal(await window.runner.resume(key, place, quiet), true);
    assert.deepEqual(await images(), ['a-fox.png']);
    assert.equal(service.paid.length, 1);
  });

  it('leaves the list when it is given up, and no note when it is dismissed', async () => {
    await fail(answerWith(500, {}));
    await using window = open();
    await window.recover();
    await window.runner.giveUp(key, inputFor().place);
    assert.deepEqual(window.jobs.all, []);
    await fail(answerWith(500, {}));
    await window.recover();
    for (const { id } of window.jobs.all) await window.runner.dismiss(id);
    assert.deepEqual([await notes(), await stateOf()], [[], 'none']);
  });

  it('may be billed after a failure that nobody expected', async () => {
    const error = new TypeError('unexpected');
    const job = { ...inputFor(), id: key, createdAt: '', assets: {}, hasAnswer: false };
    assert.equal(stateOfWork({ ...job, state: endStateOf(error), error: recordOf(error, job) }), 'unknown');
  });

  it('is checked before the first of several is sent (checkOutcomes)', async () => {
    await fail(answerWith(500, {}));
    await using window = open();
    const of = inputFor();
    const other = 'b'.repeat(64);
    await assert.rejects(checkOutcomes([other, key], of, window.runner, quiet), UnknownOutcome);
    await checkOutcomes([other, key], of, window.runner, again);
    await checkOutcomes([other], of, window.runner, quiet);
  });

  describe('that is a part', () => {
    function part() {
      const whole = { key: 'whole', request: imageJob(root).request, place: imageJob(root).place };
      return inputFor({ whole });
    }

    it('is sent once, also with a yes, until its file is gone', async () => {
      await using window = open();
      const file = await runPart(part(), window.runner, quiet);
      assert.equal(await runPart(part(), window.runner, again), file);
      assert.deepEqual(await window.runner.run(part(), again), []);
      // What is kept needs neither its place nor a service.
      const folderAt = () => assert.fail('the place was opened');
      await using offline = jobRunnerAt('http://127.0.0.1:1', { root, journal: storage, folderAt });
      assert.equal(await runPart(part(), offline.runner, quiet), file);
      assert.equal(service.paid.length, 1);
      assert.deepEqual(await images(), []);
      await rm(file);
      assert.equal(await stateOf(), 'none');
      assert.equal(await runPart(part(), window.runner, quiet), file);
      assert.equal(service.paid.length, 2);
    });

    it('is waited for while this window runs it', async () => {
      await using window = open();
      const goOn = service.hold();
      const sent = service.next();
      const running = runPart(part(), window.runner, quiet);
      await sent;
      const waiting = runPart(part(), window.runner, quiet);
      goOn();
      assert.equal(await running, await waiting);
      assert.equal(service.paid.length, 1);
    });

    it('leaves neither a note nor a work when it is removed, whichever folder its whole is for', async () => {
      await using window = open();
      await runPart(part(), window.runner, quiet);
      const elsewhere = await mkdtemp(join(root, 'elsewhere-'));
      const other = pathToFileURL(elsewhere).href;
      const record = await store().read(key);
      assert(record);
      await notesOf(other)?.put(record);
      assert.deepEqual(await notes(), [key]);
      await store().removePart(key, { ...inputFor().place, root: other });
      assert.deepEqual([await notes(), await notesOf(other)?.list(), await jobsIn(storage)], [[], [], []]);
    });
  });
});
