import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobRunnerAt, jobsIn } from '../../support/jobRunner.ts';
import { startStandingService } from '../../support/standingService.ts';
import { kill, spawnJob } from '../../support/startProcess.ts';

const longAgo = new Date(Date.now() - 2 * 60 * 1000);

/** Removes files that have no owner any more, and keeps those that may still have one. */
describe('recover', () => {
  let root: string;
  let journal: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'sweep-workspace-'));
    journal = await mkdtemp(join(tmpdir(), 'sweep-journal-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
    await rm(journal, { recursive: true });
  });

  /** A folder without a job, as a crash before sending leaves it. */
  async function leftOver(when: Date): Promise<string> {
    const folder = join(journal, crypto.randomUUID());
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'answer-x');
    await writeFile(file, 'half an answer');
    for (const path of [file, folder]) await utimes(path, when, when);
    return folder;
  }

  it('removes folders without a job, except those younger than the silence limit', async () => {
    const [young] = [await leftOver(new Date()), await leftOver(longAgo)];
    await using window = jobRunnerAt('http://127.0.0.1:1', { root, journal });
    await window.recover();
    assert.deepEqual(await jobsIn(journal), [young]);
  });

  it('removes the hidden files that crashed attempts of the job left in the workspace, and no others', async () => {
    await using service = await startStandingService();
    const reached = service.standAt('saving');
    const child = spawnJob({ host: service.origin, root, journal });
    await reached;
    await kill(child);
    service.release();
    const folder = join(root, 'media/images');
    const [left = ''] = await readdir(folder);
    assert.match(left, /^\.[0-9a-f-]{36}-0-[0-9a-f]+\.part$/);
    const foreign = `.${crypto.randomUUID()}-0-1.part`;
    await writeFile(join(folder, foreign), '');
    await using next = jobRunnerAt(service.origin, { root, journal });
    await next.recover();
    assert.deepEqual((await readdir(folder)).sort(), [foreign, 'a-fox.png'].sort());
  });
});
