import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AgentJournal } from '../../../src/agents/AgentJournal.ts';
import type { Amounts } from '../../../src/agents/Amounts.ts';
import { defaultBudget, noAmounts } from '../../../src/agents/Amounts.ts';
import { startSandbox } from '../../../src/sandbox/startSandbox.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const images = (count: number): Amounts => ({ ...noAmounts, images: count });

describe('AgentJournal', () => {
  let folder: string;
  let now: Date;
  let journal: AgentJournal;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'unified-media-agents-'));
    now = new Date(2026, 4, 1, 12);
    journal = new AgentJournal(join(folder, 'agents'), () => now);
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const book = (id: string, facts: { input?: string; requestKey?: string; amounts?: Amounts; approved?: true } = {}) =>
    journal.book({ id, input: `input of ${id}`, amounts: images(1), limit: defaultBudget, ...facts });

  it('books up to the budget and refuses the next request', async () => {
    for (let index = 0; index < 20; index++) assert.deepEqual(await book(`job ${index}`), { kind: 'booked' });
    assert.deepEqual(await book('one more'), { kind: 'over' });
    assert.equal((await journal.spent()).images, 20);
  });

  it('books exactly the budget when requests arrive concurrently', async () => {
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, index) => book(`job ${index}`)));
    assert.equal(outcomes.filter(({ kind }) => kind === 'booked').length, 20);
    assert.equal((await journal.spent()).images, 20);
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
    assert.equal((await journal.spent()).images, 21);
  });

  it('refunds a refused request once, and keeps an unknown one charged', async () => {
    await book('refused', { amounts: images(5) });
    await journal.ended('refused', 'refused');
    await journal.ended('refused', 'refused');
    assert.equal((await journal.spent()).images, 0);
    await book('unknown', { amounts: images(5) });
    await journal.ended('unknown', 'unknown');
    assert.equal((await journal.spent()).images, 5);
  });

  it('starts a new budget each day, and refunds to the day of the booking', async () => {
    await book('late', { amounts: images(20) });
    now = new Date(2026, 4, 2, 0, 1);
    await journal.ended('late', 'refused');
    assert.equal((await journal.spent()).images, 0);
    assert.deepEqual(await book('early', { amounts: images(20) }), { kind: 'booked' });
    assert.deepEqual(await book('over'), { kind: 'over' });
  });

  it('refuses a request beyond the budget also when midnight passes while it is booked', async () => {
    const times = [new Date(2026, 4, 1, 23, 59, 59, 999), new Date(2026, 4, 2)];
    const late = new AgentJournal(join(folder, 'agents'), () => times.shift() ?? new Date(2026, 4, 2));
    const video = { images: 0, videos: 1, characters: 0, minutes: 0 };
    const booking = { id: 'a video', input: 'a video', amounts: video, limit: defaultBudget };
    assert.deepEqual(await late.book(booking), { kind: 'over' });
  });

  it('does not count what was spent yesterday', async () => {
    await book('late', { amounts: images(20) });
    now = new Date(2026, 4, 2, 0, 1);
    assert.equal((await journal.spent()).images, 0);
    assert.deepEqual(await book('early', { amounts: images(20) }), { kind: 'booked' });
  });

  it('does not join a request of yesterday that was beyond the budget, so never sent', async () => {
    await book('many', { amounts: images(20) });
    assert.deepEqual(await book('declined', { input: 'same', requestKey: 'r' }), { kind: 'over' });
    now = new Date(2026, 4, 2, 0, 1);
    assert.deepEqual(await book('again', { input: 'same' }), { kind: 'booked' });
    assert.deepEqual(await book('by id', { input: 'another', requestKey: 'r' }), { kind: 'booked' });
  });

  it('joins a request of yesterday that is still running', async () => {
    await book('late', { input: 'same' });
    now = new Date(2026, 4, 2, 0, 1);
    assert.deepEqual(await book('again', { input: 'same' }), { kind: 'joined', id: 'late' });
    assert.equal((await journal.spent()).images, 0);
  });

  it('counts the budget when midnight comes while a request is booked', async () => {
    await book('many', { amounts: images(20) });
    const times = [now, new Date(2026, 4, 2)];
    const late = new AgentJournal(join(folder, 'agents'), () => times.shift() ?? new Date(2026, 4, 2));
    const request = { id: 'one more', input: 'one more', amounts: images(1), limit: defaultBudget };
    assert.deepEqual(await late.book(request), { kind: 'over' });
  });

  it('counts a duplicated line once', async () => {
    await book('first', { amounts: images(5) });
    const [name = ''] = readdirSync(join(folder, 'agents'));
    const file = join(folder, 'agents', name);
    appendFileSync(file, readFileSync(file));
    assert.equal((await journal.spent()).images, 5);
  });

  it('joins an identical request while it runs, and for ten minutes after an unknown outcome', async () => {
    await book('first', { input: 'same' });
    assert.deepEqual(await book('second', { input: 'same' }), { kind: 'joined', id: 'first' });
    await journal.ended('first', 'unknown');
    now = new Date(now.getTime() + 9 * 60_000);
    assert.deepEqual(await book('third', { input: 'same' }), { kind: 'joined', id: 'first' });
    now = new Date(now.getTime() + 2 * 60_000);
    assert.deepEqual(await book('fourth', { input: 'same' }), { kind: 'booked' });
    assert.equal((await journal.spent()).images, 2);
  });

  it('books an identical request again once the first is done', async () => {
    await book('first', { input: 'same' });
    await journal.ended('first', 'done');
    assert.deepEqual(await book('second', { input: 'same' }), { kind: 'booked' });
  });

  it('joins by request_id even after the job is done, and reports a different request with the same id', async () => {
    await book('first', { requestKey: 'key', input: 'same' });
    await journal.ended('first', 'done');
    assert.deepEqual(await book('second', { requestKey: 'key', input: 'same' }), { kind: 'joined', id: 'first' });
    assert.deepEqual(await book('third', { requestKey: 'key', input: 'other' }), { kind: 'mismatch' });
    assert.equal((await journal.spent()).images, 1);
  });

  it('never joins a request that itself joined one of the day before, and so never ran', async () => {
    await book('first', { requestKey: 'key', input: 'same' });
    now = new Date(2026, 4, 2, 12);
    assert.deepEqual(await book('second', { requestKey: 'key', input: 'same' }), { kind: 'joined', id: 'first' });
    assert.deepEqual(await book('other', { requestKey: 'key', input: 'other' }), { kind: 'mismatch' });
    now = new Date(2026, 4, 3, 12);
    assert.deepEqual(await book('third', { requestKey: 'key', input: 'same' }), { kind: 'booked' });
  });

  it('skips damaged lines', async () => {
    await book('first');
    const [name = ''] = readdirSync(join(folder, 'agents'));
    const file = join(folder, 'agents', name);
    appendFileSync(file, '{"event":"booked","id":"x","at":"2026');
    assert.deepEqual(await book('second'), { kind: 'booked' });
    assert.equal((await journal.spent()).images, 2);
    assert.match(readFileSync(file, 'utf8'), /\n\{"event":"booked".*"id":"second"/);
  });

  it('creates a file that only its owner can read', async function () {
    skipUnless(this, process.platform !== 'win32', 'POSIX permissions');
    await book('first');
    const [name = ''] = readdirSync(join(folder, 'agents'));
    assert.equal(statSync(join(folder, 'agents', name)).mode & 0o777, 0o600);
  });

  it('keeps the budget exact across concurrent processes', async () => {
    const service = await startSandbox({ key: 'key-1', imageSize: 64 });
    const script = join(import.meta.dirname, '../../support/agentInProcess.ts');
    const windows = Array.from({ length: 3 }, () =>
      spawn(process.execPath, [script, service.imageBaseUrl, folder, '5', '7'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    try {
      await Promise.all(windows.map(({ stdout }) => once(stdout, 'data')));
      const outputs = windows.map(({ stdout }) => text(stdout));
      for (const { stdin } of windows) stdin.end('go');
      const statuses = (await Promise.all(outputs)).flatMap((output) => JSON.parse(output) as string[]);
      assert.deepEqual(statuses.toSorted(), [...Array(7).fill('done'), ...Array(8).fill('over_budget')]);
      assert.equal(service.counts.generateImage, 7);
    } finally {
      for (const window of windows) window.kill();
      await service.stop();
    }
  });
});
