import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inputAgain } from '../../../src/work/JobRunner.ts';
import { thisProcess } from '../../../src/work/Lease.ts';
import { Store } from '../../../src/work/Store.ts';
import { Repository } from '../../support/repository.ts';
import { type Stage, startStandingService } from '../../support/standingService.ts';
import { kill } from '../../support/startProcess.ts';

describe('apply after an interrupted apply (promise 34)', () => {
  let service: Awaited<ReturnType<typeof startStandingService>>;
  let repository: Repository;

  beforeEach(async () => {
    service = await startStandingService();
    repository = await Repository.make(service.origin, {});
    await repository.declare({ 'a.png': { operation: 'generateImage', prompt: 'a', model: 'm' } });
  });

  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await repository[Symbol.asyncDispose]();
  });

  async function crashAt(stage: Stage): Promise<void> {
    const reached = service.standAt(stage);
    const child = repository.start(['apply']);
    await reached;
    await kill(child);
    service.release();
  }

  /**
   * Makes the job's lease look as it does after a restart of the computer, or to a new container. That of the manifest
   * stays: taking it would wait half a minute for a heartbeat.
   */
  async function restart(): Promise<void> {
    const folder = join(repository.root, '..');
    const longAgo = new Date(Date.now() - 60 * 60 * 1000);
    const names = await readdir(folder, { recursive: true });
    const works = names.filter((name) => name.endsWith('journal.jsonl')).map((name) => dirname(name));
    const leases = names
      .filter((name) => /lease-\d+$/.test(name) && works.includes(dirname(name)))
      .map((name) => join(folder, name));
    assert.equal(leases.length, 1);
    for (const file of leases) {
      const holder = JSON.parse(await readFile(file, 'utf8')) as object;
      await writeFile(file, JSON.stringify({ ...holder, machine: 'before the restart' }));
      await utimes(file, longAgo, longAgo);
    }
  }

  it('does not repeat a request that was out when the computer was restarted', async () => {
    await crashAt('waiting');
    await restart();
    assert.match((await repository.run(['plan'])).stdout, /may be billed/);
    const { code, stdout } = await repository.run(['apply']);
    assert.match(stdout, /left +a\.png +Outcome unknown/);
    assert.equal(code, 1);
    assert.equal(service.paid(), 1);
  });

  it('does not repeat a request whose result only has to be saved, even with another state folder', async () => {
    service.failDownloads();
    assert.equal((await repository.run(['apply'])).code, 1);
    const { code, stdout } = await repository.run(['apply'], { XDG_STATE_HOME: `${repository.root}-other` });
    assert.match(stdout, /left +a\.png +Outcome unknown/);
    assert.equal(code, 1);
    assert.equal(service.paid(), 1);
  });

  it('gives up a result that the service no longer has only with --again, keeps what was sent, and sends the request in the next run', async () => {
    service.failDownloads();
    assert.equal((await repository.run(['apply'])).code, 1);
    assert.match((await repository.run(['apply'])).stdout, /failed +a\.png +.* answered 410/);
    const given = await repository.run(['apply', '--again', '--max-requests', '0']);
    assert.match(given.stdout, /failed +a\.png +The answer .* cannot be used\..* is kept in \S+answer-/);
    assert.equal(service.paid(), 1);
    assert.match((await repository.run(['plan'])).stdout, /1 request/);
    await repository.run(['apply']);
    assert.equal(service.paid(), 2);
  });

  it('does not repeat a paragraph whose sound another process is still saving', async () => {
    await repository.write({ 'guide.md': 'The first paragraph.' });
    await repository.declare({ 'guide.mp3': { operation: 'speak', document: 'guide.md', model: 't' } });
    await crashAt('waiting');
    const folder = join(repository.root, '..', 'state');
    const names = await readdir(folder, { recursive: true });
    const [lease = ''] = names.filter(
      (name) => /lease-\d+$/.test(name) && names.includes(join(dirname(name), 'journal.jsonl')),
    );
    const job = join(folder, dirname(lease));
    const holder = JSON.parse(await readFile(join(folder, lease), 'utf8')) as object;
    await writeFile(join(folder, lease), JSON.stringify({ ...holder, ...(await thisProcess()) }));
    await writeFile(join(job, 'answer-1'), 'sound');
    const answer = { status: 200, source: { base: 'http://127.0.0.1:1' } };
    const answered = { event: 'answered', answer, file: 'answer-1', bytes: 5 };
    await appendFile(join(job, 'journal.jsonl'), `${JSON.stringify(answered)}\n`);
    const { code, stdout } = await repository.run(['apply']);
    assert.match(stdout, /failed +guide\.mp3 +This text is already being spoken/);
    assert.equal(code, 1);
    assert.equal(service.paid(), 1);
  });

  it('counts all paragraphs that it repeats towards --max-requests', async () => {
    await repository.write({ 'guide.md': ['One.', 'Two.', 'Three.'].join('\n\n') });
    await repository.declare({ 'guide.mp3': { operation: 'speak', document: 'guide.md', model: 't' } });
    await crashAt('waiting');
    const { code, stdout } = await repository.run(['apply', '--again', '--max-requests', '2']);
    assert.match(stdout, /left +guide\.mp3 +Not sent: this run is limited to 2 requests/);
    assert.equal(code, 1);
    assert.equal(service.paid(), 1);
  });

  it('leaves a paragraph that Run Again speaks, and not the path of its document', async () => {
    await repository.write({ 'guide.md': 'The first paragraph.' });
    await repository.declare({ 'guide.mp3': { operation: 'speak', document: 'guide.md', model: 't' } });
    await crashAt('waiting');
    const store = new Store(join(repository.root, '..', 'state', 'unified-media', 'work'));
    const [job] = await store.parts();
    assert(job);
    const { request, place, whole } = inputAgain(job);
    assert.equal('input' in request && request.input, 'The first paragraph.');
    assert.deepEqual([place, whole], [job.place, job.whole]);
  });
});
