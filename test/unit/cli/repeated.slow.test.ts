import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxEvent, Stage } from '../../support/countingSandbox.ts';
import { outcomeOf, Repository } from '../../support/repository.ts';

const stages: readonly Stage[] = ['arrived', 'answered', 'downloading', 'downloaded'];
const kills = 40;

describe('apply with idempotency keys (promise 34)', () => {
  let sandbox: ChildProcess;
  let repository: Repository;
  const honoured = { UNIFIED_MEDIA_IDEMPOTENCY_HEADER: 'Idempotency-Key' };
  const apply = ['apply', '--yes'];

  beforeEach(async () => {
    sandbox = fork(join(import.meta.dirname, '../../support/countingSandbox.ts'));
    repository = await Repository.make(await said<string>(() => true), {});
  });

  afterEach(async () => {
    sandbox.disconnect();
    await repository[Symbol.asyncDispose]();
  });

  /** Resolves with the next message of the sandbox that is wanted. */
  function said<Message>(isWanted: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => {
      const listen = (message: Message): void => {
        if (!isWanted(message)) return;
        sandbox.off('message', listen);
        resolve(message);
      };
      sandbox.on('message', listen);
    });
  }

  async function billed(): Promise<number> {
    const counted = said<unknown>((message) => typeof message === 'number');
    sandbox.send('count');
    return Number(await counted);
  }

  const declare = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `a${index}.png`);
    const entryOf = (name: string) => ({ operation: 'generateImage', prompt: name, model: 'sandbox' });
    return repository.declare(Object.fromEntries(names.map((name) => [name, entryOf(name)]))).then(() => names);
  };

  it(`makes ${kills} pictures with ${kills} bills and no question, when it is killed while each is made`, async function () {
    this.timeout(600_000);
    const names = await declare(kills);
    for (let killed = 0; killed < kills; killed++) {
      const stage = stages[killed % stages.length];
      const isNow = (event: SandboxEvent) => event.stage === stage && event.requests === killed + 1;
      const reached = said<SandboxEvent>(isNow);
      // Without more, the process cannot get further before it is killed.
      sandbox.send(killed + 1);
      await repository.crash(reached, apply, honoured);
    }
    const { code, stdout } = await outcomeOf(repository.start(apply, honoured));
    assert.equal(code, 0, stdout);
    assert.doesNotMatch(stdout, /unknown/i);
    assert.deepEqual(
      names.filter((name) => !existsSync(join(repository.root, name))),
      [],
    );
    assert.equal(await billed(), kills);
  });

  it('plans the repeat as a request that is billed once, and asks without the setting', async () => {
    await declare(1);
    sandbox.send(1);
    await repository.crash(
      said<SandboxEvent>(({ stage }) => stage === 'arrived'),
      apply,
      honoured,
    );
    const plan = await repository.run(['plan'], honoured);
    assert.equal(plan.code, 2, plan.stdout);
    assert.match(plan.stdout, /a0\.png.*1 request/);
    assert.match(plan.stdout, /sent again under the same idempotency key, and billed once/);
    const asking = await repository.run(apply);
    assert.match(asking.stdout, /left +a0\.png +Outcome unknown/);
    const elsewhere = { ...honoured, UNIFIED_MEDIA_IMAGE_BASE_URL: 'http://127.0.0.1:9' };
    assert.match((await repository.run(apply, elsewhere)).stdout, /left +a0\.png +Outcome unknown/);
    assert.equal((await repository.run(apply, honoured)).code, 0);
    assert.equal(await billed(), 1);
  });
});
