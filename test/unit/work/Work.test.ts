import assert from 'node:assert/strict';
import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Asset } from '../../../src/library/LibraryRecord.ts';
import { inOnePiece } from '../../../src/library/saveMedia.ts';
import type { RawAnswer } from '../../../src/service/Answer.ts';
import type { JobFacts } from '../../../src/work/Job.ts';
import { LeaseLost } from '../../../src/work/Lease.ts';
import { Work } from '../../../src/work/Work.ts';
import { imageJob } from '../../support/jobRunner.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const named = { name: 'a-fox.png', bytes: 1, sha256: 'ab', mediaType: 'image/png' };

async function taken(folder: string): Promise<Work> {
  const work = await Work.take(folder, {}, true);
  assert(work);
  return work;
}

describe('Work', () => {
  let parent: string;
  let folder: string;
  let log: Work;
  let job: JobFacts;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'job-log-'));
    const id = crypto.randomUUID();
    folder = join(parent, id);
    log = await taken(folder);
    job = { ...imageJob(parent), id, key: id, createdAt: new Date().toISOString() };
    await log.sending(job);
  });

  afterEach(async () => {
    await log.release();
    await rm(parent, { recursive: true });
  });

  function answer(text: string): RawAnswer {
    return {
      status: 200,
      contentType: 'application/json',
      requestId: undefined,
      retryAfter: undefined,
      source: { base: 'https://a.example' },
      body: Buffer.from(text),
    };
  }

  const answers = async () => (await readdir(folder)).filter((name) => name.startsWith('answer-'));

  it('returns the final answer, and keeps the one with the job id for polling again', async () => {
    await log.answered(answer('{"id":"v1"}'));
    await log.answered(answer('{"url":"/v1.mp4"}'), 'v1');
    const kept = await log.answer();
    assert.equal(kept?.videoId, 'v1');
    assert(kept?.raw.body instanceof Uint8Array);
    assert.equal(Buffer.from(kept.raw.body).toString(), '{"url":"/v1.mp4"}');
    const job = await log.jobAnswer();
    assert(job?.raw.body instanceof Uint8Array);
    assert.equal(Buffer.from(job.raw.body).toString(), '{"id":"v1"}');
  });

  it('can be sent on a file system that cannot flush folders, but not on one that fails to', async function () {
    skipUnless(this, process.platform !== 'win32', 'fsync of folders');
    await using handle = await open(parent, 'r');
    const calls = Object.getPrototypeOf(handle) as Pick<FileHandle, 'sync'>;
    const { sync } = calls;
    const failWith = (code: string) => {
      calls.sync = async function (this: FileHandle) {
        if ((await this.stat()).isDirectory()) throw Object.assign(new Error(code), { code });
        await sync.call(this);
      };
    };
    try {
      for (const code of ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']) {
        failWith(code);
        await log.sending(job);
        await log.answered(answer('{}'));
      }
      failWith('EIO');
      await assert.rejects(log.sending(job), { code: 'EIO' });
    } finally {
      calls.sync = sync;
    }
  });

  it('reopens a job whose answer arrives after it was given up', async () => {
    await log.ended('unknown', undefined, false);
    await log.answered(answer('{}'));
    const record = (await log.read())?.record;
    assert.deepEqual([record?.state, record?.hasAnswer], ['downloading', true]);
    await log.ended('failed', undefined, true);
    assert.equal((await log.read())?.record.state, 'failed');
  });

  it('does not know the outcome of a job whose answer is gone', async () => {
    await log.ended('failed', undefined, true);
    assert.equal((await log.read())?.record.state, 'unknown');
  });

  it('keeps a refusal as a raw answer only', async () => {
    await log.answered(answer('{"error":"no"}'));
    await log.ended('failed', undefined, false);
    assert.equal(await log.answer(), undefined);
    const record = (await log.read())?.record;
    assert.deepEqual([record?.hasAnswer, record?.hasRawAnswer], [false, true]);
  });

  it('does not treat a truncated answer as complete', async () => {
    await log.answered(answer('{"url":"/1.png"}'));
    const [name = ''] = await answers();
    await truncate(join(folder, name), 5);
    const record = (await log.read())?.record;
    assert.deepEqual([record?.state, record?.hasAnswer, record?.hasRawAnswer], ['waiting', false, true]);
    assert.equal(await log.answer(), undefined);
    const [raw] = await log.rawFiles();
    assert.deepEqual([raw?.what, raw?.path], ['partial', join(folder, name)]);
  });

  it('frees the reserved space before it records the end of a request', async () => {
    const journal = join(folder, 'journal.jsonl');
    await rm(journal);
    // Stands in for a full disk: the end cannot be written.
    await mkdir(journal);
    assert((await readdir(folder)).includes('reserve'));
    await assert.rejects(log.ended('failed', undefined, false));
    assert(!(await readdir(folder)).includes('reserve'));
  });

  it('takes the lease again when its folder was removed by accident', async () => {
    await rm(folder, { recursive: true });
    await log.sending(job);
    assert.equal(await Work.take(folder, {}), undefined, 'it works without the lease');
  });

  it('keeps the result and the journal of a saved part, and nothing else of it', async () => {
    await log.answered(answer('{"text":"One."}'));
    await log.keepPart('json', inOnePiece(Buffer.from('{}')));
    await log.finishPart();
    assert.deepEqual((await readdir(folder)).toSorted(), ['journal.jsonl', 'lease-1', 'part.json']);
    assert.equal((await log.read())?.record.state, 'done');
  });

  it('offers no raw answer when no byte arrived', async () => {
    await using _ = await log.openAnswer();
    assert.equal((await answers()).length, 1);
    assert.equal((await log.read())?.record.hasRawAnswer, false);
  });

  it('remembers saved results and reserved names', async () => {
    const asset: Asset = {
      ...named,
      uri: 'file:///a-fox.png',
      kind: 'images',
      operation: 'generateImage',
      model: 'm',
      createdAt: job.createdAt,
      jobId: job.id,
    };
    await log.answered(answer('{}'));
    await log.naming(1, named);
    await log.saved(1, asset);
    const read = await log.read();
    assert.deepEqual(read?.record.assets, { 1: asset });
    assert.deepEqual([...(read?.naming ?? [])], [[1, named]]);
  });

  it('keeps the last final state while the service is polled again', async () => {
    const state = JSON.stringify({ url: '/v1.mp4' });
    await log.answered(answer('{"id":"v1"}'));
    {
      await using file = await log.openStatus();
      await file.write(Buffer.from(state));
      await file.finish();
      await log.answered({ ...answer(''), body: { path: file.path, length: state.length } }, 'v1');
    }
    await using _ = await log.openStatus();
    const kept = await log.answer();
    assert(kept?.raw.body instanceof Uint8Array);
    assert.equal(Buffer.from(kept.raw.body).toString(), state);
  });

  it('removes its journal before anything else, so that a crash in between leaves no work without its notes', async () => {
    const release = log.release.bind(log);
    let left: readonly string[] = [];
    log.release = async () => {
      left = await readdir(folder);
      log.release = release;
      await release();
    };
    await log.remove();
    assert(left.includes('reserve') && !left.includes('journal.jsonl'), left.join());
    await assert.rejects(readdir(folder), { code: 'ENOENT' });
  });

  it('returns a kept result only when it is complete', async () => {
    const begun = Promise.withResolvers<void>();
    const rest = Promise.withResolvers<void>();
    async function* data() {
      yield Buffer.from('half ');
      begun.resolve();
      await rest.promise;
      yield Buffer.from('whole');
    }
    const keeping = log.keep(0, data());
    await begun.promise;
    assert.equal(await log.kept(0), undefined);
    rest.resolve();
    await keeping;
    const kept = await log.kept(0);
    assert(kept);
    assert.equal(await text(kept), 'half whole');
  });

  it('creates files that only their owner can read', async function () {
    skipUnless(this, process.platform !== 'win32', 'POSIX permissions');
    await log.answered(answer('{}'));
    for (const name of await readdir(folder)) {
      assert.equal((await stat(join(folder, name))).mode & 0o077, 0, `others can read ${name}`);
    }
    assert.equal((await stat(folder)).mode & 0o077, 0);
  });

  describe('after another process has taken its lease', () => {
    /** Another holder of the lease, as in another process. */
    let other: Work;

    beforeEach(async () => {
      const [lease = ''] = (await readdir(folder)).filter((name) => name.startsWith('lease-'));
      const file = join(folder, lease);
      const holder = JSON.parse(await readFile(file, 'utf8')) as object;
      await writeFile(file, JSON.stringify({ ...holder, run: 'one that has ended' }));
      other = await taken(folder);
    });

    afterEach(() => other.release());

    it('rejects naming a result', async () => {
      await assert.rejects(log.naming(0, named), LeaseLost);
      assert.equal((await log.read())?.naming.size, 0);
    });

    it('rejects whatever would change the work', async () => {
      await other.keep(0, inOnePiece(Buffer.from('theirs')));
      await using file = await other.openAnswer();
      await file.write(Buffer.from('{}'));
      await mkdir(join(folder, 'recording-1'));
      const before = (await readdir(folder)).toSorted();
      await assert.rejects(log.sending(job), LeaseLost);
      await assert.rejects(log.ended('failed', undefined, false), LeaseLost);
      await assert.rejects(log.discardAnswers(), LeaseLost);
      await assert.rejects(log.removeRecording(), LeaseLost);
      await assert.rejects(log.keep(0, inOnePiece(Buffer.from('mine'))), LeaseLost);
      await log.remove();
      assert.deepEqual((await readdir(folder)).toSorted(), before);
      assert.equal(await readFile(join(folder, 'result-0'), 'utf8'), 'theirs');
      assert.equal(await other.isHeld(), true);
    });

    it('leaves the states of the other process, which may be final', async () => {
      await using theirs = await other.openStatus();
      await using mine = await log.openStatus();
      const names = [theirs, mine].map(({ path }) => basename(path));
      assert.deepEqual((await readdir(folder)).filter((name) => name.startsWith('status-')).sort(), names.sort());
    });

    it('rejects answers when the other process has sent a request of its own, and leaves the lease', async () => {
      await other.reset();
      await other.sending({ ...job, id: crypto.randomUUID() });
      await other.release();
      await assert.rejects(log.answered(answer('{}')), LeaseLost);
      assert.equal((await log.read())?.record.hasAnswer, false);
      await using next = await Work.take(folder, {});
      assert(next);
    });

    it('rejects answers while the other process works, and takes the job back once that has ended', async () => {
      const before = await readFile(join(folder, 'journal.jsonl'), 'utf8');
      await assert.rejects(log.answered(answer('{}')), LeaseLost);
      await assert.rejects(log.partial(answer('{')), LeaseLost);
      assert.equal(await readFile(join(folder, 'journal.jsonl'), 'utf8'), before);
      await other.release();
      await log.answered(answer('{}'));
      assert.equal((await log.read())?.record.hasAnswer, true);
      assert.equal(await log.isHeld(), true);
      assert.equal(await Work.take(folder, {}), undefined, 'it works without the lease');
    });
  });

  it('replaces the journal of an earlier attempt, with all that was left of it, and remembers its id', async () => {
    await log.keep(0, inOnePiece(Buffer.from('an earlier result')));
    await log.partial(answer('{'));
    const next = { ...job, id: crypto.randomUUID() };
    assert.deepEqual(await log.sending(next), [job.id]);
    assert.deepEqual((await readdir(folder)).toSorted(), ['journal.jsonl', 'lease-1', 'reserve']);
    const record = (await log.read())?.record;
    assert.deepEqual([record?.id, record?.earlier], [next.id, [job.id]]);
  });
});
