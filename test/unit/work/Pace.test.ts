import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Pace } from '../../../src/work/Pace.ts';

describe('Pace', () => {
  const { signal } = new AbortController();

  it('sends refused requests again one by one, and knows whether others are out', async () => {
    const pace = new Pace(() => 3);
    const steps: string[] = [];
    const answers = new Map(['a', 'b'].map((name) => [name, Promise.withResolvers<void>()]));
    const ask = (name: string) =>
      pace.ask(signal, async (others) => {
        await turn();
        steps.push(`${name} refused, ${others.noteBusy() ? 'with others' : 'alone'}`);
        await others.waitForTurn();
        steps.push(`${name} again`);
        await answers.get(name)?.promise;
        steps.push(`${name} answered, ${others.noteBusy() ? 'with others' : 'alone'}`);
      });
    const asked = [ask('a'), ask('b')];
    await turn();
    await turn();
    assert.deepEqual(steps, ['a refused, with others', 'a again', 'b refused, with others']);
    answers.get('a')?.resolve();
    await asked[0];
    answers.get('b')?.resolve();
    await asked[1];
    assert.deepEqual(steps.slice(3), ['a answered, alone', 'b again', 'b answered, alone']);
  });

  it('ends the wait of a refused request that is aborted, and lets the next one go', async () => {
    const pace = new Pace(() => 3);
    const abort = new AbortController();
    const first = Promise.withResolvers<void>();
    const again = (own: AbortSignal, until?: Promise<void>) =>
      pace.ask(own, async (others) => {
        others.noteBusy();
        await others.waitForTurn();
        await until;
      });
    const asked = [again(signal, first.promise), again(abort.signal), again(signal)];
    abort.abort(new Error('no more'));
    await assert.rejects(asked[1] ?? Promise.resolve(), { message: 'no more' });
    first.resolve();
    await Promise.all([asked[0], asked[2]]);
    (await pace.acquire(signal))();
  });
});
