import assert from 'node:assert/strict';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { afterAnswer, afterRefusal, lostRequest, ofJob, RefusedAnswer, recordOf } from '../../../src/work/jobErrors.ts';

const warning = 'The service may still bill this request.';

/** The errors of a job whose request was sent: cut off, cancelled, refused late, not understood, lost by the window. */
function errorsOf(job: { readonly id: string; readonly sandbox: boolean }): readonly MediaError[] {
  const sent = { mayBeBilled: true } as const;
  const after = (error: MediaError, isCancelled: boolean) =>
    afterAnswer(error, [], { job, isCancelled, keptAt: 'store', hasRawResult: false, host: 'https://a.test' });
  const found = [
    ofJob(new MediaError('network', 'The connection was lost.', sent), job),
    ofJob(new MediaError('cancelled', 'Cancelled.', sent), job),
    afterRefusal(new RefusedAnswer(new MediaError('server', 'The work failed.', sent)), job),
    after(new MediaError('noMedia', 'No image.', sent), false),
    after(new MediaError('cancelled', 'Cancelled.'), true),
    lostRequest(job, true),
  ];
  return found.filter((error) => error instanceof MediaError);
}

describe('The errors of a job that was sent', () => {
  it('say once that the service may bill it', () => {
    const errors = errorsOf({ id: 'a', sandbox: false });
    assert.equal(errors.length, 6);
    for (const { message, mayBeBilled } of errors) {
      assert(mayBeBilled, message);
      assert.equal(message.split(warning).length, 2, message);
    }
  });

  it('say nothing of money in the sandbox, which is free', () => {
    const job = { id: 'a', sandbox: true };
    const errors = errorsOf(job);
    assert.equal(errors.length, 6);
    for (const { message, mayBeBilled } of errors) {
      assert(!mayBeBilled, message);
      assert.doesNotMatch(message, /bill|paid/);
    }
    assert(!recordOf(new TypeError('unexpected'), job).mayBeBilled);
  });

  it('say it once when the job is named again', () => {
    const job = { id: 'a', sandbox: false };
    const once = ofJob(new MediaError('network', 'The connection was lost.', { mayBeBilled: true }), job);
    assert.equal(ofJob(once, job), once);
  });

  it('say nothing of money where nothing was sent', () => {
    const error = ofJob(new MediaError('network', 'Cannot reach a.test.'), { id: 'a', sandbox: false });
    assert(error instanceof MediaError);
    assert.deepEqual([error.message, error.mayBeBilled], ['Cannot reach a.test.', false]);
  });
});
