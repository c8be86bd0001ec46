import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JobLog } from '../../../src/jobs/JobLog.ts';
import type { JobFacts, PlaceReference } from '../../../src/jobs/JobRecord.ts';
import { Journal } from '../../../src/jobs/Journal.ts';
import { imageJob, jobsIn } from '../../support/jobRunner.ts';

const longAgo = new Date(Date.now() - 60 * 60 * 1000);
const none = () => false;

describe('Journal', () => {
  let folder: string;
  let journal: Journal;
  /** Number of jobs so far. Each was started a second after the previous one. */
  let count: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'journal-'));
    journal = new Journal(folder);
    count = 0;
  });

  afterEach(() => rm(folder, { recursive: true }));

  function jobIn(root: string, place: Partial<PlaceReference> = {}, facts: Partial<JobFacts> = {}): JobFacts {
    const createdAt = new Date(Date.UTC(2026, 0, 1, 0, 0, count++)).toISOString();
    const job = imageJob('/');
    return { ...job, place: { ...job.place, root, ...place }, id: crypto.randomUUID(), createdAt, ...facts };
  }

  /** A job whose process has ended; `work` writes its journal. */
  async function abandon(job: JobFacts, work: (log: JobLog) => Promise<void> = async () => undefined): Promise<string> {
    const log = await journal.create(job);
    await log.sending(job);
    await work(log);
    await log.release();
    return job.id;
  }

  function answered(log: JobLog): Promise<void> {
    const facts = { status: 200, contentType: '', requestId: undefined, retryAfter: undefined };
    return log.answered({ ...facts, source: { base: 'https://a.example' }, body: Buffer.from('{}') });
  }

  async function makeOld(): Promise<void> {
    for (const job of await jobsIn(folder)) {
      for (const name of ['', ...(await readdir(job))]) await utimes(join(job, name), longAgo, longAgo);
    }
  }

  async function abandoned(...roots: readonly string[]): Promise<readonly string[]> {
    return (await journal.abandoned(roots, none)).map(({ id }) => id);
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

  it('does not return a job that another process runs', async () => {
    const job = jobIn('file:///mine');
    const log = await journal.create(job);
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

  it('returns the other jobs when one cannot be read', async () => {
    const damaged = await abandon(jobIn('file:///mine'));
    const whole = await abandon(jobIn('file:///mine'));
    const [folderOfDamaged = ''] = (await jobsIn(folder)).filter((path) => path.endsWith(damaged));
    await rm(join(folderOfDamaged, 'journal.jsonl'));
    await mkdir(join(folderOfDamaged, 'journal.jsonl'));
    assert.deepEqual(await abandoned('file:///mine'), [whole]);
  });

  it('finds the job of a part by the folder of its whole text', async () => {
    const whole = jobIn('file:///mine');
    const part = jobIn('file:///storage', {}, { whole });
    await abandon(part);
    assert.deepEqual(await abandoned('file:///storage'), []);
    assert.deepEqual(await abandoned('file:///mine'), [part.id]);
    assert.equal((await journal.read(part))?.id, part.id);
  });

  it('sweeps only old folders that hold no job', async () => {
    const job = await abandon(jobIn('file:///mine'), (log) => log.ended('failed', undefined, false));
    const [jobFolder = ''] = await jobsIn(folder);
    const root = join(jobFolder, '..');
    const dead = crypto.randomUUID();
    for (const name of [dead, 'notes']) await mkdir(join(root, name));
    await makeOld();
    const young = crypto.randomUUID();
    await mkdir(join(root, young));
    await journal.sweep();
    assert.deepEqual((await readdir(root)).sort(), [job, young, 'notes'].sort());
  });
});
