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
});
