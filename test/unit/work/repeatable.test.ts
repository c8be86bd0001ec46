import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkOutcomes } from '../../../src/wholes/parts.ts';
import type { Job } from '../../../src/work/Job.ts';
import { inputAgain, isRepeatedOnce } from '../../../src/work/JobRunner.ts';
import { UnknownOutcome } from '../../../src/work/jobErrors.ts';
import { isRepeatable, repeats, type SentKey, sentKey } from '../../../src/work/repeatable.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt } from '../../support/jobRunner.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

const found = { origin: 'https://a.example', sha256: 'b'.repeat(64) };

describe('the idempotency key of a request', () => {
  it('is the same for one attempt of one request only, and has the form of a UUID', () => {
    const attempt = randomUUID();
    const key = sentKey(attempt, found);
    assert.match(key.value, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual(sentKey(attempt, found), key);
    assert.notEqual(sentKey(randomUUID(), found).value, key.value);
    assert.notEqual(sentKey(attempt, { ...found, sha256: 'c'.repeat(64) }).value, key.value);
  });

  it('allows a repeat of the same request at the same origin only, whatever a note claims', () => {
    const key = sentKey(randomUUID(), found);
    const madeUp = { ...key, value: randomUUID() };
    assert(!repeats(madeUp, found));
    assert(isRepeatable(key, found.origin) && repeats(key, found));
    assert(!isRepeatable(undefined, undefined) && !isRepeatable(undefined, found.origin));
    assert(!isRepeatable(key, undefined) && !isRepeatable(key, 'https://b.example'));
    assert(!repeats(key, undefined) && !repeats(undefined, found));
    assert(!repeats(key, { ...found, origin: 'https://b.example' }));
    assert(!repeats(key, { ...found, sha256: 'c'.repeat(64) }));
  });
});

describe('a request whose outcome is unknown, where the service honours idempotency keys (promise 34)', () => {
  const key = 'a'.repeat(64);
  let root: string;
  let store: string;
  let server: Awaited<ReturnType<typeof startHttpServer>>;
  let keys: unknown[];
  let bodies: string[];
  let answers: boolean;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'repeatable-'));
    store = join(root, 'store');
    [keys, bodies, answers] = [[], [], false];
    server = await startHttpServer(async (request, response) => {
      bodies.push(String(await bodyOf(request)));
      keys.push(request.headers['idempotency-key']);
      if (!answers) return response.destroy();
      const data = [{ b64_json: pngBytes.toString('base64') }];
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
  });

  const quiet = { signal: new AbortController().signal, onNotice: () => undefined, onProgress: () => undefined };
  const open = (idempotencyHeader = 'Idempotency-Key', journal = store) =>
    jobRunnerAt(server.origin, { root, journal, idempotencyHeader });
  const input = () => ({ ...imageJob(root), key });

  /** Sends a request whose answer is lost. */
  async function lose(header?: string, job = input()): Promise<void> {
    await using window = open(header);
    await assert.rejects(window.runner.run(job, quiet));
  }

  it('is sent again under the key of the journal without a question, and once more when that is lost, too', async () => {
    await lose();
    await lose();
    answers = true;
    await using window = open();
    const { place } = input();
    assert.equal(await window.runner.store.stateOf(key, place, { keyOrigin: server.origin }), 'repeatable');
    assert.equal(await window.runner.store.stateOf(key, place, { keyOrigin: 'https://b.example' }), 'unknown');
    assert.equal(await window.runner.store.stateOf(key, place), 'unknown');
    await checkOutcomes([key], input(), window.runner, {});
    assert.equal((await window.runner.run(input(), quiet)).length, 1);
    assert.equal(keys.length, 3);
    assert.equal(new Set(keys).size, 1);
    assert.notEqual(keys[0], undefined);
    assert.equal(new Set(bodies).size, 1);
  });

  it('has a new key when it is made anew', async () => {
    answers = true;
    await using window = open();
    await window.runner.run(input(), quiet);
    await window.runner.run(input(), quiet);
    assert.equal(new Set(keys).size, 2);
  });

  it('has its key in the journal and in the note before it is sent', async () => {
    await lose();
    const note = JSON.parse(await readFile(join(root, '.unified-media', 'jobs', key), 'utf8')) as {
      idempotencyKey: SentKey;
    };
    assert.deepEqual([note.idempotencyKey.value, note.idempotencyKey.origin], [keys[0], server.origin]);
    const [line = ''] = (await readFile(join(store, key, 'journal.jsonl'), 'utf8')).trim().split('\n');
    const { event, job } = JSON.parse(line) as { event: string; job: Job };
    assert.deepEqual([event, job.idempotencyKey], ['sending', note.idempotencyKey]);
  });

  it('asks when it was sent without a key, or none is sent now', async () => {
    await lose('');
    await using keyed = open();
    await assert.rejects(keyed.runner.run(input(), quiet), UnknownOutcome);
    await assert.rejects(checkOutcomes([key], input(), keyed.runner, {}), UnknownOutcome);
    await rm(store, { recursive: true });
    await rm(join(root, '.unified-media'), { recursive: true });
    await lose();
    await using plain = open('');
    await assert.rejects(plain.runner.run(input(), quiet), UnknownOutcome);
    assert.equal(keys.length, 2);
  });

  it('asks when another body would be sent, which never has the used key', async () => {
    await lose();
    answers = true;
    await using window = open();
    const other = { ...input(), request: { ...input().request, prompt: 'a hare' } };
    await assert.rejects(window.runner.run(other, quiet), UnknownOutcome);
    assert.equal(keys.length, 1);
    await window.runner.run(other, { ...quiet, again: true });
    assert.equal(new Set(keys).size, 2);
  });

  it('is sent again under the key of the note that another computer has left, unless the note is made up', async () => {
    await lose();
    const file = join(root, '.unified-media', 'jobs', key);
    const note = JSON.parse(await readFile(file, 'utf8')) as { idempotencyKey: SentKey };
    const other = join(root, 'other');
    await writeFile(file, JSON.stringify({ ...note, idempotencyKey: { ...note.idempotencyKey, value: randomUUID() } }));
    {
      await using window = open(undefined, other);
      await assert.rejects(window.runner.run(input(), quiet), UnknownOutcome);
    }
    await writeFile(file, JSON.stringify(note));
    answers = true;
    await using window = open(undefined, other);
    await window.runner.run(input(), quiet);
    assert.deepEqual(keys, [keys[0], keys[0]]);
  });

  it('is sent by Run Again under its key, also where it has no key of its own in the store', async () => {
    await using window = open();
    const { key: _, ...job } = input();
    await assert.rejects(window.runner.run(job, quiet));
    const [lost] = window.jobs.all;
    assert(lost && isRepeatedOnce(lost, window.runner.keyOriginFor({ operation: 'generateImage' })));
    assert(!isRepeatedOnce(lost, undefined));
    answers = true;
    const changed = { ...inputAgain(lost), request: { ...job.request, prompt: 'a hare' } };
    await assert.rejects(window.runner.run(changed, quiet), UnknownOutcome);
    await window.runner.runAgain(lost.id, (current) => window.runner.run(inputAgain(current), quiet));
    assert.deepEqual(keys, [keys[0], keys[0]]);
    // One that was answered is another request.
    const [done] = window.jobs.all;
    assert(done?.state === 'done' && inputAgain(done).idempotencyKey === undefined);
  });

  it('sends the files of a request again byte for byte', async () => {
    const file = join(root, 'a.png');
    await writeFile(file, pngBytes);
    const request = {
      model: 'm',
      prompt: 'p',
      n: 1,
      output_format: 'url',
      image_urls: [pathToFileURL(file).href],
    } as const;
    const parts = { values: {}, encoding: { parts: { image_urls: 'image[]' } } };
    const edit = { ...input(), operation: 'editImage', request: { ...request, further: parts } } as const;
    await lose(undefined, edit);
    await lose(undefined, edit);
    assert.equal(new Set(keys).size, 1);
    assert.deepEqual([bodies.length, new Set(bodies).size], [2, 1]);
    await appendFile(file, 'x');
    await using window = open();
    await assert.rejects(window.runner.run(edit, quiet), UnknownOutcome);
    assert.equal(keys.length, 2);
    assert.equal((await readdir(store)).length, 1);
  });

  it('is not sent again by an agent that calls again (promise 25)', async () => {
    await lose();
    await using window = open();
    const asked = { ...input(), agent: { name: 'agent', call: 'call' } };
    await assert.rejects(window.runner.run(asked, quiet), UnknownOutcome);
    await assert.rejects(checkOutcomes([key], asked, window.runner, {}), UnknownOutcome);
    assert.equal(keys.length, 1);
  });

  it('is only marked as unknown by recover', async () => {
    await lose();
    await using window = open();
    await window.recover();
    assert.deepEqual([window.jobs.all.map(({ state }) => state), keys.length], [['unknown'], 1]);
  });
});
