import assert from 'node:assert/strict';
import { describeFailure } from '../../../src/agents/ToolResult.ts';
import { MediaError } from '../../../src/operations/MediaError.ts';

describe('describeFailure', () => {
  it('invites a second call only when invalid input was not billed', () => {
    const free = describeFailure(new MediaError('invalidInput', 'The prompt is missing.'));
    assert.equal(free.error?.charged, 'no');
    assert.match(free.next ?? '', /^Nothing was billed\. Correct the input/);
    const changed = new MediaError('invalidInput', 'The file changed while it was sent.', { mayBeBilled: true });
    const billed = describeFailure(changed);
    assert.equal(billed.error?.charged, 'unknown');
    assert.match(billed.next ?? '', /do not call the tool again\.$/);
  });

  it('agrees with what the other parts of the call were charged', () => {
    const refused = new MediaError('rateLimited', 'Too many requests.');
    const of = (parts: 'no' | 'yes' | 'unknown', sandbox = false) => {
      const { error, next } = describeFailure(refused, { sandbox }, parts);
      return [error?.charged, error?.retryable, next.split(/[.,] /)[0]];
    };
    assert.deepEqual(of('no'), ['no', true, 'Nothing was billed']);
    assert.deepEqual(of('yes'), ['yes', true, 'The finished parts are billed and kept']);
    assert.deepEqual(of('unknown'), ['unknown', false, 'Report the error to the user']);
    assert.deepEqual(of('yes', true), ['no', true, 'Nothing was billed']);
  });
});
