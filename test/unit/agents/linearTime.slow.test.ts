import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentBudget } from '../../../src/agents/AgentBudget.ts';
import { contributedSettings } from '../../../src/contributions.ts';
import { noAmounts } from '../../../src/operations/amounts.ts';
import { thisProcess } from '../../../src/work/Lease.ts';
import { staysInProportion } from '../../support/growsLinearly.ts';

const { default: limit } = contributedSettings['agents.budget'];
const at = '2026-05-01T10:00:00Z';
const booked = (id: number, key = id, requestKey?: number) => ({
  ...{ event: 'booked', id: `${id}`, at, key: `${key}`, amounts: noAmounts, limit },
  ...(requestKey === undefined ? {} : { requestKey: `${requestKey}` }),
});

/** The lines of a day. */
const shapes: Readonly<Record<string, (index: number) => object>> = {
  'different calls': (index) => booked(index),
  'calls of one request': (index) => booked(index, 0),
  'calls of one request_id': (index) => booked(index, index, 0),
  'one call': () => booked(0),
  'calls and their ends': (index) =>
    index % 2 === 0 ? booked(index, index, index) : { event: 'ended', id: `${index - 1}`, at, end: 'refused' },
};

describe("time for the record of agents' calls (promise 17)", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-'));
  });
  after(() => rm(folder, { recursive: true }));

  for (const [shape, lineOf] of Object.entries(shapes)) {
    it(`grows at most linearly up to 8,000 lines of ${shape}`, async () => {
      const mark = await thisProcess();
      const prepare = async (count: number) => {
        const own = join(folder, shape, String(count));
        await mkdir(own, { recursive: true });
        const lines = Array.from({ length: count }, (_, index) => JSON.stringify({ ...lineOf(index), process: mark }));
        await writeFile(join(own, '2026-05-01.jsonl'), lines.join('\n'));
        const budget = new AgentBudget(own, () => new Date(2026, 4, 1, 12));
        assert((await budget.booking('0')) !== undefined);
        return () => budget.spent();
      };
      assert(await staysInProportion(prepare, 2000));
    });
  }
});
