import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentBudget } from '../../../src/agents/AgentBudget.ts';
import { contributedSettings } from '../../../src/contributions.ts';
import { type Amounts, noAmounts } from '../../../src/operations/amounts.ts';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { thisProcess } from '../../../src/work/Lease.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const { default: limit } = contributedSettings['agents.budget'];
const images = (count: number): Amounts => ({ ...noAmounts, images: count });

describe('AgentBudget (promises 21, 22)', () => {
  let folder: string;
  let now: Date;
  let budget: AgentBudget;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'unified-media-agents-'));
    now = new Date(2026, 4, 1, 12);
    budget = new AgentBudget(join(folder, 'agents'), () => now);
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const fileOfToday = () => join(folder, 'agents', readdirSync(join(folder, 'agents'))[0] ?? '');

  const book = (id: string, facts: { key?: string; requestKey?: string; amounts?: Amounts; approved?: true } = {}) =>
    budget.book({ id, key: `key of ${id}`, amounts: images(1), limit, ...facts });

  it('books up to the budget and refuses the next request', async () => {
    for (let index = 0; index < 20; index++) assert.deepEqual(await book(`job ${index}`), { kind: 'booked' });
    assert.deepEqual(await book('one more'), { kind: 'over' });
    assert.equal((await budget.spent()).images, 20);
  });

  it('books exactly the budget when requests arrive concurrently', async () => {
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, index) => book(`job ${index}`)));
    assert.equal(outcomes.filter(({ kind }) => kind === 'booked').length, 20);
    assert.equal((await budget.spent()).images, 20);
  });

  it('books a smaller request that fits after a larger one that did not', async () => {
    await book('many', { amounts: images(18) });
    assert.deepEqual(await book('large', { amounts: images(4) }), { kind: 'over' });
    assert.deepEqual(await book('small', { amounts: images(2) }), { kind: 'booked' });
  });

  it('books a request beyond the budget when a person approved it', async () => {
    await book('many', { amounts: images(20) });
    assert.deepEqual(await book('more'), { kind: 'over' });
    assert.deepEqual(await book('more', { approved: true }), { kind: 'booked' });
    assert.equal((await budget.spent()).images, 21);
  });

  it('refunds a refused request once, and keeps an unknown one charged', async () => {
    await book('unknown', { amounts: images(5) });
    await budget.ended('unknown', 'unknown');
    await book('refused', { amounts: images(5) });
    await budget.ended('refused', 'refused');
    await budget.ended('refused', 'refused');
    await budget.ended('unknown', 'refused');
    assert.equal((await budget.spent()).images, 5);
  });

  it('starts a new budget each day, and refunds to the day of the booking', async () => {
    await book('late', { amounts: images(20) });
    now = new Date(2026, 4, 2, 0, 1);
    assert.equal((await budget.spent()).images, 0);
    assert.deepEqual(await book('early', { amounts: images(20) }), { kind: 'booked' });
    await budget.ended('late', 'refused');
    assert.equal((await budget.spent()).images, 20);
    assert.deepEqual(await book('over'), { kind: 'over' });
  });

  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    it(`starts a new budget at midnight where the person is: ${zone}`, async () => {
      const { TZ } = process.env;
      try {
        process.env.TZ = zone;
        assert(Math.abs(new Date(2026, 4, 1).getTimezoneOffset()) >= 11 * 60);
        now = new Date(2026, 4, 1, 23, 59);
        await book('late', { amounts: images(20) });
        now = new Date(2026, 4, 2, 0, 1);
        assert.equal((await budget.spent()).images, 0);
        now = new Date(2026, 4, 1, 0, 1);
        assert.equal((await budget.spent()).images, 20);
      } finally {
        if (TZ === undefined) delete process.env.TZ;
        else process.env.TZ = TZ;
      }
    });
  }

  it('refuses a request beyond the budget also when midnight passes while it is booked', async () => {
    const times = [new Date(2026, 4, 1, 23, 59, 59, 999), new Date(2026, 4, 2)];
    const late = new AgentBudget(join(folder, 'agents'), () => times.shift() ?? new Date(2026, 4, 2));
    const video = { ...noAmounts, videos: 1, requests: 1 };
    const booking = { id: 'a video', key: 'a video', amounts: video, limit };
    assert.deepEqual(await late.book(booking), { kind: 'over' });
  });

  for (const minutes of [-3, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses a request of ${minutes} minutes before it is written, and names the amount`, async () => {
      await assert.rejects(
        book('a recording', { amounts: { ...noAmounts, minutes, requests: 1 }, approved: true }),
        (error) => error instanceof MediaError && error.field === 'minutes' && error.message.includes(String(minutes)),
      );
      assert.equal(existsSync(join(folder, 'agents')), false);
    });
  }

  it('stops after as many requests as the budget has, however little each counts', async () => {
    const amounts = { ...noAmounts, minutes: 0.01, requests: 1 };
    const outcomes = await Promise.all(Array.from({ length: 101 }, (_, index) => book(`call ${index}`, { amounts })));
    assert.equal(outcomes.filter(({ kind }) => kind === 'booked').length, 100);
    assert.deepEqual(await budget.spent(), { ...noAmounts, minutes: 1, requests: 100 });
  });

  it('does not count what was spent yesterday', async () => {
    await book('late', { amounts: images(20) });
    now = new Date(2026, 4, 2, 0, 1);
    assert.equal((await budget.spent()).images, 0);
    assert.deepEqual(await book('early', { amounts: images(20) }), { kind: 'booked' });
  });

  it('does not join a request of yesterday that was beyond the budget, so never sent', async () => {
    await book('many', { amounts: images(20) });
    assert.deepEqual(await book('declined', { key: 'same', requestKey: 'r' }), { kind: 'over' });
    now = new Date(2026, 4, 2, 0, 1);
    assert.deepEqual(await book('again', { key: 'same' }), { kind: 'booked' });
    assert.deepEqual(await book('by id', { key: 'another', requestKey: 'r' }), { kind: 'booked' });
  });

  it('joins a request of yesterday that is still running', async () => {
    await book('late', { key: 'same' });
    now = new Date(2026, 4, 2, 0, 1);
    assert.deepEqual(await book('again', { key: 'same' }), { kind: 'joined', id: 'late' });
    assert.equal((await budget.spent()).images, 0);
  });

  it('counts the budget when midnight comes while a request is booked', async () => {
    await book('many', { amounts: images(20) });
    const times = [now, new Date(2026, 4, 2)];
    const late = new AgentBudget(join(folder, 'agents'), () => times.shift() ?? new Date(2026, 4, 2));
    const request = { id: 'one more', key: 'one more', amounts: images(1), limit };
    assert.deepEqual(await late.book(request), { kind: 'over' });
  });

  it('counts a duplicated line once', async () => {
    await book('first', { amounts: images(5) });
    const file = fileOfToday();
    const line = readFileSync(file);
    appendFileSync(file, line);
    assert.equal((await budget.spent()).images, 5);
    await budget.ended('first', 'done');
    appendFileSync(file, line);
    assert.equal((await budget.spent()).images, 5);
  });

  it('joins a same call while it runs, and not after it has ended: the store knows what became of it', async () => {
    await book('first', { key: 'same' });
    assert.deepEqual(await book('second', { key: 'same' }), { kind: 'joined', id: 'first' });
    assert.equal((await budget.booking('first'))?.isOpen, true);
    await budget.ended('first', 'unknown');
    assert.equal((await budget.booking('first'))?.isOpen, false);
    assert.deepEqual(await book('third', { key: 'same' }), { kind: 'booked' });
    assert.equal((await budget.spent()).images, 2);
  });

  it('joins a call that was still running when this one was booked, though it has ended since', async () => {
    await book('first', { key: 'same' });
    const file = fileOfToday();
    await budget.ended('first', 'done');
    const [first = '', end = ''] = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    // The other process books between the two lines, and reads after them.
    const second = JSON.stringify({ ...(JSON.parse(first) as object), id: 'second' });
    writeFileSync(file, `${first}\n${second}\n${end}\n`);
    assert.equal(await budget.booking('second'), undefined);
    assert.equal((await budget.spent()).images, 1);
  });

  it('does not join a call of a process that was killed, even if another process has its id', async () => {
    const { machine } = await thisProcess();
    const marks = [
      { machine, process: process.pid, started: '1', run: 'an earlier process with our id' },
      { machine: 'another boot', process: process.pid, run: 'before a restart' },
    ];
    // Only Linux says when a process started.
    if (process.platform === 'linux') marks.push({ machine, process: process.ppid, started: '1', run: 'reused' });
    for (const [index, mark] of marks.entries()) {
      const key = `key ${index}`;
      await book(`dead ${index}`, { key });
      const file = fileOfToday();
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      const last = { ...(JSON.parse(lines.pop() ?? '') as object), process: mark };
      writeFileSync(file, `${[...lines, JSON.stringify(last)].join('\n')}\n`);
      assert.equal((await budget.booking(`dead ${index}`))?.isOpen, false);
      assert.deepEqual(await book(`again ${index}`, { key }), { kind: 'booked' }, mark.run);
    }
  });

  it('books an identical request again once the first is done', async () => {
    await book('first', { key: 'same' });
    await budget.ended('first', 'done');
    assert.deepEqual(await book('second', { key: 'same' }), { kind: 'booked' });
  });

  it('joins by request_id even after the job is done, and reports a different request with the same id', async () => {
    await book('first', { requestKey: 'r', key: 'same' });
    await budget.ended('first', 'done');
    assert.deepEqual(await book('second', { requestKey: 'r', key: 'same' }), { kind: 'joined', id: 'first' });
    assert.deepEqual(await book('third', { requestKey: 'r', key: 'other' }), { kind: 'mismatch' });
    assert.equal((await budget.spent()).images, 1);
  });

  it('never joins a request that itself joined one of the day before, and so never ran', async () => {
    await book('first', { requestKey: 'r', key: 'same' });
    now = new Date(2026, 4, 2, 12);
    assert.deepEqual(await book('second', { requestKey: 'r', key: 'same' }), { kind: 'joined', id: 'first' });
    assert.deepEqual(await book('other', { requestKey: 'r', key: 'other' }), { kind: 'mismatch' });
    now = new Date(2026, 4, 3, 12);
    assert.deepEqual(await book('third', { requestKey: 'r', key: 'same' }), { kind: 'booked' });
  });

  it('skips damaged lines', async () => {
    await book('first');
    const file = fileOfToday();
    const { amounts, ...line } = JSON.parse(readFileSync(file, 'utf8')) as { amounts: object };
    appendFileSync(
      file,
      `${JSON.stringify({ ...line, id: 'x', key: 'x', amounts: { ...amounts, requests: undefined } })}\n`,
    );
    appendFileSync(file, '{"event":"booked","id":"x","at":"2026');
    assert.deepEqual(await book('second'), { kind: 'booked' });
    assert.equal((await budget.spent()).images, 2);
    assert.match(readFileSync(file, 'utf8'), /\n\{"event":"booked".*"id":"second"/);
  });

  it('creates a file that only its owner can read', async function () {
    skipUnless(this, process.platform !== 'win32', 'POSIX permissions');
    await book('first');
    assert.equal(statSync(fileOfToday()).mode & 0o777, 0o600);
  });
});
