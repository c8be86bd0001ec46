import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentAnswer } from '../../../src/agents/prepareCall.ts';
import { toolOf } from '../../../src/agents/tools.ts';
import { noAmounts } from '../../../src/operations/amounts.ts';
import { inputAgain } from '../../../src/work/JobRunner.ts';
import { type DeskOptions, openDesk } from '../../support/agentDesk.ts';
import { failureOf } from '../../support/failureOf.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';
import { mp3Bytes, pngBytes } from '../../support/mediaBytes.ts';

const quiet = { signal: new AbortController().signal, onNotice: () => undefined, onProgress: () => undefined };
type Served = 'drop' | number | string | Uint8Array;
const picture = JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] });

describe('a repeated call of an agent (promise 25)', () => {
  const opened: AsyncDisposable[] = [];
  let folder: string;
  let now: Date;
  let sent: string[];
  /** What the service does with a body: drops the connection, refuses it, or answers. */
  let serve: (body: string) => Served | Promise<Served>;
  let origin: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), 'unified-media-agents-'));
    now = new Date(2026, 4, 1, 12);
    sent = [];
    serve = () => 'drop';
    const server = await startHttpServer(async (request, response) => {
      const body = (await bodyOf(request)).toString();
      sent.push(body);
      const served = await serve(body);
      if (served === 'drop') request.socket.destroy();
      else if (typeof served === 'number') response.writeHead(served).end();
      else response.end(served);
    });
    opened.push(server);
    origin = server.origin;
  });

  afterEach(async () => {
    for (const one of opened.splice(0).toReversed()) await one[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  function open(options: DeskOptions = {}) {
    const desk = openDesk(origin, { folder, now: () => now, ...options });
    opened.push(desk);
    return desk;
  }

  const draw = (desk: ReturnType<typeof open>, input: object) =>
    desk.ask('media_generate_image', { prompt: 'a red fox', ...input });

  /** Runs a job again, as a person does in the Activity view. */
  const runAgain = ({ runner }: ReturnType<typeof open>, id: string) =>
    runner.runAgain(id, (job) => runner.run(inputAgain(job), { ...quiet, again: true }));

  it('finds an unknown outcome by what is sent, on any later day and in any window', async () => {
    const desk = open();
    const first = await draw(desk, { request_id: 'one' });
    assert.equal(first.status, 'unknown');
    const repeats = [
      { request_id: 'one' },
      { request_id: 'two' },
      {},
      { file_name: 'hero', folder: 'docs', alt_text: 'A fox', purpose: 'once more' },
      { prompt: ' a  red\nfox ', n: 1 },
    ];
    for (const days of [0, 3, 400]) {
      now = new Date(2026, 4, 1 + days, 12);
      for (const one of [desk, open()]) {
        for (const input of repeats) {
          const { status, job_id } = await draw(one, input);
          assert.deepEqual([status, job_id], ['unknown', first.job_id], `${days} ${JSON.stringify(input)}`);
        }
        assert.deepEqual(one.asked, []);
      }
    }
    assert.equal(sent.length, 1);
    assert.deepEqual(await desk.host.budget.spent(), noAmounts);
  });

  it('finds that of another client, until the person dismisses it', async () => {
    const desk = open();
    const { job_id = '' } = await draw(desk, { request_id: 'one' });
    const chat = { prompt: 'a red fox', request_id: 'one' };
    assert.equal((await desk.chat(toolOf('generateImage'), chat)).status, 'unknown');
    assert.equal(sent.length, 1);
    await desk.runner.dismiss(job_id);
    await desk.chat(toolOf('generateImage'), chat);
    assert.equal(sent.length, 2);
  });

  it('sends what is different, and what another folder has asked for', async () => {
    const desk = open();
    await draw(desk, {});
    for (const input of [{ prompt: 'a red foxglove' }, { n: 2 }, { model: 'other' }]) await draw(desk, input);
    assert.equal(sent.length, 4);
    mkdirSync(join(folder, 'other'));
    await draw(open({ folder: join(folder, 'other'), store: join(folder, 'jobs') }), { request_id: 'two' });
    assert.equal(sent.length, 5);
  });

  it('finds what was asked for in a folder that was renamed', async () => {
    const desk = open();
    await draw(desk, {});
    mkdirSync(join(folder, 'other'));
    renameSync(desk.root, join(folder, 'other/workspace'));
    const renamed = open({ folder: join(folder, 'other'), store: join(folder, 'jobs') });
    assert.equal((await draw(renamed, { request_id: 'two' })).status, 'unknown');
    assert.equal(sent.length, 1);
  });

  it('knows a file by its content, not by its name', async () => {
    const desk = open();
    const edit = (image: string, input: object) =>
      desk.ask('media_edit_image', { prompt: 'darker', images: [image], ...input });
    const write = (name: string, more: Uint8Array) =>
      writeFileSync(join(desk.root, name), Buffer.concat([pngBytes, more]));
    write('a.png', Buffer.alloc(0));
    await edit('a.png', {});
    write('copy.png', Buffer.alloc(0));
    assert.equal((await edit('copy.png', { request_id: 'two' })).status, 'unknown');
    assert.equal(sent.length, 1);
    write('a.png', Buffer.of(1));
    await edit('a.png', {});
    assert.equal(sent.length, 2);
  });

  it('finds a request that an earlier version sent on the same day, which wrote no hash of the content', async () => {
    const first = await draw(open(), { request_id: 'one' });
    for (const key of readdirSync(join(folder, 'jobs'))) {
      const path = join(folder, 'jobs', key, 'journal.jsonl');
      const journal = readFileSync(path, 'utf8');
      writeFileSync(path, journal.replace(/,"contentKey":"\w+"/, ''));
      assert.notEqual(readFileSync(path, 'utf8'), journal);
    }
    for (const input of [{ request_id: 'one' }, { request_id: 'two' }, {}]) {
      assert.equal((await draw(open(), input)).job_id, first.job_id);
    }
    assert.equal(sent.length, 1);
  });

  it('finds the unknown part of a long text, however the text is spaced', async () => {
    serve = (body) => (body.includes('Second') ? 'drop' : mp3Bytes);
    const desk = open();
    const text = `First ${'word '.repeat(15)}ends. Second ${'word '.repeat(15)}ends.`;
    assert.equal((await desk.ask('media_speak', { text })).status, 'unknown');
    now = new Date(2026, 4, 4, 12);
    for (const input of [{ text }, { text: text.replaceAll('word', 'word '), file_name: 'b' }]) {
      const { status, job_id } = await open().ask('media_speak', input);
      assert.deepEqual([status, desk.jobs.get(job_id ?? '')?.state], ['unknown', 'unknown']);
    }
    assert.equal(sent.length, 2);
  });

  it('finds the part of a long text that a person has run again without success', async () => {
    serve = (body) => (body.includes('Second') ? 'drop' : mp3Bytes);
    const desk = open();
    const text = `First ${'word '.repeat(15)}ends. Second ${'word '.repeat(15)}ends.`;
    const { job_id = '' } = await desk.ask('media_speak', { text });
    const part = desk.jobs.all.find(({ state }) => state === 'unknown');
    assert(part);
    assert.notEqual(part.id, job_id);
    const again = desk.runner.runAgain(part.id, (job) =>
      desk.host.run(inputAgain(job), { ...quiet, again: true }, 'x'),
    );
    assert.equal((await failureOf(again)).kind, 'network');
    const respaced = { text: text.replaceAll('word', 'word '), request_id: 'two' };
    assert.equal((await desk.ask('media_speak', respaced)).status, 'unknown');
    assert.equal(sent.length, 3);
  });

  it('uses the paid answer of a part, which is not saved yet', async () => {
    let isThere = false;
    serve = (body) => {
      if (body === '') return isThere ? mp3Bytes : 404;
      return body.includes('Second') ? JSON.stringify({ url: `${origin}/part.mp3` }) : mp3Bytes;
    };
    const desk = open();
    const text = `First ${'word '.repeat(15)}ends. Second ${'word '.repeat(15)}ends.`;
    const first = await desk.ask('media_speak', { text });
    assert.deepEqual([first.status, first.error?.charged], ['failed', 'yes'], first.error?.message);
    isThere = true;
    assert.equal((await desk.ask('media_speak', { text, request_id: 'two' })).status, 'done');
    assert.equal(sent.filter(Boolean).length, 2);
  });

  for (const [served, kind] of [
    ['drop', 'network'],
    [401, 'unauthorized'],
    [400, 'badRequest'],
  ] as const) {
    it(`finds a request that a person has run again, which ended with ${kind}`, async () => {
      const desk = open();
      const { job_id = '' } = await draw(desk, {});
      serve = () => served;
      assert.equal((await failureOf(runAgain(desk, job_id))).kind, kind);
      const before = sent.length;
      now = new Date(2026, 4, 4, 12);
      assert.equal((await draw(open(), { request_id: 'two' })).status, 'unknown');
      assert.equal(sent.length, before);
    });
  }

  it('sends nothing while a person runs the request again', async () => {
    const desk = open();
    const { job_id = '' } = await draw(desk, {});
    const answer = Promise.withResolvers<string>();
    const arrived = Promise.withResolvers<void>();
    serve = () => {
      arrived.resolve();
      return answer.promise;
    };
    const again = runAgain(desk, job_id);
    await arrived.promise;
    for (const input of [{ request_id: 'two' }, { file_name: 'hero' }]) {
      const { status, job_id: running = '' } = await draw(desk, input);
      assert.deepEqual([status, desk.jobs.get(running)?.state], ['running', 'waiting']);
    }
    answer.resolve(picture);
    await again;
    assert.equal(sent.length, 2);
    assert.equal((await draw(desk, { request_id: 'two' })).status, 'done');
  });

  it('finds one that was cancelled after it was sent', async () => {
    const desk = open();
    const cancelled = Promise.withResolvers<unknown>();
    serve = () => {
      const [call] = desk.desk.open;
      cancelled.resolve(desk.ask('media_cancel_job', { job_id: call?.id }));
      return 'drop';
    };
    await draw(desk, { request_id: 'one' });
    await cancelled.promise;
    assert.equal((await draw(desk, { request_id: 'two' })).status, 'unknown');
    assert.equal(sent.length, 1);
  });

  it('finds a paid answer that is not saved, until a person gives it up', async () => {
    serve = () => '{"data": [{}]}';
    const desk = open();
    const first = await draw(desk, { request_id: 'one' });
    const again = await draw(desk, { request_id: 'two' });
    assert.deepEqual([again.status, again.job_id, again.error?.charged], ['failed', first.job_id, 'yes']);
    assert.equal(sent.length, 1);
    const job = desk.jobs.get(first.job_id ?? '');
    assert(job);
    await desk.runner.giveUp(job.key, job.place);
    serve = () => picture;
    assert.equal((await draw(desk, { request_id: 'two' })).status, 'done');
  });

  it('sends nothing after a question during which the same request got an unknown outcome', async () => {
    const asking = Promise.withResolvers<AgentAnswer>();
    const desk = open({ limit: { images: 1 }, answer: () => asking.promise });
    const waiting = await draw(desk, { request_id: 'two', prompt: ' a red fox', n: 2, wait_seconds: 0 });
    assert.equal(waiting.status, 'waiting_for_person');
    const other = open({ agents: 'other agents' });
    const { job_id } = await draw(other, { request_id: 'one', n: 2 });
    asking.resolve('yes');
    const held = await desk.ask('media_get_job', { job_id: waiting.job_id, wait_seconds: 25 });
    assert.deepEqual([held.status, held.job_id], ['unknown', job_id]);
    assert.equal(sent.length, 1);
    assert.deepEqual(await desk.host.budget.spent(), noAmounts);
  });
});
