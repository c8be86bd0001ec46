import assert from 'node:assert/strict';
import { wavOf } from '../../support/mediaBytes.ts';
import { startMediaService } from '../../support/mediaService.ts';
import { Repository } from '../../support/repository.ts';

/** A recording of 8 kHz, whose header says the number of bytes given. */
function recording(seconds: number, claimed = seconds * 8000): Buffer {
  const wav = wavOf(Buffer.alloc(seconds * 8000, 0x80));
  wav.writeUInt32LE(claimed, 40);
  return wav;
}

const transcribe = { operation: 'transcribe', model: 'w', file: 'call.wav' };

/** Entries that transcribe the same recording, as a pull request may add them. */
function entries(count: number): Record<string, object> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`call-${index}.md`, transcribe]));
}

describe('what apply sends without --yes (promise 35)', () => {
  it('is at most 20 requests, and the refusal counts them and the minutes', async () => {
    await using service = await startMediaService();
    await using repository = await Repository.make(service.origin, { 'call.wav': recording(90) });
    await repository.declare(entries(21));
    const { code, stderr } = await repository.run(['apply']);
    assert.equal(code, 1);
    assert.match(stderr, /21 requests, 31\.5 minutes of recordings\. Run “apply --yes”/);
    assert.equal(service.requests.length, 0);
    await repository.declare(entries(20));
    const { code: within, stdout } = await repository.run(['apply']);
    assert.equal(within, 0, stdout);
    assert.equal(service.requests.length, 20);
  });

  for (const [what, claimed] of [
    ['says so', undefined],
    ['is said to be empty', 0],
  ] as const) {
    it(`is not a recording of more than 60 minutes that ${what}`, async () => {
      await using service = await startMediaService();
      await using repository = await Repository.make(service.origin, { 'call.wav': recording(3601, claimed) });
      await repository.declare(entries(1));
      const planned = await repository.run(['plan', '--json']);
      const { minutes } = JSON.parse(planned.stdout) as { minutes: number };
      assert(minutes > 60 && minutes < 61, `${minutes} minutes`);
      assert.match((await repository.run(['plan'])).stdout, /1 request, 60\.0\d minutes of recordings/);
      assert.match((await repository.run(['check'])).stdout, /1 request, 60\.0\d minutes of recordings/);
      const { code, stderr } = await repository.run(['apply']);
      assert.deepEqual([code, service.requests.length], [1, 0], stderr);
      assert.equal((await repository.run(['apply', '--yes'])).code, 0);
      assert.equal(service.requests.length, 1);
      const { stdout } = await repository.run(['plan']);
      assert.match(stdout, /Nothing to send\./);
    });
  }

  it('includes a recording that is made first', async () => {
    await using service = await startMediaService();
    await using repository = await Repository.make(service.origin, {});
    await repository.declare({
      'call.wav': { operation: 'speak', model: 't', voice: 'nova', input: 'Hello.' },
      'call.md': transcribe,
    });
    assert.match((await repository.run(['plan'])).stdout, /2 requests, 6 characters, 1 minute of recordings/);
    const { code, stdout } = await repository.run(['apply']);
    assert.equal(code, 0, stdout);
    assert.match(await repository.read('call.md'), /said/);
  });
});
