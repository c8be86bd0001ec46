import assert from 'node:assert/strict';
import type { WorkState } from '../../../src/service/workState.ts';
import { stateOf, stateOfWord } from '../../../src/service/workState.ts';

const words: Readonly<Record<WorkState, readonly string[]>> = {
  done: ['completed', 'COMPLETED', 'Succeed', 'succeeded', 'success', 'done', 'finished', 'Ready', 'ok'],
  failed: [
    ...['failed', 'FAILURE', 'error', 'aborted', 'blocked', 'moderated', 'content_filtered', 'ContentFiltered', 'nsfw'],
    ...['timeout', 'timed_out', 'TimedOut', 'cancelled', 'canceled', 'expired', 'rejected', 'terminated'],
    ...['task_failed', 'processing_failed', 'queue timeout', 'content_policy_violation', 'Task not found'],
  ],
  running: [
    ...['queued', 'IN_QUEUE', 'InQueue', 'pending', 'processing', 'in_progress', 'InProgress', 'submitted', 'starting'],
    ...['not_started', 'pending_moderation', 'moderation_pending', 'failed_retrying', 'rendering_pass_2'],
  ],
  unknown: ['marinated', 'not_completed', 'partial_success', 'generated!', '完成'],
};

describe('the word for the state of the work', () => {
  for (const [state, known] of Object.entries(words)) {
    for (const word of known) it(`${word}: ${state}`, () => assert.equal(stateOfWord(word), state));
  }

  const answers: readonly (readonly [string, Parameters<typeof stateOf>[0], WorkState | undefined])[] = [
    ['there is none', { id: 'x' }, undefined],
    ['a number is none', { status: 2, data: { status: 1 } }, undefined],
    ['the innermost counts', { status: 'success', data: { status: 'processing' } }, 'running'],
    ['the innermost counts, of an only item', { status: 'ok', data: [{ state: 'queued' }] }, 'running'],
    ['the innermost counts, deeper', { status: 'ok', data: { status: 'done', task: { status: 'failed' } } }, 'failed'],
    ['the innermost counts, though nobody knows it', { status: 'success', data: { status: 'marinated' } }, 'unknown'],
    [
      'of several items none counts',
      { status: 'running', data: [{ status: 'done' }, { status: 'queued' }] },
      'running',
    ],
    ['success that only took the task is none', { status: 'success', data: { task_id: 't' } }, undefined],
    ['success of a result is done', { status: 'success', data: { url: 'x' } }, 'done'],
  ];
  for (const [name, answer, state] of answers) {
    it(`in an answer: ${name}`, () => assert.equal(stateOf(answer), state));
  }
});
